// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package alias

import "testing"

func TestOverlap(t *testing.T) {
	a, b := make([]byte, 16), make([]byte, 16)
	for _, tt := range []struct {
		name             string
		x, y             []byte
		overlap, inexact bool
	}{
		{"two arrays", a, b, false, false},
		{"the same", a, a, true, false},
		{"same start", a, a[:3], true, false},
		{"one byte on", a[:8], a[1:9], true, true},
		{"last byte", a[:8], a[7:], true, true},
		{"inside", a, a[5:6], true, true},
		{"neighbours", a[:8], a[8:], false, false},
		{"only in capacity", a[:4], a[6:8], false, false},
		{"empty", a[3:3], a, false, false},
		{"nil", nil, a, false, false},
	} {
		for _, p := range [][2][]byte{{tt.x, tt.y}, {tt.y, tt.x}} {
			if got := Overlap(p[0], p[1]); got != tt.overlap {
				t.Errorf("%s: Overlap = %v", tt.name, got)
			}
			if got := InexactOverlap(p[0], p[1]); got != tt.inexact {
				t.Errorf("%s: InexactOverlap = %v", tt.name, got)
			}
		}
	}
}
