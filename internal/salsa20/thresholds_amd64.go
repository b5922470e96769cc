// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// worthwhilePaths selects a kernel by text length. cpu.Generic stands for x/crypto's
// assembly. The thresholds come from BenchmarkWorthwhile, run on Intel Emerald Rapids
// and in a virtual machine on Intel family 6, model 167 (November 2026, commits
// 4de9de0e and f423ef07).
var worthwhilePaths = dispatch.Table[cpu.Level]{
	cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
	// For exactly two blocks, the AVX2 kernel would still compute eight.
	cpu.AVX2:   {cpu.Narrow: {{Max: BlockSize, Path: cpu.Generic}, {Max: 2*BlockSize - 1, Path: cpu.AVX2}, {Max: 2 * BlockSize, Path: cpu.Generic}, {Path: cpu.AVX2}}},
	cpu.AVX512: {cpu.Narrow: {{Max: BlockSize, Path: cpu.Generic}, {Path: cpu.AVX512}}},
}

// stepBytes is the number of bytes that each kernel processes per iteration.
var stepBytes = [...]int{cpu.AVX2: 8 * BlockSize, cpu.AVX512: 16 * BlockSize}
