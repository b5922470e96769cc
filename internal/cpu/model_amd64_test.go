// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package cpu

import (
	"encoding/binary"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestModel checks what is made of CPUID's answers, by those of known processors.
func TestModel(t *testing.T) {
	leaf := func(name string) (a, b, c, d uint32) {
		word := func(i int) uint32 { return binary.LittleEndian.Uint32([]byte(name)[4*i:]) }
		return 16, word(0), word(2), word(1)
	}
	for name, want := range map[string]bool{"AuthenticAMD": true, "GenuineIntel": false, "HygonGenuine": false} {
		if got := amd(leaf(name)); got != want {
			t.Errorf("amd of %s: %v", name, got)
		}
	}
	for signature, want := range map[uint32]uint32{
		0x00b00f21: 26, // Zen 5
		0x00a60f12: 25, // Zen 4
		0x000c06f2: 6,  // Emerald Rapids, whose extended family is 0
	} {
		if got := family(signature, 0, 0, 0); got != want {
			t.Errorf("family of %x: %d, want %d", signature, got, want)
		}
	}
}

// TestModelHere compares with what Linux says, which under an emulator is about the
// processor outside.
func TestModelHere(t *testing.T) {
	got := SlowVectors()
	if emulator := os.Getenv("UNIMAC_TEST_EMULATOR"); emulator != "" {
		t.Skipf("SlowVectors is %v, and /proc/cpuinfo not about the processor of %s", got, emulator)
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	m := regexp.MustCompile(`(?m)^cpu family\s*: (\d+)$`).FindSubmatch(info)
	if m == nil {
		t.Skip("/proc/cpuinfo names no family")
	}
	want := strings.Contains(string(info), "AuthenticAMD") && string(m[1]) == "26"
	if got != want {
		t.Errorf("SlowVectors is %v on family %s", got, m[1])
	}
}
