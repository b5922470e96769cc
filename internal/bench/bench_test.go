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

// TestMain makes a benchmark shorter than usual, unless told how long: they are so
// many that they would not end in the time that go test allows.
func TestMain(m *testing.M) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.benchtime" })
	if !told {
		flag.Set("test.benchtime", "200ms")
	}
	os.Exit(m.Run())
}

// The benchmarks run every contest of a kind, with a name that benchstat
// understands, as alg=umac-64/peer=nettle/size=1024. They run one after the other;
// to compare two entrants, rather let the program have them take turns.

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

// TestBenchmarks checks that each contest belongs to one benchmark.
func TestBenchmarks(t *testing.T) {
	for _, c := range contest.All() {
		n := 0
		for _, names := range kinds {
			if names.MatchString(c.Name) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s belongs to %d benchmarks", c.Name, n)
		}
	}
}
