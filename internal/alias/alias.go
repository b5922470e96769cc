// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package alias tells whether buffers share memory, and gives outputs theirs.
package alias

import "unsafe"

// Overlap reports whether x and y share a byte. Only the bytes within their
// lengths count, not those within their capacities.
func Overlap(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 &&
		uintptr(unsafe.Pointer(&x[0])) <= uintptr(unsafe.Pointer(&y[len(y)-1])) &&
		uintptr(unsafe.Pointer(&y[0])) <= uintptr(unsafe.Pointer(&x[len(x)-1]))
}

// InexactOverlap reports whether x and y share a byte at different indices:
// the overlap that an in-place cipher cannot work with.
func InexactOverlap(x, y []byte) bool {
	return Overlap(x, y) && &x[0] != &y[0]
}

// Extend returns dst with n more bytes, in its own memory if that is enough, and those bytes.
func Extend(dst []byte, n int) (all, out []byte) {
	total := len(dst) + n
	if total <= cap(dst) {
		all = dst[:total]
	} else {
		all = make([]byte, total)
		copy(all, dst)
	}
	return all, all[len(dst):]
}
