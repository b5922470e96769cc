// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// The lists in this file alone decide which kernel runs. A path is the level that the
// kernel requires. For each kind of processor, the thresholds come from:
//
//   - cpu.Narrow: measurements on AMD Zen 5 and on Intel Emerald Rapids, chosen so that
//     neither becomes slower (November 2026, commit 0dcf2ef9).
//   - cpu.Full: measurements in a virtual machine on Intel, family 6, model 167
//     (November 2026, commit c85e01e2). AVX2 without a table was counted instead: below
//     512 bytes, the kernel executes more instructions than x/crypto, and would be
//     slower than x/crypto if other programs used the core.
//   - cpu.FullSlow: measurements on AMD Zen 5 (November 2026, commit e8545c23).
//   - cpu.Halved and cpu.Unmeasured: guesses, the same as cpu.Narrow.
var (
	// Blocks without a table: the powers of r must be computed first.
	oncePaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AMD64:   {cpu.Narrow: {{Path: cpu.AMD64}}},
		cpu.AVX2: {
			cpu.Narrow:   {{Max: 591, Path: cpu.AMD64}, {Path: cpu.AVX2}},
			cpu.Full:     {{Max: 511, Path: cpu.AMD64}, {Path: cpu.AVX2}},
			cpu.FullSlow: {{Max: 575, Path: cpu.AMD64}, {Path: cpu.AVX2}},
			cpu.Forced:   {{Max: minVector - 1, Path: cpu.AMD64}, {Path: cpu.AVX2}},
		},
		cpu.AVX512IFMA: {
			cpu.Narrow:   {{Max: 447, Path: cpu.AMD64}, {Path: cpu.AVX512IFMA}},
			cpu.Full:     {{Max: 319, Path: cpu.AMD64}, {Path: cpu.AVX512IFMA}},
			cpu.FullSlow: {{Max: 383, Path: cpu.AMD64}, {Path: cpu.AVX512IFMA}},
			cpu.Forced:   {{Max: minVector - 1, Path: cpu.AMD64}, {Path: cpu.AVX512IFMA}},
		},
	}

	// Blocks with a table.
	keptPaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AMD64:   {cpu.Narrow: {{Path: cpu.AMD64}}},
		cpu.AVX2: {
			cpu.Narrow:   {{Max: 127, Path: cpu.AMD64}, {Path: cpu.AVX2}},
			cpu.FullSlow: {{Max: 191, Path: cpu.AMD64}, {Path: cpu.AVX2}},
			cpu.Forced:   {{Max: minVector - 1, Path: cpu.AMD64}, {Path: cpu.AVX2}},
		},
		cpu.AVX512IFMA: {cpu.Narrow: {{Max: minVector - 1, Path: cpu.AMD64}, {Path: cpu.AVX512IFMA}}},
	}
)

// minVector is the smallest length for which a list selects a vector kernel.
const minVector = 96

// The keepFactor-th call that needs a table of powers keeps the table for later calls.
// A call that is too short to compute its own table counts in proportion to its length.
const keepFactor = 8
