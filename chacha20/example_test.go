// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20_test

import (
	"crypto/cipher"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"strings"

	// To migrate a program, replace this line:
	//
	//	"golang.org/x/crypto/chacha20"
	"github.com/unimac/unimac/chacha20"
)

// A program written for golang.org/x/crypto/chacha20 needs no change except the import
// path.
func Example_migration() {
	key := []byte("this is 32-byte key for ChaCha20")
	nonce := make([]byte, chacha20.NonceSize) // never use this nonce again under this key

	c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		log.Fatal(err)
	}
	text := []byte("Hello world!")
	c.XORKeyStream(text, text)
	fmt.Printf("%x\n", text)

	c, err = chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		log.Fatal(err)
	}
	c.XORKeyStream(text, text)
	fmt.Printf("%s\n", text)
	// Output:
	// 55643d8afd2c1d4864f56846
	// Hello world!
}

// A 24-byte nonce may be random. The stream authenticates nothing, so the ciphertext
// must be authenticated separately.
func ExampleNewUnauthenticatedCipher() {
	key, nonce := make([]byte, chacha20.KeySize), make([]byte, chacha20.NonceSizeX)
	rand.Read(key)
	rand.Read(nonce)

	sender, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		log.Fatal(err)
	}
	receiver, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		log.Fatal(err)
	}
	encrypted := cipher.StreamReader{S: sender, R: strings.NewReader("as much as you like")}
	text, err := io.ReadAll(cipher.StreamReader{S: receiver, R: encrypted})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
	// Output: as much as you like
}
