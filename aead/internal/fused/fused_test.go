// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package fused

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/mactest"
)

// A call is what is constant in the tests.
type call struct {
	key     *[chacha20.KeySize]byte
	nonce   *[chacha20.NonceSize]byte
	counter uint64
}

func newCall(counter uint64) call {
	key, nonce := [chacha20.KeySize]byte(mactest.Random(32, 1)), [chacha20.NonceSize]byte(mactest.Random(8, 2))
	return call{&key, &nonce, counter}
}

// A message has what the two functions make of it, by the packages that stand behind
// them.
type message struct {
	call
	prefix, src, dst []byte
	srcTag, dstTag   []byte
	newMAC           func() blake2b.State
}

// newMessage returns a message of n bytes, before which mac takes in prefix bytes.
func newMessage(prefix, n int) *message {
	m := &message{call: newCall(0), prefix: mactest.Random(prefix, 10), src: mactest.Random(n, 11)}
	m.dst = make([]byte, n)
	chacha20.XORKeyStream(m.dst, m.src, m.key, m.nonce, 0)
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

func (m *message) check(t *testing.T) {
	t.Helper()
	fail := func(what string) {
		t.Helper()
		t.Fatalf("%d bytes behind %d, %s: wrong", len(m.src), len(m.prefix), what)
	}
	dst := make([]byte, len(m.src))
	for _, at := range []int{0, Group} {
		if at > len(m.src) {
			break
		}
		copy(dst, m.dst[:at])
		s := m.newMAC()
		XORAndWrite(&s, dst, m.src, at, m.key, m.nonce)
		if !bytes.Equal(dst, m.dst) || !bytes.Equal(s.Sum(nil), m.dstTag) {
			fail("XORAndWrite")
		}
		copy(dst, m.src)
		copy(dst, m.dst[:at])
		s = m.newMAC()
		XORAndWrite(&s, dst, dst, at, m.key, m.nonce)
		if !bytes.Equal(dst, m.dst) || !bytes.Equal(s.Sum(nil), m.dstTag) {
			fail("XORAndWrite in place")
		}
		for _, room := range []int{len(m.src), max(at, len(m.src)/2)} {
			clear(dst)
			copy(dst, m.dst[:at])
			s = m.newMAC()
			n := WriteBeside(&s, dst[:room], m.src, at, m.key, m.nonce)
			want := at
			if Available() && len(m.src) > 2*blake2b.BlockSize {
				want += min(len(m.src)-max(at, 2*blake2b.BlockSize), min(room, MaxBeside)-at) / Group * Group
			}
			if n != want {
				t.Fatalf("%d bytes behind %d: WriteBeside encrypted %d, want %d", len(m.src), len(m.prefix), n, want)
			}
			if !bytes.Equal(dst[:n], m.dst[:n]) || !bytes.Equal(dst[n:], make([]byte, len(dst)-n)) || !bytes.Equal(s.Sum(nil), m.srcTag) {
				fail("WriteBeside")
			}
		}
	}
}

// TestDerive compares with the digest and the key stream of the packages that stand
// behind it.
func TestDerive(t *testing.T) {
	src := mactest.Random(Group+100, 20)
	c := newCall(0)
	stream := make([]byte, len(src))
	chacha20.XORKeyStream(stream, src, c.key, c.nonce, 0)
	mactest.Implementations(t, "fused", func(t *testing.T) {
		for n := 1; n < 300; n++ {
			for _, size := range []int{32, 48, 64} {
				kdf := blake2b.New(64, mactest.Random(32, 21))
				kdf.Write(mactest.Random(n, 22))
				want := blake2b.New(size, kdf.Sum(nil))
				want.Write([]byte("message"))
				var mac blake2b.State
				for _, length := range []int{0, Group - 1, Group, len(src)} {
					dst, kdf := make([]byte, length), kdf
					begun := Derive(&mac, &kdf, size, dst, src, c.key, c.nonce)
					if begun != Group != (!Available() || length < Group) || begun != 0 && begun != Group {
						t.Fatalf("%d bytes: began with %d", length, begun)
					}
					if !bytes.Equal(dst[:begun], stream[:begun]) || !bytes.Equal(dst[begun:], make([]byte, length-begun)) {
						t.Fatalf("%d bytes: %x, want %x", length, dst, stream)
					}
					mac.Write([]byte("message"))
					if got := mac.Sum(nil); !bytes.Equal(got, want.Sum(nil)) {
						t.Fatalf("a key from %d bytes, digest of %d: %x, want %x", n, size, got, want.Sum(nil))
					}
				}
			}
		}
	})
}

func TestLengths(t *testing.T) {
	mactest.Implementations(t, "fused", func(t *testing.T) {
		for n := range 5*Group + 1 {
			newMessage(n%300, n).check(t)
		}
		for n := range 130 {
			newMessage(n, 4*Group+17).check(t)
			newMessage(n, 6*Group).check(t)
		}
	})
}

// TestLong has messages for which a kernel is called several times.
func TestLong(t *testing.T) {
	mactest.Implementations(t, "fused", func(t *testing.T) {
		for _, n := range []int{MaxBeside - 1, MaxBeside, MaxBeside + 2*blake2b.BlockSize, 64 << 10, 64<<10 + 1, 2*MaxBeside + 1000, 200000, 256 << 10} {
			for _, prefix := range []int{0, 16, 127, 128} {
				newMessage(prefix, n).check(t)
			}
		}
	})
}

func TestAllocations(t *testing.T) {
	mactest.Implementations(t, "fused", func(t *testing.T) {
		m, dst := newMessage(16, 10000), make([]byte, 10000)
		before := m.newMAC()
		mactest.NoAllocations(t, "Derive, XORAndWrite, WriteBeside", func() {
			var mac blake2b.State
			kdf := before
			at := Derive(&mac, &kdf, 32, dst, m.src, m.key, m.nonce)
			XORAndWrite(&mac, dst, m.src, at, m.key, m.nonce)
			WriteBeside(&mac, dst, m.src, 0, m.key, m.nonce)
		})
	})
}
