// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package proof proves this module's assembly for all inputs; see README.md.
package proof

import (
	"slices"

	"github.com/unimac/unimac/internal/proof/kernels/aegis"
	"github.com/unimac/unimac/internal/proof/kernels/blake2b"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/kernels/multimixer"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/kernels/umac"
)

// Kernels lists the proven functions, one line per family.
var Kernels = slices.Concat(
	chacha20.Kernels,
	blake2b.Kernels,
	aegis.Kernels,
	multimixer.Kernels,
	umac.Kernels,
	poly1305.Kernels,
	chacha20poly1305.Kernels,
)

// Unproven gives the reason for each unproven function, by .s file and name.
var Unproven = map[string]map[string]string{
	"internal/cpu/cpuid_amd64.s": {"cpuidAMD64": "CPUID says what the machine is, which no specification does"},
}
