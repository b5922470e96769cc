// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package blake2b

import (
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

func TestKinds(t *testing.T) {
	src := mactest.Random(1<<16, 60)
	mactest.Kinds(t, "blake2b", table[:], func(n int) []byte {
		s := New(64, nil)
		s.Write(src[:n])
		return s.Sum(nil)
	})
}

// TestTable checks that lengths in the table are whole blocks and that lanes need at
// least two messages.
func TestTable(t *testing.T) {
	for kind, c := range table {
		for _, n := range []int{c.avx2, c.avx512} {
			if n < 0 || n != never && n%BlockSize != 0 || c.oneBlock < minRun || c.oneBlock > maxLanes {
				t.Errorf("%s: %+v", cpu.Kind(kind), c)
			}
		}
	}
}
