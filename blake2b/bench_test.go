// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"
	"hash"
	"testing"

	xcrypto "golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
)

// A peer is a package with the same functions.
type peer struct {
	name string
	sum  func(data []byte) [Size]byte
	new  func(size int, key []byte) (hash.Hash, error)
	xof  func(key []byte) (hash.XOF, error)
}

var peers = []peer{
	{"unimac", Sum512, New, func(key []byte) (hash.XOF, error) {
		x, err := NewXOF(OutputLengthUnknown, key)
		return x.(hash.XOF), err
	}},
	{"x-crypto", xcrypto.Sum512, xcrypto.New, func(key []byte) (hash.XOF, error) {
		x, err := xcrypto.NewXOF(OutputLengthUnknown, key)
		return x.(hash.XOF), err
	}},
}

var sizes = []int{0, 1, 16, 64, 127, 128, 129, 256, 257, 1024, 1420, 16384, 65536}

func run(b *testing.B, sizes []int, f func(b *testing.B, p *peer, msg []byte)) {
	for _, n := range sizes {
		for i := range peers {
			p := &peers[i]
			b.Run(fmt.Sprintf("peer=%s/size=%d", p.name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				f(b, p, make([]byte, n))
			})
		}
	}
}

func BenchmarkSum(b *testing.B) {
	run(b, sizes, func(b *testing.B, p *peer, msg []byte) {
		for b.Loop() {
			p.sum(msg)
		}
	})
}

// BenchmarkNew measures a new keyed hash per message.
func BenchmarkNew(b *testing.B) {
	run(b, sizes, func(b *testing.B, p *peer, msg []byte) {
		key, sum := make([]byte, 32), make([]byte, 0, 32)
		for b.Loop() {
			h, err := p.new(32, key)
			if err != nil {
				b.Fatal(err)
			}
			h.Write(msg)
			sum = h.Sum(sum[:0])
		}
	})
}

// BenchmarkReset measures messages hashed with the same hash, with and without a key.
func BenchmarkReset(b *testing.B) {
	for _, key := range [][]byte{nil, make([]byte, 32)} {
		b.Run(fmt.Sprintf("key=%d", len(key)), func(b *testing.B) {
			run(b, sizes, func(b *testing.B, p *peer, msg []byte) {
				sum := make([]byte, 0, 32)
				h, err := p.new(32, key)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					h.Reset()
					h.Write(msg)
					sum = h.Sum(sum[:0])
				}
			})
		})
	}
}

// BenchmarkWrite measures a long message written in pieces.
func BenchmarkWrite(b *testing.B) {
	run(b, sizes, func(b *testing.B, p *peer, msg []byte) {
		h, err := p.new(32, nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			h.Write(msg)
		}
	})
}

func BenchmarkXOF(b *testing.B) {
	run(b, []int{1, 32, 64, 128, 1024, 16384}, func(b *testing.B, p *peer, out []byte) {
		x, err := p.xof(nil)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			x.Reset()
			x.Write(out[:1])
			x.Read(out)
		}
	})
}

// BenchmarkBatch measures 64 messages of equal size, with SumBatch and one after the
// other.
func BenchmarkBatch(b *testing.B) {
	const count = 64
	for _, n := range []int{16, 64, 128, 256, 1024, 16384} {
		msgs := make([][]byte, count)
		for i := range msgs {
			msgs[i] = make([]byte, n)
		}
		b.Run(fmt.Sprintf("peer=unimac/size=%d", n), func(b *testing.B) {
			b.SetBytes(int64(count * n))
			sums := make([]byte, 0, count*Size)
			for b.Loop() {
				if _, err := SumBatch(sums, Size, nil, msgs...); err != nil {
					b.Fatal(err)
				}
			}
		})
		for i := range peers {
			b.Run(fmt.Sprintf("peer=%s-one-by-one/size=%d", peers[i].name, n), func(b *testing.B) {
				b.SetBytes(int64(count * n))
				for b.Loop() {
					for _, msg := range msgs {
						peers[i].sum(msg)
					}
				}
			})
		}
	}
}

// BenchmarkImplementations measures digests with each implementation.
func BenchmarkImplementations(b *testing.B) {
	mactest.BenchmarkImplementations(b, "blake2b", func(b *testing.B) {
		for _, n := range []int{64, 1024, 16384} {
			b.Run(fmt.Sprintf("alg=blake2b-512/size=%d", n), func(b *testing.B) {
				msg := make([]byte, n)
				b.SetBytes(int64(n))
				for b.Loop() {
					Sum512(msg)
				}
			})
		}
	})
}
