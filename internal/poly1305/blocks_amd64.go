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
	dispatch.Register("poly1305", &choice, cpu.AMD64, cpu.AVX2, cpu.AVX512IFMA)
	dispatch.Bind("poly1305", &oncePath, oncePaths)
	dispatch.Bind("poly1305", &keptPath, keptPaths)
}

// The vector kernel accepts only multiples of granularity(level) bytes.
func granularity(level cpu.Level) int {
	if level == cpu.AVX2 {
		return 4 * BlockSize
	}
	return BlockSize
}

// call runs the vector kernel on msg with the powers of r in t.
func (t *Table) call(s *State, level cpu.Level, msg []byte) {
	dispatch.CheckCall(len(msg))
	switch level {
	case cpu.AVX2:
		blocksAVX2(s, &t[0], unsafe.SliceData(msg), len(msg)/BlockSize)
	case cpu.AVX512IFMA:
		blocksAVX512IFMA(s, &t[0], unsafe.SliceData(msg), len(msg)/BlockSize)
	}
}

// IsShort reports whether BlocksShort can be used instead of Blocks for n bytes. n must
// be at least BlockSize. IsShort and BlocksShort are kept small enough to inline, which
// makes short writes several percent faster.
func IsShort(n int) bool { return n < minVector && choice.Level != cpu.Generic }

// BlocksShort is Blocks for messages whose length satisfies IsShort.
func (s *State) BlocksShort(msg []byte) {
	dispatch.CheckCall(len(msg))
	blocksAMD64(s, unsafe.SliceData(msg), len(msg)/BlockSize)
}

// blocksScalar adds the blocks in msg to s, with the scalar kernel if one is enabled.
func blocksScalar(s *State, msg []byte) {
	if choice.Level == cpu.Generic {
		blocksGeneric(s, msg)
		return
	}
	for len(msg) > dispatch.MaxCall {
		s.BlocksShort(msg[:dispatch.MaxCall])
		msg = msg[dispatch.MaxCall:]
	}
	if len(msg) > 0 {
		s.BlocksShort(msg)
	}
}

// Table contains powers of r in the layout of a vector kernel.
type Table [9*8 + 9]uint64

// A powerList holds r^8, r^4, r^7, r^3, r^6, r^2, r^5, r and r^16, one per column. Row
// 0 holds the low words. Each power is below 5·2^128. The first eight columns are in
// the lane order of blocksAVX512IFMA.
type powerList [3][9]uint64

func (t *Table) set(r *[2]uint64, level cpu.Level) {
	switch level {
	case cpu.AVX2:
		t.setAVX2(r)
	case cpu.AVX512IFMA:
		var list powerList
		powersAMD64(&list[0][0], &r[0])
		tableAVX512IFMA(&t[0], &list[0][0])
		list = powerList{} // wipe the powers of the key
	}
}

// setAVX2 computes the table of blocksAVX2, which contains fewer powers.
func (t *Table) setAVX2(r *[2]uint64) {
	// Lanes 0 to 4 hold r^4, r^2, r^3, r and r^8.
	t.setLane(3, r[0], r[1], 0)
	a0, a1, a2 := multiply(r[0], r[1], 0, r[0], r[1])
	t.setLane(1, a0, a1, a2)
	b0, b1, b2 := multiply(a0, a1, a2, r[0], r[1])
	t.setLane(2, b0, b1, b2)
	a0, a1, a2 = square(a0, a1, a2)
	t.setLane(0, a0, a1, a2)
	a0, a1, a2 = square(a0, a1, a2)
	t.setLane(4, a0, a1, a2)
}

// setLane stores w0 + w1·2^64 + w2·2^128, a power of r, in a lane of t.
func (t *Table) setLane(lane int, w0, w1, w2 uint64) {
	// A lane holds five 26-bit limbs, then five times each limb except the first.
	const mask26 = 1<<26 - 1
	r0, r1 := w0&mask26, w0>>26&mask26
	r2 := (w0>>52 | w1<<12) & mask26
	r3, r4 := w1>>14&mask26, w1>>40|w2<<24
	e := t[lane : lane+8*5+1]
	e[0*5], e[1*5], e[2*5], e[3*5], e[4*5] = r0, r1, r2, r3, r4
	e[5*5], e[6*5], e[7*5], e[8*5] = 5*r1, 5*r2, 5*r3, 5*r4
}
