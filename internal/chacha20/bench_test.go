// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

func BenchmarkXORKeyStream(b *testing.B) {
	mactest.BenchmarkImplementations(b, "chacha20", func(b *testing.B) {
		for _, n := range []int{16, 64, 128, 256, 384, 512, 768, 1000, 1024, 4096, 16384, 65536} {
			b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
				buf, out := make([]byte, n), make([]byte, n)
				var key [KeySize]byte
				var nonce [NonceSize]byte
				b.SetBytes(int64(n))
				for b.Loop() {
					XORKeyStream(out, buf, &key, &nonce, 0)
				}
			})
		}
	})
}

func BenchmarkStreamX(b *testing.B) {
	for _, n := range []int{64, 1024} {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			buf := make([]byte, n)
			var key [KeySize]byte
			var nonce [NonceSizeX]byte
			b.SetBytes(int64(n))
			for b.Loop() {
				s := StreamX(&key, &nonce)
				s.XORKeyStream(buf, buf, 0)
			}
		})
	}
}
