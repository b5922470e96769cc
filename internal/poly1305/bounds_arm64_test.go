// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"testing"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest/bounds"
)

// TestModelsARM64 compares what the model makes with what the kernel makes, to the
// last bit: numbers that are equal modulo p would not do.
func TestModelsARM64(t *testing.T) {
	if !impl.Available("poly1305", "neon") {
		t.Skip("this machine cannot run neon")
	}
	for n := 2; n <= 28; n += 2 {
		for _, in := range modelInputs(n)[:3] {
			in.powerOf = inTable
			var log bounds.Log
			want := words(neonModel(&log, in).run())
			s := State{h: in.h, r: [2]uint64{in.r[0], in.r[1]}}
			if blocksOnce(&s, neon, in.msg); s.h != want {
				t.Fatalf("%d blocks from %x, r = %x: %x, but the model makes %x", n, in.h, s.r, s.h, want)
			}
		}
	}
}

// inTable is r^n as the kernel's table has it: even powers above 2 are squares.
func inTable(r [3]uint64, n int) [3]uint64 {
	if n <= 3 {
		return powerOf(r, n)
	}
	h := inTable(r, n/2)
	h[0], h[1], h[2] = square(h[0], h[1], h[2])
	return h
}

// TestSquareModelARM64 compares square with its model.
func TestSquareModelARM64(t *testing.T) {
	for _, h0 := range extremes {
		for _, h1 := range extremes {
			for h2 := range uint64(5) {
				var want [3]uint64
				want[0], want[1], want[2] = square(h0, h1, h2)
				var log bounds.Log
				if got := words(squareModel(&log, [3]number{bounds.Word(h0), bounds.Word(h1), bounds.New(h2, 4)})); got != want {
					t.Errorf("(%x, %x, %x) squared is %x, but the model makes %x", h0, h1, h2, want, got)
				}
			}
		}
	}
}
