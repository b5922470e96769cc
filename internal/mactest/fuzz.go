// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package mactest

import (
	"bytes"
	"encoding/binary"
	"hash"
	"testing"
)

// Choices derives decisions from a fuzzer's bytes, so that changing a byte changes a
// decision. When the bytes are used up, it returns zeros.
type Choices struct {
	rest []byte
}

// NewChoices returns Choices that read b.
func NewChoices(b []byte) *Choices { return &Choices{b} }

// Done reports whether all bytes have been read.
func (c *Choices) Done() bool { return len(c.rest) == 0 }

// Bytes reads n bytes.
func (c *Choices) Bytes(n int) []byte {
	b := make([]byte, n)
	c.rest = c.rest[copy(b, c.rest):]
	return b
}

// Uint64 reads 8 bytes.
func (c *Choices) Uint64() uint64 { return binary.LittleEndian.Uint64(c.Bytes(8)) }

// Below returns a number from 0 to n-1. It reads one byte if n is at most 256 and two
// otherwise.
func (c *Choices) Below(n int) int {
	if n <= 256 {
		return int(c.Bytes(1)[0]) % n
	}
	return int(binary.LittleEndian.Uint16(c.Bytes(2))) % n
}

// Length returns a number from 0 to most. It reads two bytes.
func (c *Choices) Length(most int) int { return c.Below(max(most, 256)+1) % (most + 1) }

// Piece returns the length of the next piece of a message with rest bytes left. It
// reads one byte: small values are lengths up to 63, and others are close to multiples
// of 64, so that few pieces reach far. The last piece is everything that is left.
func (c *Choices) Piece(rest int) int {
	if c.Done() {
		return rest
	}
	n := int(c.Bytes(1)[0])
	if n >= 64 {
		n = (n-60)/4*64 + n%4 - 2
	}
	return min(n, rest)
}

// WritePieces writes msg to h in pieces. From time to time it continues with a clone,
// writes the rest to the original in one piece, and checks that both return the same
// sum. It returns the value that it continued with last.
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
			clone, err := h.Clone()
			if err != nil {
				t.Fatal(err)
			}
			h.Write(rest)
			sums = append(sums, h.Sum(nil))
			h = clone
		}
	}
	for _, sum := range sums {
		if got := h.Sum(nil); !bytes.Equal(got, sum) {
			t.Errorf("%d bytes: one clone returned %x, the other %x", len(msg), got, sum)
		}
	}
	return h
}

// A FuzzMemory is guarded memory for the input of a fuzz target.
type FuzzMemory struct {
	guarded *Guarded
	most    int
}

// NewFuzzMemory returns memory for inputs of at most most bytes. A target that needs
// several inputs at a time needs a FuzzMemory for each.
func NewFuzzMemory(f *testing.F, most int) *FuzzMemory {
	return &FuzzMemory{NewGuarded(f, most+64), most}
}

// Fill returns data, repeated or truncated to a length chosen by c, directly before an
// inaccessible page or at one of 64 offsets from it.
func (m *FuzzMemory) Fill(c *Choices, data []byte) []byte {
	return m.Place(c, c.Length(m.most), data)
}

// Place is like Fill, but with length n.
func (m *FuzzMemory) Place(c *Choices, n int, data []byte) []byte {
	b := m.guarded.Back(n)
	if offset := c.Below(128); offset < 64 {
		b = m.guarded.Front(offset + n)[offset:]
	}
	clear(b)
	for rest := b; len(rest) > 0 && len(data) > 0; {
		rest = rest[copy(rest, data):]
	}
	return b
}

// Most returns the maximum length of an input.
func (m *FuzzMemory) Most() int { return m.most }
