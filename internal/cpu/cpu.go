// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package cpu names what this module's kernels need of a processor.
//
// It is the only package that reads golang.org/x/sys/cpu. Each predicate is
// the conjunction of every feature bit that a kernel guarded by it uses: x/sys lets
// GODEBUG switch the bits off one by one, and cpu.avx512=off leaves avx512f,
// avx512vl and avx512ifma on.
package cpu

import "golang.org/x/sys/cpu"

// AVX2 reports whether 256-bit integer vectors, and the scalar instructions of
// BMI1 and BMI2, may be used.
func AVX2() bool {
	return cpu.X86.HasAVX && cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
}

// AVX512 reports whether 512-bit integer vectors with masks (F, BW, DQ) and
// their 128- and 256-bit forms (VL) may be used, besides all of [AVX2].
func AVX512() bool {
	return AVX2() && cpu.X86.HasAVX512 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW &&
		cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
}

// AVX512IFMA reports whether the 52-bit multiply-add of IFMA and the shifts across
// two registers of VBMI2 may be used, besides all of [AVX512]. Only Cannon Lake
// has IFMA without VBMI2.
func AVX512IFMA() bool {
	return AVX512() && cpu.X86.HasAVX512IFMA && cpu.X86.HasAVX512VBMI2
}

// AVX2AES reports whether AES's instructions in their VEX form may be used, together
// with all of [AVX2].
func AVX2AES() bool {
	return AVX2() && cpu.X86.HasAES
}

// AVX512AES reports whether AES's instructions in their VEX form may be used, together
// with all of [AVX512].
func AVX512AES() bool {
	return AVX512() && cpu.X86.HasAES
}

// NEON reports whether arm64's Advanced SIMD may be used.
func NEON() bool {
	return cpu.ARM64.HasASIMD
}

// NEONAES reports whether arm64's instructions for AES may be used, together with all of
// [NEON].
func NEONAES() bool {
	return NEON() && cpu.ARM64.HasAES
}

// A Feature is a predicate of this package with its name.
type Feature struct {
	Name      string
	Available bool
}

// Features lists every predicate, for programs that show what they run on.
func Features() []Feature {
	return []Feature{
		{"AVX2", AVX2()},
		{"AVX512", AVX512()},
		{"AVX512IFMA", AVX512IFMA()},
		{"AVX2AES", AVX2AES()},
		{"AVX512AES", AVX512AES()},
		{"NEON", NEON()},
		{"NEONAES", NEONAES()},
	}
}
