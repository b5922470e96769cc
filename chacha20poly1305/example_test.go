// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log"

	// The one line of a program that moves from x/crypto:
	//
	//	"golang.org/x/crypto/chacha20poly1305"
	"github.com/unimac/unimac/chacha20poly1305"
)

// A real key is random and secret.
var secret = []byte("an example key of thirty-two B.!")

// A program written for golang.org/x/crypto/chacha20poly1305 changes the import path and
// nothing else.
func Example_migration() {
	aead, err := chacha20poly1305.NewX(secret)
	if err != nil {
		log.Fatal(err)
	}
	msg := []byte("Gophers, gophers, gophers everywhere!")
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(msg)+aead.Overhead())
	rand.Read(nonce)
	sealed := aead.Seal(nonce, nonce, msg, nil) // after the nonce

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
	sealed := a.Seal(nil, nil, []byte("a message"), []byte("version 1")) // with a random nonce in front
	opened, err := a.Open(nil, nil, sealed, []byte("version 1"))
	fmt.Printf("%d bytes, %s, %v\n", len(sealed), opened, err)
	_, err = a.Open(nil, nil, sealed, []byte("version 2"))
	fmt.Println(err)
	// Output:
	// 49 bytes, a message, <nil>
	// chacha20poly1305: message authentication failed
}

// Age encrypts a file in chunks of 64 KiB, under a key of the file's own. A nonce is the
// chunk's number in 11 bytes, and one that says whether it is the last: chunks cannot be
// left out, moved or cut off.
func ExampleNew_age() {
	const chunkSize = 64 << 10
	aead, err := chacha20poly1305.New(secret) // each file's own key
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
		fmt.Println(len(plain), err)
	}
	// Output:
	// 150048 bytes
	// 65536 <nil>
	// 65536 <nil>
	// 18928 <nil>
}

// A WireGuard packet is a header of 16 bytes, with the receiver's index and a counter, and
// then the IP packet, padded to a multiple of 16 bytes and sealed in place. The nonce is
// the counter.
func ExampleNew_wireGuard() {
	const headerSize = 16
	aead, err := chacha20poly1305.New(secret) // what the handshake has agreed on
	if err != nil {
		log.Fatal(err)
	}
	var nonce [chacha20poly1305.NonceSize]byte
	const receiver, counter = 7, 42 // the counter is never the same twice

	buffer := make([]byte, 2048) // one for each packet on its way
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
	fmt.Printf("%q %v\n", text, err)
	// Output:
	// 48 bytes on the wire
	// "an IP packet\x00\x00\x00\x00" <nil>
}

// A nonce of NewSIV may be random or counted, and used twice it shows only that two messages are
// the same. Nobody can make a message that opens under two keys.
func ExampleNewSIV() {
	a, err := chacha20poly1305.NewSIV(secret)
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, chacha20poly1305.NonceSizeSIV)
	rand.Read(nonce)
	sealed := a.Seal(nil, nonce, []byte("a message"), nil)
	opened, err := a.Open(nil, nonce, sealed, nil)
	fmt.Printf("%d bytes, %q %v\n", len(sealed), opened, err)
	// Output:
	// 41 bytes, "a message" <nil>
}

// Packets that wait together, as those of a socket that hands out many at once, are sealed
// and opened together: short ones take a fraction of the time.
func ExampleSealBatch() {
	aead, err := chacha20poly1305.New(secret)
	if err != nil {
		log.Fatal(err)
	}
	var packets []chacha20poly1305.Packet
	for number, text := range []string{"first", "second", "third"} {
		nonce := make([]byte, chacha20poly1305.NonceSize)
		binary.BigEndian.PutUint64(nonce[4:], uint64(number)) // never twice under a key
		packets = append(packets, chacha20poly1305.Packet{Nonce: nonce, Text: []byte(text)})
	}
	chacha20poly1305.SealBatch(aead, packets)

	// On the other side each sealed text comes back; one has changed on the way. With room
	// in Dst nothing is allocated: here texts are opened in place.
	for i := range packets {
		p := &packets[i]
		p.Text, p.Dst = p.Dst, p.Dst[:0]
	}
	packets[1].Text[0] ^= 1
	opened, err := chacha20poly1305.OpenBatch(aead, packets)
	fmt.Println(opened, "of", len(packets), err)
	for _, p := range packets {
		fmt.Printf("%v %q\n", p.OK, p.Dst)
	}
	// Output:
	// 2 of 3 chacha20poly1305: message authentication failed for a packet of the batch
	// true "first"
	// false ""
	// true "third"
}
