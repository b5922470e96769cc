// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// paths alone decides which kernel runs. A path is the level of the kernel; cpu.Generic
// runs BLAKE2b after ChaCha20. Sources, by kind of processor:
//
//   - cpu.Narrow and cpu.FullSlow: measured on AMD Zen 5, November 2026 (21a25f13). On this processor, the
//     AVX2 kernel is faster than the AVX-512 kernel, because it computes BLAKE2b in general registers.
//   - cpu.Full and cpu.Halved: guessed. The AVX-512 kernel is that of the level.
//   - cpu.Unmeasured: guessed, as cpu.FullSlow.
var (
	paths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AVX2:    {cpu.Narrow: avx2, cpu.Forced: {{Max: group - 1, Path: cpu.Generic}, {Path: cpu.AVX2}}},
		cpu.AVX512:  {cpu.Narrow: {{Path: cpu.AVX512}}, cpu.FullSlow: avx2, cpu.Unmeasured: avx2},
	}
	avx2 = dispatch.Thresholds[cpu.Level]{{Max: 4<<10 - 1, Path: cpu.Generic}, {Path: cpu.AVX2}}
)
