// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// bench runs f for ChaCha20-Poly1305 of x/crypto and of this package, and for SIV.
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

// BenchmarkSealBatch measures batches of 128 packets, and a loop over Seal for
// x/crypto.
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

// BenchmarkFewSeal compares batches of few packets with a loop of single calls in
// alternating runs. It reports the time of the batch divided by the time of the loop.
// For one to three packets, the goal is at most 1.10 up to 64 bytes, and 1.05 above.
func BenchmarkFewSeal(b *testing.B) {
	eachFew(b, func(b *testing.B, seal, _ few) { seal.compare(b, SealBatch, sealEach) })
}

// BenchmarkFewOpen is BenchmarkFewSeal for OpenBatch.
func BenchmarkFewOpen(b *testing.B) {
	eachFew(b, func(b *testing.B, _, open few) {
		open.compare(b, func(a cipher.AEAD, packets []Packet) { OpenBatch(a, packets) },
			func(a cipher.AEAD, packets []Packet) { openEach(a, packets) })
	})
}

// eachFew runs f for each AEAD, size and number of packets.
func eachFew(b *testing.B, f func(b *testing.B, seal, open few)) {
	for _, alg := range []struct {
		name    string
		newAEAD func(key []byte) (cipher.AEAD, error)
	}{{"chacha20-poly1305", New}, {"xchacha20-poly1305", NewX}, {"random-nonce", NewXWithRandomNonce}, {"chacha20-poly1305-siv", NewSIV}} {
		a := mustAEAD(b, alg.newAEAD, make([]byte, KeySize))
		for _, size := range []int{32, 64, 256, 1500} {
			for _, count := range []int{1, 2, 3, 5, 8} {
				b.Run(fmt.Sprintf("alg=%s/size=%d/messages=%d", alg.name, size, count), func(b *testing.B) {
					seal, open := newFew(a, count, size)
					f(b, seal, open)
				})
			}
		}
	}
}

// few contains packets with memory for their results.
type few struct {
	aead    cipher.AEAD
	packets []Packet
	outputs [][]byte
}

// newFew returns packets to seal and packets to open.
func newFew(a cipher.AEAD, count, size int) (seal, open few) {
	seal.aead, open.aead = a, a
	for i := range count {
		p := Packet{Nonce: mactest.Random(a.NonceSize(), uint64(i)), Text: make([]byte, size), AdditionalData: make([]byte, 13)}
		seal.packets = append(seal.packets, p)
		seal.outputs = append(seal.outputs, make([]byte, 0, size+a.Overhead()))
		p.Text = a.Seal(nil, p.Nonce, p.Text, p.AdditionalData)
		open.packets = append(open.packets, p)
		open.outputs = append(open.outputs, make([]byte, 0, size))
	}
	return seal, open
}

// compare reports the time of a batch divided by the time of a loop of single calls.
func (f few) compare(b *testing.B, batch, each func(a cipher.AEAD, packets []Packet)) {
	loop := func(call func(a cipher.AEAD, packets []Packet)) func(n int) {
		return func(n int) {
			for range n {
				for i, out := range f.outputs {
					f.packets[i].Dst = out
				}
				call(f.aead, f.packets)
			}
		}
	}
	mactest.BenchmarkRatio(b, loop(batch), loop(each))
}

// BenchmarkImplementations measures Seal with each implementation.
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
