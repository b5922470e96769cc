// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// These tables choose plain Go (cpu.Generic) or the vector kernel (cpu.NEON) by the
// input length. The thresholds come from cycle counts that llvm-mca estimated for
// Neoverse N1 and Apple M1.
var (
	// Blocks without a table: the powers of r must be computed first.
	oncePaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.NEON:    {cpu.Narrow: {{Max: 767, Path: cpu.Generic}, {Path: cpu.NEON}}},
	}

	// Blocks with a table.
	keptPaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.NEON:    {cpu.Narrow: {{Max: minVector - 1, Path: cpu.Generic}, {Path: cpu.NEON}}},
	}
)

// minVector is the smallest length for which a list selects the vector kernel.
const minVector = 256

// The keepFactor-th call that needs a table of powers keeps the table for later calls.
// A call that is too short to compute its own table counts in proportion to its length.
const keepFactor = 8
