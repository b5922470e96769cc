// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego && (amd64 || arm64)

package poly1305

import (
	"math/bits"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// A KeptTable keeps a table of powers of r for later calls. It creates the table only
// after enough calls have needed one. Until then, each call computes its own table on
// the stack or works without a table. A kept table never changes, so clones of a MAC
// share it.
type KeptTable struct {
	missed int32     // bytes that a table would have sped up, at most withoutTable per call
	level  cpu.Level // of the kernel that reads table
	table  *Table
}

// lookup returns the table for an input of n bytes, or nil if keeping a table is not
// worthwhile yet.
func (kept *KeptTable) lookup(s *State, level cpu.Level, n int) *Table {
	if kept.table != nil && kept.level == level {
		return kept.table
	}
	withoutTable := oncePaths.Thresholds(&choice).First(level)
	if kept.missed += int32(min(n, withoutTable)); kept.missed < int32(keepFactor*withoutTable) {
		return nil
	}
	t := new(Table)
	t.set(&s.r, level)
	kept.level, kept.table = level, t
	return t
}

// Blocks sets h to (h + block)·r for each whole block in msg. It uses the fastest
// enabled kernel. If kept is not nil, Blocks may store a table in it. Later calls under
// the same key can then use the table.
func (s *State) Blocks(kept *KeptTable, msg []byte) {
	if len(msg) < minVector {
		blocksScalar(s, msg)
		return
	}
	if kept != nil {
		if level := keptPath.Choose(len(msg)); level >= cpu.AVX2 {
			if t := kept.lookup(s, level, len(msg)); t != nil {
				blocksVector(s, t, level, msg)
				return
			}
		}
	}
	if level := oncePath.Choose(len(msg)); level >= cpu.AVX2 {
		blocksOnce(s, level, msg)
		return
	}
	blocksScalar(s, msg)
}

// blocksOnce adds the blocks in msg to s, using a table on the stack. If it were
// inlined, Blocks would zero the memory for the table on every call.
//
//go:noinline
func blocksOnce(s *State, level cpu.Level, msg []byte) {
	var t Table
	t.set(&s.r, level)
	blocksVector(s, &t, level, msg)
}

func blocksVector(s *State, t *Table, level cpu.Level, msg []byte) {
	// The lanes of the vector kernel must end with the message.
	n := len(msg) % granularity(level)
	if n > 0 {
		blocksScalar(s, msg[:n])
		msg = msg[n:]
	}
	for len(msg) > 0 {
		n := min(len(msg), dispatch.MaxCall)
		t.call(s, level, msg[:n])
		msg = msg[n:]
	}
}

// square returns h·h mod 2^130 - 5, not fully reduced. The upper limb of h must be at
// most 4, and so is the result's.
//
// The square is below 25·2^256 and consists of the words t0 … t4. Because 2^130 is
// congruent to 5, the bits from 2^130 up are multiplied by 5 and added at the bottom:
// they count 4 times when shifted right by 128 bits, and once when shifted right by 130
// bits. The upper limb is then at most 3 + 24 + 6 + 2, and its bits from 2^130 up are
// added at the bottom in the same way.
func square(h0, h1, h2 uint64) (_, _, _ uint64) {
	t1, t0 := bits.Mul64(h0, h0)
	m1, m0 := bits.Mul64(h0, h1)
	t3, t2 := bits.Mul64(h1, h1)
	u1, u0 := bits.Mul64(h0, 2*h2)
	v1, v0 := bits.Mul64(h1, 2*h2)

	// The square contains 2·h0·h1, so add m1:m0 = h0·h1 twice.
	t1, c := bits.Add64(t1, m0, 0)
	t2, c = bits.Add64(t2, m1, c)
	t3, c = bits.Add64(t3, u1, c)
	t4 := v1 + h2*h2 + c // at most 7 + 16 + 1, so two more carries cannot overflow it
	t1, c = bits.Add64(t1, m0, 0)
	t2, c = bits.Add64(t2, m1, c)
	t3, c = bits.Add64(t3, v0, c)
	t4 += c
	t2, c = bits.Add64(t2, u0, 0)
	t3, c = bits.Add64(t3, 0, c)
	t4 += c

	h0, c = bits.Add64(t0, t2&^3, 0)
	h1, c = bits.Add64(t1, t3, c)
	h2 = t2&3 + t4 + c
	h0, c = bits.Add64(h0, t2>>2|t3<<62, 0)
	h1, c = bits.Add64(h1, t3>>2|t4<<62, c)
	h2 += t4>>2 + c
	h0, c = bits.Add64(h0, h2&^3+h2>>2, 0)
	h1, c = bits.Add64(h1, 0, c)
	return h0, h1, h2&3 + c
}
