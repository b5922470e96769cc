// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var (
	choice dispatch.Choice

	oncePath, keptPath dispatch.Operation[cpu.Level]
)

func init() {
	dispatch.Register("poly1305", &choice, cpu.NEON)
	dispatch.Bind("poly1305", &oncePath, oncePaths)
	dispatch.Bind("poly1305", &keptPath, keptPaths)
}

// granularity returns two blocks, because blocksNEON accepts only an even number of
// blocks.
func granularity(cpu.Level) int { return 2 * BlockSize }

func (t *Table) call(s *State, level cpu.Level, msg []byte) {
	dispatch.CheckCall(len(msg))
	switch level {
	case cpu.NEON:
		blocksNEON(s, &t[0], unsafe.SliceData(msg), len(msg)/BlockSize)
	}
}

// IsShort returns false because there is no scalar kernel.
func IsShort(int) bool { return false }

// BlocksShort is Blocks.
func (s *State) BlocksShort(msg []byte) { s.Blocks(nil, msg) }

// blocksScalar adds the blocks in msg to s in plain Go.
func blocksScalar(s *State, msg []byte) { blocksGeneric(s, msg) }

// Table contains powers of r in the layout of the vector kernel.
type Table [4*9 + 9*2]uint32 // nine words per power

func (t *Table) set(r *[2]uint64, _ cpu.Level) {
	r0, r1 := r[0], r[1]
	one := multipliers(r0, r1, 0)
	a0, a1, a2 := multiply(r0, r1, 0, r0, r1)
	two := multipliers(a0, a1, a2)
	b0, b1, b2 := multiply(a0, a1, a2, r0, r1)
	six := multipliers(square(b0, b1, b2))
	a0, a1, a2 = square(a0, a1, a2)
	four := multipliers(a0, a1, a2)
	eight := multipliers(square(a0, a1, a2))
	// The table starts with r^2, r^4, r^6 and r^8, one after another.
	for i, power := range [4]*[9]uint32{&two, &four, &six, &eight} {
		copy(t[9*i:], power[:])
	}
	// At the end, r^2 is stored again, interleaved with r.
	for i := range one {
		t[36+2*i], t[37+2*i] = two[i], one[i]
	}
}

// multipliers splits h2:h1:h0, a power of r, into 26-bit limbs, and returns the limbs
// followed by five times each limb except the first. The last limb may have 27 bits.
func multipliers(h0, h1, h2 uint64) [9]uint32 {
	const mask = 1<<26 - 1
	l0, l1 := uint32(h0&mask), uint32(h0>>26&mask)
	l2 := uint32((h0>>52 | h1<<12) & mask)
	l3, l4 := uint32(h1>>14&mask), uint32(h1>>40|h2<<24)
	return [9]uint32{l0, l1, l2, l3, l4, 5 * l1, 5 * l2, 5 * l3, 5 * l4}
}

// blocksNEON implements blocksGeneric for n blocks, an even number of at least 2.
//
//go:noescape
func blocksNEON(s *State, table *uint32, msg *byte, n int)
