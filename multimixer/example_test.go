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

func ExampleKey() {
	// A real key is random and secret.
	key := []byte("an example key of thirty-two B.!")
	k, err := multimixer.NewKey(key, 16)
	if err != nil {
		log.Fatal(err)
	}
	tag := k.Sum(nil, []byte("a message"))
	fmt.Printf("%x\n", tag)
	fmt.Println(k.Verify(tag, []byte("a message")), k.Verify(tag, []byte("another one")))
	// Output:
	// ef1d4d2de6dd5b60f6cb74bb4d3c3eab
	// true false
}

func ExampleMAC() {
	key := []byte("an example key of thirty-two B.!")
	k, err := multimixer.NewKey(key, 16)
	if err != nil {
		log.Fatal(err)
	}
	m := k.New()
	if _, err := io.Copy(m, strings.NewReader("a message")); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", m.Sum(nil))
	// Output:
	// ef1d4d2de6dd5b60f6cb74bb4d3c3eab
}
