// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cpu

import "testing"

// TestFeatures says what the machine has, which .ci/kernels reads, and that a wider
// predicate never holds without the narrower ones that its kernels rely on.
func TestFeatures(t *testing.T) {
	has := map[string]bool{}
	for _, f := range Features() {
		has[f.Name] = f.Available
		if f.Available {
			t.Logf("this machine has %s", f.Name)
		}
	}
	for wide, narrow := range map[string]string{"AVX512": "AVX2", "AVX512IFMA": "AVX512", "AVX512AES": "AVX512", "AVX2AES": "AVX2", "NEONAES": "NEON"} {
		if has[wide] && !has[narrow] {
			t.Errorf("%s without %s", wide, narrow)
		}
	}
}
