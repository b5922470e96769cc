// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego && (amd64 || arm64)

package poly1305

import "testing"

// TestSquare compares square with math/big, for words at which carries are likely to go
// wrong.
func TestSquare(t *testing.T) {
	for _, h0 := range extremes {
		for _, h1 := range extremes {
			for h2 := range uint64(5) {
				var got State
				got.h[0], got.h[1], got.h[2] = square(h0, h1, h2)
				want := refState(&State{h: [3]uint64{h0, h1, h2}})
				want.Mul(want, want).Mod(want, refPrime)
				if h := refState(&got); got.h[2] > 4 || h.Mod(h, refPrime).Cmp(want) != 0 {
					t.Fatalf("(%x, %x, %x) squared = %x, want %x", h0, h1, h2, got.h, want)
				}
			}
		}
	}
}
