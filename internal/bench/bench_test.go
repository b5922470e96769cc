// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/bench/contest"
	"github.com/unimac/unimac/internal/bench/record"
)

// TestMain sets a shorter default for -benchtime, because all benchmarks together would
// exceed the time limit of go test.
func TestMain(m *testing.M) {
	flag.Parse()
	isSet := false
	flag.Visit(func(f *flag.Flag) { isSet = isSet || f.Name == "test.benchtime" })
	if !isSet {
		flag.Set("test.benchtime", "200ms")
	}
	os.Exit(m.Run())
}

// Each benchmark runs all contests of a kind, under names that benchstat understands,
// such as alg=umac-64/peer=nettle/size=1024. It measures the entrants one after the
// other. To compare two entrants, run the program instead, which alternates between
// them.

var kinds = map[string]*regexp.Regexp{
	"UMAC":       regexp.MustCompile("^umac-"),
	"Poly1305":   regexp.MustCompile("^poly1305"),
	"Multimixer": regexp.MustCompile("^multimixer-"),
	"BLAKE2b":    regexp.MustCompile("^blake2b"),
	"ChaCha20":   regexp.MustCompile("^chacha20$"),
	"AEAD":       regexp.MustCompile("^chacha20-(blake2b|poly1305)-"),
	"AEGIS":      regexp.MustCompile("^aegis-"),
	"MultiMAC":   regexp.MustCompile("^multimac"),
	"Stream":     regexp.MustCompile("^stream-"),
	"SSH":        regexp.MustCompile("^ssh$"),
}

func BenchmarkUMAC(b *testing.B)       { benchmark(b, "UMAC") }
func BenchmarkPoly1305(b *testing.B)   { benchmark(b, "Poly1305") }
func BenchmarkMultimixer(b *testing.B) { benchmark(b, "Multimixer") }
func BenchmarkBLAKE2b(b *testing.B)    { benchmark(b, "BLAKE2b") }
func BenchmarkChaCha20(b *testing.B)   { benchmark(b, "ChaCha20") }
func BenchmarkAEAD(b *testing.B)       { benchmark(b, "AEAD") }
func BenchmarkAEGIS(b *testing.B)      { benchmark(b, "AEGIS") }
func BenchmarkMultiMAC(b *testing.B)   { benchmark(b, "MultiMAC") }
func BenchmarkStream(b *testing.B)     { benchmark(b, "Stream") }
func BenchmarkSSH(b *testing.B)        { benchmark(b, "SSH") }

func benchmark(b *testing.B, kind string) {
	for _, c := range contest.All() {
		if !kinds[kind].MatchString(c.Name) {
			continue
		}
		for _, e := range c.Entrants {
			for _, size := range c.Sizes {
				if !slices.Contains(record.DetailSizes, size) && len(c.Sizes) > 1 {
					continue
				}
				b.Run(fmt.Sprintf("alg=%s/peer=%s/size=%d", c.Name, e.Name, size), func(b *testing.B) {
					w, err := e.Start(size)
					if errors.Is(err, contest.ErrAbsent) {
						b.Skip(err)
					}
					if err != nil {
						b.Fatal(err)
					}
					defer w.Stop()
					b.SetBytes(int64(c.Worked(size)))
					b.ReportAllocs()
					b.ResetTimer()
					w.Loop(b.N)
				})
			}
		}
	}
}

// TestBenchmarks checks that each contest belongs to exactly one benchmark.
func TestBenchmarks(t *testing.T) {
	for _, c := range contest.All() {
		n := 0
		for _, names := range kinds {
			if names.MatchString(c.Name) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s belongs to %d benchmarks, want 1", c.Name, n)
		}
	}
}
