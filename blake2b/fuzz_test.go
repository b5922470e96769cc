// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"encoding"
	"hash"
	"testing"

	xcrypto "golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
)

// FuzzHash compares every implementation with x/crypto: messages written at once, in
// pieces with clones in between, and several messages at a time.
func FuzzHash(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{63, 128, 0, 0, 1, 2, 3}, []byte("key"), []byte("abc"))
	f.Add([]byte{31, 0, 1, 1, 70, 8, 64}, []byte(nil), mactest.Random(300, 1))
	memory := mactest.NewFuzzMemory(f, 5*BlockSize)
	f.Fuzz(func(t *testing.T, choices, key, data []byte) {
		c := mactest.NewChoices(choices)
		size := 1 + c.Below(Size)
		key = key[:min(len(key), Size)]
		msg := memory.Fill(c, data)
		want := sumOf(size, key, msg)
		mactest.EachImplementation("blake2b", func(name string) {
			h := c.WritePieces(t, must(New(size, key)).(hash.Cloner), msg)
			if got := h.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%s: got %x, want %x", name, got, want)
			}
			if digest := Sum512(msg); size == Size && len(key) == 0 && !bytes.Equal(digest[:], want) {
				t.Errorf("%s: Sum512 = %x, want %x", name, digest, want)
			}
			checkBatch(t, size, key, [][]byte{msg, msg[:len(msg)/2], msg[len(msg)/3:], nil, msg})
		})
	})
}

// FuzzUnmarshal restores states that x/crypto could have written and states on which
// x/crypto would fail. It excludes byte counts of 2^63 and more, which cannot occur:
// x/crypto's assembly compares them as signed numbers and carries into the upper word.
func FuzzUnmarshal(f *testing.F) {
	for _, n := range []int{0, 1, 128, 300} {
		h := must(xcrypto.New(1+n%Size, nil))
		h.Write(make([]byte, n))
		f.Add(must(h.(encoding.BinaryMarshaler).MarshalBinary()), []byte("more"))
	}
	countAt := len("b2b") + Size // offset of the byte count in a state, most significant byte first
	f.Fuzz(func(t *testing.T, state, more []byte) {
		h := must(New256(nil))
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil || state[countAt] >= 0x80 {
			return
		}
		theirs := must(xcrypto.New256(nil))
		if err := theirs.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			t.Fatalf("x/crypto rejects a state that this package accepts: %v", err)
		}
		h.Write(more)
		theirs.Write(more)
		if got, want := h.Sum(nil), theirs.Sum(nil); !bytes.Equal(got, want) {
			t.Errorf("got %x, want %x", got, want)
		}
	})
}

// FuzzXOF compares outputs read in pieces with x/crypto's.
func FuzzXOF(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 0}, uint32(100), []byte("abc"))
	f.Add([]byte{255, 255, 7, 14}, uint32(0), []byte(nil))
	f.Fuzz(func(t *testing.T, choices []byte, length uint32, msg []byte) {
		if length == 1<<32-1 {
			return
		}
		mactest.EachImplementation("blake2b", func(string) { reads(t, mactest.NewChoices(choices), length, msg) })
	})
}
