// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"fmt"
	"hash"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestHash tests a [hash.Hash] that also implements [hash.Cloner]. Every call to
// newHash must return a new hash with the same key. Besides the documented behavior,
// TestHash checks that the sum does not depend on how the input is split or aligned,
// and that Reset, Write and Sum do not allocate.
func TestHash(t *testing.T, newHash func() hash.Hash) {
	t.Run("Sum", func(t *testing.T) { testSum(t, newHash()) })
	t.Run("Write", func(t *testing.T) { testWrite(t, newHash()) })
	t.Run("Empty", func(t *testing.T) { testEmpty(t, newHash) })
	t.Run("Reset", func(t *testing.T) { testReset(t, newHash) })
	t.Run("Splits", func(t *testing.T) { testSplits(t, newHash) })
	t.Run("Alignments", func(t *testing.T) { testAlignments(t, newHash()) })
	t.Run("Large", func(t *testing.T) { testLarge(t, newHash) })
	t.Run("Clone", func(t *testing.T) { testClone(t, newHash()) })
	t.Run("Concurrent", func(t *testing.T) { testConcurrent(t, newHash) })
	t.Run("Allocations", func(t *testing.T) { testHashAllocations(t, newHash()) })
}

// Random returns n bytes that depend only on n and seed.
func Random(n int, seed uint64) []byte {
	rng := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24),
		byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24)})
	b := make([]byte, n)
	rng.Read(b)
	return b
}

// sumOf returns the sum of msg, after Reset and a single Write.
func sumOf(t *testing.T, h hash.Hash, msg []byte) []byte {
	t.Helper()
	h.Reset()
	write(t, h, msg)
	return h.Sum(nil)
}

func write(t *testing.T, h hash.Hash, p []byte) {
	t.Helper()
	before := bytes.Clone(p)
	if n, err := h.Write(p); n != len(p) || err != nil {
		t.Fatalf("Write of %d bytes = %d, %v", len(p), n, err)
	}
	if !bytes.Equal(p, before) {
		t.Fatalf("Write of %d bytes changed its input", len(p))
	}
}

func testSum(t *testing.T, h hash.Hash) {
	for _, n := range []int{0, 1, h.BlockSize() - 1, h.BlockSize(), h.BlockSize() + 1, 5*h.BlockSize() + 7} {
		msg := Random(n, 1)
		want := sumOf(t, h, msg)
		if len(want) != h.Size() {
			t.Fatalf("Sum returned %d bytes, want %d", len(want), h.Size())
		}
		for _, spare := range []int{0, 1, h.Size(), h.Size() + 20} {
			for _, prefix := range [][]byte{{}, {1}, Random(100, 2)} {
				buf := bytes.Repeat([]byte{0xee}, len(prefix)+spare)
				copy(buf, prefix)
				got := h.Sum(buf[:len(prefix)])
				if !bytes.HasPrefix(got, prefix) || !bytes.Equal(got[len(prefix):], want) {
					t.Fatalf("%d-byte message, %d-byte prefix, %d spare bytes: Sum = %x, want %x after the prefix",
						n, len(prefix), spare, got, want)
				}
				if spare < h.Size() {
					continue
				}
				if &got[0] != &buf[:1][0] {
					t.Fatalf("Sum did not use %d spare bytes", spare)
				}
				for _, b := range buf[len(got):] {
					if b != 0xee {
						t.Fatalf("Sum wrote beyond its %d bytes", h.Size())
					}
				}
			}
		}
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			t.Fatalf("Sum changed the state: %x, then %x", want, got)
		}
		// Sum must not change the state in the middle of a message, either.
		h.Reset()
		write(t, h, msg[:n/2])
		h.Sum(nil)
		write(t, h, msg[n/2:])
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			t.Fatalf("Sum after %d of %d bytes changed the final sum", n/2, n)
		}
	}
}

func testWrite(t *testing.T, h hash.Hash) {
	msg := Random(3*h.BlockSize()+5, 3)
	want := sumOf(t, h, msg)
	h.Reset()
	for _, p := range [][]byte{nil, {}, msg[:1], nil, msg[1 : h.BlockSize()+1], {}, msg[h.BlockSize()+1:], nil} {
		write(t, h, p)
	}
	if got := h.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("empty writes changed the sum: %x, want %x", got, want)
	}
	// The caller may overwrite the input as soon as Write returns.
	h.Reset()
	scratch := make([]byte, 100)
	for rest := msg; len(rest) > 0; {
		n := copy(scratch, rest)
		write(t, h, scratch[:n])
		clear(scratch)
		rest = rest[n:]
	}
	if got := h.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("Write kept a reference to its input: %x, want %x", got, want)
	}
}

func testEmpty(t *testing.T, newHash func() hash.Hash) {
	for _, n := range []int{0, 1, newHash().BlockSize() + 1} {
		msg, sum := Random(n, 14), make([]byte, newHash().Size())
		Empty(t, fmt.Sprintf("Write and Sum after %d bytes", n), func(empty []byte) []byte {
			h := newHash()
			write(t, h, empty)
			all := h.Sum(empty[:0:0])
			write(t, h, msg)
			write(t, h, empty)
			copy(sum, h.Sum(sum[:0]))
			return append(all, sum...)
		}, msg, sum)
	}
}

