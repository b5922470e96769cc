// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/unimac/unimac/multimac"
)

// Real keys are random, secret and independent of each other.
var key1, key2 = []byte("the first of two example keys..."), []byte("the other of two example keys...")

func ExampleKey() {
	k, err := multimac.NewKey(key1, key2)
	if err != nil {
		log.Fatal(err)
	}
	tag := k.Sum(nil, []byte("from: alice"), []byte("to: bob"))
	fmt.Printf("%x\n", tag)
	fmt.Println(k.Verify(tag, []byte("from: alice"), []byte("to: bob")))
	fmt.Println(k.Verify(tag, []byte("from: alic"), []byte("eto: bob")))
	// Output:
	// e9d6faa2782031b93b9c3a4c610de986a189ab5c8bcc6468c6bef960547f0121
	// true
	// false
}

func ExampleMAC() {
	k, err := multimac.NewKey(key1, key2)
	if err != nil {
		log.Fatal(err)
	}
	m := k.New()
	for _, input := range []string{"from: alice", "to: bob"} {
		if _, err := io.Copy(m, strings.NewReader(input)); err != nil {
			log.Fatal(err)
		}
		m.Next()
	}
	fmt.Printf("%x\n", m.Sum(nil))
	// Output:
	// e9d6faa2782031b93b9c3a4c610de986a189ab5c8bcc6468c6bef960547f0121
}

func ExampleKey_SumBatch() {
	k, err := multimac.NewKey(key1, key2)
	if err != nil {
		log.Fatal(err)
	}
	tags := k.SumBatch(nil,
		[][]byte{[]byte("from: alice"), []byte("to: bob")},
		[][]byte{[]byte("from: bob"), []byte("to: alice")},
	)
	fmt.Println(k.Verify(tags[:k.Size()], []byte("from: alice"), []byte("to: bob")))
	fmt.Println(k.Verify(tags[k.Size():], []byte("from: bob"), []byte("to: alice")))
	// Output:
	// true
	// true
}
