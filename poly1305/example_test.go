// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305_test

import (
	"fmt"
	"io"
	"strings"

	// The one line of a program that moves from the deprecated package:
	//
	//	"golang.org/x/crypto/poly1305"
	"github.com/unimac/unimac/poly1305"
)

// A program written for golang.org/x/crypto/poly1305 changes the import path and
// nothing else.
func Example_migration() {
	// In real use, 32 bytes of a cipher's output for this message's nonce.
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

// What the deprecated package does not have: a MAC is a hash.Hash, and its
// message may go on after Sum.
func ExampleMAC() {
	var key [poly1305.KeySize]byte
	copy(key[:], "this is 32-byte key for Poly1305")

	mac := poly1305.New(&key)
	if _, err := io.Copy(mac, strings.NewReader("Hello ")); err != nil {
		fmt.Println(err)
		return
	}
	before := mac.Sum(nil)
	io.WriteString(mac, "world!")
	fmt.Printf("%x\n", mac.Sum(nil))
	fmt.Println(mac.Verify(before))
	// Output:
	// a6f745008f81c916a20dcc74eef2b2f0
	// false
}
