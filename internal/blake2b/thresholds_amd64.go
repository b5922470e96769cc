// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// The lists in this file alone decide which code path runs. Sources, by kind of
// processor:
//
//   - cpu.Narrow: measured on AMD Zen 5 and, for several messages, on Intel Emerald Rapids, November 2026
//     (21a25f13).
//   - cpu.Full: measured on an Intel guest, inferred Granite Rapids, November 2026
//     (41f6551c).
//   - cpu.FullSlow: measured on AMD Zen 5, November 2026 (21a25f13).
//   - cpu.Halved and cpu.Unmeasured: guessed.
var (
	// Blocks of one message. A path is the level of the kernel.
	compressPaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AMD64:   {cpu.Narrow: scalar},
		cpu.AVX2: {
			cpu.Narrow:   {{Max: BlockSize, Path: cpu.AMD64}, {Path: cpu.AVX2}},
			cpu.Full:     {{Path: cpu.AVX2}},
			cpu.FullSlow: scalar,
			cpu.Alone:    {{Path: cpu.AVX2}},
		},
		cpu.AVX512: {cpu.Narrow: {{Path: cpu.AVX512}}, cpu.FullSlow: scalar, cpu.Unmeasured: scalar},
	}
	scalar = dispatch.Thresholds[cpu.Level]{{Path: cpu.AMD64}}

	// Messages of one block each. The lengths are numbers of messages.
	oneBlockPaths = dispatch.Table[lanesPath]{
		cpu.Generic: {cpu.Narrow: alone},
		cpu.AMD64:   {cpu.Narrow: alone},
		cpu.AVX2:    {cpu.Narrow: {{Max: 2, Path: oneAtATime}, {Max: 4, Path: fourAVX2}, {Path: eightAVX2}}},
		cpu.AVX512:  {cpu.Narrow: {{Max: 2, Path: oneAtATime}, {Max: 4, Path: fourAVX512}, {Path: eightAVX512}}},
	}

	// Messages of more than one block, even if some lanes are idle. The lengths are
	// numbers of messages.
	runPaths = dispatch.Table[lanesPath]{
		cpu.Generic: {cpu.Narrow: alone},
		cpu.AMD64:   {cpu.Narrow: alone},
		cpu.AVX2:    {cpu.Narrow: {{Max: 1, Path: oneAtATime}, {Max: 4, Path: fourAVX2}, {Path: eightAVX2}}},
		cpu.AVX512:  {cpu.Narrow: {{Max: 1, Path: oneAtATime}, {Max: 4, Path: fourAVX512}, {Path: eightAVX512}}},
	}

	// Lanes in use, if the messages are not processed one at a time.
	widthPaths = dispatch.Table[lanesPath]{
		cpu.Generic: {cpu.Narrow: alone},
		cpu.AMD64:   {cpu.Narrow: alone},
		cpu.AVX2:    {cpu.Narrow: {{Max: 4, Path: fourAVX2}, {Path: eightAVX2}}},
		cpu.AVX512:  {cpu.Narrow: {{Max: 4, Path: fourAVX512}, {Path: eightAVX512}}},
	}
	alone = dispatch.Thresholds[lanesPath]{{Path: oneAtATime}}
)

// A lanesPath identifies the code for several messages.
type lanesPath uint8

const (
	oneAtATime  lanesPath = iota // compressBlocks
	fourAVX2                     // lanes4AVX2
	eightAVX2                    // lanes8AVX2
	fourAVX512                   // lanes4AVX512
	eightAVX512                  // lanes8AVX512
)
