// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// bench runs f for ChaCha20-Poly1305, x/crypto's and ours, and for SIV, which only we have.
func bench(b *testing.B, sizes []int, f func(b *testing.B, a cipher.AEAD, n int)) {
	for _, n := range sizes {
		for _, c := range []struct {
			alg, peer string
			newAEAD   func(key []byte) (cipher.AEAD, error)
		}{
			{"chacha20-poly1305", "unimac", New},
			{"chacha20-poly1305", "x-crypto", algorithms[0].upstream},
			{"chacha20-poly1305-siv", "unimac", NewSIV},
		} {
			b.Run(fmt.Sprintf("alg=%s/peer=%s/size=%d", c.alg, c.peer, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				f(b, mustAEAD(b, c.newAEAD, make([]byte, KeySize)), n)
			})
		}
	}
}

var benchSizes = []int{0, 16, 64, 128, 256, 512, 1420, 4 << 10, 16 << 10, 64 << 10}

func BenchmarkSeal(b *testing.B) {
	bench(b, benchSizes, func(b *testing.B, a cipher.AEAD, n int) {
		nonce, msg, data, out := make([]byte, a.NonceSize()), make([]byte, n), make([]byte, 13), make([]byte, 0, n+a.Overhead())
		for b.Loop() {
			out = a.Seal(out[:0], nonce, msg, data)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	bench(b, benchSizes, func(b *testing.B, a cipher.AEAD, n int) {
		nonce, data, out := make([]byte, a.NonceSize()), make([]byte, 13), make([]byte, 0, n)
		sealed := a.Seal(nil, nonce, make([]byte, n), data)
		for b.Loop() {
			if _, err := a.Open(out, nonce, sealed, data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSealBatch seals 128 packets; x/crypto's go one after the other.
func BenchmarkSealBatch(b *testing.B) {
	bench(b, []int{64, 256, 1420}, func(b *testing.B, a cipher.AEAD, n int) {
		const count = 128
		b.SetBytes(int64(count * n))
		packets, outputs := make([]Packet, count), make([][]byte, count)
		for i := range packets {
			packets[i] = Packet{Nonce: mactest.Random(a.NonceSize(), uint64(i)), Text: make([]byte, n), AdditionalData: make([]byte, 13)}
			outputs[i] = make([]byte, 0, n+a.Overhead())
		}
		for b.Loop() {
			for i := range packets {
				packets[i].Dst = outputs[i]
			}
			SealBatch(a, packets)
		}
	})
}

// BenchmarkFew compares batches of one to eight packets with calls of Seal, by turns: its
// figure is the one's time divided by the other's.
func BenchmarkFew(b *testing.B) {
	for _, mix := range [][]int{{0}, {64}, {256}, {1420}, {20, 1420}, {20, 20, 20, 20, 20, 20, 20, 1900}} {
		for count := 1; count <= 8; count++ {
			for _, alg := range []string{"chacha20-poly1305", "chacha20-poly1305-siv"} {
				a := mustAEAD(b, New, make([]byte, KeySize))
				if alg == "chacha20-poly1305-siv" {
					a = mustAEAD(b, NewSIV, make([]byte, KeySize))
				}
				var packets, work [8]Packet
				for i := range count {
					n := mix[i%len(mix)]
					packets[i] = Packet{Dst: make([]byte, 0, n+a.Overhead()), Nonce: mactest.Random(a.NonceSize(), uint64(i)), Text: make([]byte, n), AdditionalData: make([]byte, 13)}
				}
				b.Run(fmt.Sprintf("alg=%s/sizes=%v/messages=%d", alg, mix, count), func(b *testing.B) {
					mactest.BenchmarkRatio(b, func(n int) {
						for range n {
							work = packets
							SealBatch(a, work[:count])
						}
					}, func(n int) {
						for range n {
							work = packets
							for i := range work[:count] {
								p := &work[i]
								p.Dst = a.Seal(p.Dst, p.Nonce, p.Text, p.AdditionalData)
							}
						}
					})
				})
			}
		}
	}
}

// BenchmarkImplementations seals under each implementation.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "chacha20poly1305", func(b *testing.B) {
		for _, n := range []int{64, 1420, 16384} {
			b.Run(fmt.Sprintf("alg=chacha20-poly1305/size=%d", n), func(b *testing.B) {
				a := mustAEAD(b, New, make([]byte, KeySize))
				nonce, msg, out := make([]byte, NonceSize), make([]byte, n), make([]byte, 0, n+Overhead)
				b.SetBytes(int64(n))
				for b.Loop() {
					out = a.Seal(out[:0], nonce, msg, nil)
				}
			})
		}
	})
}
