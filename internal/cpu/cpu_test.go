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

// TestFeatures says what the machine has, which internal/mactest/kernels reads.
func TestFeatures(t *testing.T) {
	for _, f := range Features() {
		if f.Available {
			t.Logf("this machine has %s", f.Name)
		}
	}
}

// needs names the bits of x/sys that each predicate needs.
var needs = map[string]string{
	"SSE41":      "SSSE3 SSE41",
	"SSE41AES":   "SSSE3 SSE41 AES",
	"AVX2":       "AVX AVX2 BMI1 BMI2",
	"AVX512":     "AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL",
	"AVX512IFMA": "AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL AVX512IFMA AVX512VBMI2",
	"AVX2AES":    "AVX AVX2 BMI1 BMI2 AES",
	"AVX512AES":  "AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL AES",
	"AVX2VAES":   "AVX AVX2 BMI1 BMI2 AES VAES",
	"AVX512VAES": "AVX AVX2 BMI1 BMI2 AVX512 AVX512F AVX512BW AVX512DQ AVX512VL AES VAES AVX512VAES",
	"NEON":       "ASIMD",
	"NEONAES":    "ASIMD AES",
}

// predicateFuncs are the functions that packages call, by the names in Features.
var predicateFuncs = map[string]func() bool{
	"SSE41": SSE41, "SSE41AES": SSE41AES, "AVX2": AVX2, "AVX512": AVX512, "AVX512IFMA": AVX512IFMA, "AVX2AES": AVX2AES, "AVX512AES": AVX512AES,
	"AVX2VAES": AVX2VAES, "AVX512VAES": AVX512VAES,
	"NEON": NEON, "NEONAES": NEONAES,
}

// TestBits takes a processor that has everything and removes one bit after the other:
// exactly the predicates that need it must not hold.
func TestBits(t *testing.T) {
	if len(predicateFuncs) != len(Features()) || len(needs) != len(Features()) {
		t.Fatalf("Features lists %d predicates, of which this test knows %d and %d", len(Features()), len(predicateFuncs), len(needs))
	}
	askVAES()
	x86, arm64, had := cpu.X86, cpu.ARM64, vaes
	defer func() { cpu.X86, cpu.ARM64, vaes = x86, arm64, had }()
	vaes = true
	for _, processor := range []struct {
		bits       reflect.Value
		predicates string
	}{
		{reflect.ValueOf(&cpu.X86).Elem(), "SSE41 SSE41AES AVX2 AVX512 AVX512IFMA AVX2AES AVX512AES AVX2VAES AVX512VAES"},
		{reflect.ValueOf(&cpu.ARM64).Elem(), "NEON NEONAES"},
	} {
		check := func(without string) {
			t.Helper()
			for _, name := range strings.Fields(processor.predicates) {
				want := !slices.Contains(strings.Fields(needs[name]), without)
				if got := predicateFuncs[name](); got != want {
					t.Errorf("without %q, %s is %v", without, name, got)
				}
				i := slices.IndexFunc(Features(), func(f Feature) bool { return f.Name == name })
				if i < 0 || Features()[i].Available != want {
					t.Errorf("without %q, Features has not %s as %v", without, name, want)
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

// TestInstructionSets compares the two spellings: avo calls BMI1 just BMI, SSE4.1 has
// a point, and what is in every processor needs no bit.
func TestInstructionSets(t *testing.T) {
	for name, bits := range needs {
		want := strings.Fields(strings.NewReplacer("BMI1", "BMI", "SSE41", "SSE4.1").Replace(bits))
		if !strings.HasPrefix(name, "NEON") {
			want = append(want, InstructionSets("AMD64")...)
		}
		if got := InstructionSets(name); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := InstructionSets("AMD64"); !slices.Equal(got, []string{"CMOV", "CPUID", "MMX+", "SSE", "SSE2"}) {
		t.Errorf("AMD64: %q", got)
	}
	if got := InstructionSets("AVX"); got != nil {
		t.Errorf("a name that is no predicate's: %q", got)
	}
}
