// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// The lists in this file determine which code path runs. A path is the level that the
// kernel requires. The thresholds have these sources:
//
//   - cpu.Narrow and cpu.FullSlow: measured on AMD Zen 5, November 2026 (21a25f13).
//   - cpu.Full: measured in a virtual machine on Intel, probably Granite Rapids,
//     November 2026 (41f6551c).
//   - cpu.Halved: assumed to be like cpu.FullSlow.
//   - cpu.Unmeasured: assumed. AVX-512 runs only where it is faster on all other kinds.
var (
	// Messages of at most dispatch.MaxCall bytes. cpu.Generic computes a tag in steps.
	sumPaths = dispatch.Table[cpu.Level]{
		cpu.Generic:  {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41:    {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41AES: {cpu.Narrow: {{Path: cpu.SSE41AES}}},
		cpu.AVX2AES:  {cpu.Narrow: {{Path: cpu.AVX2AES}}},
		cpu.AVX512AES: {
			cpu.Narrow:     {{Path: cpu.AVX512AES}},
			cpu.Full:       {{Max: 224, Path: cpu.AVX2AES}, {Path: cpu.AVX512AES}},
			cpu.Unmeasured: {{Max: 224, Path: cpu.AVX2AES}, {Path: cpu.AVX512AES}},
		},
	}

	// nhPaths selects the kernel for one chunk.
	nhPaths = dispatch.Table[cpu.Level]{
		cpu.Generic:  {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41:    {cpu.Narrow: {{Path: cpu.SSE41}}},
		cpu.SSE41AES: {cpu.Narrow: {{Path: cpu.SSE41}}},
		cpu.AVX2AES:  {cpu.Narrow: {{Path: cpu.AVX2}}},
		// For short chunks, AVX-512 is slower than AVX2. The AVX-512 kernel sets up masks,
		// and its wide loads stall on data that was just written with narrower stores.
		cpu.AVX512AES: {cpu.Narrow: {{Max: 127, Path: cpu.AVX2}, {Path: cpu.AVX512}}, cpu.Forced: {{Path: cpu.AVX512}}},
	}

	// fourPaths[n] selects a code path for four messages with n streams, by the length
	// of the longest message. cpu.AVX2AES is the four-message kernel, and cpu.Generic
	// is one message at a time. There is no AVX-512 kernel, because AVX-512 does not
	// speed up short messages.
	fourPaths = [maxStreams + 1]dispatch.Table[cpu.Level]{
		1: fourTo128, 2: fourTo64, 3: noFour, 4: noFour,
	}
	fourTo128 = dispatch.Table[cpu.Level]{
		cpu.Generic:   {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41:     {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41AES:  {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AVX2AES:   {cpu.Narrow: {{Max: maxShort, Path: cpu.AVX2AES}, {Path: cpu.Generic}}},
		cpu.AVX512AES: {cpu.Narrow: {{Max: maxShort, Path: cpu.AVX2AES}, {Path: cpu.Generic}}},
	}
	fourTo64 = dispatch.Table[cpu.Level]{
		cpu.Generic:   {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41:     {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41AES:  {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AVX2AES:   {cpu.Narrow: {{Max: 64, Path: cpu.AVX2AES}, {Path: cpu.Generic}}},
		cpu.AVX512AES: {cpu.Narrow: {{Max: 64, Path: cpu.AVX2AES}, {Path: cpu.Generic}}},
	}
	noFour = dispatch.Table[cpu.Level]{
		cpu.Generic:   {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41:     {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.SSE41AES:  {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AVX2AES:   {cpu.Narrow: {{Path: cpu.Generic}}},
		cpu.AVX512AES: {cpu.Narrow: {{Path: cpu.Generic}}},
	}
)
