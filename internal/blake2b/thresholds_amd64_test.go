// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

func TestKinds(t *testing.T) {
	src := mactest.Random(1<<16, 60)
	mactest.Kinds(t, "blake2b", compressPaths, func(n int) []byte {
		s := New(64, nil)
		s.Write(src[:n])
		return s.Sum(nil)
	})
}

// TestThresholds also checks that no list selects a kernel with four lanes for more
// than four messages, or single messages for more than two.
func TestThresholds(t *testing.T) {
	mactest.Thresholds(t, "blake2b", mactest.Own, compressPaths)
	four := map[lanesPath]bool{fourAVX2: true, fourAVX512: true}
	levels := map[lanesPath]cpu.Level{fourAVX2: cpu.AVX2, eightAVX2: cpu.AVX2, fourAVX512: cpu.AVX512, eightAVX512: cpu.AVX512}
	mactest.Thresholds(t, "blake2b", func(p lanesPath) cpu.Level { return levels[p] }, oneBlockPaths, runPaths, widthPaths)
	for _, table := range []dispatch.Table[lanesPath]{oneBlockPaths, runPaths, widthPaths} {
		for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
			for n := 1; n <= maxLanes; n++ {
				if p := table.Thresholds(&dispatch.Choice{Level: level}).Choose(n); four[p] && n > 4 || p == oneAtATime && n > 2 {
					t.Errorf("%s: wrong path %d for %d messages", level, p, n)
				}
			}
		}
	}
}
