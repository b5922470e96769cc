// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"testing"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

func TestKinds(t *testing.T) {
	src := mactest.Random(1<<16, 60)
	mactest.Kinds(t, "chacha20blake2b", table, func(n int) []byte {
		mac, dst := blake2b.New(64, nil), make([]byte, n)
		XORAndWrite(&mac, dst, src[:n], 0, newStream())
		return mac.Sum(dst)
	})
}

func TestTable(t *testing.T) {
	for kind, c := range table {
		if c.level != cpu.AVX2 && c.level != cpu.AVX512 || c.avx2 < group {
			t.Errorf("%s: %+v", cpu.Kind(kind), c)
		}
	}
}
