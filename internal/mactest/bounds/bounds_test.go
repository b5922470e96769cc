// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package bounds

import (
	"math"
	"math/big"
	"testing"
)

func TestInt(t *testing.T) {
	x, y := New(3, 10), New(5, 6)
	for _, tt := range []struct {
		name        string
		got         Int
		value, most uint64
	}{
		{"x", x, 3, 10},
		{"x + y", x.Add(y), 8, 16},
		{"x·y", x.Mul(y), 15, 60},
		{"x·8", x.Shl(3), 24, 80},
		{"x / 2", x.Shr(1), 1, 5},
		{"x mod 2", x.Low(1), 1, 1},
		{"x mod 4", x.Low(2), 3, 3},
		{"x mod 16", x.Low(4), 3, 10},
		{"x - 2", x.Past(1), 1, 8},
		{"x - 4 or 0", x.Past(2), 0, 6},
		{"7", Constant(7), 7, 7},
		{"3 bits", Wide(big.NewInt(2), 3), 2, 7},
		{"word", Word(7), 7, math.MaxUint64},
	} {
		if tt.got.Uint64() != tt.value || tt.got.Most().Uint64() != tt.most {
			t.Errorf("%s = %v of at most %v, want %d of %d", tt.name, tt.got.Value(), tt.got.Most(), tt.value, tt.most)
		}
	}
}

func TestLog(t *testing.T) {
	var l Log
	l.Fits("a", New(0, 15), 4)
	l.Fits("b", New(9, 9), 4)
	l.Fits("b", New(0, 3), 4)
	if l.Err() != nil || l.Bound("a") != "4.00" || l.Bound("b") != "3.33" {
		t.Errorf("%v\n%v", l.Err(), &l)
	}
	l.Fits("c", New(0, 16), 4)
	if l.Err() == nil {
		t.Error("16 fit in 4 bits")
	}
}
