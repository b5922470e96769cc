// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

var benchLengths = []int{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 1 << 20}

// benchImplementations runs f under each implementation.
func benchImplementations(b *testing.B, alg string, f func(b *testing.B)) {
	b.Run("alg="+alg, func(b *testing.B) { mactest.BenchmarkImplementations(b, "multimixer", f) })
}

// BenchmarkDigest is the universal hash function.
func BenchmarkDigest(b *testing.B) {
	benchImplementations(b, "multimixer-digest", func(b *testing.B) {
		for _, n := range benchLengths {
			b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
				key, msg := make([]byte, n), make([]byte, n)
				var digest [DigestSize]byte
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					Digest(&digest, key, msg)
				}
			})
		}
	})
}

// BenchmarkSum is the one-shot sum.
func BenchmarkSum(b *testing.B) {
	benchImplementations(b, "multimixer-128", func(b *testing.B) {
		for _, n := range benchLengths {
			b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
				k := mustKey(b, testKey, 16)
				msg, tag := make([]byte, n), make([]byte, 0, 16)
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					tag = k.Sum(tag[:0], msg)
				}
			})
		}
	})
}

// BenchmarkMAC is the same by Reset, Write and Sum.
func BenchmarkMAC(b *testing.B) {
	for _, n := range []int{32, 1024, 16384} {
		b.Run(fmt.Sprintf("alg=multimixer-128/size=%d", n), func(b *testing.B) {
			m := mustKey(b, testKey, 16).New()
			msg, tag := make([]byte, n), make([]byte, 0, 16)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				m.Reset()
				m.Write(msg)
				tag = m.Sum(tag[:0])
			}
		})
	}
}

// BenchmarkNewKey takes a new key for each message.
func BenchmarkNewKey(b *testing.B) {
	for _, n := range []int{0, 32, 1024, 8192} {
		b.Run(fmt.Sprintf("alg=multimixer-128/size=%d", n), func(b *testing.B) {
			msg, tag := make([]byte, n), make([]byte, 0, 16)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				tag = mustKey(b, testKey, 16).Sum(tag[:0], msg)
			}
		})
	}
}

// BenchmarkHMAC is what programs use otherwise.
func BenchmarkHMAC(b *testing.B) {
	for _, n := range []int{32, 1024, 65536} {
		b.Run(fmt.Sprintf("alg=hmac-sha256/size=%d", n), func(b *testing.B) {
			m := hmac.New(sha256.New, testKey)
			msg, tag := make([]byte, n), make([]byte, 0, sha256.Size)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				m.Reset()
				m.Write(msg)
				tag = m.Sum(tag[:0])
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{16, 32, 33, 96, 100, 256, 300, 1000, 1024, 1500} {
		b.Run(fmt.Sprintf("alg=multimixer-128/piece=%d", n), func(b *testing.B) {
			m := mustKey(b, testKey, 16).New()
			msg := make([]byte, n)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				m.Write(msg)
			}
		})
	}
}
