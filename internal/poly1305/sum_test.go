// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	//lint:ignore SA1019 deprecated for new code, but useful as a reference
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

// longLengths contains lengths around those at which messages are split into kernel
// calls.
var longLengths = []int{4095, 4096, 4097, 16384, 65535, 65536, 65537, 65536 + 128, 3*65536 + 17, 300001}

// TestLengths compares Sum with math/big and with x/crypto at every length up to 2100
// and at some longer ones, for random keys and the largest key.
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
			t.Fatalf("%d bytes: x/crypto returned %x, the reference %x", n, theirs, want)
		}
		mactest.EachImplementation("poly1305", func(name string) {
			var tag [TagSize]byte
			if Sum(&tag, msg, &key); !bytes.Equal(tag[:], want) {
				t.Fatalf("%s, %d bytes: Sum = %x, want %x", name, n, tag, want)
			}
		})
	}
}

// TestSumAEAD compares tags with the reference for the input that RFC 8439, section
// 2.8, constructs.
func TestSumAEAD(t *testing.T) {
	key := [KeySize]byte(mactest.Random(KeySize, 5))
	mactest.Implementations(t, "poly1305", func(t *testing.T) {
		for _, ad := range []int{0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31} {
			for n := range 50 {
				data, text := mactest.Random(ad, 6), mactest.Random(n, 7)
				var whole []byte
				for _, part := range [][]byte{data, text} {
					whole = append(append(whole, part...), make([]byte, -len(part)&(BlockSize-1))...)
				}
				whole = binary.LittleEndian.AppendUint64(whole, uint64(ad))
				whole = binary.LittleEndian.AppendUint64(whole, uint64(n))
				var tag [TagSize]byte
				if SumAEAD(&tag, data, text, &key); !bytes.Equal(tag[:], refTag(whole, key[:])) {
					t.Errorf("%d bytes of additional data, %d bytes of text: tag %x, want %x", ad, n, tag, refTag(whole, key[:]))
				}
			}
		}
	})
}

// TestEmpty checks empty messages, empty additional data, and calls of Blocks without
// blocks.
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

// The reference implements RFC 8439, section 2.5.1, with math/big. It shares no code
// with the package.

var refPrime = func() *big.Int {
	p := new(big.Int).Lsh(big.NewInt(1), 130)
	return p.Sub(p, big.NewInt(5))
}()

// refInt returns the number whose little-endian bytes are b.
func refInt(b []byte) *big.Int {
	reversed := slices.Clone(b)
	slices.Reverse(reversed)
	return new(big.Int).SetBytes(reversed)
}

// refR returns the clamped first half of a key.
func refR(key []byte) *big.Int {
	r := slices.Clone(key[:16])
	for _, i := range []int{3, 7, 11, 15} {
		r[i] &= 15
	}
	for _, i := range []int{4, 8, 12} {
		r[i] &= 252
	}
	return refInt(r)
}

// refBlocks adds each block of msg to the accumulator h and multiplies it by r.
func refBlocks(h, r *big.Int, msg []byte) *big.Int {
	h = new(big.Int).Set(h)
	for ; len(msg) > 0; msg = msg[min(16, len(msg)):] {
		block := append(slices.Clone(msg[:min(16, len(msg))]), 1)
		h.Add(h, refInt(block))
		h.Mul(h, r).Mod(h, refPrime)
	}
	return h.Mod(h, refPrime)
}

// refTag returns the tag of a message.
func refTag(msg, key []byte) []byte {
	h := refBlocks(new(big.Int), refR(key), msg)
	h.Add(h, refInt(key[16:]))
	tag := h.FillBytes(make([]byte, 17))[1:]
	slices.Reverse(tag)
	return tag
}

// refState returns the value of a state's accumulator.
func refState(s *State) *big.Int {
	h := new(big.Int)
	for i := 2; i >= 0; i-- {
		h.Lsh(h, 64).Add(h, new(big.Int).SetUint64(s.h[i]))
	}
	return h
}
