// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import "github.com/unimac/unimac/internal/proof/term"

// Bitwise sets dst to the bytes of a combined with those of b, by an operation on
// bits, whose instructions say nothing of lanes: it goes in the units that a and b
// are made of, as the normal forms of terms have units of their own.
func Bitwise(t *term.Store, f func(a, b term.Term) term.Term, dst, a, b []term.Byte) {
	for len(a) > 0 {
		n := min(unit(t, a), unit(t, b), len(a))
		t.Bytes(dst[:n], f(t.Gather(a[:n]), t.Gather(b[:n])))
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}

// unit returns how many bytes b begins with that belong together: 8 if they are
// one term, or nothing is known against it; else 4, 2 or 1.
func unit(t *term.Store, b []term.Byte) int {
	for n := 8; n > 1; n /= 2 {
		if len(b) < n {
			continue
		}
		if whole(t, b[:n]) || loose(t, b[:n/2]) && loose(t, b[n/2:n]) {
			return n
		}
	}
	return 1
}

// whole reports whether bytes are those of one term, of their size or larger, in any
// order.
func whole(t *term.Store, b []term.Byte) bool {
	first, _ := b[0].Of()
	if t.Width(first) < 8*len(b) {
		return false
	}
	for _, x := range b {
		if of, _ := x.Of(); of != first {
			return false
		}
	}
	return true
}

// loose reports whether bytes belong to nothing larger.
func loose(t *term.Store, b []term.Byte) bool {
	for _, x := range b {
		if of, _ := x.Of(); t.Width(of) != 8 {
			return false
		}
	}
	return true
}
