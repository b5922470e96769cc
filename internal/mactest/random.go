// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import "testing"

// AllRandom checks that every byte of sample's results is random.
func AllRandom(t *testing.T, what string, sample func() []byte) {
	t.Helper()
	seen := make(map[int]map[byte]bool)
	for range 64 {
		for i, b := range sample() {
			if seen[i] == nil {
				seen[i] = make(map[byte]bool)
			}
			seen[i][b] = true
		}
	}
	for i := range len(seen) {
		// The probability that 64 random bytes contain fewer than 32 distinct values is
		// below 10^-20.
		if len(seen[i]) < 32 {
			t.Errorf("byte %d of %s has %d values in 64 samples, want at least 32", i, what, len(seen[i]))
		}
	}
}
