// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/unimac/unimac/aead"
)

// A real key is random and secret.
var secret = []byte("an example key of thirty-two B.!")

// Messages that are numbered need no random nonce: both sides count.
func ExampleNew() {
	a, err := aead.New(secret)
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, aead.NonceSize)
	for number, message := range []string{"first", "second"} {
		binary.BigEndian.PutUint64(nonce, uint64(number)) // never twice under a key
		sealed := a.Seal(nil, nonce, []byte(message), nil)
		opened, err := a.Open(nil, nonce, sealed, nil)
		fmt.Printf("%d bytes, %s, %v\n", len(sealed), opened, err)
	}
	// Output:
	// 37 bytes, first, <nil>
	// 38 bytes, second, <nil>
}

func ExampleNewX() {
	a, err := aead.NewX(secret)
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, aead.NonceSizeX)
	rand.Read(nonce) // 24 bytes may be random; they travel in front of the ciphertext
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
	a, err := aead.NewSIV(secret)
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
