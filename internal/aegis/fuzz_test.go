// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length in bytes of the longest texts: some steps of the widest kernel.
const fuzzMost = 5000

// FuzzSteps compares every implementation with plain Go: one call for a whole message, and a
// State to which it comes in pieces, which may be of another implementation each time.
func FuzzSteps(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{1, 16, 0, 64, 0, 3, 5}, []byte("key"), []byte("message"))
	f.Add([]byte{4, 66, 9, 0, 8, 70, 255, 1, 2, 3}, bytes.Repeat([]byte{0xff}, 64), bytes.Repeat([]byte{0xff}, 300))
	f.Add(append([]byte{2}, mactest.Random(60, 3)...), mactest.Random(64, 1), mactest.Random(500, 2))
	texts, others, outputs := mactest.NewFuzzMemory(f, fuzzMost), mactest.NewFuzzMemory(f, 700), mactest.NewFuzzMemory(f, fuzzMost)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, data []byte) {
		c, k := mactest.NewChoices(choices), mactest.NewChoices(keyAndNonce)
		v := Variant(c.Below(len(variants)))
		tagSize := TagSize128 << c.Below(2)
		key, nonce := k.Bytes(v.KeySize()), k.Bytes(v.KeySize())
		ad := others.Place(c, c.Piece(others.Most()), data)
		text := texts.Fill(c, data)
		n := len(text)
		want, wantTag, wantMAC := make([]byte, n), make([]byte, tagSize), make([]byte, tagSize)
		sealGeneric(v, wantTag, want, text, ad, key, nonce)
		var s State
		s.variant = v
		initializeGeneric(&s, key, nonce)
		macGeneric(&s, wantMAC, ad, uint64(len(ad)))
		out := outputs.Place(c, n, nil)
		pieces := *c
		mactest.EachImplementation("aegis", func(name string) {
			tag := make([]byte, tagSize)
			check := func(what string, got, want, wantTag []byte) {
				if !bytes.Equal(got, want) || !bytes.Equal(tag, wantTag) {
					t.Errorf("%s: %s, %s of %d bytes and %d of additional data: wrong", name, variants[v], what, n, len(ad))
				}
			}
			Seal(v, tag, out, text, ad, key, nonce)
			check("Seal", out, want, wantTag)
			if !Open(v, wantTag, out, out, ad, key, nonce) {
				t.Errorf("%s: %s, %d bytes do not open", name, variants[v], n)
			}
			check("Open", out, text, wantTag)
			clear(tag)
			checkSteps(t, name, v, &pieces, key, nonce, ad, text, want, wantTag, wantMAC)
		})
	})
}

// checkSteps does a message in pieces, under this implementation and others by turns.
func checkSteps(t *testing.T, name string, v Variant, pieces *mactest.Choices, key, nonce, ad, text, want, wantTag, wantMAC []byte) {
	defer impl.Select("aegis", name)
	levels := append([]string{name}, impl.List("aegis")...)
	begin := func() (s State) {
		s.Init(v, key, nonce)
		inSomePieces(*pieces, v.Rate(), ad, levels, s.Absorb)
		return s
	}
	s := begin()
	got := bytes.Clone(text)
	inSomePieces(*pieces, v.Rate(), got, levels, func(piece []byte) { s.Encrypt(piece, piece) })
	tag := make([]byte, len(wantTag))
	if s.Finish(tag, uint64(len(ad)), uint64(len(text))); !bytes.Equal(got, want) || !bytes.Equal(tag, wantTag) {
		t.Errorf("%s: %s, %d bytes encrypted in pieces: wrong", name, variants[v], len(text))
	}
	s = begin()
	inSomePieces(*pieces, v.Rate(), got, levels, func(piece []byte) { s.Decrypt(piece, piece) })
	if s.Finish(tag, uint64(len(ad)), uint64(len(text))); !bytes.Equal(got, text) || !bytes.Equal(tag, wantTag) {
		t.Errorf("%s: %s, %d bytes decrypted in pieces: wrong", name, variants[v], len(text))
	}
	// The last whole pieces and the rest stay for the code.
	s.Init(v, key, nonce)
	last := min(len(ad), 100)
	last += (len(ad) - last) % v.Rate()
	s.Absorb(ad[:len(ad)-last])
	before := s
	if s.MAC(tag, ad[len(ad)-last:], uint64(len(ad))); !bytes.Equal(tag, wantMAC) || s != before {
		t.Errorf("%s: %s, code of %d bytes, %d of them last: %x, want %x; or the state changed", name, variants[v], len(ad), last, tag, wantMAC)
	}
}

// inSomePieces cuts b into multiples of the rate and a rest, and selects an implementation for
// each.
func inSomePieces(c mactest.Choices, rate int, b []byte, levels []string, f func(piece []byte)) {
	for len(b) > 0 {
		n := min((c.Piece(len(b))+rate)/rate*rate, len(b))
		impl.Select("aegis", levels[c.Below(len(levels))])
		f(b[:n])
		b = b[n:]
	}
}
