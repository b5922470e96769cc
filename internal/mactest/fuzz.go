// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"encoding/binary"
	"hash"
	"testing"
)

// Choices makes decisions using the bytes of a fuzzer's input.
type Choices struct {
	rest []byte
}

// NewChoices returns Choices that read b.
func NewChoices(b []byte) *Choices { return &Choices{b} }

// Done reports whether all bytes have been read.
func (c *Choices) Done() bool { return len(c.rest) == 0 }

// Bytes returns the next n bytes.
func (c *Choices) Bytes(n int) []byte {
	b := make([]byte, n)
	c.rest = c.rest[copy(b, c.rest):] // after the last byte, the decisions are zeros
	return b
}

// Uint64 returns the next 8 bytes as a little-endian number.
func (c *Choices) Uint64() uint64 { return binary.LittleEndian.Uint64(c.Bytes(8)) }

// Below reads one or two bytes and returns a number below n.
func (c *Choices) Below(n int) int {
	if n <= 256 {
		return int(c.Bytes(1)[0]) % n
	}
	return int(binary.LittleEndian.Uint16(c.Bytes(2))) % n
}

// Length returns a number from 0 to limit. It reads two bytes.
func (c *Choices) Length(limit int) int { return c.Below(max(limit, 256)+1) % (limit + 1) }

// Piece chooses how many of the remaining bytes to process next.
func (c *Choices) Piece(rest int) int {
	if c.Done() {
		return rest
	}
	n := int(c.Bytes(1)[0])
	if n >= 64 {
		// A few long pieces, near multiples of 64, cover a long message.
		n = (n-60)/4*64 + n%4 - 2
	}
	return min(n, rest)
}

// WritePieces writes msg to h in several calls and returns the resulting hash, which
// may be a clone of h.
func (c Choices) WritePieces(t testing.TB, h hash.Cloner, msg []byte) hash.Cloner {
	t.Helper()
	var sums [][]byte
	for rest := msg; ; {
		n := c.Piece(len(rest))
		h.Write(rest[:n])
		if rest = rest[n:]; len(rest) == 0 {
			break
		}
		if n%8 == 0 {
			// Finish the original, and continue with the clone.
			clone, err := h.Clone()
			if err != nil {
				t.Fatal(err)
			}
			h.Write(rest)
			sums = append(sums, h.Sum(nil))
			h = clone
		}
	}
	// All clones must return the same sum.
	for _, sum := range sums {
		if got := h.Sum(nil); !bytes.Equal(got, sum) {
			t.Errorf("%d bytes: the clone returned %x, the original %x", len(msg), got, sum)
		}
	}
	return h
}

// A FuzzMemory is guarded memory for the input of a fuzz target.
type FuzzMemory struct {
	guarded *Guarded
	limit   int
}

// NewFuzzMemory returns memory for a single input of at most limit bytes.
func NewFuzzMemory(f *testing.F, limit int) *FuzzMemory {
	return &FuzzMemory{NewGuarded(f, limit+64), limit}
}

// Fill returns guarded memory filled with repetitions of data. c chooses the length.
func (m *FuzzMemory) Fill(c *Choices, data []byte) []byte {
	return m.Place(c, c.Length(m.limit), data)
}

// Place is like Fill, but the result has length n.
func (m *FuzzMemory) Place(c *Choices, n int, data []byte) []byte {
	// b ends just before an inaccessible page.
	b := m.guarded.Back(n)
	if offset := c.Below(128); offset < 64 { // or begins soon after one
		b = m.guarded.Front(offset + n)[offset:]
	}
	clear(b)
	for rest := b; len(rest) > 0 && len(data) > 0; {
		rest = rest[copy(rest, data):]
	}
	return b
}

// MaxLength returns the maximum length of an input.
func (m *FuzzMemory) MaxLength() int { return m.limit }
