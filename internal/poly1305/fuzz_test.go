// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// FuzzBlocks compares Blocks and Tag with math/big, for every initial accumulator with
// which a kernel may be called.
func FuzzBlocks(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, 300)
	f.Add([]byte{0, 0, 0, 0}, []byte(nil), []byte(nil))
	f.Add(append([]byte{16, 0, 64, 7}, ones[:16]...), ones[:32], ones)
	f.Add([]byte{8, 0, 3, 3, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []byte{1}, []byte{0})
	f.Add(append([]byte{0xff, 0, 66, 4}, mactest.Random(16, 1)...), mactest.Random(KeySize, 2), mactest.Random(100, 3))
	for _, blocks := range []byte{1, 2, 4, 8, 16, 17, 18, 24, 32, 33} { // all values as large as possible
		f.Add(append([]byte{blocks, 0, 70, 7}, ones[:16]...), ones[:32], []byte{0xff})
	}
	f.Add(append([]byte{0, 0, 0, 3, 0xfb}, ones[:15]...), []byte{2}, []byte(nil)) // the prime
	const maxBlocks = 64
	memory := mactest.NewFuzzMemory(f, maxBlocks*BlockSize)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		key := [KeySize]byte(mactest.NewChoices(keyBytes).Bytes(KeySize))
		c := mactest.NewChoices(choices)
		msg := memory.Place(c, c.Length(maxBlocks)*BlockSize, data)
		var begin State
		begin.SetKey(&key)
		begin.h = [3]uint64{2: uint64(c.Below(8))}
		begin.h[0], begin.h[1] = c.Uint64(), c.Uint64()
		rest := c.Bytes(c.Below(BlockSize))
		r := refR(key[:])
		want := refBlocks(refState(&begin), r, msg)
		number := refBlocks(want, r, rest)
		number.Add(number, refInt(key[16:])).Mod(number, new(big.Int).Lsh(big.NewInt(1), 128))
		wantTag := number.FillBytes(make([]byte, TagSize))
		slices.Reverse(wantTag)
		mactest.EachImplementation("poly1305", func(name string) {
			s := begin
			var p KeptTable
			s.Blocks(&p, msg)
			if got := refState(&s); len(msg) > 0 && s.h[2] > 4 || got.Mod(got, refPrime).Cmp(want) != 0 {
				t.Errorf("%s: from %x, r = %x, %d blocks: accumulator %x, want %x", name, begin.h, begin.r, len(msg)/BlockSize, s.h, want)
			}
			if len(msg) == 0 && s.h[2] > 4 {
				return // the state is never passed to Tag
			}
			var tag [TagSize]byte
			s.Tag(&tag, rest, (*[TagSize]byte)(key[16:]))
			if !bytes.Equal(tag[:], wantTag) {
				t.Errorf("%s: from %x, r = %x, %d blocks and %x: tag %x, want %x", name, begin.h, begin.r, len(msg)/BlockSize, rest, tag, wantTag)
			}
		})
	})
}

// FuzzReduction compares the final reduction in Tag with math/big.
func FuzzReduction(f *testing.F) {
	f.Add(uint8(4), ^uint64(0), ^uint64(0), uint64(0), uint64(0))
	f.Add(uint8(3), ^uint64(0), ^uint64(4), uint64(1), ^uint64(0))
	f.Add(uint8(0), uint64(0), uint64(5), ^uint64(0), ^uint64(0))
	f.Fuzz(func(t *testing.T, h2 uint8, h1, h0, s1, s0 uint64) {
		s := State{h: [3]uint64{h0, h1, uint64(h2 % 5)}}
		want := refState(&s)
		want.Mod(want, refPrime)
		pad := binary.LittleEndian.AppendUint64(nil, s0)
		pad = binary.LittleEndian.AppendUint64(pad, s1)
		want.Add(want, refInt(pad)).Mod(want, new(big.Int).Lsh(big.NewInt(1), 128))
		wantTag := want.FillBytes(make([]byte, TagSize))
		slices.Reverse(wantTag)
		var tag [TagSize]byte
		if s.Tag(&tag, nil, (*[TagSize]byte)(pad)); !bytes.Equal(tag[:], wantTag) {
			t.Errorf("accumulator %x, pad %x: tag %x, want %x", s.h, pad, tag, wantTag)
		}
	})
}
