// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package cpu

//go:generate go -C ../asm run . internal/cpu

// SlowVectors reports whether the simplest instructions on vectors of integers take two
// cycles, twice what scalar ones do: AMD's Zen 5, family 26. Where a chain of
// instructions is all that matters, scalar ones are faster there.
func SlowVectors() bool {
	return amd(cpuidAMD64(0)) && family(cpuidAMD64(1)) == 26
}

// amd reports whether the name of the maker, in leaf 0, is AuthenticAMD.
func amd(_, b, c, d uint32) bool {
	return b == 0x68747541 && d == 0x69746e65 && c == 0x444d4163
}

// family returns the family of a processor by leaf 1.
func family(a, _, _, _ uint32) uint32 {
	return a>>8&15 + a>>20&255
}
