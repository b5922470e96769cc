// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"
	"testing"

	//lint:ignore SA1019 the deprecated package is what this one replaces
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

var benchSizes = []int{16, 32, 64, 256, 576, 1024, 4096, 16384, 65536, 1 << 20}

var benchKey = func() (key [KeySize]byte) {
	for i := range key {
		key[i] = byte(37 * i)
	}
	return key
}()

func benchmarkSum(b *testing.B, n int) {
	msg := make([]byte, n)
	var tag [TagSize]byte
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		Sum(&tag, msg, &benchKey)
	}
}

// BenchmarkSum measures Sum.
func BenchmarkSum(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("alg=poly1305/peer=unimac/size=%d", n), func(b *testing.B) { benchmarkSum(b, n) })
	}
}

// BenchmarkMAC measures Writes to one long message.
func BenchmarkMAC(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("alg=poly1305/peer=unimac/size=%d", n), func(b *testing.B) {
			m := New(&benchKey)
			piece := make([]byte, n)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				m.Write(piece)
			}
		})
	}
}

// BenchmarkNew measures New, Write and Sum of a whole message.
func BenchmarkNew(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("alg=poly1305/peer=unimac/size=%d", n), func(b *testing.B) {
			msg, tag := make([]byte, n), make([]byte, 0, TagSize)
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				m := New(&benchKey)
				m.Write(msg)
				tag = m.Sum(tag[:0])
			}
		})
	}
}

// BenchmarkImplementations measures Sum with each implementation.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "poly1305", func(b *testing.B) {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("alg=poly1305/size=%d", n), func(b *testing.B) { benchmarkSum(b, n) })
		}
	})
}

// peerSizes contains lengths around the thresholds of this package.
var peerSizes = []int{1, 8, 15, 16, 17, 24, 32, 33, 48, 64, 65, 96, 112, 128, 192, 256, 288, 320, 384, 416, 448, 512, 576, 640, 768, 1024, 1500, 4096, 65536}

func BenchmarkPeersSum(b *testing.B) {
	for _, n := range peerSizes {
		msg := make([]byte, n)
		var tag [TagSize]byte
		for _, peer := range []struct {
			name string
			sum  func()
		}{
			{"unimac", func() { Sum(&tag, msg, &benchKey) }},
			{"x-crypto", func() { xpoly1305.Sum(&tag, msg, &benchKey) }},
		} {
			b.Run(fmt.Sprintf("alg=poly1305/peer=%s/size=%d", peer.name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					peer.sum()
				}
			})
		}
	}
}

func BenchmarkPeersWrite(b *testing.B) {
	for _, n := range peerSizes {
		msg := make([]byte, n)
		for _, peer := range []struct {
			name  string
			write func(p []byte) (int, error)
		}{
			{"unimac", New(&benchKey).Write},
			{"x-crypto", xpoly1305.New(&benchKey).Write},
		} {
			b.Run(fmt.Sprintf("alg=poly1305/peer=%s/piece=%d", peer.name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					peer.write(msg)
				}
			})
		}
	}
}

// BenchmarkRatioWrite reports the speed of Write divided by that of x/crypto, for each
// size of the pieces.
func BenchmarkRatioWrite(b *testing.B) {
	for n := 1; n <= 1024; n++ {
		b.Run(fmt.Sprintf("piece=%d", n), func(b *testing.B) {
			piece, ours, theirs := make([]byte, n), New(&benchKey), xpoly1305.New(&benchKey)
			mactest.BenchmarkRatio(b, func(times int) {
				for range times {
					theirs.Write(piece)
				}
			}, func(times int) {
				for range times {
					ours.Write(piece)
				}
			})
		})
	}
}
