// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package mactest holds the conformance suites that every package runs: what
// the interfaces of the standard library promise, for each implementation.
package mactest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/measure"
)

// processorFlags names, as Linux spells them, the processor flags that an
// implementation needs. It is written apart from internal/cpu on purpose: it
// tells whether that package overlooks something.
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

// Implementations runs f as a subtest for every implementation of a package,
// with exactly that one on. One that this machine lacks is skipped; in CI (CI
// is set in the environment) it fails if the processor has what it needs.
func Implementations(t *testing.T, pkg string, f func(t *testing.T)) {
	t.Cleanup(func() { impl.Reset(pkg) })
	for _, name := range impl.List(pkg) {
		t.Run(name, func(t *testing.T) {
			if !impl.Select(pkg, name) {
				if os.Getenv("CI") != "" && processorHas(name) {
					t.Fatalf("the processor can run %s, which is not available", name)
				}
				t.Skipf("this machine cannot run %s", name)
			}
			if got := impl.InUse(pkg); got != name {
				t.Fatalf("%s is in use, want %s", got, name)
			}
			f(t)
		})
	}
}

// EachImplementation runs f with each implementation of a package that this
// machine has: [Implementations] where there are no subtests, as in a fuzz target.
func EachImplementation(pkg string, f func(name string)) {
	defer impl.Reset(pkg)
	for _, name := range impl.List(pkg) {
		if impl.Select(pkg, name) {
			f(name)
		}
	}
}

// BenchmarkImplementations runs f as a sub-benchmark with each implementation of a
// package that this machine has.
func BenchmarkImplementations(b *testing.B, pkg string, f func(b *testing.B)) {
	EachImplementation(pkg, func(name string) { b.Run("impl="+name, f) })
}

// processorHas reports whether the processor could run an implementation and
// nobody asked for it to be left out.
func processorHas(name string) bool {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		return false
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return false
	}
	have := strings.Fields(string(info))
	for _, flag := range processorFlags[name] {
		if !slices.Contains(have, flag) {
			return false
		}
	}
	return true
}

// BenchmarkRatio reports the time that one loop takes, divided by that of another: the best
// of 30 turns each.
func BenchmarkRatio(b *testing.B, one, another func(n int)) {
	s := measure.Alternate([]measure.Loop{measure.Timed(one), measure.Timed(another)},
		measure.Plan{Rounds: 30, Turn: 200 * time.Microsecond})
	for b.Loop() {
		// What a benchmark reports by itself is of no interest.
	}
	b.ReportMetric(s[0].Best()/s[1].Best(), "ratio")
	b.ReportMetric(s[0].Best(), "ns")
	b.ReportMetric(0, "ns/op")
}
