// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

type path uint8

const (
	twoPasses     path = iota // packages chacha20 and poly1305, one after the other
	onePassSSE41              // cryptSSE41
	onePassAVX2               // cryptAVX2
	onePassAVX512             // cryptAVX512
	steps                     // cryptAVX512IFMA, with other kernels before and after it
	halvedSteps               // the same with cryptHalvedAVX512IFMA
	short                     // shortAVX512IFMA, for 1 to 64 bytes; see maxShortData
)

var paths = [...]dispatch.Path{
	twoPasses:     {Name: "twoPasses"},
	onePassSSE41:  {Name: "onePassSSE41", Level: cpu.SSE41},
	onePassAVX2:   {Name: "onePassAVX2", Level: cpu.AVX2},
	onePassAVX512: {Name: "onePassAVX512", Level: cpu.AVX512},
	steps:         {Name: "steps", Level: cpu.AVX512IFMA},
	halvedSteps:   {Name: "halvedSteps", Level: cpu.AVX512IFMA},
	short:         {Name: "short", Level: cpu.AVX512IFMA, Min: 1, Max: 64},
}

// The lists in this file and maxShortData alone decide which code path runs. Their lengths count the text and whole blocks of
// additional data. Sources, by level and kind of processor:
//
//   - AVX512IFMA, cpu.Narrow and cpu.Full: measured on an Intel guest, family 6 model 167, November 2026.
//   - AVX512IFMA, cpu.FullSlow: measured on AMD Zen 5, 2026.
//   - AVX512IFMA, cpu.Halved: up to 64 bytes measured on AMD Zen 4, 2026; otherwise counted by llvm-mca.
//   - AVX512IFMA, cpu.Unmeasured: guessed. IFMA runs where it is faster on all other kinds.
//   - AVX512: measured on the Intel guest with GODEBUG=cpu.avx512ifma=off. Not measured on hardware without
//     IFMA, Intel's Skylake to Cooper Lake. These lower their clock under 512-bit instructions, so a list
//     prefers AVX-512 if it takes at most 0.85 of AVX2's time. Messages of up to 64 bytes use 256-bit vectors.
//   - AVX2 and SSE41: measured on the Intel guest with GODEBUG=cpu.avx512f=off and cpu.avx2=off.
var (
	sealPaths = dispatch.Table[path]{
		cpu.Generic: {cpu.Narrow: plain},
		cpu.SSE41:   {cpu.Narrow: sse41},
		cpu.AVX2:    {cpu.Narrow: avx2},
		cpu.AVX512:  {cpu.Narrow: avx512, cpu.Unmeasured: avx2},
		cpu.AVX512IFMA: {
			cpu.Narrow: sealFull, cpu.Halved: sealHalved, cpu.Unmeasured: sealUnmeasured, cpu.Forced: forcedShort,
			cpu.FullSlow: {{Max: 0, Path: onePassAVX2}, {Max: 64, Path: short}, {Max: 256, Path: steps}, {Max: 384, Path: onePassAVX512}, {Path: steps}},
		},
	}
	openPaths = dispatch.Table[path]{
		cpu.Generic: {cpu.Narrow: plain},
		cpu.SSE41:   {cpu.Narrow: sse41},
		cpu.AVX2:    {cpu.Narrow: avx2},
		cpu.AVX512:  {cpu.Narrow: openAVX512, cpu.Unmeasured: avx2, cpu.Forced: avx512},
		cpu.AVX512IFMA: {
			cpu.Narrow: openFull, cpu.Halved: openHalved, cpu.Unmeasured: openUnmeasured, cpu.Forced: forcedShort,
			cpu.FullSlow: {{Max: 0, Path: onePassAVX2}, {Max: 64, Path: short}, {Max: 128, Path: onePassAVX2}, {Max: 192, Path: steps}, {Max: 512, Path: onePassAVX2}, {Path: steps}},
		},
	}

	// The text of SIV messages, for both opening and sealing.
	openSIVPaths = dispatch.Table[path]{
		cpu.Generic: {cpu.Narrow: plain},
		cpu.SSE41:   {cpu.Narrow: sse41},
		cpu.AVX2:    {cpu.Narrow: {{Max: 304, Path: twoPasses}, {Path: onePassAVX2}}, cpu.Forced: avx2},
		cpu.AVX512:  {cpu.Narrow: plain, cpu.Forced: avx512},
		cpu.AVX512IFMA: {
			cpu.Narrow:     {{Max: 1264, Path: twoPasses}, {Path: steps}},
			cpu.FullSlow:   {{Max: 128, Path: twoPasses}, {Path: steps}},
			cpu.Halved:     {{Max: 768, Path: onePassAVX512}, {Path: halvedSteps}},
			cpu.Unmeasured: {{Max: 128, Path: onePassAVX2}, {Path: halvedSteps}},
			cpu.Forced:     forced,
		},
	}
	sealSIVPaths = dispatch.Table[path]{
		cpu.Generic: {cpu.Narrow: plain},
		cpu.SSE41:   {cpu.Narrow: plain},
		cpu.AVX2:    {cpu.Narrow: plain},
		cpu.AVX512:  {cpu.Narrow: plain},
		cpu.AVX512IFMA: {
			cpu.Narrow:   plain,
			cpu.FullSlow: {{Max: 1024, Path: twoPasses}, {Path: steps}},
			cpu.Forced:   {{Max: 0, Path: twoPasses}, {Path: steps}},
		},
	}

	plain       = list{{Path: twoPasses}}
	sse41       = list{{Path: onePassSSE41}}
	avx2        = list{{Path: onePassAVX2}}
	avx512      = list{{Path: onePassAVX512}}
	forced      = list{{Path: steps}}
	forcedShort = list{{Max: 0, Path: steps}, {Max: 64, Path: short}, {Path: steps}}

	openAVX512     = list{{Max: 384, Path: onePassAVX512}, {Max: 432, Path: onePassAVX2}, {Path: onePassAVX512}}
	sealFull       = list{{Max: 864, Path: onePassAVX512}, {Max: 960, Path: steps}, {Max: 1056, Path: onePassAVX512}, {Path: steps}}
	openFull       = list{{Max: 704, Path: onePassAVX512}, {Max: 960, Path: steps}, {Max: 1216, Path: onePassAVX512}, {Path: steps}}
	sealHalved     = list{{Max: 256, Path: onePassAVX512}, {Max: 320, Path: onePassAVX2}, {Max: 768, Path: onePassAVX512}, {Path: halvedSteps}}
	openHalved     = list{{Max: 192, Path: onePassAVX512}, {Max: 704, Path: onePassAVX2}, {Path: halvedSteps}}
	sealUnmeasured = list{{Max: 320, Path: onePassAVX2}, {Max: 448, Path: halvedSteps}, {Max: 656, Path: onePassAVX2}, {Path: halvedSteps}}
	openUnmeasured = list{{Max: 128, Path: onePassAVX2}, {Max: 192, Path: halvedSteps}, {Max: 704, Path: onePassAVX2}, {Path: halvedSteps}}
)

