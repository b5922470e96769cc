// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package proof proves that the assembly of this module computes what its
// specification says, for all contents and all lengths; see README.md.
package proof

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/kernels/blake2b"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/kernels/multimixer"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/kernels/umac"
)

// Kernels are all functions that are proven, one line per family.
var Kernels = slices.Concat(
	chacha20.Kernels,
	blake2b.Kernels,
	multimixer.Kernels,
	umac.Kernels,
	poly1305.Kernels,
	chacha20poly1305.Kernels,
)

// Unproven says of the other functions of the module's .s files why they are not
// proven, by file and name.
var Unproven = map[string]map[string]string{
	"internal/aegis/aegis_amd64.s": {
		"absorb128AVX2AES":      unstated,
		"seal128AVX2AES":        unstated,
		"open128AVX2AES":        unstated,
		"absorb128X2AVX2VAES":   unstated,
		"seal128X2AVX2VAES":     unstated,
		"open128X2AVX2VAES":     unstated,
		"absorb128X4AVX512VAES": unstated,
		"seal128X4AVX512VAES":   unstated,
		"open128X4AVX512VAES":   unstated,
		"absorb256AVX2AES":      unstated,
		"seal256AVX2AES":        unstated,
		"open256AVX2AES":        unstated,
		"absorb256X2AVX2VAES":   unstated,
		"seal256X2AVX2VAES":     unstated,
		"open256X2AVX2VAES":     unstated,
		"absorb256X4AVX512VAES": unstated,
		"seal256X4AVX512VAES":   unstated,
		"open256X4AVX512VAES":   unstated,
	},
	"internal/cpu/cpuid_amd64.s": {"cpuidAMD64": "CPUID says what the machine is, which no specification does"},
}

const unstated = "its statement is not written yet"
