// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead_test

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log"

	"github.com/unimac/unimac/aead"
)

// Real keys must be random and secret.
var secret = []byte("an example key of thirty-two B.!")

func Example() {
	key := make([]byte, aead.KeySize)
	rand.Read(key) // only once: save the key, because nothing can be opened without it
	box, err := aead.NewXWithRandomNonce(key)
	if err != nil {
		log.Fatal(err)
	}
	sealed := box.Seal(nil, nil, []byte("hello"), nil)
	opened, err := box.Open(nil, nil, sealed, nil)
	if err != nil {
		log.Fatal(err) // the message was changed, or sealed with another key
	}
	fmt.Printf("%s\n", opened)
	// Output: hello
}

// Numbered messages need no random nonce: both sides count, and the nonce is not
// transmitted. A message that is missing, repeated or out of order does not open. Use a
// separate key for each direction, because both count from 0. After a restart or a restored
// snapshot, continue with a new key, unless the counter is known to be beyond all used nonces.
func ExampleNew() {
	a, err := aead.New(secret)
	if err != nil {
		log.Fatal(err)
	}
	nonce := func(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

	var sent [][]byte
	for number, message := range []string{"first", "second", "third"} {
		sent = append(sent, a.Seal(nil, nonce(uint64(number)), []byte(message), nil)) // never use a number twice
	}
	next := uint64(0) // the receiver's counter
	for _, sealed := range [][]byte{sent[0], sent[2], sent[1]} {
		opened, err := a.Open(nil, nonce(next), sealed, nil)
		if err != nil {
			fmt.Println("not message", next)
			continue
		}
		fmt.Printf("message %d: %s\n", next, opened)
		next++
	}
	// Output:
	// message 0: first
	// not message 1
	// message 1: second
}

// The random nonce is part of the sealed message.
func ExampleNewXWithRandomNonce() {
	a, err := aead.NewXWithRandomNonce(secret)
	if err != nil {
		log.Fatal(err)
	}
	sealed := a.Seal(nil, nil, []byte("a message"), []byte("version 1"))
	opened, err := a.Open(nil, nil, sealed, []byte("version 1"))
	if err != nil {
		log.Fatal(err) // the message or the additional data was changed
	}
	fmt.Printf("%d bytes, %s\n", len(sealed), opened)
	if _, err := a.Open(nil, nil, sealed, []byte("version 2")); err != nil {
		fmt.Println(errors.Is(err, aead.ErrAuth))
	}
	// Output:
	// 65 bytes, a message
	// true
}

func ExampleNewX() {
	a, err := aead.NewX(secret)
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, aead.NonceSizeX)
	rand.Read(nonce) // 24-byte nonces may be random; transmit them with the message
	sealed := a.Seal(nonce, nonce, []byte("a message"), []byte("version 1"))

	nonce, ciphertext := sealed[:aead.NonceSizeX], sealed[aead.NonceSizeX:]
	opened, err := a.Open(nil, nonce, ciphertext, []byte("version 1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", opened)
	if _, err := a.Open(nil, nonce, ciphertext, []byte("version 2")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a message
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
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", opened)
	// Output:
	// equal messages show: true
	// a message
}
