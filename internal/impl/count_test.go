// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build implcount

package impl

import "testing"

func TestCount(t *testing.T) {
	saved := registered
	t.Cleanup(func() { registered = saved })
	registered = nil
	on := true
	Register("counted", "wide", &on)

	Count("counted", "f")
	Count("counted", "f")
	Select("counted", Generic)
	Count("counted", "f")
	for _, tt := range []struct {
		pkg, function, inUse string
		want                 int
	}{
		{"counted", "f", "wide", 2},
		{"counted", "f", Generic, 1},
		{"counted", "g", "wide", 0},
		{"other", "f", "wide", 0},
	} {
		if got := Calls(tt.pkg, tt.function, tt.inUse); got != tt.want {
			t.Errorf("Calls(%q, %q, %q) = %d, want %d", tt.pkg, tt.function, tt.inUse, got, tt.want)
		}
	}
}
