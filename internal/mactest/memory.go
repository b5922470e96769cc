// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

// Guarded is memory surrounded by inaccessible pages, so that out-of-bounds accesses
// crash the test.
type Guarded struct {
	mem []byte
}

// NewGuarded returns guarded memory for up to size bytes. On systems without mmap, it
// returns ordinary memory, which does not detect out-of-bounds accesses.
func NewGuarded(tb testing.TB, size int) *Guarded {
	tb.Helper()
	return &Guarded{guardedMemory(tb, size)}
}

// Front returns n bytes that begin directly after an inaccessible page.
func (g *Guarded) Front(n int) []byte { return g.mem[:n:n] }

// Back returns n bytes that end directly before an inaccessible page.
func (g *Guarded) Back(n int) []byte {
	return g.mem[len(g.mem)-n:]
}

// Empty checks that a function treats all empty slices alike, including nil. call must
// pass the given slice for every argument that may be empty, must not append to it, and
// must return the results.
func Empty(t *testing.T, name string, call func(empty []byte) []byte, memory ...[]byte) {
	t.Helper()
	want := call([]byte{})
	check := func(where string, empty []byte) {
		t.Helper()
		if got := call(empty); !bytes.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: the result for an empty slice (%s) differs at byte %d of %d", name, where, at, len(want))
		}
	}
	check("nil", nil)
	// Also try empty subslices of memory.
	for i, m := range append(memory, Random(64, 70)) {
		check(fmt.Sprintf("at the beginning of memory %d", i), m[:0:0])
		check(fmt.Sprintf("in memory %d", i), m[len(m)/2:len(m)/2])
	}
}

// Pooled makes the next pool.Get return x.
func Pooled(t *testing.T, pool *sync.Pool, x any) {
	before, empty := pool.New, false
	pool.New = func() any {
		empty = true
		return x
	}
	for !empty {
		pool.Get()
	}
	t.Cleanup(func() { pool.New = before })
}
