// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/multimac"
)

// Real keys must be random, secret and independent of each other.
var (
	key1 = []byte("the first of two example keys...")
	key2 = []byte("the other of two example keys...")
)

func ExampleKey() {
	key, err := multimac.NewKey(key1, key2) // 32-byte keys give 32-byte tags
	if err != nil {
		log.Fatal(err)
	}
	tag := key.Sum([]byte("from: alice"), []byte("to: bob"))
	fmt.Printf("%x\n", tag)
	fmt.Println(key.Verify(tag, []byte("from: alice"), []byte("to: bob")))
	fmt.Println(key.Verify(tag, []byte("from: alic"), []byte("eto: bob")))
	// Output:
	// e9d6faa2782031b93b9c3a4c610de986a189ab5c8bcc6468c6bef960547f0121
	// true
	// false
}

func ExampleMAC() {
	key, err := multimac.NewKey(key1, key2)
	if err != nil {
		log.Fatal(err)
	}
	mac := key.New()
	for _, input := range []string{"from: alice", "to: bob"} {
		if _, err := io.Copy(mac, strings.NewReader(input)); err != nil {
			log.Fatal(err)
		}
		mac.Next()
	}
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output:
	// e9d6faa2782031b93b9c3a4c610de986a189ab5c8bcc6468c6bef960547f0121
}

func ExampleKey_SumBatch() {
	key, err := multimac.NewKey(key1, key2)
	if err != nil {
		log.Fatal(err)
	}
	tags := key.SumBatch(nil,
		[][]byte{[]byte("from: alice"), []byte("to: bob")},
		[][]byte{[]byte("from: bob"), []byte("to: alice")},
	)
	first, second := tags[:key.Size()], tags[key.Size():]
	fmt.Println(key.Verify(first, []byte("from: alice"), []byte("to: bob")))
	fmt.Println(key.Verify(second, []byte("from: bob"), []byte("to: alice")))
	// Output:
	// true
	// true
}

// A tag does not commit to the keys and the list. Anyone who may choose the keys can
// find two lists with the same tag: the intermediate value after the first input, used
// as key1, gives the same tag for the list without its first input.
func Example_noCommitment() {
	key, err := multimac.NewKey(key1, key2)
	if err != nil {
		log.Fatal(err)
	}
	h, err := blake2b.New256(key1)
	if err != nil {
		log.Fatal(err)
	}
	io.WriteString(h, "from: alice")
	other, err := multimac.NewKey(h.Sum(nil), key2)
	if err != nil {
		log.Fatal(err)
	}
	tag := key.Sum([]byte("from: alice"), []byte("to: bob"))
	fmt.Println(other.Verify(tag, []byte("to: bob")))
	// Output:
	// true
}
