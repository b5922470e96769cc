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

// The bytes of packets are compared with those of x/crypto/ssh in package sshpatch.

func newCiphers(t *testing.T) map[string]func() Cipher {
	must := func(c Cipher, err error) Cipher {
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	return map[string]func() Cipher{
		"chacha20-poly1305": func() Cipher { return must(NewChaCha20Poly1305(mactest.Random(64, 1))) },
		"ctr": func() Cipher {
			mac, err := NewUMAC(mactest.Random(16, 2), 16)
			if err != nil {
				t.Fatal(err)
			}
			return must(NewCTR(mactest.Random(16, 3), mactest.Random(16, 4), mac))
		},
	}
}

// TestBuffers checks that a cipher keeps no more memory than its largest packet needs,
// and that a packet whose length is too large costs none.
func TestBuffers(t *testing.T) {
	size := func(c Cipher) int {
		switch c := c.(type) {
		case *ChaCha20Poly1305:
			return cap(c.buf)
		case *CTR:
			return cap(c.buf)
		}
		panic("another cipher")
	}
	for name, create := range newCiphers(t) {
		w, r := create(), create()
		small := size(w)
		if small > 512 {
			t.Errorf("%s: a new cipher has a buffer of %d bytes", name, small)
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
		for _, c := range []Cipher{w, r} {
			if got := size(c); got < 65536 || got > 65536+128 {
				t.Errorf("%s: a buffer of %d bytes after a packet of 65536", name, got)
			}
		}
		_, err := create().ReadPacket(0, bytes.NewReader(bytes.Repeat([]byte{0xff}, 100)))
		if !errors.Is(err, errTooLarge) {
			t.Errorf("%s: %v, want %v", name, err, errTooLarge)
		}
	}
}

// TestLengthsFirst checks that a reader asks for no more than the length before it
// knows that, and then for no more than the packet.
func TestLengthsFirst(t *testing.T) {
	for name, create := range newCiphers(t) {
		var wire bytes.Buffer
		if err := create().WritePacket(5, &wire, bytes.NewReader(make([]byte, 64)), make([]byte, 500)); err != nil {
			t.Fatal(err)
		}
		n := wire.Len()
		wire.WriteString("the next packet")
		r := &askedReader{r: &wire}
		if _, err := create().ReadPacket(5, r); err != nil {
			t.Fatal(err)
		}
		if len(r.asked) != 2 || r.asked[0] != 4 || r.asked[1] != n-4 {
			t.Errorf("%s: asked for %d bytes of a packet of %d", name, r.asked, n)
		}
	}
}

// askedReader notes how many bytes it is asked for.
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
			t.Errorf("NewChaCha20Poly1305 takes a key of %d bytes", n)
		}
	}
	if _, err := NewCTR(make([]byte, 15), make([]byte, 16), UMAC{}); err == nil {
		t.Error("NewCTR takes a key of 15 bytes")
	}
}
