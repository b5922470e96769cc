// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"testing"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/mactest"
)

func TestKinds(t *testing.T) {
	src, key, nonce := mactest.Random(1<<16, 60), [KeySize]byte(mactest.Random(KeySize, 61)), [NonceSize]byte(mactest.Random(NonceSize, 62))
	mactest.Kinds(t, "salsa20", mostSSE41, func(n int) []byte {
		dst := make([]byte, n)
		XORKeyStream(dst, src[:n], &key, &nonce, 5)
		return dst
	})
}

// TestTable: alone, AVX2's kernel takes everything; on a processor, SSE4.1's takes its whole steps.
func TestTable(t *testing.T) {
	for kind, n := range mostSSE41 {
		if n%(4*BlockSize) != 0 || (n == 0) != (cpu.Kind(kind) == cpu.Alone) {
			t.Errorf("%s: %d", cpu.Kind(kind), n)
		}
	}
}
