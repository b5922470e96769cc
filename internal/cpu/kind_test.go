// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cpu

import "testing"

// TestClassify uses the CPUID results of known processors, with and without a
// hypervisor.
func TestClassify(t *testing.T) {
	const (
		intel, amd, hygon = "GenuineIntel", "AuthenticAMD", "HygonGenuine"
		avx512            = 1 << 16
		guest             = 1 << 31
	)
	for _, c := range []struct {
		name             string
		maker            string
		signature        uint32
		extended, hosted uint32
		width            uint32 // leaf 0x8000001A
		want             Kind
	}{
		{"Rocket Lake", intel, 0x000a0671, avx512, 0, 0, Full},
		{"Emerald Rapids, a guest", intel, 0x000c06f2, avx512, guest, 0, Full},
		{"Alder Lake", intel, 0x00090672, 0, 0, 0, Narrow},
		{"Zen 3", amd, 0x00a20f10, 0, 0, 6, Narrow},
		{"Zen 4", amd, 0x00a60f12, avx512, 0, 6, Halved},
		{"Zen 4, a guest", amd, 0x00a10f11, avx512, guest, 2, Halved},
		{"Turin", amd, 0x00b00f21, avx512, 0, 14, FullSlow},
		{"Turin, a guest", amd, 0x00b00f21, avx512, guest, 2, FullSlow},
		{"Granite Ridge", amd, 0x00b40f40, avx512, 0, 14, FullSlow},
		{"Strix Point", amd, 0x00b20f40, avx512, 0, 6, Unmeasured},
		{"Strix Point, a guest", amd, 0x00b20f40, avx512, guest, 2, Unmeasured},
		{"Krackan Point, a guest", amd, 0x00b60f00, avx512, guest, 2, Unmeasured},
		{"what comes after Zen 5", amd, 0x00c00f00, avx512, 0, 14, Unmeasured},
		{"Hygon", hygon, 0x00900f22, avx512, 0, 0, Unmeasured},
	} {
		word := func(i int) (w uint32) {
			for j := range 4 {
				w |= uint32(c.maker[i+j]) << (8 * j)
			}
			return w
		}
		answers := map[uint32]registers{
			0:          {a: 13, b: word(0), d: word(4), c: word(8)},
			1:          {a: c.signature, c: c.hosted},
			7:          {b: c.extended},
			0x80000000: {a: 0x80000021},
			0x8000001A: {a: c.width},
		}
		if got := classify(func(leaf uint32) registers { return answers[leaf] }); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestClassifyOld models an old processor without leaf 7 and without leaves above
// 0x80000000, which returns the data of another leaf for unsupported ones.
func TestClassifyOld(t *testing.T) {
	for maxLeaf, want := range map[uint32]Kind{6: Narrow, 7: Unmeasured} {
		got := classify(func(leaf uint32) registers {
			switch leaf {
			case 0:
				return registers{a: maxLeaf, b: 0x68747541, d: 0x69746e65, c: 0x444d4163}
			case 1:
				return registers{a: 0x00b00f21}
			case 0x80000000:
				return registers{a: 0x80000019}
			}
			return registers{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)}
		})
		if got != want {
			t.Errorf("with leaf %d as the last one: %v, want %v", maxLeaf, got, want)
		}
	}
}

func TestKinds(t *testing.T) {
	names := map[string]bool{}
	for _, k := range Kinds() {
		names[k.String()] = true
	}
	if len(names) != 5 {
		t.Errorf("%d kinds have names of their own, want 5", len(names))
	}
}

// TestHasVAES changes one bit, and models a processor that returns the data of another
// leaf.
func TestHasVAES(t *testing.T) {
	for _, c := range []struct {
		maxLeaf, bits uint32
		want          bool
	}{{7, 1 << 9, true}, {7, ^uint32(1 << 9), false}, {6, ^uint32(0), false}} {
		got := hasVAES(func(leaf uint32) registers {
			if leaf == 0 {
				return registers{a: c.maxLeaf}
			}
			return registers{c: c.bits}
		})
		if got != c.want {
			t.Errorf("leaf 7 of %d is %#x: %v", c.maxLeaf, c.bits, got)
		}
	}
}
