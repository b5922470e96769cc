// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// worthwhilePaths selects the kernel for a text by length, or cpu.Generic if x/crypto's
// assembly is faster. For example, the AVX2 kernel always computes eight blocks, so
// x/crypto's assembly is faster for a text of two blocks. The thresholds were measured
// with BenchmarkWorthwhile on Intel Emerald Rapids and in a virtual machine on Intel
// family 6, model 167 (November 2026, commits 4de9de0e and f423ef07).
var worthwhilePaths = dispatch.Table[cpu.Level]{
	cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
	cpu.AVX2:    {cpu.Narrow: {{Max: BlockSize, Path: cpu.Generic}, {Max: 2*BlockSize - 1, Path: cpu.AVX2}, {Max: 2 * BlockSize, Path: cpu.Generic}, {Path: cpu.AVX2}}},
	cpu.AVX512:  {cpu.Narrow: {{Max: BlockSize, Path: cpu.Generic}, {Path: cpu.AVX512}}},
}

// stepBytes is the number of bytes that each kernel processes per iteration. If at most
// one block remains after the last whole iteration, Worthwhile leaves these bytes to
// x/crypto's assembly.
var stepBytes = [...]int{cpu.AVX2: 8 * BlockSize, cpu.AVX512: 16 * BlockSize}
