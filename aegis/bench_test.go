// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

var benchSizes = []int{16, 64, 256, 1420, 16384, 65536}

// benchmark runs f for every variant and message size.
func benchmark(b *testing.B, alg string, f func(b *testing.B, v Variant, msg []byte)) {
	for _, v := range variants {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("alg=%s-%s/peer=unimac/size=%d", alg, v.file, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				f(b, v.Variant, make([]byte, n))
			})
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	benchmark(b, "aegis", func(b *testing.B, v Variant, msg []byte) {
		a, nonce := mustAEAD(b, v, make([]byte, v.KeySize()), 16), make([]byte, v.NonceSize())
		sealed := make([]byte, 0, len(msg)+16)
		for b.Loop() {
			a.Seal(sealed, nonce, msg, nil)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	benchmark(b, "aegis", func(b *testing.B, v Variant, msg []byte) {
		a, nonce := mustAEAD(b, v, make([]byte, v.KeySize()), 16), make([]byte, v.NonceSize())
		sealed := a.Seal(nil, nonce, msg, nil)
		for b.Loop() {
			if _, err := a.Open(msg[:0], nonce, sealed, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkMAC measures a whole message from the keyed state.
func BenchmarkMAC(b *testing.B) {
	benchmark(b, "aegismac", func(b *testing.B, v Variant, msg []byte) {
		m := mustMAC(b, v, make([]byte, v.KeySize()), nil, 16)
		tag := make([]byte, 0, 16)
		for b.Loop() {
			m.Reset()
			m.Write(msg)
			m.Sum(tag)
		}
	})
}

// BenchmarkImplementations measures Seal with each implementation.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "aegis", BenchmarkSeal)
}
