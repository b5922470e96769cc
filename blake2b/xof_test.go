// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"fmt"
	"hash"
	"io"
	"math"
	"testing"

	xcrypto "golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/internal/mactest"
)

var _ hash.XOF = must(NewXOF(1, nil)).(hash.XOF)

// TestXOF compares whole outputs with x/crypto's, for every length up to ten nodes and
// some longer ones, with messages and keys of many lengths.
func TestXOF(t *testing.T) {
	lengths := []uint32{1000, 1023, 1024, 1025, 4096, 70001}
	for n := range uint32(10*Size + 2) {
		lengths = append(lengths, n)
	}
	text := mactest.Random(700, 5)
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for i, n := range lengths {
			key, msg := text[:i%(Size+1)], text[:(11*i)%600]
			ours, theirs := must(NewXOF(n, key)), must(xcrypto.NewXOF(n, key))
			length := int(n)
			if n == OutputLengthUnknown {
				length = 2000
			}
			want := make([]byte, length)
			theirs.Write(msg)
			must(io.ReadFull(theirs, want))
			for round := range 2 {
				ours.Write(msg[:len(msg)/2])
				ours.Write(msg[len(msg)/2:])
				got := make([]byte, length)
				if _, err := io.ReadFull(ours, got); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("output of %d bytes, round %d: got %x, error %v, want %x", n, round, got, err, want)
				}
				if n, err := ours.Read(make([]byte, 1)); length != 2000 && (n != 0 || err != io.EOF) {
					t.Fatalf("Read after all %d bytes = %d, %v, want 0, io.EOF", length, n, err)
				}
				ours.Reset()
			}
		}
	})
}

// TestXOFReads reads outputs in pieces of any length, including from clones.
func TestXOFReads(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for seed := range uint64(300) {
			c := mactest.NewChoices(mactest.Random(60, seed))
			reads(t, c, uint32(c.Below(3000)), mactest.Random(int(seed), 6))
		}
	})
}

// reads reads two outputs in pieces chosen by c and compares them.
func reads(t testing.TB, c *mactest.Choices, length uint32, msg []byte) {
	t.Helper()
	ours, theirs := must(NewXOF(length, msg[:min(len(msg), 9)])), must(xcrypto.NewXOF(length, msg[:min(len(msg), 9)]))
	ours.Write(msg)
	theirs.Write(msg)
	for range 100 {
		n := c.Piece(1 << 20)
		if c.Done() {
			break
		}
		if n%7 == 0 {
			clone := ours.Clone()
			ours.Read(make([]byte, 100))
			ours = clone
		}
		got, want := make([]byte, n), make([]byte, n)
		n1, err1 := ours.Read(got)
		n2, err2 := theirs.Read(want)
		if n1 != n2 || err1 != err2 || !bytes.Equal(got, want) {
			t.Fatalf("output of %d bytes, Read of %d bytes = %d, %v and %x, want %d, %v and %x", length, n, n1, err1, got, n2, err2, want)
		}
	}
}

func TestXOFErrors(t *testing.T) {
	for _, size := range []uint32{0, 1, math.MaxUint32 - 1, math.MaxUint32} {
		for n := range 70 {
			_, err := NewXOF(size, make([]byte, n))
			_, want := xcrypto.NewXOF(size, make([]byte, n))
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("output of %d bytes, key of %d bytes: got error %v, want %v", size, n, err, want)
			}
		}
	}
	ours, theirs := must(NewXOF(10, nil)), must(xcrypto.NewXOF(10, nil))
	ours.Read(nil)
	theirs.Read(nil)
	want := mactest.Panic(func() { theirs.Write(nil) })
	if got := mactest.Panic(func() { ours.Write(nil) }); got == "" || got != want {
		t.Errorf("Write after Read: got panic %q, want %q", got, want)
	}
}

// TestXOFEnd checks the last nodes of an output of unknown length, whose numbers end at
// 2^32 - 1, and that the output ends after them.
func TestXOFEnd(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		x := must(NewXOF(OutputLengthUnknown, nil)).(*xof)
		x.Read(nil)
		x.offset = maxOutput - 5*Size
		out := make([]byte, 6*Size)
		if n, err := x.Read(out); n != 5*Size || err != nil {
			t.Fatalf("Read of the last nodes = %d, %v, want %d, nil", n, err, 5*Size)
		}
		for i := range 5 {
			var want [Size]byte
			x.output.Node(&want, uint32(i)-5, Size)
			if !bytes.Equal(out[i*Size:(i+1)*Size], want[:]) {
				t.Errorf("node %d before the end: got %x, want %x", 5-i, out[i*Size:(i+1)*Size], want)
			}
		}
		if n, err := x.Read(out); n != 0 || err != io.EOF {
			t.Errorf("Read after the end = %d, %v, want 0, io.EOF", n, err)
		}
	})
}
