// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/unimac/unimac/umac"
)

// A key that two programs share, from crypto/rand or a key exchange.
var secret = []byte("abcdefghijklmnop")

func ExampleKey_Sum() {
	key, err := umac.NewKey(secret, umac.Size128) // a 16-byte secret and 16-byte tags
	if err != nil {
		log.Fatal(err)
	}
	nonce := []byte("bcdefghi") // never use this nonce again under this key
	tag := key.Sum(nil, nonce, []byte("abc"))
	fmt.Printf("%x\n", tag)

	// The receiver has the same key and gets the nonce, the message and the tag.
	fmt.Println(key.Verify(tag, nonce, []byte("abc")))
	fmt.Println(key.Verify(tag, nonce, []byte("abd")))
	// Output:
	// 883c3d4b97a61976ffcf232308cba5a5
	// true
	// false
}

// Records are numbered, and the record number is the nonce, which both sides know without
// transmitting it. Numbers must not repeat under a key, so the program needs a new key after
// a restart or a restored snapshot.
func ExampleMAC_ResetNonce() {
	key, err := umac.NewKey(secret, umac.Size64)
	if err != nil {
		log.Fatal(err)
	}
	nonce := make([]byte, 8)
	mac := key.New(nonce)
	for number, record := range []string{"first", "second", "third"} {
		binary.BigEndian.PutUint64(nonce, uint64(number))
		mac.ResetNonce(nonce)
		io.Copy(mac, strings.NewReader(record))
		fmt.Printf("%d %x\n", number, mac.Sum(nil))
	}
	// Output:
	// 0 1985cfe3149b1060
	// 1 89570e9b74550651
	// 2 3e44367cb0873119
}

// To authenticate a single message, no Key is needed.
func ExampleNew128() {
	mac, err := umac.New128(secret, []byte("bcdefghi"))
	if err != nil {
		log.Fatal(err)
	}
	io.WriteString(mac, "a")
	io.WriteString(mac, "bc")
	fmt.Printf("%x\n", mac.Sum(nil))
	// Output: 883c3d4b97a61976ffcf232308cba5a5
}

// A receiver verifies several messages at once. If the result is false, at least one
// message is forged; Verify tells which.
func ExampleKey_VerifyBatch() {
	key, err := umac.NewKey(secret, umac.Size64)
	if err != nil {
		log.Fatal(err)
	}
	nonces := [][]byte{[]byte("nonce 1"), []byte("nonce 2")} // each is used once
	messages := [][]byte{[]byte("first"), []byte("second")}
	sums := key.SumBatch(nil, nonces, messages)
	tags := [][]byte{sums[:8], sums[8:]}

	fmt.Println(key.VerifyBatch(tags, nonces, messages))
	messages[1] = []byte("forged")
	fmt.Println(key.VerifyBatch(tags, nonces, messages))
	// Output:
	// true
	// false
}
