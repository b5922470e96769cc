// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"bytes"
	"math"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestSetCounter checks that x/crypto accepts and rejects the same counters, for every
// block and every number of bytes encrypted before.
func TestSetCounter(t *testing.T) {
	key, nonce := mactest.Random(KeySize, 5), mactest.Random(NonceSize, 6)
	text := make([]byte, 700)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for used := 0; used <= 600; used += 1 + used%3 {
			for counter := range uint32(14) {
				ours, theirs := pair(t, key, nonce)
				ours.XORKeyStream(text[:used], text[:used])
				theirs.XORKeyStream(text[:used], text[:used])
				want := mactest.Panic(func() { theirs.SetCounter(counter) })
				if got := mactest.Panic(func() { ours.SetCounter(counter) }); got != want {
					t.Fatalf("SetCounter(%d) after %d bytes: got panic %q, want %q", counter, used, got, want)
				}
				a, b := make([]byte, 100), make([]byte, 100)
				ours.XORKeyStream(a, a)
				theirs.XORKeyStream(b, b)
				if !bytes.Equal(a, b) {
					t.Fatalf("SetCounter(%d) after %d bytes: got %x, want %x", counter, used, a, b)
				}
			}
		}
	})
}

// TestEnd checks that the last blocks of a stream can be used completely, in any
// pieces, and that no byte after them can.
func TestEnd(t *testing.T) {
	key, nonce := mactest.Random(KeySize, 7), bytes.Repeat([]byte{0xff}, NonceSize)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for blocks := range 20 {
			length := blocks * blockSize
			for _, piece := range []int{1, 7, 63, 64, 65, 255, 256, 257, 2000} {
				ours, theirs := pair(t, key, nonce)
				ours.SetCounter(-uint32(max(blocks, 1)))
				theirs.SetCounter(-uint32(max(blocks, 1)))
				got, want := make([]byte, length), make([]byte, length)
				theirs.XORKeyStream(want, want)
				for at := 0; at < length; at += piece {
					end := min(at+piece, length)
					ours.XORKeyStream(got[at:end], got[at:end])
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("last %d blocks in pieces of %d bytes: got %x, want %x", blocks, piece, got, want)
				}
				if blocks == 0 {
					continue
				}
				one := []byte{1}
				if text := mactest.Panic(func() { ours.XORKeyStream(one, one) }); text != "chacha20: counter overflow" || one[0] != 1 {
					t.Fatalf("after the last block: got panic %q and output %x, want a counter overflow and unchanged output", text, one)
				}
				if text := mactest.Panic(func() { ours.SetCounter(math.MaxUint32) }); text != "chacha20: SetCounter attempted to rollback counter" {
					t.Fatalf("SetCounter after the last block: got panic %q", text)
				}
			}
			// Requesting one byte too many changes nothing, and the remaining bytes can
			// still be used.
			if blocks > 0 {
				c, again := newCipher(t, key, nonce), newCipher(t, key, nonce)
				c.SetCounter(-uint32(blocks))
				again.SetCounter(-uint32(blocks))
				buf := make([]byte, length+1)
				if text := mactest.Panic(func() { c.XORKeyStream(buf, buf) }); text != "chacha20: counter overflow" || !bytes.Equal(buf, make([]byte, length+1)) {
					t.Fatalf("%d bytes in the last %d blocks: got panic %q and output %x, want a counter overflow and unchanged output", length+1, blocks, text, buf)
				}
				want := make([]byte, length)
				c.XORKeyStream(buf[:length], buf[:length])
				if again.XORKeyStream(want, want); !bytes.Equal(buf[:length], want) {
					t.Fatal("the call that panicked changed the stream")
				}
			}
		}
	})
}

// TestNoWrap is the program in doc/xcrypto-chacha20-arm64.md: four blocks are left, a
// few bytes are used, and then more bytes are requested than the stream has.
func TestNoWrap(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for left := uint32(1); left <= 20; left++ {
			c, err := NewUnauthenticatedCipher(make([]byte, KeySize), make([]byte, NonceSize))
			if err != nil {
				t.Fatal(err)
			}
			c.SetCounter(-left)
			c.XORKeyStream(make([]byte, 10), make([]byte, 10))
			rest := make([]byte, left*blockSize-10+1)
			if got := mactest.Panic(func() { c.XORKeyStream(rest, rest) }); got != "chacha20: counter overflow" {
				t.Errorf("%d blocks left, one byte too many: got panic %q, want a counter overflow", left, got)
			}
			if !bytes.Equal(rest, make([]byte, len(rest))) {
				t.Errorf("%d blocks left: text was encrypted before the panic", left)
			}
		}
	})
}
