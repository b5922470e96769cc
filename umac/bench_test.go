// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// BenchmarkSum measures Key.Sum with a new nonce for each message.
func BenchmarkSum(b *testing.B) {
	for _, size := range sizes {
		for _, n := range []int{16, 32, 64, 256, 1024, 1025, 1500, 4096, 16384, 1 << 20} {
			b.Run(fmt.Sprintf("alg=umac-%d/peer=unimac/size=%d", 8*size, n), func(b *testing.B) { benchmarkSum(b, size, n) })
		}
	}
}

func benchmarkSum(b *testing.B, size, n int) {
	k := mustKey(b, rfcKey, size)
	msg, nonce, tag := make([]byte, n), make([]byte, 8), make([]byte, 0, size)
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		binary.BigEndian.PutUint64(nonce, i)
		tag = k.Sum(tag[:0], nonce, msg)
	}
}

// BenchmarkSumBatch measures SumBatch of 64 messages.
func BenchmarkSumBatch(b *testing.B) {
	for _, n := range []int{32, 256, 1500} {
		b.Run(fmt.Sprintf("alg=umac-64/peer=unimac/messages=64/size=%d", n), func(b *testing.B) {
			k := mustKey(b, rfcKey, Size64)
			var nonces, msgs [][]byte
			for i := range 64 {
				nonces = append(nonces, binary.BigEndian.AppendUint64(nil, uint64(i)))
				msgs = append(msgs, make([]byte, n))
			}
			tags := make([]byte, 0, 64*Size64)
			b.SetBytes(int64(64 * n))
			b.ReportAllocs()
			for b.Loop() {
				k.SumBatch(tags, nonces, msgs)
			}
		})
	}
}

// BenchmarkFew measures SumBatch of one to eight messages and a loop over Sum in
// alternating runs. It reports the time of SumBatch divided by the time of the loop.
func BenchmarkFew(b *testing.B) {
	for _, size := range []int{Size32, Size64, Size128} {
		for _, mix := range [][]int{{0}, {32}, {64}, {128}, {256}, {1000}, {1500}, {20, 1500}, {20, 20, 20, 1500}, {1500, 20, 20, 1500}} {
			for count := 1; count <= 8; count++ {
				k := mustKey(b, rfcKey, size)
				var nonces, msgs [][]byte
				for i := range count {
					nonces = append(nonces, binary.BigEndian.AppendUint64(nil, uint64(i)))
					msgs = append(msgs, make([]byte, mix[i%len(mix)]))
				}
				tags := make([]byte, 0, count*size)
				b.Run(fmt.Sprintf("alg=umac-%d/sizes=%v/messages=%d", 8*size, mix, count), func(b *testing.B) {
					batch := func(n int) {
						for range n {
							k.SumBatch(tags, nonces, msgs)
						}
					}
					loop := func(n int) {
						for range n {
							tags := tags
							for i, msg := range msgs {
								tags = k.Sum(tags, nonces[i], msg)
							}
						}
					}
					mactest.BenchmarkRatio(b, batch, loop)
				})
			}
		}
	}
}

// BenchmarkMAC measures ResetNonce, Write and Sum for one message.
func BenchmarkMAC(b *testing.B) {
	for _, size := range sizes {
		for _, n := range []int{32, 1024, 16384} {
			b.Run(fmt.Sprintf("alg=umac-%d/peer=unimac/size=%d", 8*size, n), func(b *testing.B) {
				m := mustKey(b, rfcKey, size).New(rfcNonce)
				msg, nonce, tag := make([]byte, n), make([]byte, 8), make([]byte, 0, size)
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for i := uint64(0); b.Loop(); i++ {
					binary.BigEndian.PutUint64(nonce, i)
					m.ResetNonce(nonce)
					m.Write(msg)
					tag = m.Sum(tag[:0])
				}
			})
		}
	}
}

// BenchmarkImplementations measures Key.Sum with each implementation.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "umac", func(b *testing.B) {
		for _, size := range sizes {
			for _, n := range []int{32, 1024, 16384} {
				b.Run(fmt.Sprintf("alg=umac-%d/size=%d", 8*size, n), func(b *testing.B) { benchmarkSum(b, size, n) })
			}
		}
	})
}
