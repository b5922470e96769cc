// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"strings"

	"golang.org/x/crypto/chacha20"

	// To migrate a program, replace this line:
	//
	//	"golang.org/x/crypto/poly1305"
	"github.com/unimac/unimac/poly1305"
)

// Each message has its own key, derived from a long-lived key and a nonce, here with
// ChaCha20 as in RFC 8439, section 2.6. The receiver gets the nonce and derives the
// same key.
func ExampleSum() {
	longKey, nonce := make([]byte, chacha20.KeySize), make([]byte, chacha20.NonceSizeX)
	rand.Read(longKey)
	rand.Read(nonce) // never use this nonce again under longKey
	cipher, err := chacha20.NewUnauthenticatedCipher(longKey, nonce)
	if err != nil {
		log.Fatal(err)
	}
	var key [poly1305.KeySize]byte // for this message and no other
	cipher.XORKeyStream(key[:], key[:])

	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, []byte("a message"), &key)
	fmt.Println(poly1305.Verify(&tag, []byte("a message"), &key))
	fmt.Println(poly1305.Verify(&tag, []byte("a massage"), &key))
	// Output:
	// true
	// false
}

// A program written for golang.org/x/crypto/poly1305 needs no change except the import
// path.
func Example_migration() {
	// In a real program, this is 32 bytes of a cipher's output for the message's nonce.
	var key [poly1305.KeySize]byte
	copy(key[:], "this is 32-byte key for Poly1305")
	message := []byte("Hello world!")

	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, message, &key)
	fmt.Printf("%x\n", tag)
	fmt.Println(poly1305.Verify(&tag, message, &key))

	mac := poly1305.New(&key)
	mac.Write(message)
	fmt.Println(mac.Verify(tag[:]))
	// Output:
	// a6f745008f81c916a20dcc74eef2b2f0
	// true
	// true
}

// Unlike in the deprecated package, a MAC is a hash.Hash, and its message may continue
// after Sum.
func ExampleMAC() {
	var key [poly1305.KeySize]byte
	copy(key[:], "this is 32-byte key for Poly1305")

	mac := poly1305.New(&key)
	if _, err := io.Copy(mac, strings.NewReader("Hello ")); err != nil {
		log.Fatal(err)
	}
	before := mac.Sum(nil)
	io.WriteString(mac, "world!")
	fmt.Printf("%x\n", mac.Sum(nil))
	fmt.Println(mac.Verify(before))
	// Output:
	// a6f745008f81c916a20dcc74eef2b2f0
	// false
}
