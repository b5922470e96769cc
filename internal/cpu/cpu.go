// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cpu names what this module's kernels need of a processor.
//
// It is the only package that reads golang.org/x/sys/cpu. Each [Level] is
// the conjunction of every feature bit that a kernel guarded by it uses: x/sys lets
// GODEBUG switch the bits off one by one, and cpu.avx512=off leaves avx512f,
// avx512vl and avx512ifma on. The levels are one list, which tests of the generators
// and of the proofs read, too.
package cpu

import (
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// A Level is what it takes to run the kernels whose names end with its own.
type Level uint8

const (
	// Generic has plain Go alone.
	Generic Level = iota

	// AMD64 is what every amd64 has.
	AMD64

	// SSE41 has the 128-bit integer vectors of SSSE3 and SSE4.1, in the encodings that processors
	// without AVX know.
	SSE41

	// SSE41AES has AES's instructions in their encodings from before AVX, and all of SSE41.
	SSE41AES

	// AVX2 has 256-bit integer vectors, the scalar instructions of BMI1 and BMI2, and all of SSE41.
	AVX2

	// AVX2AES has AES's instructions in their VEX form, and all of AVX2.
	AVX2AES

	// AVX2VAES has AES's instructions on 256 bits, and all of AVX2AES.
	AVX2VAES

	// AVX512 has 512-bit integer vectors with masks (F, BW, DQ), their 128- and 256-bit forms
	// (VL), and all of AVX2.
	AVX512

	// AVX512AES has all of AVX512 and of AVX2AES.
	AVX512AES

	// AVX512VAES has AES's instructions on vectors of any size, and all of AVX512AES.
	AVX512VAES

	// AVX512IFMA has the 52-bit multiply-add of IFMA, the shifts across two registers of VBMI2, and
	// all of AVX512. Only Cannon Lake has IFMA without VBMI2.
	AVX512IFMA

	// NEON has arm64's Advanced SIMD.
	NEON

	// NEONAES has arm64's instructions for AES, and all of NEON.
	NEONAES
)

// A set is an instruction set, by the name that avo has for it, and where x/sys says
// whether the processor has it.
type set struct {
	name string
	has  *bool
}

var (
	always = true

	// vaes is what x/sys does not say of processors without AVX-512. It is set when first asked for.
	vaes bool
)

// levels has each level with the next below that it includes, and what it asks for besides.
var levels = [...]struct {
	name string
	base Level
	sets []set
}{
	// MMX+ is what of SSE has no vectors.
	AMD64:    {"AMD64", Generic, []set{{"CMOV", &always}, {"CPUID", &always}, {"MMX+", &always}, {"SSE", &always}, {"SSE2", &always}}},
	SSE41:    {"SSE41", AMD64, []set{{"SSSE3", &cpu.X86.HasSSSE3}, {"SSE4.1", &cpu.X86.HasSSE41}}},
	SSE41AES: {"SSE41AES", SSE41, []set{{"AES", &cpu.X86.HasAES}}},
	AVX2: {"AVX2", SSE41, []set{
		{"AVX", &cpu.X86.HasAVX}, {"AVX2", &cpu.X86.HasAVX2}, {"BMI", &cpu.X86.HasBMI1}, {"BMI2", &cpu.X86.HasBMI2},
	}},
	AVX2AES:  {"AVX2AES", AVX2, []set{{"AES", &cpu.X86.HasAES}}},
	AVX2VAES: {"AVX2VAES", AVX2AES, []set{{"VAES", &vaes}}},
	AVX512: {"AVX512", AVX2, []set{
		{"AVX512", &cpu.X86.HasAVX512}, // no instructions, but what GODEBUG=cpu.avx512=off clears
		{"AVX512F", &cpu.X86.HasAVX512F}, {"AVX512BW", &cpu.X86.HasAVX512BW},
		{"AVX512DQ", &cpu.X86.HasAVX512DQ}, {"AVX512VL", &cpu.X86.HasAVX512VL},
	}},
	AVX512AES: {"AVX512AES", AVX512, []set{{"AES", &cpu.X86.HasAES}}},
	AVX512VAES: {"AVX512VAES", AVX512AES, []set{
		{"VAES", &vaes},
		{"AVX512VAES", &cpu.X86.HasAVX512VAES}, // the same instructions, and what GODEBUG=cpu.avx512vaes=off clears
	}},
	AVX512IFMA: {"AVX512IFMA", AVX512, []set{{"AVX512IFMA", &cpu.X86.HasAVX512IFMA}, {"AVX512VBMI2", &cpu.X86.HasAVX512VBMI2}}},
	NEON:       {"NEON", Generic, []set{{"ASIMD", &cpu.ARM64.HasASIMD}}},
	NEONAES:    {"NEONAES", NEON, []set{{"AES", &cpu.ARM64.HasAES}}},
}

// Levels returns all but [Generic] and [AMD64], for programs that show what they run on.
func Levels() (all []Level) {
	for l := SSE41; int(l) < len(levels); l++ {
		all = append(all, l)
	}
	return all
}

// String returns the name with which those of kernels end.
func (l Level) String() string { return levels[l].name }

// Available reports whether the processor has all that l asks for.
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

// Sets lists the instruction sets that kernels of the level may use, by the names that avo gives
// them.
func (l Level) Sets() (sets []string) {
	for ; l != Generic; l = levels[l].base {
		for _, s := range levels[l].sets {
			sets = append(sets, s.name)
		}
	}
	return sets
}

// Includes reports whether what has l can run the kernels of another level.
func (l Level) Includes(other Level) bool {
	sets := l.Sets()
	return !slices.ContainsFunc(other.Sets(), func(s string) bool { return !slices.Contains(sets, s) })
}

// LevelOf returns the level with whose name that of an assembly function ends, or Generic.
func LevelOf(function string) (level Level) {
	for l := AMD64; int(l) < len(levels); l++ {
		if strings.HasSuffix(function, l.String()) && len(l.String()) > len(level.String()) {
			level = l
		}
	}
	return level
}
