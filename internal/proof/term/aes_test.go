// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import "testing"

// TestAES compares with numbers of FIPS 197: section 5.1.1, and a column of appendix B.
func TestAES(t *testing.T) {
	s := New()
	if got := s.Apply(SubByte, 8, 0, s.Const(8, 0x53)); got != s.Const(8, 0xed) {
		t.Errorf("S-box of 0x53: %s", s.Format(got))
	}
	if got := s.Apply(MixColumn, 32, 0, s.Const(32, 0x305dbfd4)); got != s.Const(32, 0xe5816604) {
		t.Errorf("MixColumn of d4 bf 5d 30: %s", s.Format(got))
	}
}
