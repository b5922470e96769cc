// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// begun returns a state that has hashed a few blocks.
func begun() blake2b.State {
	s := blake2b.New(64, mactest.Random(64, 3))
	s.FillBlock(mactest.Random(2*blake2b.BlockSize, 4))
	return s
}

// sum writes blocks and one byte to s, and returns the digest.
func sum(s blake2b.State, blocks []byte) []byte {
	s.Write(blocks)
	s.Write([]byte{1})
	return s.Sum(nil)
}

// A call contains the arguments for ChaCha20.
type call struct {
	key     *[chacha20.KeySize]byte
	nonce   *[chacha20.NonceSize]byte
	counter uint64
}

func newCall(counter uint64) call {
	s := newStream()
	return call{&s.Key, &s.Nonce, counter}
}

// check compares the results of the selected kernel with those of packages chacha20 and
// blake2b.
func (c call) check(t *testing.T, blocks, dst, src []byte) {
	t.Helper()
	want := make([]byte, len(src))
	chacha20.XORKeyStream(want, src, c.key, c.nonce, c.counter)
	s := begun()
	wantSum := sum(s, blocks)
	before := bytes.Clone(blocks)
	h, count := s.HandOver(len(blocks))
	compressXOR(choice.Level, h, blocks, count, dst, src, c.key, c.nonce, c.counter)
	if got := sum(s, nil); !bytes.Equal(got, wantSum) {
		t.Fatalf("%d bytes: digest %x, want %x", len(src), got, wantSum)
	}
	if !bytes.Equal(dst, want) {
		t.Fatalf("%d bytes: got %x, want %x", len(src), dst, want)
	}
	if !bytes.Equal(blocks, before) {
		t.Fatalf("%d bytes: compressXOR changed the blocks", len(src))
	}
}

// kernels runs f with every kernel that this machine supports.
func kernels(t *testing.T, f func(t *testing.T)) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		if dispatch.InUse("chacha20blake2b") == dispatch.Generic {
			t.Skip("no kernel")
		}
		f(t)
	})
}

// TestAlignments checks different alignments of the blocks, the output and the input.
func TestAlignments(t *testing.T) {
	const maxLen = 3 * group
	c := newCall(7)
	kernels(t, func(t *testing.T) {
		blocks := append([]byte{}, mactest.Random(64+maxLen+blake2b.BlockSize, 5)...)
		src := append([]byte{}, mactest.Random(64+maxLen, 6)...)
		dst := make([]byte, 64+maxLen+64)
		for n := group; n <= maxLen; n += group {
			for i := range 64 {
				j, l := (i*7+n/group)%64, (i*29+3)%64
				clear(dst)
				c.check(t, blocks[i:][:hashLength(choice.Level, n)], dst[j:j+n], src[l:][:n])
				if !bytes.Equal(dst[:j], make([]byte, j)) || !bytes.Equal(dst[j+n:], make([]byte, len(dst)-j-n)) {
					t.Fatalf("%d bytes at offset %d: wrote outside the output", n, j)
				}
			}
		}
	})
}

// TestGuarded checks that the kernels stay within their buffers, which are between
// inaccessible pages.
func TestGuarded(t *testing.T) {
	const maxLen = 5 * group
	var memory [6]*mactest.Guarded
	for i := range memory {
		memory[i] = mactest.NewGuarded(t, maxLen+blake2b.BlockSize)
	}
	ends := []func(*mactest.Guarded, int) []byte{(*mactest.Guarded).Front, (*mactest.Guarded).Back}
	kernels(t, func(t *testing.T) {
		for _, part := range ends {
			at := func(i, n int) []byte {
				p := part(memory[i], n)
				copy(p, mactest.Random(n, uint64(i)))
				return p
			}
			c := call{(*[chacha20.KeySize]byte)(at(0, chacha20.KeySize)), (*[chacha20.NonceSize]byte)(at(1, chacha20.NonceSize)), 5}
			h := (*[8]uint64)(unsafe.Pointer(unsafe.SliceData(at(5, 64))))
			for n := group; n <= maxLen; n += group {
				c.check(t, at(2, hashLength(choice.Level, n)), at(3, n), at(4, n))
				src := at(4, n)
				c.check(t, at(2, hashLength(choice.Level, n)), src, bytes.Clone(src))
				compressXOR(choice.Level, h, at(2, hashLength(choice.Level, n)), 0, src, src, c.key, c.nonce, 0)
			}
		}
	})
}

