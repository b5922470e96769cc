// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"crypto/cipher"
	"fmt"
	"testing"

	xcrypto "golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/mactest"
)

// BenchmarkOnce measures a new stream per text, which stays on the stack.
func BenchmarkOnce(b *testing.B) {
	key, nonce := make([]byte, KeySize), make([]byte, NonceSize)
	for _, n := range []int{16, 32, 64, 128, 256, 1024, 1420, 16384} {
		text := make([]byte, n)
		b.Run(fmt.Sprintf("peer=unimac/size=%d", n), func(b *testing.B) { once(b, key, nonce, text) })
		b.Run(fmt.Sprintf("peer=x-crypto/size=%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				c, err := xcrypto.NewUnauthenticatedCipher(key, nonce)
				if err != nil {
					b.Fatal(err)
				}
				c.XORKeyStream(text, text)
			}
		})
	}
}

// BenchmarkCipher measures a new stream per text, encrypted in pieces of one size.
func BenchmarkCipher(b *testing.B) {
	key, nonce := make([]byte, KeySize), make([]byte, NonceSize)
	type stream struct {
		name string
		new  func() (cipher.Stream, error)
	}
	streams := []stream{
		{"unimac", func() (cipher.Stream, error) { return NewUnauthenticatedCipher(key, nonce) }},
		{"x-crypto", func() (cipher.Stream, error) { return xcrypto.NewUnauthenticatedCipher(key, nonce) }},
	}
	for _, n := range []int{16, 32, 64, 65, 100, 128, 256, 512, 1024, 1420, 4096, 16384, 65536} {
		for _, piece := range []int{10, 64, 1000, n} {
			if piece > n || piece < n && n < 1024 && piece > 10 || n > 16384 && piece < n {
				continue
			}
			for _, s := range streams {
				b.Run(fmt.Sprintf("peer=%s/size=%d/piece=%d", s.name, n, piece), func(b *testing.B) {
					text := make([]byte, n)
					b.SetBytes(int64(n))
					for b.Loop() {
						c, err := s.new()
						if err != nil {
							b.Fatal(err)
						}
						for at := 0; at < n; at += piece {
							part := text[at:min(at+piece, n)]
							c.XORKeyStream(part, part)
						}
					}
				})
			}
		}
	}
}

// BenchmarkImplementations measures a new stream per text with each implementation.
func BenchmarkImplementations(b *testing.B) {
	key, nonce := make([]byte, KeySize), make([]byte, NonceSize)
	mactest.BenchmarkImplementations(b, "chacha20", func(b *testing.B) {
		for _, n := range []int{64, 1024, 16384} {
			b.Run(fmt.Sprintf("alg=chacha20/size=%d", n), func(b *testing.B) { once(b, key, nonce, make([]byte, n)) })
		}
	})
}

// once encrypts a text with a new stream.
func once(b *testing.B, key, nonce, text []byte) {
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c, err := NewUnauthenticatedCipher(key, nonce)
		if err != nil {
			b.Fatal(err)
		}
		c.XORKeyStream(text, text)
	}
}
