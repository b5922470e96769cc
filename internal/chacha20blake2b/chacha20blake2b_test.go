// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20blake2b

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/mactest"
)

// newStream returns the keystream used by all tests.
func newStream() *chacha20.Stream {
	return &chacha20.Stream{Key: [chacha20.KeySize]byte(mactest.Random(32, 1)), Nonce: [chacha20.NonceSize]byte(mactest.Random(8, 2))}
}

// A message contains the expected results of XORAndWrite and writeAndXOR, computed with
// packages blake2b and chacha20.
type message struct {
	stream           *chacha20.Stream
	prefix, src, dst []byte
	srcTag, dstTag   []byte
	newMAC           func() blake2b.State
}

// newMessage returns a message of n bytes. newMAC returns a state that has hashed
// prefix bytes.
func newMessage(prefix, n int) *message {
	m := &message{stream: newStream(), prefix: mactest.Random(prefix, 10), src: mactest.Random(n, 11)}
	m.dst = make([]byte, n)
	m.stream.XORKeyStream(m.dst, m.src, 0)
	m.newMAC = func() blake2b.State {
		s := blake2b.New(32, mactest.Random(64, 12))
		s.Write(m.prefix)
		return s
	}
	tag := func(text []byte) []byte {
		s := m.newMAC()
		s.Write(text)
		return s.Sum(nil)
	}
	m.srcTag, m.dstTag = tag(m.src), tag(m.dst)
	return m
}

// check compares XORAndWrite and writeAndXOR with the expected results.
func (m *message) check(t *testing.T) {
	t.Helper()
	fail := func(what string) {
		t.Helper()
		t.Fatalf("%d bytes after %d bytes: %s: wrong result", len(m.src), len(m.prefix), what)
	}
	dst := make([]byte, len(m.src))
	s := m.newMAC()
	XORAndWrite(&s, dst, m.src, m.stream)
	if !bytes.Equal(dst, m.dst) || !bytes.Equal(s.Sum(nil), m.dstTag) {
		fail("XORAndWrite")
	}
	copy(dst, m.src)
	s = m.newMAC()
	XORAndWrite(&s, dst, dst, m.stream)
	if !bytes.Equal(dst, m.dst) || !bytes.Equal(s.Sum(nil), m.dstTag) {
		fail("XORAndWrite in place")
	}
	for _, size := range []int{len(m.src), len(m.src) / 2} {
		clear(dst)
		s = m.newMAC()
		n, want := writeAndXOR(&s, dst[:size], m.src, m.stream), 0
		if decryptsAhead(len(m.src)) {
			want = min(len(m.src)-2*blake2b.BlockSize, size, maxXOR) / group * group
		}
		if n != want {
			t.Fatalf("%d bytes after %d bytes: writeAndXOR returned %d, want %d", len(m.src), len(m.prefix), n, want)
		}
		if !bytes.Equal(dst[:n], m.dst[:n]) || !bytes.Equal(dst[n:], make([]byte, len(dst)-n)) || !bytes.Equal(s.Sum(nil), m.srcTag) {
			fail("writeAndXOR")
		}
	}
}

func TestLengths(t *testing.T) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		skip := func(n int) bool { // skips most lengths away from block boundaries in short mode
			at := n % chacha20.BlockSize
			return testing.Short() && at > 1 && at < chacha20.BlockSize-1 && n%5 != 0
		}
		for n := range 5*group + 1 {
			if !skip(n) {
				newMessage(n%300, n).check(t)
			}
		}
		for n := range group + 2*chacha20.BlockSize {
			if !skip(n) {
				newMessage(n%300, 4096+n).check(t)
			}
		}
		for n := range 130 {
			if skip(n) {
				continue
			}
			newMessage(n, 4*group+17).check(t)
			newMessage(n, 6*group).check(t)
			newMessage(n, 4096+6*group).check(t)
		}
	})
}

// TestLong checks messages that need several kernel calls.
func TestLong(t *testing.T) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		for i, n := range []int{maxXOR - 1, maxXOR, maxXOR + 2*blake2b.BlockSize, 64 << 10, 64<<10 + 1, 2*maxXOR + 1000, 200000, 256 << 10} {
			for j, prefix := range []int{0, 16, 127, 128} {
				if testing.Short() && (i+j)%2 != 0 {
					continue
				}
				newMessage(prefix, n).check(t)
			}
		}
	})
}

