// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	//lint:ignore SA1019 deprecated for those who would build on it; here it is a reference
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length in bytes of the longest messages: enough for the largest
// steps of every kernel, for what is left after them, and for a MAC to find that
// a table is worth its memory.
const fuzzMost = 6000

// FuzzPoly1305 compares every implementation, one-shot and in pieces, with
// x/crypto and, short messages, with integers of any size. The choices are the
// message's length, its place and its pieces.
func FuzzPoly1305(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, KeySize)
	f.Add([]byte{16, 0, 64}, []byte{2}, ones[:16])
	f.Add([]byte{34, 0, 3, 3, 31}, make([]byte, KeySize), []byte(ietf))
	f.Add([]byte{0, 16, 9, 64, 65, 66, 67, 128, 129, 130, 131, 192, 64, 64, 64}, ones, ones)
	f.Add(append([]byte{0xff, 20, 65}, bytes.Repeat([]byte{82}, 30)...), mactest.Random(KeySize, 1), mactest.Random(200, 2))
	memory := mactest.NewFuzzMemory(f, fuzzMost)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		key := [KeySize]byte(mactest.NewChoices(keyBytes).Bytes(KeySize))
		c := mactest.NewChoices(choices)
		msg := memory.Fill(c, data)
		var want [TagSize]byte
		xpoly1305.Sum(&want, msg, &key)
		if len(msg) <= 400 {
			if ref := refTag(msg, key[:]); !bytes.Equal(want[:], ref) {
				t.Fatalf("x/crypto: %x, want %x", want, ref)
			}
		}
		wrong := want
		wrong[len(msg)%TagSize] ^= 0x80
		pieces := *c
		mactest.EachImplementation("poly1305", func(name string) {
			var tag [TagSize]byte
			if Sum(&tag, msg, &key); tag != want {
				t.Errorf("%s: key %x, %d bytes: Sum = %x, want %x", name, key, len(msg), tag, want)
			}
			if !Verify(&want, msg, &key) || Verify(&wrong, msg, &key) {
				t.Errorf("%s: Verify", name)
			}
			m := pieces.WritePieces(t, New(&key), msg).(*MAC)
			if got := m.Sum(nil); !bytes.Equal(got, want[:]) || !m.Verify(want[:]) || m.Verify(wrong[:]) {
				t.Errorf("%s: key %x, %d bytes: MAC = %x, want %x", name, key, len(msg), got, want)
			}
			// Once more, with the table that it may have kept.
			m.Reset()
			m.Write(msg)
			if got := m.Sum(nil); !bytes.Equal(got, want[:]) {
				t.Errorf("%s: key %x, %d bytes: MAC after Reset = %x, want %x", name, key, len(msg), got, want)
			}
		})
	})
}

// FuzzBlocks begins with any accumulator that a kernel may be called with, and
// compares the one that it leaves, and its reduction, with integers of any size.
func FuzzBlocks(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, 300)
	f.Add([]byte{0, 0, 0, 0}, []byte(nil), []byte(nil))
	f.Add(append([]byte{16, 0, 64, 7}, ones[:16]...), ones[:32], ones)
	f.Add([]byte{8, 0, 3, 3, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []byte{1}, []byte{0})
	f.Add(append([]byte{0xff, 0, 66, 4}, mactest.Random(16, 1)...), mactest.Random(KeySize, 2), mactest.Random(100, 3))
	const most = 64 // blocks
	memory := mactest.NewFuzzMemory(f, most*blockSize)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		key := [KeySize]byte(mactest.NewChoices(keyBytes).Bytes(KeySize))
		c := mactest.NewChoices(choices)
		msg := memory.Place(c, c.Length(most)*blockSize, data)
		var begin state
		begin.setKey(&key)
		begin.h = [3]uint64{2: uint64(c.Below(8))}
		begin.h[0], begin.h[1] = c.Uint64(), c.Uint64()
		rest := c.Bytes(c.Below(blockSize))
		r := refR(key[:])
		want := refBlocks(refState(&begin), r, msg)
		number := refBlocks(want, r, rest)
		number.Add(number, refInt(key[16:])).Mod(number, new(big.Int).Lsh(big.NewInt(1), 128))
		wantTag := number.FillBytes(make([]byte, TagSize))
		slices.Reverse(wantTag)
		mactest.EachImplementation("poly1305", func(name string) {
			s := begin
			var p powers
			blocks(&s, &p, msg)
			if got := refState(&s); len(msg) > 0 && s.h[2] > 4 || got.Mod(got, refPrime).Cmp(want) != 0 {
				t.Errorf("%s: from %x, r = %x, %d blocks: %x, want %x", name, begin.h, begin.r, len(msg)/blockSize, s.h, want)
			}
			if len(msg) == 0 && s.h[2] > 4 {
				return // no kernel leaves such a state for tag
			}
			var tag [TagSize]byte
			s.tag(&tag, rest, (*[TagSize]byte)(key[16:]))
			if !bytes.Equal(tag[:], wantTag) {
				t.Errorf("%s: from %x, r = %x, %d blocks and %x: tag %x, want %x", name, begin.h, begin.r, len(msg)/blockSize, rest, tag, wantTag)
			}
		})
	})
}

// FuzzReduction reduces accumulators around the multiples of 2^130 - 5.
func FuzzReduction(f *testing.F) {
	f.Add(uint8(4), ^uint64(0), ^uint64(0), uint64(0), uint64(0))
	f.Add(uint8(3), ^uint64(0), ^uint64(4), uint64(1), ^uint64(0))
	f.Add(uint8(0), uint64(0), uint64(5), ^uint64(0), ^uint64(0))
	f.Fuzz(func(t *testing.T, h2 uint8, h1, h0, s1, s0 uint64) {
		s := state{h: [3]uint64{h0, h1, uint64(h2 % 5)}}
		want := refState(&s)
		want.Mod(want, refPrime)
		pad := binary.LittleEndian.AppendUint64(nil, s0)
		pad = binary.LittleEndian.AppendUint64(pad, s1)
		want.Add(want, refInt(pad)).Mod(want, new(big.Int).Lsh(big.NewInt(1), 128))
		wantTag := want.FillBytes(make([]byte, TagSize))
		slices.Reverse(wantTag)
		var tag [TagSize]byte
		if s.tag(&tag, nil, (*[TagSize]byte)(pad)); !bytes.Equal(tag[:], wantTag) {
			t.Errorf("%x + %x: %x, want %x", s.h, pad, tag, wantTag)
		}
	})
}
