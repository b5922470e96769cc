// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"math"
	"testing"

	"github.com/unimac/unimac/internal/mactest/bounds"
)

// TestStepsBounds computes how large the sums of a step of 32 blocks may be, for all keys and
// blocks: four factors of three limbs each, and a block. That of the kernels with one packet in
// each lane has one factor, and a sum of fewer products is smaller. What is before and after
// the sums is as in package poly1305, whose TestIFMABounds computes it, and the limits of the
// table's limbs.
func TestStepsBounds(t *testing.T) {
	var log bounds.Log
	word := func(bits uint) bounds.Int { return bounds.New(0, 1<<bits-1) }
	// Factors have 52 bits that count, and D is below 2^26.33.
	factor, ab := word(52), word(52)
	d := bounds.New(0, uint64(math.Exp2(26.33)))
	low := func(x, y bounds.Int) bounds.Int { return x.Mul(y).Low(52) }
	high := func(x, y bounds.Int) bounds.Int { return x.Mul(y).Shr(52) }
	l0, l1, l2 := word(52), word(52), word(25)
	h1, h2, h3 := bounds.Constant(0), bounds.Constant(0), bounds.Constant(0)
	for range 4 * 3 {
		l0, h1 = l0.Add(low(ab, factor)), h1.Add(high(ab, factor))
		l1, h2 = l1.Add(low(ab, factor)), h2.Add(high(ab, factor))
		l2, h3 = l2.Add(low(d, factor)), h3.Add(high(d, factor))
	}
	log.Fits("L0", l0, 64)
	l1 = log.Fits("L1", l1.Add(h1), 64)
	l2 = log.Fits("L2", l2.Add(h2), 64)
	log.Fits("L3, a factor", h3, 52)
	over := log.Fits("L2 above 2^51, a factor", l2.Shr(51), 52)
	// The upper half of this product is not added.
	log.Fits("5·2^25·(L2 above 2^51)", over.Mul(bounds.Constant(5<<25)), 52)
	l0 = log.Fits("L0 reduced", l0.Add(low(h3, bounds.Constant(5<<26))).Add(over.Mul(bounds.Constant(5<<25))), 64)
	l1 = log.Fits("L1 reduced", l1.Add(high(h3, bounds.Constant(5<<26))).Add(l0.Shr(52)), 64)
	log.Fits("h2, a factor", l2.Low(51).Add(l1.Shr(52)), 52)
	log.Check(t, map[string]string{
		"L0": "55.71", "L1": "56.65", "L2": "56.59", "L3, a factor": "29.92", "L2 above 2^51, a factor": "5.62",
		"L0 reduced": "55.81", "L1 reduced": "56.65", "h2, a factor": "51.00",
	})
}
