// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package packet

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// The tests of package sshpatch compare packets with those of x/crypto/ssh.

func newCipher(t *testing.T) *ChaCha20Poly1305 {
	t.Helper()
	c, err := NewChaCha20Poly1305(mactest.Random(64, 1))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestBuffers checks that a cipher uses no more memory than its largest packet needs,
// and that a packet with a length above the limit causes no allocation.
func TestBuffers(t *testing.T) {
	w, r := newCipher(t), newCipher(t)
	if n := cap(w.buf); n > 512 {
		t.Errorf("a new cipher has a buffer of %d bytes, want at most 512", n)
	}
	for seq, n := range []int{10, 40000, 100, 30000, 65536, 1} {
		var wire bytes.Buffer
		if err := w.WritePacket(uint32(seq), &wire, bytes.NewReader(make([]byte, 64)), make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadPacket(uint32(seq), &wire); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*ChaCha20Poly1305{w, r} {
		if n := cap(c.buf); n < 65536 || n > 65536+128 {
			t.Errorf("after a packet of 65,536 bytes, the buffer has %d bytes, want up to 128 more than the packet", n)
		}
	}
	_, err := newCipher(t).ReadPacket(0, bytes.NewReader(bytes.Repeat([]byte{0xff}, 100)))
	if !errors.Is(err, errTooLarge) {
		t.Errorf("got error %v, want %v", err, errTooLarge)
	}
}

// TestLengthsFirst checks that ReadPacket requests only the length field before it knows
// the length, and then only the rest of the packet.
func TestLengthsFirst(t *testing.T) {
	var wire bytes.Buffer
	if err := newCipher(t).WritePacket(5, &wire, bytes.NewReader(make([]byte, 64)), make([]byte, 500)); err != nil {
		t.Fatal(err)
	}
	n := wire.Len()
	wire.WriteString("the next packet")
	r := &askedReader{r: &wire}
	if _, err := newCipher(t).ReadPacket(5, r); err != nil {
		t.Fatal(err)
	}
	if len(r.asked) != 2 || r.asked[0] != 4 || r.asked[1] != n-4 {
		t.Errorf("requested %d bytes, want [4 %d]", r.asked, n-4)
	}
}

// askedReader records the number of bytes that each Read requests.
type askedReader struct {
	r     io.Reader
	asked []int
}

func (r *askedReader) Read(p []byte) (int, error) {
	r.asked = append(r.asked, len(p))
	return r.r.Read(p)
}

func TestKeySizes(t *testing.T) {
	for _, n := range []int{0, 32, 63, 65} {
		if _, err := NewChaCha20Poly1305(make([]byte, n)); err == nil {
			t.Errorf("NewChaCha20Poly1305 accepts a key of %d bytes", n)
		}
	}
}
