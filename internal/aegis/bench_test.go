// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// BenchmarkImplementations seals and computes codes under each implementation.
func BenchmarkImplementations(b *testing.B) {
	key, nonce := make([]byte, 32), make([]byte, 32)
	mactest.BenchmarkImplementations(b, "aegis", func(b *testing.B) {
		for v := range Variant(len(variants)) {
			for _, n := range []int{16, 64, 256, 1420, 16384} {
				buf, tag := make([]byte, n), make([]byte, TagSize128)
				b.Run(fmt.Sprintf("alg=aegis-%s/size=%d", variants[v], n), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						Seal(v, tag, buf, buf, nil, key, nonce)
					}
				})
				b.Run(fmt.Sprintf("alg=aegismac-%s/size=%d", variants[v], n), func(b *testing.B) {
					var s State
					s.Init(v, key, nonce)
					b.SetBytes(int64(n))
					for b.Loop() {
						s.MAC(tag, buf, uint64(n))
					}
				})
			}
		}
	})
}
