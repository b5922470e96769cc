// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"fmt"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
)

var benchLengths = []int{512, 16384, 65536}

// BenchmarkSum measures a list of two inputs, of which the first is 16 bytes long.
func BenchmarkSum(b *testing.B) {
	for _, n := range benchLengths {
		b.Run(fmt.Sprintf("alg=multimac-256/peer=unimac/size=%d", n), func(b *testing.B) {
			k := mustKey(b, mactest.Random(32, 1), mactest.Random(32, 2))
			x, y, tag := make([]byte, 16), make([]byte, n), make([]byte, 0, maxSize)
			b.SetBytes(int64(16 + n))
			b.ReportAllocs()
			for b.Loop() {
				tag = k.Append(tag[:0], x, y)
			}
		})
	}
	composed(b)
}

// BenchmarkSumBatch measures a batch of eight such lists.
func BenchmarkSumBatch(b *testing.B) {
	for _, n := range benchLengths {
		b.Run(fmt.Sprintf("alg=multimac-256/lists=8/size=%d", n), func(b *testing.B) {
			k := mustKey(b, mactest.Random(32, 1), mactest.Random(32, 2))
			lists := make([][][]byte, 8)
			for i := range lists {
				lists[i] = [][]byte{make([]byte, 16), make([]byte, n)}
			}
			tags := make([]byte, 0, 8*maxSize)
			b.SetBytes(int64(8 * (16 + n)))
			b.ReportAllocs()
			for b.Loop() {
				tags = k.SumBatch(tags[:0], lists...)
			}
		})
	}
}

// composed measures the same lists with golang.org/x/crypto's BLAKE2b and a new state
// for each step.
func composed(b *testing.B) {
	key1, key2 := testKeys(32)
	for _, n := range benchLengths {
		b.Run(fmt.Sprintf("alg=multimac-256/peer=x-crypto/size=%d", n), func(b *testing.B) {
			x, y := make([]byte, 16), make([]byte, n)
			mac := func(key, msg, dst []byte) []byte {
				h, err := blake2b.New256(key)
				if err != nil {
					b.Fatal(err)
				}
				h.Write(msg)
				return h.Sum(dst)
			}
			var buf [32]byte
			b.SetBytes(int64(16 + n))
			b.ReportAllocs()
			for b.Loop() {
				mac(key2, mac(mac(key1, x, buf[:0]), y, buf[:0]), buf[:0])
			}
		})
	}
}

// BenchmarkImplementations measures a list of two inputs with each implementation.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "blake2b", func(b *testing.B) {
		for _, n := range benchLengths {
			b.Run(fmt.Sprintf("alg=multimac-256/size=%d", n), func(b *testing.B) {
				k := mustKey(b, mactest.Random(32, 1), mactest.Random(32, 2))
				x, y, tag := make([]byte, 16), make([]byte, n), make([]byte, 0, maxSize)
				b.SetBytes(int64(16 + n))
				for b.Loop() {
					tag = k.Append(tag[:0], x, y)
				}
			})
		}
	})
}
