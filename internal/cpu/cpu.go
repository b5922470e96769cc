// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cpu names what this module's kernels need of a processor.
//
// It is the only package that reads golang.org/x/sys/cpu. Each predicate is
// the conjunction of every feature bit that a kernel guarded by it uses: x/sys lets
// GODEBUG switch the bits off one by one, and cpu.avx512=off leaves avx512f,
// avx512vl and avx512ifma on. The predicates are one list, which tests of the generators
// and of the proofs read, too.
package cpu

import (
	"strings"

	"golang.org/x/sys/cpu"
)

// A predicate is what it takes to run the kernels that it guards.
type predicate struct {
	name string
	base *predicate // all that this one asks for, too
	sets []set
}

// A set is an instruction set, by the name that avo has for it, and where x/sys says
// whether the processor has it.
type set struct {
	name string
	has  *bool
}

var (
	// baseline is what every amd64 processor has. MMX+ is what of SSE has no vectors.
	baseline = predicate{"AMD64", nil, []set{{"CMOV", &always}, {"CPUID", &always}, {"MMX+", &always}, {"SSE", &always}, {"SSE2", &always}}}
	always   = true

	sse41    = predicate{"SSE41", &baseline, []set{{"SSSE3", &cpu.X86.HasSSSE3}, {"SSE4.1", &cpu.X86.HasSSE41}}}
	sse41AES = predicate{"SSE41AES", &sse41, []set{{"AES", &cpu.X86.HasAES}}}

	avx2 = predicate{"AVX2", &baseline, []set{
		{"AVX", &cpu.X86.HasAVX}, {"AVX2", &cpu.X86.HasAVX2}, {"BMI", &cpu.X86.HasBMI1}, {"BMI2", &cpu.X86.HasBMI2},
	}}
	avx512 = predicate{"AVX512", &avx2, []set{
		{"AVX512", &cpu.X86.HasAVX512}, // no instructions, but what GODEBUG=cpu.avx512=off clears
		{"AVX512F", &cpu.X86.HasAVX512F}, {"AVX512BW", &cpu.X86.HasAVX512BW},
		{"AVX512DQ", &cpu.X86.HasAVX512DQ}, {"AVX512VL", &cpu.X86.HasAVX512VL},
	}}
	avx512IFMA = predicate{"AVX512IFMA", &avx512, []set{{"AVX512IFMA", &cpu.X86.HasAVX512IFMA}, {"AVX512VBMI2", &cpu.X86.HasAVX512VBMI2}}}
	avx2AES    = predicate{"AVX2AES", &avx2, []set{{"AES", &cpu.X86.HasAES}}}
	avx512AES  = predicate{"AVX512AES", &avx512, []set{{"AES", &cpu.X86.HasAES}}}
	avx2VAES   = predicate{"AVX2VAES", &avx2AES, []set{{"VAES", &vaes}}}
	avx512VAES = predicate{"AVX512VAES", &avx512AES, []set{
		{"VAES", &vaes},
		{"AVX512VAES", &cpu.X86.HasAVX512VAES}, // the same instructions, and what GODEBUG=cpu.avx512vaes=off clears
	}}

	// vaes is what x/sys does not say of processors without AVX-512. It is set when first asked for.
	vaes bool

	neon    = predicate{"NEON", nil, []set{{"ASIMD", &cpu.ARM64.HasASIMD}}}
	neonAES = predicate{"NEONAES", &neon, []set{{"AES", &cpu.ARM64.HasAES}}}

	predicates = []*predicate{&sse41, &sse41AES, &avx2, &avx512, &avx512IFMA, &avx2AES, &avx512AES, &avx2VAES, &avx512VAES, &neon, &neonAES}
)

// holds reports whether the processor has all that p asks for.
func (p *predicate) holds() bool {
	for ; p != nil; p = p.base {
		for _, s := range p.sets {
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

// SSE41 reports whether the 128-bit integer vectors of SSSE3 and SSE4.1 may be used, in the
// encodings that processors without AVX know.
func SSE41() bool { return sse41.holds() }

// SSE41AES reports whether AES's instructions may be used in their encodings from before AVX,
// together with all of [SSE41].
func SSE41AES() bool { return sse41AES.holds() }

// AVX2 reports whether 256-bit integer vectors, and the scalar instructions of
// BMI1 and BMI2, may be used.
func AVX2() bool { return avx2.holds() }

// AVX512 reports whether 512-bit integer vectors with masks (F, BW, DQ) and
// their 128- and 256-bit forms (VL) may be used, besides all of [AVX2].
func AVX512() bool { return avx512.holds() }

// AVX512IFMA reports whether the 52-bit multiply-add of IFMA and the shifts across
// two registers of VBMI2 may be used, besides all of [AVX512]. Only Cannon Lake
// has IFMA without VBMI2.
func AVX512IFMA() bool { return avx512IFMA.holds() }

// AVX2AES reports whether AES's instructions in their VEX form may be used, together
// with all of [AVX2].
func AVX2AES() bool { return avx2AES.holds() }

// AVX512AES reports whether AES's instructions in their VEX form may be used, together
// with all of [AVX512].
func AVX512AES() bool { return avx512AES.holds() }

// AVX2VAES reports whether AES's instructions may be used on 256 bits, together with all of
// [AVX2AES].
func AVX2VAES() bool { return avx2VAES.holds() }

// AVX512VAES reports whether AES's instructions may be used on vectors of any size, together
// with all of [AVX512AES].
func AVX512VAES() bool { return avx512VAES.holds() }

// NEON reports whether arm64's Advanced SIMD may be used.
func NEON() bool { return neon.holds() }

// NEONAES reports whether arm64's instructions for AES may be used, together with all of
// [NEON].
func NEONAES() bool { return neonAES.holds() }

// A Feature is a predicate of this package with its name.
type Feature struct {
	Name      string
	Available bool
}

// Features lists every predicate, for programs that show what they run on.
func Features() (features []Feature) {
	for _, p := range predicates {
		features = append(features, Feature{p.name, p.holds()})
	}
	return features
}

// InstructionSets lists what an assembly function may use: its name ends with the name of the
// predicate that guards it, or with AMD64 if every processor can run it. The sets have the
// names that avo gives them. Other names have none.
func InstructionSets(function string) (sets []string) {
	var guard *predicate
	for _, p := range append(predicates, &baseline) {
		if strings.HasSuffix(function, p.name) && (guard == nil || len(p.name) > len(guard.name)) {
			guard = p
		}
	}
	for ; guard != nil; guard = guard.base {
		for _, s := range guard.sets {
			sets = append(sets, s.name)
		}
	}
	return sets
}
