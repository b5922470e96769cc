// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

// Guarded is memory between two pages that cannot be accessed. A kernel that
// reads or writes past either end of it crashes the test.
type Guarded struct {
	mem []byte
}

// NewGuarded returns guarded memory for slices of up to size bytes. Where the
// operating system offers no such pages, the memory is merely allocated and
// nothing is caught.
func NewGuarded(tb testing.TB, size int) *Guarded {
	tb.Helper()
	return &Guarded{guardedMemory(tb, size)}
}

// Front returns n bytes that begin right after an inaccessible page.
func (g *Guarded) Front(n int) []byte { return g.mem[:n:n] }

// Back returns n bytes that end right before an inaccessible page.
func (g *Guarded) Back(n int) []byte {
	return g.mem[len(g.mem)-n:]
}

// Empty checks that it makes no difference where what is empty lies, which kernels are told: at no address, as nil
// has none, or at the address of memory that others use. Call gets an empty slice, which it gives for all that may
// be empty, and returns all that it computes. It may store to memory, and not append to it.
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
			t.Errorf("%s of what is empty and %s differ from byte %d of %d on", name, where, at, len(want))
		}
	}
	check("nil", nil)
	for i, m := range append(memory, Random(64, 70)) {
		check(fmt.Sprintf("at the beginning of memory %d", i), m[:0:0])
		check(fmt.Sprintf("in memory %d", i), m[len(m)/2:len(m)/2])
	}
}

// Pooled makes a pool give out x, and nothing that was in it before. So a test sees what is left
// in x when it is given back.
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
