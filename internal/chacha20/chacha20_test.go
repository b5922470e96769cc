// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestRFC checks RFC 8439's example of a block, section 2.3.2.
func TestRFC(t *testing.T) {
	var key [KeySize]byte
	for i := range key {
		key[i] = byte(i)
	}
	nonce := [NonceSize]byte{3: 9, 7: 0x4a}
	want := "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e" +
		"d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
	block := mactest.Random(BlockSize, 1) // what was there before does not matter
	KeyStream(block, &key, &nonce, 1)
	if got := hex.EncodeToString(block); got != want {
		t.Errorf("block 1: %s, want %s", got, want)
	}
}

// TestCounter puts a stream together from pieces.
func TestCounter(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 2)), [NonceSize]byte(mactest.Random(NonceSize, 3))
	whole := make([]byte, 1000)
	KeyStream(whole, &key, &nonce, 5)
	for at := 0; at < len(whole); at += BlockSize {
		for n := range len(whole) - at + 1 {
			piece := make([]byte, n)
			KeyStream(piece, &key, &nonce, 5+uint32(at/BlockSize))
			if !bytes.Equal(piece, whole[at:at+n]) {
				t.Fatalf("%d bytes from block %d differ", n, at/BlockSize)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	var key [KeySize]byte
	var nonce [NonceSize]byte
	dst := make([]byte, 200)
	mactest.NoAllocations(t, "KeyStream", func() { KeyStream(dst, &key, &nonce, 0) })
}
