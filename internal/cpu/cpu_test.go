// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package cpu

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// TestFeatures logs the machine's features. internal/mactest/kernels reads this log.
func TestFeatures(t *testing.T) {
	for _, l := range Levels() {
		if l.Available() {
			t.Logf("this machine has %s", l)
		}
	}
}

// needs names the bits of x/sys that each level requires.
var needs = map[Level]string{
	SSE41:      "SSSE3 SSE41",
	SSE41AES:   "SSSE3 SSE41 AES",
	AVX2:       "SSSE3 SSE41 AVX AVX2 BMI1 BMI2",
	AVX512:     "SSSE3 SSE41 AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL",
	AVX512IFMA: "SSSE3 SSE41 AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL AVX512IFMA AVX512VBMI2",
	AVX2AES:    "SSSE3 SSE41 AVX AVX2 BMI1 BMI2 AES",
	AVX512AES:  "SSSE3 SSE41 AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL AES",
	AVX2VAES:   "SSSE3 SSE41 AVX AVX2 BMI1 BMI2 AES VAES",
	AVX512VAES: "SSSE3 SSE41 AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL AES VAES AVX512VAES",
	NEON:       "ASIMD",
	NEONAES:    "ASIMD AES",
}

// TestBits removes one bit at a time from a processor with all features. Exactly the
// levels that require the bit must become unavailable.
func TestBits(t *testing.T) {
	if len(needs) != len(Levels()) {
		t.Fatalf("%d levels, but this test covers %d", len(Levels()), len(needs))
	}
	askVAES()
	x86, arm64, had := cpu.X86, cpu.ARM64, vaes
	defer func() { cpu.X86, cpu.ARM64, vaes = x86, arm64, had }()
	vaes = true
	for _, processor := range []struct {
		bits        reflect.Value
		first, last Level
	}{
		{reflect.ValueOf(&cpu.X86).Elem(), SSE41, AVX512IFMA},
		{reflect.ValueOf(&cpu.ARM64).Elem(), NEON, NEONAES},
	} {
		check := func(without string) {
			t.Helper()
			for l := processor.first; l <= processor.last; l++ {
				want := !slices.Contains(strings.Fields(needs[l]), without)
				if got := l.Available(); got != want {
					t.Errorf("without %q, %s is %v", without, l, got)
				}
			}
		}
		var bits []int
		for i := range processor.bits.NumField() {
			if processor.bits.Field(i).Kind() == reflect.Bool {
				bits = append(bits, i)
				processor.bits.Field(i).SetBool(true)
			}
		}
		check("")
		for _, i := range bits {
			processor.bits.Field(i).SetBool(false)
			check(strings.TrimPrefix(processor.bits.Type().Field(i).Name, "Has"))
			processor.bits.Field(i).SetBool(true)
		}
		vaes = false
		check("VAES")
		vaes = true
	}
}

// TestSets compares the names of avo and x/sys: avo writes BMI for BMI1 and SSE4.1 with
// a dot, and baseline features need no bit.
func TestSets(t *testing.T) {
	for l, bits := range needs {
		want := strings.Fields(strings.NewReplacer("BMI1", "BMI", "SSE41", "SSE4.1").Replace(bits))
		if l < NEON {
			want = append(want, AMD64.Sets()...)
		}
		if got := l.Sets(); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %q, want %q", l, got, want)
		}
		if LevelOf("f"+l.String()) != l {
			t.Errorf("f%s is for %s", l, LevelOf("f"+l.String()))
		}
		for other, less := range needs {
			all := l < NEON == (other < NEON)
			for _, bit := range strings.Fields(less) {
				all = all && slices.Contains(strings.Fields(bits), bit)
			}
			if l.Includes(other) != all {
				t.Errorf("%s includes %s: %v", l, other, !all)
			}
		}
	}
	if got := AMD64.Sets(); !slices.Equal(got, []string{"CMOV", "CPUID", "MMX+", "SSE", "SSE2"}) {
		t.Errorf("AMD64: %q", got)
	}
	if got := LevelOf("fAVX"); got != Generic || got.Sets() != nil {
		t.Errorf("a name that is no level's: %s", got)
	}
}
