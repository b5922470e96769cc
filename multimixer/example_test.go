// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/unimac/unimac/multimixer"
)

// Real keys must be random and secret.
var secret = []byte("an example key of thirty-two B.!")

func ExampleKey() {
	key, err := multimixer.NewKey(secret, multimixer.Size128) // a 32-byte secret and 16-byte tags
	if err != nil {
		log.Fatal(err)
	}
	tag := key.Sum(nil, []byte("a message"))
	fmt.Printf("%x\n", tag)
	fmt.Println(key.Verify(tag, []byte("a message")))
	fmt.Println(key.Verify(tag, []byte("a massage")))
	// Output:
	// ef1d4d2de6dd5b60f6cb74bb4d3c3eab
	// true
	// false
}

func ExampleMAC() {
	key, err := multimixer.NewKey(secret, multimixer.Size128)
	if err != nil {
		log.Fatal(err)
	}
	mac := key.New()
	if _, err := io.Copy(mac, strings.NewReader("a message")); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output:
	// ef1d4d2de6dd5b60f6cb74bb4d3c3eab
}

// Digests of the universal hash function must stay within the program. An attacker must
// not even learn whether two digests are equal.
func ExampleDigest() {
	key, msg := make([]byte, 2*multimixer.BlockSize), make([]byte, 2*multimixer.BlockSize)
	copy(key, secret) // a real key must be random in its whole length
	copy(key[multimixer.BlockSize:], secret)

	var a, b [multimixer.DigestSize]byte
	if err := multimixer.Digest(&a, key, msg); err != nil {
		log.Fatal(err)
	}
	msg[0] ^= 1
	if err := multimixer.Digest(&b, key, msg); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a == b)
	fmt.Println(multimixer.Digest(&a, key, msg[:40]))
	// Output:
	// false
	// multimixer: lengths of key and message must be equal, a multiple of 32 bytes and not zero
}

// The first four words of the block are x, the last four are y.
func ExampleF128() {
	fmt.Println(multimixer.F128(&[8]uint32{1, 2, 3, 4, 5, 6, 7, 8}))
	// Output:
	// [5 12 21 32 126 180 152 126]
}
