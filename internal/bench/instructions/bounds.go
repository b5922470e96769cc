// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// bounds are the least ratios of x/crypto's count to this module's.
var bounds = []struct {
	operation   string
	first, last int // lengths
	least       float64
}{
	{"poly1305.Sum", 0, 4096, 1.05},
}

// boundOf returns the bound of an operation at a length, or 0.
func boundOf(name string, n int) float64 {
	for _, b := range bounds {
		if b.operation == name && b.first <= n && n <= b.last {
			return b.least
		}
	}
	return 0
}
