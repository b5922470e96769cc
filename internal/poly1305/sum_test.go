// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"testing"

	//lint:ignore SA1019 deprecated for those who would build on it; here it is a reference
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

// longLengths are those around which calls of kernels are cut.
var longLengths = []int{4095, 4096, 4097, 16384, 65535, 65536, 65537, 65536 + 128, 3*65536 + 17, 300001}

// TestLengths compares Sum with math/big and with x/crypto at every length up to
// 2100 and some longer ones, under random keys and the largest.
func TestLengths(t *testing.T) {
	lengths := longLengths
	for n := range 2101 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		key, msg := [KeySize]byte(mactest.Random(KeySize, uint64(n))), mactest.Random(n, 1)
		if n%3 == 0 {
			key, msg = [KeySize]byte(bytes.Repeat([]byte{0xff}, KeySize)), bytes.Repeat([]byte{0xff}, n)
		}
		want := refTag(msg, key[:])
		var theirs [TagSize]byte
		if xpoly1305.Sum(&theirs, msg, &key); !bytes.Equal(theirs[:], want) {
			t.Fatalf("%d bytes: x/crypto gives %x, the reference %x", n, theirs, want)
		}
		mactest.EachImplementation("poly1305", func(name string) {
			var tag [TagSize]byte
			if Sum(&tag, msg, &key); !bytes.Equal(tag[:], want) {
				t.Fatalf("%s, %d bytes: Sum = %x, want %x", name, n, tag, want)
			}
		})
	}
}

// TestEmpty has no message, no additional data and no blocks.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		key, text, tag := [KeySize]byte(mactest.Random(KeySize, 3)), mactest.Random(70, 4), [TagSize]byte{}
		mactest.Empty(t, "Sum, SumAEAD and Blocks", func(empty []byte) (all []byte) {
			Sum(&tag, empty, &key)
			all = append(all, tag[:]...)
			for _, parts := range [][2][]byte{{empty, text}, {text, empty}, {empty, empty}} {
				SumAEAD(&tag, parts[0], parts[1], &key)
				all = append(all, tag[:]...)
			}
			var s State
			var kept KeptTable
			s.SetKey(&key)
			s.Blocks(&kept, empty)
			s.Blocks(&kept, text[:64])
			s.Blocks(&kept, empty)
			s.Tag(&tag, empty, (*[TagSize]byte)(key[16:]))
			return append(append(all, tag[:]...), key[:]...)
		}, key[:], text, tag[:])
	})
}
