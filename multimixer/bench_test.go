// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"hash"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

var benchLengths = []int{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 1 << 20}

// benchImplementations runs f with each implementation.
func benchImplementations(b *testing.B, alg string, f func(b *testing.B)) {
	b.Run("alg="+alg, func(b *testing.B) { mactest.BenchmarkImplementations(b, "multimixer", f) })
}

// BenchmarkDigest measures the universal hash function.
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

// BenchmarkSum measures Key.Sum.
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

// BenchmarkMAC measures Reset, Write and Sum, and HMAC-SHA256 for comparison.
func BenchmarkMAC(b *testing.B) {
	for _, peer := range []struct {
		name string
		mac  hash.Hash
	}{
		{"unimac", mustKey(b, testKey, 16).New()},
		{"crypto-hmac", hmac.New(sha256.New, testKey)},
	} {
		for _, n := range []int{32, 1024, 16384, 65536} {
			b.Run(fmt.Sprintf("alg=mac/peer=%s/size=%d", peer.name, n), func(b *testing.B) {
				msg, tag := make([]byte, n), make([]byte, 0, sha256.Size)
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					peer.mac.Reset()
					peer.mac.Write(msg)
					tag = peer.mac.Sum(tag[:0])
				}
			})
		}
	}
}

// BenchmarkNewKey measures NewKey and Sum with a new key for each message.
func BenchmarkNewKey(b *testing.B) {
	for _, n := range []int{0, 32, 1024, 8192} {
		b.Run(fmt.Sprintf("alg=multimixer-128/peer=unimac/size=%d", n), func(b *testing.B) {
			msg, tag := make([]byte, n), make([]byte, 0, 16)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				tag = mustKey(b, testKey, 16).Sum(tag[:0], msg)
			}
		})
	}
}

// BenchmarkWrite measures single Writes to one long message.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []int{16, 32, 33, 96, 100, 256, 300, 1000, 1024, 1500} {
		b.Run(fmt.Sprintf("alg=multimixer-128/peer=unimac/piece=%d", n), func(b *testing.B) {
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
