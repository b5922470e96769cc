// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"crypto/cipher"
	"fmt"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/blake2b"
)

var benchLengths = []int{512, 16384, 65536}

func benchEach(b *testing.B, f func(b *testing.B, a cipher.AEAD, n int)) {
	for _, alg := range algorithms {
		for _, n := range benchLengths {
			b.Run(fmt.Sprintf("%s/size=%d", alg.name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				f(b, mustAEAD(b, alg, make([]byte, KeySize), TagSize), n)
			})
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	benchEach(b, func(b *testing.B, a cipher.AEAD, n int) {
		nonce, msg, data, out := make([]byte, a.NonceSize()), make([]byte, n), make([]byte, 16), make([]byte, 0, n+TagSize)
		for b.Loop() {
			out = a.Seal(out[:0], nonce, msg, data)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	benchEach(b, func(b *testing.B, a cipher.AEAD, n int) {
		nonce, data, out := make([]byte, a.NonceSize()), make([]byte, 16), make([]byte, 0, n)
		sealed := a.Seal(nil, nonce, make([]byte, n), data)
		for b.Loop() {
			if _, err := a.Open(out, nonce, sealed, data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBLAKE2b is what the tag alone takes.
func BenchmarkBLAKE2b(b *testing.B) {
	for _, n := range benchLengths {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			keyed, msg := blake2b.New(TagSize, make([]byte, macKeySize)), make([]byte, n)
			var tag [TagSize]byte
			b.SetBytes(int64(n))
			for b.Loop() {
				mac := keyed
				mac.Write(msg)
				mac.Sum(tag[:0])
			}
		})
	}
}

// BenchmarkChaCha20Poly1305 is what programs use otherwise. It does not commit.
func BenchmarkChaCha20Poly1305(b *testing.B) {
	for _, n := range benchLengths {
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			a, err := chacha20poly1305.New(make([]byte, KeySize))
			if err != nil {
				b.Fatal(err)
			}
			nonce, msg, data, out := make([]byte, 12), make([]byte, n), make([]byte, 16), make([]byte, 0, n+16)
			b.SetBytes(int64(n))
			for b.Loop() {
				out = a.Seal(out[:0], nonce, msg, data)
			}
		})
	}
}
