// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package constanttime

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestEqual changes each bit, and pairs of bits that a sum or a folded word could cancel.
func TestEqual(t *testing.T) {
	x := [16]byte(mactest.Random(16, 1))
	y := x
	if Equal(&x, &y) != 1 || Equal(&x, &x) != 1 {
		t.Error("equal tags differ")
	}
	for i := range 8 * len(x) {
		y[i/8] ^= 1 << (i % 8)
		if Equal(&x, &y) != 0 || Equal(&y, &x) != 0 {
			t.Errorf("tags that differ in bit %d are equal", i)
		}
		for j := range i {
			y[j/8] ^= 1 << (j % 8)
			if Equal(&x, &y) != 0 {
				t.Errorf("tags that differ in bits %d and %d are equal", j, i)
			}
			y[j/8] ^= 1 << (j % 8)
		}
		y[i/8] ^= 1 << (i % 8)
	}
}

// TestEqual32 changes each bit.
func TestEqual32(t *testing.T) {
	x := [32]byte(mactest.Random(32, 2))
	y := x
	if Equal32(&x, &y) != 1 {
		t.Error("equal tags differ")
	}
	for i := range 8 * len(x) {
		y[i/8] ^= 1 << (i % 8)
		if Equal32(&x, &y) != 0 {
			t.Errorf("tags that differ in bit %d are equal", i)
		}
		y[i/8] ^= 1 << (i % 8)
	}
}
