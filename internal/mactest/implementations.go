// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package mactest provides conformance suites and test helpers for this repository.
// Start with [TestHash], [TestAEAD] and [Implementations].
package mactest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/measure"
)

// processorFlags maps each implementation to the Linux processor flags that it needs.
// It is independent of internal/cpu, so that it can expose bugs there.
var processorFlags = map[string][]string{
	"sse41":      {"ssse3", "sse4_1"},
	"sse41aes":   {"ssse3", "sse4_1", "aes"},
	"avx2":       {"ssse3", "sse4_1", "avx2", "bmi1", "bmi2"},
	"avx512":     {"ssse3", "sse4_1", "avx2", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl"},
	"avx512ifma": {"ssse3", "sse4_1", "avx2", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512ifma", "avx512_vbmi2"},
	"avx2aes":    {"ssse3", "sse4_1", "avx2", "bmi1", "bmi2", "aes"},
	"avx512aes":  {"ssse3", "sse4_1", "avx2", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl", "aes"},
	"avx2vaes":   {"ssse3", "sse4_1", "avx2", "bmi1", "bmi2", "aes", "vaes"},
	"avx512vaes": {"ssse3", "sse4_1", "avx2", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl", "aes", "vaes"},
	"neon":       {"asimd"},
	"neonaes":    {"asimd", "aes"},
}

// Implementations runs f as a subtest with each implementation of a package.
func Implementations(t *testing.T, pkg string, f func(t *testing.T)) {
	t.Cleanup(func() { dispatch.Reset(pkg) })
	for _, name := range dispatch.List(pkg) {
		t.Run(name, func(t *testing.T) {
			if !dispatch.Select(pkg, name) {
				if os.Getenv("CI") != "" && processorHas(name) {
					t.Fatalf("%s is not available, although the processor has its flags", name)
				}
				t.Skipf("this machine cannot run %s", name)
			}
			if got := dispatch.InUse(pkg); got != name {
				t.Fatalf("%s is in use, want %s", got, name)
			}
			f(t)
		})
	}
}

// EachImplementation calls f with the name of each available implementation of pkg
// after selecting it. It is for fuzz targets, which can't have subtests.
func EachImplementation(pkg string, f func(name string)) {
	defer dispatch.Reset(pkg)
	for _, name := range dispatch.List(pkg) {
		if dispatch.Select(pkg, name) {
			f(name)
		}
	}
}

// BenchmarkImplementations runs f as a sub-benchmark with each available implementation
// of a package.
func BenchmarkImplementations(b *testing.B, pkg string, f func(b *testing.B)) {
	EachImplementation(pkg, func(name string) { b.Run("impl="+name, f) })
}

// processorHas reports whether the processor has the flags that the named
// implementation needs. It returns false if GODEBUG sets a cpu option, which may
// disable the implementation.
func processorHas(name string) bool {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		return false
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return false
	}
	available := strings.Fields(string(info))
	for _, flag := range processorFlags[name] {
		if !slices.Contains(available, flag) {
			return false
		}
	}
	return true
}

// BenchmarkRatio reports the time per iteration of f divided by that of g. Each time is
// the minimum of 30 measurements.
func BenchmarkRatio(b *testing.B, f, g func(n int)) {
	s := measure.Alternate([]measure.Loop{measure.Timed(f), measure.Timed(g)},
		measure.Plan{Rounds: 30, Turn: 200 * time.Microsecond})
	for b.Loop() {
		// The benchmark's own time is meaningless.
	}
	b.ReportMetric(s[0].Best()/s[1].Best(), "ratio")
	b.ReportMetric(s[0].Best(), "ns")
	b.ReportMetric(0, "ns/op")
}
