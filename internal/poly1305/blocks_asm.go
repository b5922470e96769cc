// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego && (amd64 || arm64)

package poly1305

import "github.com/unimac/unimac/internal/impl"

// KeptTable is what a MAC knows of tables. As a key is for one message, most MACs
// are made for a short one: they stay small, and a kernel's table is computed on
// the stack for each call, until there were so many that one is worth its memory.
// A table never changes, so that clones share it.
type KeptTable struct {
	missed int32 // bytes for which a table would have helped, at most cold a call
	kernel kernel
	table  *Table
}

// keepAfter is how many times cold bytes must have missed a table.
const keepAfter = 8

// keep returns the table that is kept for a kernel, once it is.
func (p *KeptTable) keep(s *State, k kernel, n, cold int) *Table {
	if p.table != nil && p.kernel == k {
		return p.table
	}
	if p.missed += int32(min(n, cold)); p.missed < int32(keepAfter*cold) {
		return nil
	}
	t := new(Table)
	t.set(&s.r, k)
	p.kernel, p.table = k, t
	return t
}

// Blocks sets h to (h + block)·r for each of the whole blocks in msg, by the fastest enabled kernel. If kept
// is not nil, Blocks keeps in it what later calls for the same key can use.
func (s *State) Blocks(kept *KeptTable, msg []byte) {
	if len(msg) < minVector {
		blocksShort(s, msg)
		return
	}
	k, cold, warm := vectorKernel()
	var t *Table
	if kept != nil && len(msg) >= warm {
		t = kept.keep(s, k, len(msg), cold)
	}
	switch {
	case t != nil:
		blocksVector(s, t, k, msg)
	case len(msg) >= cold:
		blocksOnce(s, k, msg)
	default:
		blocksShort(s, msg)
	}
}

// blocksOnce is a vector kernel with a table that is not kept. It is a function of
// its own so that no other clears memory for it.
//
//go:noinline
func blocksOnce(s *State, k kernel, msg []byte) {
	var t Table
	t.set(&s.r, k)
	blocksVector(s, &t, k, msg)
}

// blocksVector is a vector kernel.
func blocksVector(s *State, t *Table, k kernel, msg []byte) {
	// What is left over comes first: the kernel's lanes end with the message.
	n := len(msg) % k.step()
	if n > 0 {
		blocksShort(s, msg[:n])
		msg = msg[n:]
	}
	for len(msg) > 0 {
		n := min(len(msg), impl.MaxCall)
		k.call(s, t, msg[:n])
		msg = msg[n:]
	}
}
