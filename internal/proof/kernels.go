// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import "slices"

// Kernels are all functions that are proven, one line per family.
var Kernels = slices.Concat(
	chacha20,
	blake2b,
	fused,
	multimixer,
	nh,
	nhPoly,
	subWord,
	umacSums,
	poly1305,
	sealOpen,
	chacha20Poly1305,
)

// Unproven says of the other functions of the module's .s files why they are not
// proven, by file and name.
var Unproven = map[string]map[string]string{
	"internal/cpu/cpuid_amd64.s": {"cpuidAMD64": "CPUID says what the machine is, which no specification does"},
}
