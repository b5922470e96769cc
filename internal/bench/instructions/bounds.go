// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// bounds lists minimum ratios of x/crypto's instruction count to this module's with
// AVX2. The goal is 0.95. A bound above the goal keeps a ratio from falling to it.
var bounds = []struct {
	operation   string
	first, last int // lengths
	least       float64
}{
	{"poly1305.Sum", 0, 591, 1.05},
	{"poly1305.Sum", 592, 640, 1.00},
	{"poly1305.Sum", 641, 4096, 1.05},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 0, 64, 1.32},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 65, 192, 0.96},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 193, 320, 1.01},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 321, 4096, 1.05},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 0, 64, 1.27},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 65, 192, 0.95},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 193, 320, 0.99},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 321, 4096, 0.99},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 0, 64, 1.30},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 65, 192, 0.96},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 193, 320, 1.01},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 321, 4096, 1.05},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 0, 64, 1.26},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 65, 192, 0.95},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 193, 320, 0.99},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 321, 4096, 0.99},
}

func boundOf(name string, n int) float64 {
	for _, b := range bounds {
		if b.operation == name && b.first <= n && n <= b.last {
			return b.least
		}
	}
	return 0
}
