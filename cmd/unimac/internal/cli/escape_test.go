// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cli

import "testing"

// TestName checks the names shown for paths on Windows and other systems.
func TestName(t *testing.T) {
	for _, tt := range []struct{ path, slash, backslash string }{
		{"a/b", "a/b", "a/b"},
		{`C:\Users\x`, `C:\\Users\\x`, `C:\Users\x`},
		{`\\server\x`, `\\\\server\\x`, `\\server\x`},
		{"a\x1b\nb", `a\x1b\nb`, `a\x1b\nb`},
	} {
		if got := nameWith(tt.path, '/'); got != tt.slash {
			t.Errorf("nameWith(%q, '/') = %q, want %q", tt.path, got, tt.slash)
		}
		if got := nameWith(tt.path, '\\'); got != tt.backslash {
			t.Errorf("nameWith(%q, '\\\\') = %q, want %q", tt.path, got, tt.backslash)
		}
	}
}
