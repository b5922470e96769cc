// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cpu detects the processor features that this module's kernels need. It is the
// only package that reads golang.org/x/sys/cpu.
//
// A [Level] requires every feature bit that its kernels use, even if one feature
// implies another on all processors, because GODEBUG can disable bits individually. For
// example, cpu.avx512=off leaves avx512f, avx512vl and avx512ifma enabled.
package cpu

import (
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// A Level is a set of processor features. Kernel names end with the level that they
// require.
type Level uint8

const (
	// Generic requires nothing, so only plain Go code runs.
	Generic Level = iota

	// AMD64 is the baseline of amd64.
	AMD64

	// SSE41 is AMD64 with SSSE3 and SSE4.1 integer vectors in their legacy encodings.
	SSE41

	// SSE41AES is SSE41 with the AES instructions in their legacy encodings.
	SSE41AES

	// AVX2 is SSE41 with 256-bit integer vectors and the BMI1 and BMI2 instructions.
	AVX2

	// AVX2AES is AVX2 with the AES instructions in their VEX encodings.
	AVX2AES

	// AVX2VAES is AVX2AES with AES instructions for 256-bit vectors.
	AVX2VAES

	// AVX512 is AVX2 with AVX-512 F, BW, DQ and VL. These extensions add 512-bit
	// vectors, and masks for all vectors.
	AVX512

	// AVX512AES is AVX512 and AVX2AES.
	AVX512AES

	// AVX512VAES is AVX512AES with AES instructions for vectors of any size.
	AVX512VAES

	// AVX512IFMA is AVX512 with IFMA's 52-bit multiply-add instructions and VBMI2's
	// two-register shifts. Every processor with IFMA except Cannon Lake also has VBMI2.
	AVX512IFMA

	// NEON is arm64's Advanced SIMD.
	NEON

	// NEONAES is NEON with arm64's AES instructions.
	NEONAES
)

// A set is an instruction set under avo's name, with its feature bit.
type set struct {
	name string
	has  *bool
}

var (
	always = true

	// vaes reports whether CPUID advertises VAES. Package x/sys/cpu reports VAES only
	// on processors with AVX-512, so [Level.Available] queries CPUID itself.
	vaes bool
)

// levels defines each level by a lower level and additional instruction sets.
var levels = [...]struct {
	name string
	base Level // the lower level that the level extends
	sets []set // the instruction sets that the level adds
}{
	// MMX+ is the part of SSE that does not use vectors.
	AMD64:    {"AMD64", Generic, []set{{"CMOV", &always}, {"CPUID", &always}, {"MMX+", &always}, {"SSE", &always}, {"SSE2", &always}}},
	SSE41:    {"SSE41", AMD64, []set{{"SSSE3", &cpu.X86.HasSSSE3}, {"SSE4.1", &cpu.X86.HasSSE41}}},
	SSE41AES: {"SSE41AES", SSE41, []set{{"AES", &cpu.X86.HasAES}}},
	AVX2: {"AVX2", SSE41, []set{
		{"AVX", &cpu.X86.HasAVX}, {"AVX2", &cpu.X86.HasAVX2}, {"BMI", &cpu.X86.HasBMI1}, {"BMI2", &cpu.X86.HasBMI2},
	}},
	AVX2AES:  {"AVX2AES", AVX2, []set{{"AES", &cpu.X86.HasAES}}},
	AVX2VAES: {"AVX2VAES", AVX2AES, []set{{"VAES", &vaes}}},
	AVX512: {"AVX512", AVX2, []set{
		{"AVX512", &cpu.X86.HasAVX512}, // no instructions; GODEBUG=cpu.avx512=off clears this bit
		{"AVX512F", &cpu.X86.HasAVX512F}, {"AVX512BW", &cpu.X86.HasAVX512BW},
		{"AVX512DQ", &cpu.X86.HasAVX512DQ}, {"AVX512VL", &cpu.X86.HasAVX512VL},
	}},
	AVX512AES: {"AVX512AES", AVX512, []set{{"AES", &cpu.X86.HasAES}}},
	AVX512VAES: {"AVX512VAES", AVX512AES, []set{
		{"VAES", &vaes},
		{"AVX512VAES", &cpu.X86.HasAVX512VAES}, // the same instructions; GODEBUG=cpu.avx512vaes=off clears this bit
	}},
	AVX512IFMA: {"AVX512IFMA", AVX512, []set{{"AVX512IFMA", &cpu.X86.HasAVX512IFMA}, {"AVX512VBMI2", &cpu.X86.HasAVX512VBMI2}}},
	NEON:       {"NEON", Generic, []set{{"ASIMD", &cpu.ARM64.HasASIMD}}},
	NEONAES:    {"NEONAES", NEON, []set{{"AES", &cpu.ARM64.HasAES}}},
}

// Levels returns all levels except [Generic] and [AMD64].
func Levels() (all []Level) {
	for l := SSE41; int(l) < len(levels); l++ {
		all = append(all, l)
	}
	return all
}

// String returns the suffix of kernel names for the level.
func (l Level) String() string { return levels[l].name }

// Available reports whether the processor has all features of l.
func (l Level) Available() bool {
	for ; l != Generic; l = levels[l].base {
		for _, s := range levels[l].sets {
			if s.has == &vaes {
				askVAES()
			}
			if !*s.has {
				return false
			}
		}
	}
	return true
}

// Sets returns avo's names for the instruction sets that kernels of level l may use.
func (l Level) Sets() (sets []string) {
	for ; l != Generic; l = levels[l].base {
		for _, s := range levels[l].sets {
			sets = append(sets, s.name)
		}
	}
	return sets
}

// Includes reports whether l has all instruction sets of m. If so, a processor with
// level l can run kernels of level m.
func (l Level) Includes(m Level) bool {
	sets := l.Sets()
	return !slices.ContainsFunc(m.Sets(), func(s string) bool { return !slices.Contains(sets, s) })
}

// LevelOf returns the level with which a function's name ends, or else Generic.
func LevelOf(function string) (level Level) {
	for l := AMD64; int(l) < len(levels); l++ {
		if strings.HasSuffix(function, l.String()) && len(l.String()) > len(level.String()) {
			level = l
		}
	}
	return level
}
