// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// The lists in this file determine which kernel runs for a length. A path is the level
// of the kernel. The thresholds are based on cycle counts that llvm-mca estimated for
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

// A MAC stores its table for later calls when the message reaches keepFactor times the
// length at which computing a table pays off.
const keepFactor = 8
