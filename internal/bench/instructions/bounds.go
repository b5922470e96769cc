// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

// bounds lists minimum ratios of x/crypto's instruction count to this module's with
// AVX2. Ratios below 0.95, which should be the minimum, must not fall further.
var bounds = []struct {
	operation   string
	first, last int // lengths
	least       float64
}{
	{"poly1305.Sum", 0, 4096, 1.05},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 0, 64, 1.10},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 65, 192, 0.86},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 193, 320, 0.92},
	{"chacha20poly1305.New Seal, 0 bytes of additional data", 321, 4096, 1.00},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 0, 64, 1.05},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 65, 192, 0.84},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 193, 320, 0.90},
	{"chacha20poly1305.New Open, 0 bytes of additional data", 321, 4096, 0.93},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 0, 64, 1.10},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 65, 192, 0.84},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 193, 320, 0.90},
	{"chacha20poly1305.New Seal, 13 bytes of additional data", 321, 4096, 1.00},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 0, 64, 1.05},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 65, 192, 0.82},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 193, 320, 0.88},
	{"chacha20poly1305.New Open, 13 bytes of additional data", 321, 4096, 0.92},
}

func boundOf(name string, n int) float64 {
	for _, b := range bounds {
		if b.operation == name && b.first <= n && n <= b.last {
			return b.least
		}
	}
	return 0
}
