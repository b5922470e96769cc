// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
)

// guardedEnds contains functions that return the first and the last bytes of guarded
// memory.
var guardedEnds = []func(*mactest.Guarded, int) []byte{
	(*mactest.Guarded).Front,
	(*mactest.Guarded).Back,
}

// randomWords returns eight words that depend only on seed.
func randomWords(seed uint64) *[8]uint64 {
	b := mactest.Random(64, seed)
	return (*[8]uint64)(unsafe.Pointer(unsafe.SliceData(bytes.Clone(b))))
}

// counts contains byte counts, some of which wrap around.
var counts = []uint64{0, 128, 1<<32 - 128, 1<<63 + 5, ^uint64(0) - 127, ^uint64(0) - 200}

// TestCompress compares compressBlocks with plain Go, for blocks at every alignment,
// with inaccessible pages around the blocks and the chain value.
func TestCompress(t *testing.T) {
	const maxLen = 5 * BlockSize
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		blocks := mactest.NewGuarded(t, maxLen+64)
		values := mactest.NewGuarded(t, 64)
		check := func(data []byte, h *[8]uint64, seed uint64) {
			t.Helper()
			copy(data, mactest.Random(len(data), seed))
			before := bytes.Clone(data)
			for i, count := range counts {
				f := uint64(0)
				if i%2 == 1 {
					f = ^f
				}
				want := *randomWords(seed)
				*h = want
				compressBlocksGeneric(&want, data, count, f)
				compressBlocks(h, data, count, f)
				if *h != want {
					t.Fatalf("%d bytes after %d bytes, f = %x: got %x, want %x", len(data), count, f, *h, want)
				}
			}
			if !bytes.Equal(data, before) {
				t.Fatalf("%d bytes: compressBlocks changed its input", len(data))
			}
		}
		for n := BlockSize; n <= maxLen; n += BlockSize {
			for _, part := range guardedEnds {
				h := (*[8]uint64)(unsafe.Pointer(unsafe.SliceData(part(values, 64))))
				check(part(blocks, n), h, uint64(n))
			}
			for offset := range 64 {
				around := [3][8]uint64{*randomWords(1), {}, *randomWords(1)}
				check(blocks.Front(offset + n)[offset:], &around[1], uint64(offset))
				if around[0] != *randomWords(1) || around[2] != *randomWords(1) {
					t.Fatalf("%d bytes at offset %d: compressBlocks wrote outside the chain value", n, offset)
				}
			}
		}
	})
}

// TestCompressLanes compares every lane with plain Go, with inaccessible pages around
// its blocks, and checks that memory around the lanes does not change.
func TestCompressLanes(t *testing.T) {
	const maxLen = 5 * BlockSize
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		width := laneCount()
		if width == 0 {
			t.Skip("no kernel with lanes")
		}
		var memory [maxLanes]*mactest.Guarded
		for i := range memory {
			memory[i] = mactest.NewGuarded(t, maxLen+maxLanes)
		}
		check := func(n, live int, f uint64, place func(lane int) []byte) {
			t.Helper()
			var around [3]lanes
			l := &around[1]
			var want [maxLanes][8]uint64
			var data [maxLanes][]byte
			for i := range live {
				h, count := randomWords(uint64(i)), counts[(n/BlockSize+i)%len(counts)]
				data[i] = place(i)
				copy(data[i], mactest.Random(n, uint64(n+i)))
				l.load(i, h, count)
				l.blocks[i] = &data[i][0]
				compressBlocksGeneric(h, data[i], count, f)
				want[i] = *h
			}
			compressLanes(l, live, n, f)
			for i := range live {
				var h [8]uint64
				l.store(i, &h)
				count := counts[(n/BlockSize+i)%len(counts)] + uint64(n)
				if h != want[i] || l.t[i] != count {
					t.Fatalf("lane %d of %d, %d bytes: got %x after %d bytes, want %x after %d", i, live, n, h, l.t[i], want[i], count)
				}
				if !bytes.Equal(data[i], mactest.Random(n, uint64(n+i))) {
					t.Fatalf("lane %d of %d, %d bytes: compressLanes changed its input", i, live, n)
				}
			}
			if around[0] != (lanes{}) || around[2] != (lanes{}) {
				t.Fatalf("%d lanes, %d bytes: compressLanes wrote outside the lanes", live, n)
			}
		}
		for live := 1; live <= width; live++ {
			for n := BlockSize; n <= maxLen; n += BlockSize {
				for _, f := range []uint64{0, ^uint64(0)} {
					for _, part := range guardedEnds {
						check(n, live, f, func(lane int) []byte { return part(memory[lane], n) })
					}
					check(n, live, f, func(lane int) []byte { return memory[lane].Front(n + lane)[lane:] })
				}
			}
		}
	})
}
