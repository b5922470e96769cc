// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package bounds

import "testing"

// TestBounds checks the values and bounds that each operation returns, and that Fits
// reports a bound that is too large.
func TestBounds(t *testing.T) {
	x, y := New(3, 10), New(5, 6)
	for _, tt := range []struct {
		name         string
		got          Int
		value, bound uint64
	}{
		{"x + y", x.Add(y), 8, 16},
		{"x·y", x.Mul(y), 15, 60},
		{"x·7", x.Times(7), 21, 70},
		{"x / 2", x.Shr(1), 1, 5},
		{"x mod 2", x.Low(1), 1, 1},
		{"x mod 16", x.Low(4), 3, 10},
		{"word", Word(7), 7, 1<<64 - 1},
	} {
		if tt.got.Value.Uint64() != tt.value || tt.got.Bound.Uint64() != tt.bound {
			t.Errorf("%s = %v, want %d, at most %d", tt.name, tt.got, tt.value, tt.bound)
		}
	}
	var l Log
	l.Fits("a", New(9, 15), 4)
	l.Fits("a", New(9, 9), 4)
	if l.Check(t, map[string]float64{"a": 4}); l.Err != nil {
		t.Error(l.Err)
	}
	if l.Fits("b", New(0, 16), 4); l.Err == nil {
		t.Error("Fits accepted 16 in 4 bits")
	}
}
