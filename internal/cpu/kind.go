// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cpu

// A Kind is a group of processors on which the same kernels are fastest. A [Level]
// determines which kernels may run, and a Kind determines which of them to prefer. A
// wrong Kind therefore costs nothing but speed.
type Kind uint8

const (
	// Narrow covers processors whose vectors have at most 256 bits. All processors of
	// architectures other than amd64 belong to it.
	Narrow Kind = iota

	// Full covers Intel processors with AVX-512. They have full-width 512-bit units,
	// and simple vector instructions have a latency of one cycle.
	Full

	// FullSlow covers AMD Zen 5 processors for servers and desktops. They have
	// full-width 512-bit units, but simple vector instructions have a latency of two
	// cycles.
	FullSlow

	// Halved covers AMD Zen 4 processors, which split 512-bit instructions into halves.
	Halved

	// Unmeasured covers any other processor with AVX-512.
	Unmeasured

	// Forced makes the kernels of a level run at every length that they support. It is
	// not a real kind of processor: only tests, benchmarks and the command unimac
	// selftest use it.
	Forced
)

// Kinds returns all kinds of processors, for tests.
func Kinds() []Kind { return []Kind{Narrow, Full, FullSlow, Halved, Unmeasured} }

func (k Kind) String() string {
	return [...]string{"narrow", "full", "full, slow", "halved", "unmeasured", "forced"}[k]
}

type registers struct{ a, b, c, d uint32 }

func classify(cpuid func(leaf uint32) registers) Kind {
	const avx512F = 1 << 16
	maker := cpuid(0)
	if maker.a < 7 || cpuid(7).b&avx512F == 0 {
		// Do not distinguish fast from slow cores, because the operating system may move
		// a program between them.
		return Narrow
	}
	switch id := cpuid(1); {
	case maker.hasVendor("GenuineIntel"):
		return Full
	case !maker.hasVendor("AuthenticAMD"):
		return Unmeasured
	case id.family() == 25:
		return Halved
	case id.family() == 26 && fullWidth(id, cpuid):
		return FullSlow
	}
	return Unmeasured
}

// fullWidth reports whether an AMD processor of family 1Ah has full-width 512-bit
// units.
func fullWidth(id registers, cpuid func(leaf uint32) registers) bool {
	const (
		hypervisor   = 1 << 31
		optimization = 0x8000001A
		fp512        = 1 << 3
	)
	// Leaf 0x8000001A has a bit for the width, but hypervisors clear it.
	if id.c&hypervisor == 0 {
		return cpuid(0x80000000).a >= optimization && cpuid(optimization).a&fp512 != 0
	}
	// Only Strix Point (20h to 2Fh) and Krackan Point (60h to 6Fh) have half-width units.
	m := id.model() >> 4
	return m != 2 && m != 6
}

// hasVendor reports whether r, from CPUID leaf 0, contains the given vendor name.
func (r registers) hasVendor(vendor string) bool {
	word := func(i int) uint32 {
		return uint32(vendor[i]) | uint32(vendor[i+1])<<8 | uint32(vendor[i+2])<<16 | uint32(vendor[i+3])<<24
	}
	return r.b == word(0) && r.d == word(4) && r.c == word(8)
}

func (r registers) family() uint32 { return r.a>>8&15 + r.a>>20&255 }
func (r registers) model() uint32  { return r.a>>4&15 | r.a>>12&0xf0 }

// hasVAES reports whether the AES instructions exist for vectors wider than 128 bits.
func hasVAES(cpuid func(leaf uint32) registers) bool {
	const vaes = 1 << 9
	return cpuid(0).a >= 7 && cpuid(7).c&vaes != 0
}
