// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// Only the lists in this file determine which code path runs. For each kind of
// processor, the thresholds come from:
//
//   - cpu.Narrow: measurements on AMD Zen 5 and, if several messages are hashed at
//     once, also on Intel Emerald Rapids (November 2026, commit 21a25f13).
//   - cpu.Full: measurements in a virtual machine on Intel, probably Granite Rapids
//     (November 2026, commit 41f6551c).
//   - cpu.FullSlow: measurements on AMD Zen 5 (November 2026, commit 21a25f13).
//   - cpu.Halved and cpu.Unmeasured: guesses.
var (
	// Blocks of one message. A path is the level of the kernel.
	compressPaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AMD64:   {cpu.Narrow: scalar},
		cpu.AVX2: {
			cpu.Narrow:   {{Max: BlockSize, Path: cpu.AMD64}, {Path: cpu.AVX2}},
			cpu.Full:     {{Path: cpu.AVX2}},
			cpu.FullSlow: scalar,
			cpu.Forced:   {{Path: cpu.AVX2}},
		},
		cpu.AVX512: {cpu.Narrow: {{Path: cpu.AVX512}}, cpu.FullSlow: scalar, cpu.Unmeasured: scalar},
	}
	scalar = dispatch.Thresholds[cpu.Level]{{Path: cpu.AMD64}}

	// oneBlockPaths chooses how to hash several one-block messages, by their number.
	// cpu.Generic means one at a time. Every other level means several at once, in
	// lanes.
	oneBlockPaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: alone},
		cpu.AMD64:   {cpu.Narrow: alone},
		cpu.AVX2:    {cpu.Narrow: {{Max: 2, Path: cpu.Generic}, {Path: cpu.AVX2}}},
		cpu.AVX512:  {cpu.Narrow: {{Max: 2, Path: cpu.Generic}, {Path: cpu.AVX512}}},
	}

	// runPaths is like oneBlockPaths, but for longer messages. Two of these are already
	// faster in lanes, even if the other lanes are idle.
	runPaths = dispatch.Table[cpu.Level]{
		cpu.Generic: {cpu.Narrow: alone},
		cpu.AMD64:   {cpu.Narrow: alone},
		cpu.AVX2:    {cpu.Narrow: {{Max: 1, Path: cpu.Generic}, {Path: cpu.AVX2}}},
		cpu.AVX512:  {cpu.Narrow: {{Max: 1, Path: cpu.Generic}, {Path: cpu.AVX512}}},
	}
	alone = dispatch.Thresholds[cpu.Level]{{Path: cpu.Generic}}

	// widthPaths selects the kernel by the number of lanes in use.
	widthPaths = dispatch.Table[lanesPath]{
		cpu.Generic: {cpu.Narrow: {{Path: noLanes}}},
		cpu.AMD64:   {cpu.Narrow: {{Path: noLanes}}},
		cpu.AVX2:    {cpu.Narrow: {{Max: 4, Path: fourAVX2}, {Path: eightAVX2}}},
		cpu.AVX512:  {cpu.Narrow: {{Max: 4, Path: fourAVX512}, {Path: eightAVX512}}},
	}
)

// A lanesPath identifies a kernel that processes several messages in lanes.
type lanesPath uint8

const (
	noLanes     lanesPath = iota // the level has no kernel for lanes
	fourAVX2                     // lanes4AVX2
	eightAVX2                    // lanes8AVX2
	fourAVX512                   // lanes4AVX512
	eightAVX512                  // lanes8AVX512
)
