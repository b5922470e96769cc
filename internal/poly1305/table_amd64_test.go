// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package poly1305

import (
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

func TestKinds(t *testing.T) {
	src, key := mactest.Random(1<<16, 60), [KeySize]byte(mactest.Random(KeySize, 61))
	mactest.Kinds(t, "poly1305", table, func(n int) []byte {
		var tag [TagSize]byte
		Sum(&tag, src[:n], &key)
		return tag[:]
	})
}

// TestTable: a table that is at hand pays sooner than one that is not, and none before minVector.
func TestTable(t *testing.T) {
	for kind, c := range table {
		for _, from := range []from{c.avx2, c.ifma} {
			if from.warm < minVector || from.cold < from.warm || from.cold%BlockSize+from.warm%BlockSize != 0 {
				t.Errorf("%s: %+v", cpu.Kind(kind), c)
			}
		}
	}
}
