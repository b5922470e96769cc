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

// TestThresholds also checks that lanes are chosen for three messages and more, but not for one, and that no kernel is
// chosen for more lanes than it has.
func TestThresholds(t *testing.T) {
	mactest.Thresholds(t, "blake2b", mactest.Identity, compressPaths, oneBlockPaths, runPaths)
	levels := map[lanesPath]cpu.Level{fourAVX2: cpu.AVX2, eightAVX2: cpu.AVX2, fourAVX512: cpu.AVX512, eightAVX512: cpu.AVX512}
	mactest.Thresholds(t, "blake2b", func(p lanesPath) cpu.Level { return levels[p] }, widthPaths)
	for _, level := range []cpu.Level{cpu.AVX2, cpu.AVX512} {
		choice := &dispatch.Choice{Level: level}
		for n := 1; n <= maxLanes; n++ {
			for _, table := range []dispatch.Table[cpu.Level]{oneBlockPaths, runPaths} {
				if p := table.Thresholds(choice).Choose(n); n == 1 && p != cpu.Generic || n > 2 && p != level {
					t.Errorf("%s: path %s for %d messages", level, p, n)
				}
			}
			switch p := widthPaths.Thresholds(choice).Choose(n); {
			case p == noLanes, n > 4 && (p == fourAVX2 || p == fourAVX512):
				t.Errorf("%s: wrong path %d for %d lanes", level, p, n)
			}
		}
	}
}