func testReset(t *testing.T, newHash func() hash.Hash) {
	h := newHash()
	empty := h.Sum(nil)
	for _, n := range []int{0, 1, h.BlockSize(), 4*h.BlockSize() + 1} {
		h.Reset()
		write(t, h, Random(n, 4))
		h.Sum(nil)
		h.Reset()
		if got := h.Sum(nil); !bytes.Equal(got, empty) {
			t.Errorf("after %d bytes and Reset, Sum = %x, want %x", n, got, empty)
		}
	}
	if got := newHash().Sum(nil); !bytes.Equal(got, empty) {
		t.Errorf("Sum of a second new hash = %x, want %x", got, empty)
	}
}

func testSplits(t *testing.T, newHash func() hash.Hash) {
	block := newHash().BlockSize()
	rng := rand.New(rand.NewPCG(5, 5))
	split := func(msg []byte, pieces func(rest int) int) {
		t.Helper()
		want := sumOf(t, newHash(), msg)
		h := newHash()
		var cuts []int
		for rest := msg; len(rest) > 0; {
			n := min(len(rest), pieces(len(rest)))
			write(t, h, rest[:n])
			rest = rest[n:]
			cuts = append(cuts, n)
		}
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			t.Fatalf("%d bytes in pieces of %v: Sum = %x, want %x", len(msg), cuts, got, want)
		}
	}
	for _, piece := range []int{1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, block - 1, block, block + 1, 2*block - 1, 2*block + 1} {
		split(Random(3*block+11, 6), func(int) int { return piece })
	}
	two := Random(2*block+2, 7)
	for first := range len(two) {
		if at := first % 16; testing.Short() && block > 64 && at > 1 && at < 15 {
			continue
		}
		n := first
		split(two, func(int) int { n, first = first, len(two); return max(n, 1) })
	}
	random := 300
	if testing.Short() {
		random = 60
	}
	for range random {
		split(Random(1+rng.IntN(5*block), 8), func(rest int) int {
			if rng.IntN(2) == 0 {
				return 1 + rng.IntN(40)
			}
			return 1 + rng.IntN(rest)
		})
	}
}

func testAlignments(t *testing.T, h hash.Hash) {
	msg := Random(2*h.BlockSize()+3, 9)
	want := sumOf(t, h, msg)
	for offset := range 64 {
		buf := make([]byte, offset+len(msg)+1)
		copy(buf[offset:], msg)
		if got := sumOf(t, h, buf[offset:offset+len(msg)]); !bytes.Equal(got, want) {
			t.Fatalf("offset %d: Sum = %x, want %x", offset, got, want)
		}
	}
}

func testLarge(t *testing.T, newHash func() hash.Hash) {
	// The message is longer than the maximum length of a kernel call.
	msg := Random(300<<10+9, 10)
	want := sumOf(t, newHash(), msg)
	h := newHash()
	for rest := msg; len(rest) > 0; {
		n := min(len(rest), 1000)
		write(t, h, rest[:n])
		rest = rest[n:]
	}
	if got := h.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("one Write of %d bytes: %x, in pieces of 1000: %x", len(msg), want, got)
	}
}

func testClone(t *testing.T, h hash.Hash) {
	clone := func(h hash.Hash) hash.Hash {
		t.Helper()
		c, ok := h.(hash.Cloner)
		if !ok {
			t.Fatalf("%T does not implement hash.Cloner", h)
		}
		d, err := c.Clone()
		if err != nil {
			t.Fatalf("Clone: %v", err)
		}
		return d
	}
	msg := Random(3*h.BlockSize(), 11)
	for _, n := range []int{0, 1, h.BlockSize() - 1, h.BlockSize(), h.BlockSize() + 1, 2*h.BlockSize() + 3} {
		whole, head := sumOf(t, h, msg), sumOf(t, h, msg[:n])
		// Writing to h must not change its clone, and vice versa.
		c := clone(h)
		write(t, h, msg[n:])
		if got := c.Sum(nil); !bytes.Equal(got, head) {
			t.Fatalf("cloned after %d bytes: Write to the original changed the clone", n)
		}
		d := clone(c)
		write(t, d, msg[n:])
		if got := c.Sum(nil); !bytes.Equal(got, head) {
			t.Fatalf("cloned after %d bytes: Write to the clone's clone changed the clone", n)
		}
		write(t, c, msg[n:])
		c.Reset()
		for name, got := range map[string][]byte{"original": h.Sum(nil), "clone of the clone": d.Sum(nil)} {
			if !bytes.Equal(got, whole) {
				t.Fatalf("cloned after %d bytes: the %s returned %x, want %x", n, name, got, whole)
			}
		}
	}
}

func testConcurrent(t *testing.T, newHash func() hash.Hash) {
	msg := Random(4*newHash().BlockSize()+5, 12)
	want := sumOf(t, newHash(), msg)
	var wg sync.WaitGroup
	for range 8 {
		h := newHash()
		wg.Go(func() {
			for range 20 {
				h.Reset()
				h.Write(msg)
				if got := h.Sum(nil); !bytes.Equal(got, want) {
					t.Errorf("concurrent Sum = %x, want %x", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func testHashAllocations(t *testing.T, h hash.Hash) {
	msg := Random(3*h.BlockSize()+1, 13)
	sum := make([]byte, 0, h.Size())
	NoAllocations(t, "Reset, Write, Sum", func() {
		h.Reset()
		h.Write(msg[:5])
		h.Write(msg[5:])
		sum = h.Sum(sum[:0])
	})
}

// NoAllocations checks that f does not allocate.
func NoAllocations(t *testing.T, name string, f func()) {
	t.Helper()
	runs := 20
	if Whole() {
		runs = 100
	}
	// The race detector makes sync.Pool drop values at random.
	if n := testing.AllocsPerRun(runs, f); n != 0 && !RaceDetector {
		t.Errorf("%s: %v allocations per run, want 0", name, n)
	}
}
