// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead_test

import (
	"crypto/rand"
	"fmt"
	"log"

	"github.com/unimac/unimac/aead"
)

func ExampleNewX() {
	key := make([]byte, aead.KeySize)
	rand.Read(key)
	a, err := aead.NewX(key)
	if err != nil {
		log.Fatal(err)
	}
	// A nonce of 24 bytes may be random. It travels in front of the ciphertext.
	nonce := make([]byte, aead.NonceSizeX)
	rand.Read(nonce)
	sealed := a.Seal(nonce, nonce, []byte("a message"), []byte("version 1"))

	nonce, ciphertext := sealed[:aead.NonceSizeX], sealed[aead.NonceSizeX:]
	opened, err := a.Open(nil, nonce, ciphertext, []byte("version 1"))
	fmt.Printf("%s %v\n", opened, err)
	_, err = a.Open(nil, nonce, ciphertext, []byte("version 2"))
	fmt.Println(err)
	// Output:
	// a message <nil>
	// aead: message authentication failed
}

func ExampleNewSIV() {
	// A real key is random and secret.
	a, err := aead.NewSIV([]byte("an example key of thirty-two B.!"))
	if err != nil {
		log.Fatal(err)
	}
	sealed := a.Seal(nil, nil, []byte("a message"), nil)
	again := a.Seal(nil, nil, []byte("a message"), nil)
	fmt.Println("equal messages show:", string(sealed) == string(again))
	opened, err := a.Open(nil, nil, sealed, nil)
	fmt.Printf("%s %v\n", opened, err)
	// Output:
	// equal messages show: true
	// a message <nil>
}
