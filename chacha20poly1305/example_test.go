// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log"

	// To migrate a program, replace this line:
	//
	//	"golang.org/x/crypto/chacha20poly1305"
	"github.com/unimac/unimac/chacha20poly1305"
)

// Real keys must be random and secret.
var secret = []byte("an example key of thirty-two B.!")

// A program written for golang.org/x/crypto/chacha20poly1305 needs no change except the
// import path.
func Example_migration() {
	aead, err := chacha20poly1305.NewX(secret)
	if err != nil {
		log.Fatal(err)
	}
	msg := []byte("Gophers, gophers, gophers everywhere!")
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(msg)+aead.Overhead())
	rand.Read(nonce)
	sealed := aead.Seal(nonce, nonce, msg, nil) // appended to the nonce

	nonce, ciphertext := sealed[:aead.NonceSize()], sealed[aead.NonceSize():]
	plaintext, err := aead.Open(nil, nonce, ciphertext, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", plaintext)
	// Output:
	// Gophers, gophers, gophers everywhere!
}

func ExampleNewXWithRandomNonce() {
	a, err := chacha20poly1305.NewXWithRandomNonce(secret)
	if err != nil {
		log.Fatal(err)
	}
	sealed := a.Seal(nil, nil, []byte("a message"), []byte("version 1")) // after a random nonce
	opened, err := a.Open(nil, nil, sealed, []byte("version 1"))
	if err != nil {
		log.Fatal(err) // the message or the additional data was changed
	}
	fmt.Printf("%d bytes, %s\n", len(sealed), opened)

	if _, err := a.Open(nil, nil, sealed, []byte("version 2")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 49 bytes, a message
	// chacha20poly1305: message authentication failed
}

// Age encrypts a file in chunks of 64 KiB, under a key that is used for no other file. The
// nonce consists of the chunk's number, in 11 bytes, and a byte that marks the last chunk, so
// an attacker cannot omit, reorder or truncate chunks. No counter needs to survive a restart,
// because a new file gets a new key.
func ExampleNew_age() {
	const chunkSize = 64 << 10
	aead, err := chacha20poly1305.New(secret) // the key of this file
	if err != nil {
		log.Fatal(err)
	}
	nonce := func(number uint64, last bool) []byte {
		n := make([]byte, chacha20poly1305.NonceSize)
		binary.BigEndian.PutUint64(n[3:], number)
		if last {
			n[11] = 1
		}
		return n
	}

	file := make([]byte, 150_000)
	var sealed []byte
	for number := uint64(0); ; number++ {
		n := min(chunkSize, len(file))
		sealed = aead.Seal(sealed, nonce(number, n == len(file)), file[:n], nil)
		if file = file[n:]; len(file) == 0 {
			break
		}
	}
	fmt.Println(len(sealed), "bytes")

	const sealedSize = chunkSize + chacha20poly1305.Overhead
	for number := uint64(0); len(sealed) > 0; number++ {
		n := min(sealedSize, len(sealed))
		chunk := sealed[:n]
		sealed = sealed[n:]
		plain, err := aead.Open(chunk[:0], nonce(number, len(sealed) == 0), chunk, nil) // in place
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(plain))
	}
	// Output:
	// 150048 bytes
	// 65536
	// 65536
	// 18928
}

// A WireGuard packet consists of a 16-byte header, with the receiver's index and a counter,
// and an IP packet, padded to a multiple of 16 bytes and sealed in place. The counter is the
// nonce. It need not survive a restart, because each handshake agrees on a new key.
func ExampleNew_wireGuard() {
	const headerSize = 16
	aead, err := chacha20poly1305.New(secret) // the key agreed on in the handshake
	if err != nil {
		log.Fatal(err)
	}
	var nonce [chacha20poly1305.NonceSize]byte
	const receiver, counter = 7, 42 // never use a counter twice under a key

	buffer := make([]byte, 2048) // one per packet
	n := copy(buffer[headerSize:], "an IP packet")
	padded := (n + 15) &^ 15
	buffer[0] = 4 // transport data
	binary.LittleEndian.PutUint32(buffer[4:], receiver)
	binary.LittleEndian.PutUint64(buffer[8:], counter)
	binary.LittleEndian.PutUint64(nonce[4:], counter)
	packet := aead.Seal(buffer[:headerSize], nonce[:], buffer[headerSize:headerSize+padded], nil)
	fmt.Println(len(packet), "bytes on the wire")

	text := packet[headerSize:]
	binary.LittleEndian.PutUint64(nonce[4:], binary.LittleEndian.Uint64(packet[8:]))
	text, err = aead.Open(text[:0], nonce[:], text, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", text)
	// Output:
	// 48 bytes on the wire
	// "an IP packet\x00\x00\x00\x00"
}

// The nonces of NewSIV may be random or counted. Repeating a nonce reveals only whether two
// messages are equal, so this is the choice if a counter might repeat after a restart or a
// restored snapshot. Nobody can construct a message that opens under two keys.
func ExampleNewSIV() {
	a, err := chacha20poly1305.NewSIV(secret)
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, chacha20poly1305.NonceSizeSIV)
	rand.Read(nonce)
	sealed := a.Seal(nil, nonce, []byte("a message"), nil)
	opened, err := a.Open(nil, nonce, sealed, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bytes, %q\n", len(sealed), opened)
	// Output:
	// 41 bytes, "a message"
}

// Packets that are available at the same time, such as those read from a socket in one call,
// are sealed and opened together, which is faster for short packets. The packet number is
// the nonce, so a restarted program must agree on a new key.
func ExampleSealBatch() {
	aead, err := chacha20poly1305.New(secret)
	if err != nil {
		log.Fatal(err)
	}
	var packets []chacha20poly1305.Packet
	for number, text := range []string{"first", "second", "third"} {
		nonce := make([]byte, chacha20poly1305.NonceSize)
		binary.BigEndian.PutUint64(nonce[4:], uint64(number)) // never use a number twice
		packets = append(packets, chacha20poly1305.Packet{Nonce: nonce, Text: []byte(text)})
	}
	chacha20poly1305.SealBatch(aead, packets)

	// The receiver opens the sealed texts, one of which was changed. Opening in place needs
	// no allocation.
	for i := range packets {
		p := &packets[i]
		p.Text, p.Dst = p.Dst, p.Dst[:0]
	}
	packets[1].Text[0] ^= 1
	opened, err := chacha20poly1305.OpenBatch(aead, packets)
	if err != nil { // at least one packet is not authentic
		fmt.Printf("%d of %d: %v\n", opened, len(packets), err)
	}
	for _, p := range packets {
		fmt.Printf("%v %q\n", p.OK, p.Dst)
	}
	// Output:
	// 2 of 3: chacha20poly1305: message authentication failed for a packet of the batch
	// true "first"
	// false ""
	// true "third"
}