type list = dispatch.Thresholds[path]

const (
	// minTable is the length, in bytes, of the shortest message that is authenticated
	// with a table of powers of r.
	minTable = 448

	// With a table, the vector kernel hashes inputs of at least minVectors bytes. The
	// scalar kernel is faster for shorter inputs.
	minVectors = 96
)

// crypt calls shortAVX512IFMA only with at most maxShortData bytes of additional data.
// The length that selects the kernel does not count so few bytes, so it is the length of
// the text, which the kernel requires. The kernel itself supports 16 bytes of data.
const maxShortData = 15

// maxTextAVX2 is the length, in bytes, of the longest text that an AVX2 group accepts.
const maxTextAVX2 = 256

// groupModels contains the conditions of groups by level and kind.
var groupModels = [...][cpu.Forced + 1]*[SIV + 1]groupModel{
	cpu.AVX2:       {&modelAVX2, &modelAVX2, &modelAVX2, &modelAVX2, &modelAVX2, &modelAVX2},
	cpu.AVX512:     {&modelAVX2, &modelAVX2, &modelAVX2, &modelAVX2, &modelAVX2, &modelAVX2},
	cpu.AVX512IFMA: {&modelFull, &modelFull, &modelIFMA, &modelIFMA, &modelIFMA, &modelIFMA},
}

// The numbers in these tables are based on measurements on AMD Zen 3, AMD Zen 5, and a
// virtual machine on an Intel Rocket Lake processor (family 6, model 167).
var (
	modelIFMA = [...]groupModel{
		ChaCha20:  {packets: 7, text: maxLaneText, empty: 8, packet: 16, block: 1, start: 96, step: 20},
		XChaCha20: {packets: 7, text: maxLaneText, empty: 8, packet: 16, block: 1, start: 96, step: 20},
		SIV:       {packets: 7, text: maxLaneText, packet: 43, block: 1, start: 140, step: 20},
	}
	modelFull = [...]groupModel{
		ChaCha20:  {packets: 7, text: maxLaneText, packet: 30, block: 1, start: 180, step: 23},
		XChaCha20: {packets: 6, text: maxLaneText, packet: 36, block: 1, start: 150, step: 25},
		SIV:       {packets: 5, text: maxLaneText, packet: 50, block: 1, start: 250, step: 26},
	}
	modelAVX2 = [...]groupModel{
		ChaCha20:  {packets: 8, text: 64, openKeysOnly: 193, packet: 1, start: 8},
		XChaCha20: {packets: 7, text: 192, sealKeysOnly: 193, openKeysOnly: 193, packet: 1, start: 5, step: 2},
		SIV:       {packets: 4, text: maxTextAVX2, sealKeysOnly: maxTextAVX2 + 1, openKeysOnly: maxTextAVX2 + 1, packet: 1, start: 4},
	}
)
