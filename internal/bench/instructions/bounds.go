// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// bounds lists minimum ratios of x/crypto's instruction count to this module's with
// AVX2. The goal is 0.95. Where a ratio misses the goal, its bound keeps it from
// falling further.
var bounds = []struct {
	operation   string
	first, last int // lengths
	least       float64
}{
	{"poly1305.Sum", 0, 591, 1.05},
	{"poly1305.Sum", 592, 640, 1.00},
	{"poly1305.Sum", 641, 4096, 1.05},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 0, 64, 1.25},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 65, 192, 0.90},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 193, 320, 0.96},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 321, 4096, 1.04},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 0, 64, 1.20},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 65, 192, 0.89},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 193, 320, 0.94},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 321, 4096, 0.96},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 0, 64, 1.22},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 65, 192, 0.89},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 193, 320, 0.95},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 321, 4096, 1.03},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 0, 64, 1.18},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 65, 192, 0.88},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 193, 320, 0.94},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 321, 4096, 0.95},
}

func boundOf(name string, n int) float64 {
	for _, b := range bounds {
		if b.operation == name && b.first <= n && n <= b.last {
			return b.least
		}
	}
	return 0
}