// TestCounter checks counters whose low half wraps in each block of a group.
func TestCounter(t *testing.T) {
	src := mactest.Random(2*group, 8)
	kernels(t, func(t *testing.T) {
		blocks := mactest.Random(hashLength(choice.Level, len(src)), 7)
		for _, wrap := range []uint64{1 << 32, 1 << 31, 1<<63 + 1<<32, 1 << 63} {
			for before := range uint64(2*group/chacha20.BlockSize + 1) {
				newCall(wrap-before).check(t, blocks, make([]byte, len(src)), src)
			}
		}
	})
}

// TestLead checks that a kernel may hash its own output if the hashed blocks begin lead
// bytes before the output.
func TestLead(t *testing.T) {
	c := newCall(9)
	kernels(t, func(t *testing.T) {
		for _, n := range []int{group, 2 * group, 7 * group, maxXOR} {
			lead := minLead(choice.Level)
			all := append([]byte{}, mactest.Random(lead+n, 9)...)
			want := bytes.Clone(all)
			chacha20.XORKeyStream(want[lead:], all[lead:], c.key, c.nonce, c.counter)
			s := begun()
			wantSum := sum(s, want[:hashLength(choice.Level, n)])
			h, count := s.HandOver(hashLength(choice.Level, n))
			compressXOR(choice.Level, h, all[:hashLength(choice.Level, n)], count, all[lead:], all[lead:], c.key, c.nonce, c.counter)
			if got := sum(s, nil); !bytes.Equal(got, wantSum) || !bytes.Equal(all, want) {
				t.Fatalf("%d bytes: digest %x, want %x, or wrong ciphertext", n, got, wantSum)
			}
		}
	})
}

// TestStackWiped checks that the kernels leave no key, message or keystream on the
// stack.
func TestStackWiped(t *testing.T) {
	c := newCall(0)
	src := mactest.Random(2*group, 41)
	dst, stream := make([]byte, 2*group), make([]byte, 2*group)
	chacha20.XORKeyStream(stream, stream, c.key, c.nonce, 0)
	kernels(t, func(t *testing.T) {
		blocks := mactest.Random(hashLength(choice.Level, len(src)), 40)
		s := begun()
		h, count := s.HandOver(len(blocks))
		mactest.StackWiped(t, "compressXOR", func() {
			compressXOR(choice.Level, h, blocks, count, dst, src, c.key, c.nonce, 0)
		}, blocks, src, dst, stream, c.key[:])
	})
}

func TestKinds(t *testing.T) {
	src := mactest.Random(1<<16, 60)
	mactest.Kinds(t, "chacha20blake2b", paths, func(n int) []byte {
		mac, dst := blake2b.New(64, nil), make([]byte, n)
		XORAndWrite(&mac, dst, src[:n], newStream())
		return mac.Sum(dst)
	})
}

func TestThresholds(t *testing.T) {
	mactest.Thresholds(t, "chacha20blake2b", mactest.Identity, paths)
}

// BenchmarkBLAKE2b is the baseline of BenchmarkCompressXOR: the same blocks without
// ChaCha20.
func BenchmarkBLAKE2b(b *testing.B) {
	s, blocks := begun(), make([]byte, 31*group+blake2b.BlockSize)
	b.SetBytes(int64(len(blocks)))
	for b.Loop() {
		s.Write(blocks)
	}
}

func BenchmarkCompressXOR(b *testing.B) {
	if choice.Level == cpu.Generic {
		b.Skip("no kernel")
	}
	c, s := newCall(0), begun()
	blocks, dst := make([]byte, hashLength(choice.Level, 31*group)), make([]byte, 31*group)
	b.SetBytes(int64(len(blocks)))
	for b.Loop() {
		h, t := s.HandOver(len(blocks))
		compressXOR(choice.Level, h, blocks, t, dst, dst, c.key, c.nonce, c.counter)
	}
}
