// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// The lists in this file alone decide which code path runs. For each kind of processor,
// the thresholds come from:
//
//   - cpu.Narrow: measurements on AMD Zen 3 and Zen 5 (November 2026, commit a217081d).
//   - cpu.Full: measurements in a virtual machine on Intel, family 6, model 167 (same
//     commit).
//   - cpu.FullSlow: measurements on AMD Zen 5 (same commit).
//   - cpu.Halved: the latencies of AMD Zen 4's instructions (commit 21a25f13).
//   - cpu.Unmeasured: guesses. General registers are the fastest on most other kinds.
var (
	xorPaths = dispatch.Table[path]{
		cpu.Generic: {cpu.Narrow: plainGo},
		cpu.SSE41: {
			cpu.Narrow: {{Max: BlockSize, Path: oneBlockAMD64}, {Path: vectorSSE41}},
			cpu.Full:   sse41, cpu.Forced: sse41,
		},
		cpu.AVX2: {
			cpu.Narrow: {{Max: BlockSize, Path: oneBlockAMD64}, {Path: vectorAVX2}},
			cpu.Full:   {{Max: BlockSize, Path: vectorSSE41}, {Path: vectorAVX2}},
		},
		cpu.AVX512: {
			cpu.Narrow: {{Max: BlockSize, Path: oneBlockAMD64}, {Path: vectorAVX512}},
			cpu.Full:   {{Max: BlockSize, Path: oneBlockAVX512}, {Path: vectorAVX512}},
			cpu.Forced: {{Max: BlockSize, Path: oneBlockAVX512}, {Path: vectorAVX512}},
		},
	}

	// One block from an initial state.
	blockPaths = dispatch.Table[path]{
		cpu.Generic: {cpu.Narrow: plainGo},
		cpu.SSE41:   {cpu.Narrow: general, cpu.Full: sse41, cpu.Forced: sse41},
		cpu.AVX2:    {cpu.Narrow: general, cpu.Full: sse41},
		cpu.AVX512:  {cpu.Narrow: general, cpu.Full: {{Path: oneBlockAVX512}}, cpu.Forced: {{Path: oneBlockAVX512}}},
	}

	hChaCha20Paths = dispatch.Table[path]{
		cpu.Generic: {cpu.Narrow: plainGo},
		cpu.SSE41:   {cpu.Narrow: sse41, cpu.FullSlow: general, cpu.Halved: general, cpu.Unmeasured: general},
		cpu.AVX2:    {cpu.Narrow: avx2, cpu.FullSlow: general, cpu.Halved: general, cpu.Unmeasured: general},
		cpu.AVX512:  {cpu.Narrow: avx512, cpu.FullSlow: general, cpu.Halved: general, cpu.Unmeasured: general},
	}

	plainGo = list{{Path: plain}}
	general = list{{Path: oneBlockAMD64}}
	sse41   = list{{Path: vectorSSE41}}
	avx2    = list{{Path: vectorAVX2}}
	avx512  = list{{Path: vectorAVX512}}
)

type list = dispatch.Thresholds[path]
