// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length of the longest fuzzed message in bytes. It exceeds two of the
// widest steps and their tails.
const fuzzMost = 3 * 1024

// outside is like XORKeyStream, but calls x/crypto. The counter's high half must not
// change.
func outside(tb testing.TB, dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	tb.Helper()
	rfcNonce := binary.LittleEndian.AppendUint32(nil, uint32(counter>>32))
	c, err := chacha20.NewUnauthenticatedCipher(key[:], append(rfcNonce, nonce[:]...))
	if err != nil {
		tb.Fatal(err)
	}
	c.SetCounter(uint32(counter))
	c.XORKeyStream(dst, src)
}

// FuzzXORKeyStream compares every implementation with the reference and with x/crypto,
// in a single call, and in place in pieces. The fuzzer chooses the counter, which may
// be close to a wrap of its low half, the length of the message, the alignments of
// input and output, and the pieces.
func FuzzXORKeyStream(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 70, 3}, []byte("key"), []byte("a short message"))
	f.Add([]byte{9, 1, 0, 0, 0, 0, 0, 0, 0, 0, 8, 64, 64, 1, 2, 3, 4}, bytes.Repeat([]byte{0xff}, 40), []byte{0})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 12, 1, 2, 4, 200}, mactest.Random(40, 1), mactest.Random(77, 2))
	for _, n := range []int{1, 63, 64, 65, 128, 129, 256, 257, 512, 513, 1024, 1025, 2048, 3072} {
		f.Add([]byte{byte(1 + n/128), 2, 0, 0, 0, 0, 0, 0, 0, byte(n), byte(n >> 8), 70, 65, 1}, bytes.Repeat([]byte{0xff}, 40), []byte("text"))
	}
	sources, outputs := mactest.NewFuzzMemory(f, fuzzMost), mactest.NewFuzzMemory(f, fuzzMost)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, data []byte) {
		k := mactest.NewChoices(keyAndNonce)
		key, nonce := [KeySize]byte(k.Bytes(KeySize)), [NonceSize]byte(k.Bytes(NonceSize))
		c := mactest.NewChoices(choices)
		near := c.Below(64)
		counter := c.Uint64()
		if near > 0 {
			counter = counter<<32 - uint64(near)
		}
		src := sources.Fill(c, data)
		counter = min(counter, math.MaxUint64-fuzzMost/BlockSize)
		dst := outputs.Place(c, len(src), nil)
		want := make([]byte, len(src))
		reference(want, src, &key, &nonce, counter)
		if uint64(uint32(counter))+fuzzMost/BlockSize < 1<<32 {
			got := make([]byte, len(src))
			if outside(t, got, src, &key, &nonce, counter); !bytes.Equal(got, want) {
				t.Fatalf("x/crypto: %d bytes from block %x: got %x, want %x", len(src), counter, got, want)
			}
		}
		pieces := *c
		mactest.EachImplementation("chacha20", func(name string) {
			clear(dst)
			if XORKeyStream(dst, src, &key, &nonce, counter); !bytes.Equal(dst, want) {
				t.Errorf("%s: %d bytes from block %x: got %x, want %x", name, len(src), counter, dst, want)
			}
			// In place, in multiples of a block.
			copy(dst, src)
			at := counter
			for c, rest := pieces, dst; len(rest) > 0; {
				n := c.Piece(len(rest))
				if n < len(rest) {
					n = min((n+1)*BlockSize, len(rest))
				}
				XORKeyStream(rest[:n], rest[:n], &key, &nonce, at)
				at += uint64((n + BlockSize - 1) / BlockSize)
				rest = rest[n:]
			}
			if !bytes.Equal(dst, want) {
				t.Errorf("%s: %d bytes from block %x in place and in pieces: got %x, want %x", name, len(src), counter, dst, want)
			}
		})
	})
}

// FuzzHChaCha20 compares every implementation of HChaCha20, XChaCha20 and RFC 8439's
// keystream with x/crypto.
func FuzzHChaCha20(f *testing.F) {
	f.Add([]byte(nil), uint16(0), uint32(0))
	f.Add(bytes.Repeat([]byte{0xff}, 56), uint16(100), uint32(math.MaxUint32))
	f.Add(mactest.Random(56, 1), uint16(700), uint32(math.MaxUint32-5))
	f.Fuzz(func(t *testing.T, keyAndNonce []byte, length uint16, counter uint32) {
		k := mactest.NewChoices(keyAndNonce)
		key, nonce := [KeySize]byte(k.Bytes(KeySize)), [NonceSizeX]byte(k.Bytes(NonceSizeX))
		n := int(length) % 1000
		want, err := chacha20.HChaCha20(key[:], nonce[:16])
		if err != nil {
			t.Fatal(err)
		}
		var plain [KeySize]byte
		if hChaCha20Generic(&plain, &key, (*[16]byte)(nonce[:])); !bytes.Equal(plain[:], want) {
			t.Errorf("plain Go: HChaCha20 = %x, want %x", plain, want)
		}
		counter = min(counter, math.MaxUint32-uint32(n/BlockSize))
		wantX, wantRFC := make([]byte, n), make([]byte, n)
		reference(wantX, wantX, (*[KeySize]byte)(want), (*[NonceSize]byte)(nonce[16:]), uint64(counter))
		rfc, err := chacha20.NewUnauthenticatedCipher(key[:], nonce[:NonceSizeRFC])
		if err != nil {
			t.Fatal(err)
		}
		rfc.SetCounter(counter)
		rfc.XORKeyStream(wantRFC, wantRFC)
		mactest.EachImplementation("chacha20", func(name string) {
			var out [KeySize]byte
			if HChaCha20(&out, &key, (*[16]byte)(nonce[:])); !bytes.Equal(out[:], want) {
				t.Errorf("%s: HChaCha20 = %x, want %x", name, out, want)
			}
			got := make([]byte, n)
			s := StreamX(&key, &nonce)
			if s.XORKeyStream(got, got, uint64(counter)); !bytes.Equal(got, wantX) {
				t.Errorf("%s: XChaCha20, %d bytes from block %x: got %x, want %x", name, n, counter, got, wantX)
			}
			if KeyStream(got, &key, (*[NonceSizeRFC]byte)(nonce[:]), counter); !bytes.Equal(got, wantRFC) {
				t.Errorf("%s: KeyStream, %d bytes from block %x: got %x, want %x", name, n, counter, got, wantRFC)
			}
		})
	})
}
