// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// The tables in this file choose the kernel by the message length. A path is the level
// that the kernel requires, or cpu.Generic for plain Go. The thresholds come from cycle
// counts that llvm-mca estimated for Neoverse N1 and Apple M1.
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

// A MAC keeps its table for later calls once a kept table would have sped up
// keepFactor·n bytes. n is the shortest length for which computing a table for a single
// call is worthwhile. Each call counts at most n bytes.
const keepFactor = 8
