// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package cpu

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestThisKind compares the kind with /proc/cpuinfo, which describes the host under an
// emulator.
func TestThisKind(t *testing.T) {
	got := ThisKind()
	if emulator := os.Getenv("UNIMAC_TEST_EMULATOR"); emulator != "" {
		t.Skipf("%s, and /proc/cpuinfo not about the processor of %s", got, emulator)
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	m := regexp.MustCompile(`(?m)^cpu family\s*: (\d+)$`).FindSubmatch(info)
	if m == nil {
		t.Skip("/proc/cpuinfo names no family")
	}
	wide, amd := strings.Contains(string(info), " avx512f "), strings.Contains(string(info), "AuthenticAMD")
	if (got == Narrow) == wide || got == FullSlow && (!amd || string(m[1]) != "26") || (got == Halved) != (amd && wide && string(m[1]) == "25") {
		t.Errorf("%s on family %s", got, m[1])
	}
}