func TestAllocations(t *testing.T) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		m, dst := newMessage(16, 10000), make([]byte, 10000)
		before := m.newMAC()
		mactest.NoAllocations(t, "XORAndWrite, writeAndXOR", func() {
			mac := before
			XORAndWrite(&mac, dst, m.src, m.stream)
			writeAndXOR(&mac, dst, m.src, m.stream)
		})
	})
}

// TestOpen checks that Open accepts authentic messages and rejects forgeries. dst must
// contain only authenticated plaintext, and the memory for decrypting ahead must
// contain none.
func TestOpen(t *testing.T) {
	ad := mactest.Random(20, 30)
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		for _, n := range []int{0, 1, group - 1, group, 1024, 5000, 10000, 65024, 100000} {
			for _, size := range []int{32, 48, 64} {
				m := newMessage(0, n)
				kdf := blake2b.New(64, mactest.Random(32, 31))
				kdf.Write(ad)
				forSeal, dst, tag := kdf, make([]byte, n), make([]byte, size)
				Seal(tag, dst, m.src, ad, &forSeal, m.stream)
				if !bytes.Equal(dst, m.dst) {
					t.Fatalf("%d bytes: wrong ciphertext", n)
				}
				for _, change := range []byte{0, 1} {
					tag[size-1] ^= change
					forOpen, plain := kdf, make([]byte, n)
					if ok := Open(tag, plain, dst, ad, &forOpen, m.stream); ok != (change == 0) {
						t.Fatalf("%d bytes, tag changed by %d: Open = %v", n, change, ok)
					}
					want := m.src
					if change == 1 {
						want = make([]byte, n)
					}
					if !bytes.Equal(plain, want) {
						t.Fatalf("%d bytes, tag changed by %d: wrong output", n, change)
					}
					memory := plaintextPool.Get().(*plaintextBuffer)
					if *memory != (plaintextBuffer{}) {
						t.Errorf("%d bytes: plaintext remains in the pool", n)
					}
					plaintextPool.Put(memory)
				}
			}
		}
	})
}

// TestEmpty checks messages without text, without additional data, and without both.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		for _, n := range []int{1, 100, 2 * group, 3000} {
			text, ad, dst := mactest.Random(n, 50), mactest.Random(n%300, 51), make([]byte, n)
			mactest.Empty(t, "Seal and Open", func(empty []byte) (all []byte) {
				for _, m := range []struct{ src, dst, ad []byte }{{empty, empty, ad}, {text, dst, empty}, {empty, empty, empty}} {
					tag, opened := make([]byte, 32), make([]byte, len(m.src))
					kdf, s := blake2b.New(64, mactest.Random(32, 52)), newStream()
					Seal(tag, m.dst, m.src, m.ad, &kdf, s)
					all = append(append(all, m.dst...), tag...)
					kdf = blake2b.New(64, mactest.Random(32, 52))
					if len(opened) == 0 {
						opened = empty
					}
					if !Open(tag, opened, m.dst, m.ad, &kdf, newStream()) || !bytes.Equal(opened, m.src) {
						t.Errorf("%d bytes, %d of additional data: Open = %x", len(m.src), len(m.ad), opened)
					}
				}
				return all
			}, text, ad, dst)
		}
	})
}

// TestUnauthenticWiped checks that Open leaves no plaintext in the memory for
// decrypting ahead, whether or not the tag is correct.
func TestUnauthenticWiped(t *testing.T) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		plain := new(plaintextBuffer)
		mactest.Pooled(t, &plaintextPool, plain)
		for _, n := range []int{group, 2 * group, 5000, maxXOR + 5000} {
			text, sealed, tag := mactest.Random(n, 1), make([]byte, n), make([]byte, 32)
			derivation := func() *blake2b.State {
				kdf := blake2b.New(64, mactest.Random(32, 2))
				kdf.Write(mactest.Random(100, 3))
				return &kdf
			}
			s := chacha20.Stream{Key: [32]byte(mactest.Random(32, 4))}
			Seal(tag, sealed, text, nil, derivation(), &s)
			for _, flip := range []byte{0, 1} {
				tag[5] ^= flip
				if ok := Open(tag, make([]byte, n), sealed, nil, derivation(), &s); ok != (flip == 0) {
					t.Fatalf("%d bytes: Open = %v", n, ok)
				}
				if *plain != (plaintextBuffer{}) {
					t.Errorf("%d bytes, tag changed by %d: plaintext remains in the pool", n, flip)
				}
			}
		}
	})
}
