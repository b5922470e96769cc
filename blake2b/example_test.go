// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b_test

import (
	"crypto/hmac"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"strings"

	// To migrate a program, replace this line:
	//
	//	"golang.org/x/crypto/blake2b"
	"github.com/unimac/unimac/blake2b"
)

// A program written for golang.org/x/crypto/blake2b needs no change except the import
// path.
func Example_migration() {
	fmt.Printf("%x\n", blake2b.Sum256([]byte("abc")))

	h, err := blake2b.New256(nil)
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(h, strings.NewReader("abc"))
	fmt.Printf("%x\n", h.Sum(nil))
	// Output:
	// bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319
	// bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319
}

// With a secret key, a digest is a MAC.
func ExampleNew() {
	key := make([]byte, 32) // must be secret; serves any number of messages
	rand.Read(key)
	mac := func(msg string) []byte {
		h, err := blake2b.New(16, key)
		if err != nil {
			log.Fatal(err)
		}
		io.WriteString(h, msg)
		return h.Sum(nil)
	}
	tag := mac("a message")
	fmt.Println(hmac.Equal(tag, mac("a message"))) // never use ==
	fmt.Println(hmac.Equal(tag, mac("a massage")))
	// Output:
	// true
	// false
}

// Hashing many messages at once is several times as fast as one after the other.
func ExampleSumBatch() {
	blocks := [][]byte{[]byte("first"), []byte("second"), []byte("third")}
	sums, err := blake2b.SumBatch(nil, blake2b.Size256, nil, blocks...)
	if err != nil {
		log.Fatal(err)
	}
	for i, block := range blocks {
		sum := blake2b.Sum256(block)
		fmt.Println(string(sums[i*blake2b.Size256:(i+1)*blake2b.Size256]) == string(sum[:]))
	}
	// Output:
	// true
	// true
	// true
}

// An XOF expands a secret to any number of bytes.
func ExampleNewXOF() {
	x, err := blake2b.NewXOF(blake2b.OutputLengthUnknown, []byte("a secret of 32 bytes, at random!"))
	if err != nil {
		log.Fatal(err)
	}
	io.WriteString(x, "what the output is for")
	out := make([]byte, 100)
	if _, err := io.ReadFull(x, out); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x…\n", out[:16])
	// Output: 28dc3b625291d7b8722bb0643d591833…
}
