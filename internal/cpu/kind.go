// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cpu

// A Kind stands for processors on which the same kernels are fastest. Predicates say what may
// run, and a kind which of it pays: a wrong one costs speed and nothing else.
type Kind uint8

const (
	// Narrow has vectors of at most 256 bits, whoever made it, as fast and slow cores of one
	// processor run parts of one program; and it is every processor that is not an amd64.
	Narrow Kind = iota

	// Full has 512-bit units of full width, and one cycle for each simple vector instruction:
	// Intel's with AVX-512.
	Full

	// FullSlow has units of full width, but simple vector instructions take two cycles, as
	// rotations do: AMD's Zen 5 for servers and desktops.
	FullSlow

	// Halved runs 512-bit instructions in two halves and rotates in two cycles: AMD's Zen 4.
	Halved

	// Unmeasured has AVX-512, and nobody knows more.
	Unmeasured

	// Alone is no processor's: the kernels of a level take whatever they can, so that tests and
	// benchmarks reach them at every length.
	Alone
)

// Kinds returns all kinds of processors, for tests that take one after the other.
func Kinds() []Kind { return []Kind{Narrow, Full, FullSlow, Halved, Unmeasured} }

func (k Kind) String() string {
	return [...]string{"narrow", "full", "full, slow", "halved", "unmeasured", "alone"}[k]
}

// registers are what CPUID stores.
type registers struct{ a, b, c, d uint32 }

// classify tells the kind by CPUID's answers.
func classify(cpuid func(leaf uint32) registers) Kind {
	const avx512F = 1 << 16
	maker := cpuid(0)
	if maker.a < 7 || cpuid(7).b&avx512F == 0 {
		return Narrow
	}
	switch id := cpuid(1); {
	case maker.named("GenuineIntel"):
		return Full
	case !maker.named("AuthenticAMD"):
		return Unmeasured
	case id.family() == 25:
		return Halved
	case id.family() == 26 && fullWidth(id, cpuid):
		return FullSlow
	}
	return Unmeasured
}

// fullWidth reports whether a processor of AMD's family 26 has 512-bit units of full width.
// Leaf 0x8000001A says so. Hypervisors clear that bit, so there the models tell that have
// halves: Strix Point, 20h to 2Fh, and Krackan Point, 60h to 6Fh.
func fullWidth(id registers, cpuid func(leaf uint32) registers) bool {
	const (
		hypervisor   = 1 << 31
		optimization = 0x8000001A
		fp512        = 1 << 3
	)
	if id.c&hypervisor == 0 {
		return cpuid(0x80000000).a >= optimization && cpuid(optimization).a&fp512 != 0
	}
	m := id.model() >> 4
	return m != 2 && m != 6
}

// named compares the name of the maker, in leaf 0.
func (r registers) named(maker string) bool {
	word := func(i int) uint32 {
		return uint32(maker[i]) | uint32(maker[i+1])<<8 | uint32(maker[i+2])<<16 | uint32(maker[i+3])<<24
	}
	return r.b == word(0) && r.d == word(4) && r.c == word(8)
}

// family and model are of leaf 1.
func (r registers) family() uint32 { return r.a>>8&15 + r.a>>20&255 }
func (r registers) model() uint32  { return r.a>>4&15 | r.a>>12&0xf0 }

// hasVAES reports whether a processor has AES's instructions for more than 128 bits.
func hasVAES(cpuid func(leaf uint32) registers) bool {
	const vaes = 1 << 9
	return cpuid(0).a >= 7 && cpuid(7).c&vaes != 0
}
