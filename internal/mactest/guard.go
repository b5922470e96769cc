// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import "testing"

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
