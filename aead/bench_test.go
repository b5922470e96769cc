// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"crypto/cipher"
	"fmt"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/mactest"
)

// benchSizes contains sizes for which figures of the C# package exist, and at which
// kernels differ.
var benchSizes = []int{32, 512, 1 << 10, 16 << 10, 32 << 10, 64 << 10, 34 << 20}

// bench runs f for each AEAD and size, and benchmarks ChaCha20-Poly1305 for comparison,
// which does not commit.
func bench(b *testing.B, f func(b *testing.B, a cipher.AEAD, n int)) {
	run := func(name, impl string, n int, a cipher.AEAD) {
		b.Run(fmt.Sprintf("alg=%s/peer=%s/size=%d", name, impl, n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			f(b, a, n)
		})
	}
	poly, err := chacha20poly1305.New(make([]byte, KeySize))
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range benchSizes {
		for _, alg := range algorithms {
			run(alg.name, "unimac", n, mustAEAD(b, alg, make([]byte, KeySize), TagSize))
		}
		run("ChaCha20-Poly1305", "x-crypto", n, poly)
	}
}

func BenchmarkSeal(b *testing.B) {
	bench(b, func(b *testing.B, a cipher.AEAD, n int) {
		nonce, msg, data, out := make([]byte, a.NonceSize()), make([]byte, n), make([]byte, 16), make([]byte, 0, n+a.Overhead())
		for b.Loop() {
			out = a.Seal(out[:0], nonce, msg, data)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	bench(b, func(b *testing.B, a cipher.AEAD, n int) {
		nonce, data, out := make([]byte, a.NonceSize()), make([]byte, 16), make([]byte, 0, n)
		sealed := a.Seal(nil, nonce, make([]byte, n), data)
		for b.Loop() {
			if _, err := a.Open(out, nonce, sealed, data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBLAKE2b measures the cost of the tag alone.
func BenchmarkBLAKE2b(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("alg=BLAKE2b/peer=unimac/size=%d", n), func(b *testing.B) {
			keyed, msg := blake2b.New(TagSize, make([]byte, macKeySize)), make([]byte, n)
			var tag [TagSize]byte
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				mac := keyed
				mac.Write(msg)
				mac.Sum(tag[:0])
			}
		})
	}
}

// BenchmarkImplementations measures Seal with each implementation of BLAKE2b beside
// ChaCha20.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "chacha20blake2b", func(b *testing.B) {
		for _, n := range []int{64, 1024, 16384} {
			b.Run(fmt.Sprintf("alg=%s/size=%d", algorithms[0].name, n), func(b *testing.B) {
				a := mustAEAD(b, algorithms[0], make([]byte, KeySize), TagSize)
				nonce, msg, out := make([]byte, NonceSize), make([]byte, n), make([]byte, 0, n+TagSize)
				b.SetBytes(int64(n))
				for b.Loop() {
					out = a.Seal(out[:0], nonce, msg, nil)
				}
			})
		}
	})
}
