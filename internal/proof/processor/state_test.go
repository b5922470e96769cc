// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"encoding/binary"
	"math/rand/v2"
)

// A layout describes the state in the harness's memory: registers, flags, masks,
// vectors, and a buffer with the base register pointing to its middle.
type layout struct {
	words   int // number of general purpose registers, 8 bytes each
	flags   int // offset of the flags
	masks   int // offset of mask registers, or 0
	vectors int // offset of vectors
	width   int // size of a vector in bytes
	buffer  int // offset of the buffer
	size    int

	// The number of vector registers that the harness loads and the number of bytes of
	// each.
	registers, loaded int
}

const bufferSize = 256

// corners lists words that instructions may treat as special cases.
var corners = []uint64{0, 1, 2, 31, 32, 63, 64, 0x7f, 0x80, 0xff, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(1), 1<<52 - 1, 1<<26 - 1}

// random returns a state in which each word is random or a corner.
func (l *layout) random(r *rand.Rand) []byte {
	s := make([]byte, l.size)
	for at := 0; at < l.size; at += 8 {
		v := r.Uint64()
		switch r.IntN(4) {
		case 0:
			v = corners[r.IntN(len(corners))]
		case 1:
			v = corners[r.IntN(len(corners))]&(1<<32-1) | corners[r.IntN(len(corners))]<<32
		}
		binary.LittleEndian.PutUint64(s[at:], v)
	}
	return s
}

// maskBytes returns the size of the mask registers in bytes.
func (l *layout) maskBytes() int {
	if l.masks == 0 {
		return 0
	}
	return 64
}

func (l *layout) word(s []byte, at int) uint64       { return binary.LittleEndian.Uint64(s[at:]) }
func (l *layout) setWord(s []byte, at int, v uint64) { binary.LittleEndian.PutUint64(s[at:], v) }
