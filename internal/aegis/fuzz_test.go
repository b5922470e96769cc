// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length of the longest fuzzed text in bytes. It exceeds several steps
// of the widest kernel.
const fuzzMost = 5000

// FuzzSteps compares every implementation with plain Go. It seals and opens whole
// messages, and computes MACs of data absorbed in pieces by changing implementations.
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
		ad := others.Place(c, c.Piece(others.MaxLength()), data)
		text := texts.Fill(c, data)
		n := len(text)
		want, wantTag, wantMAC := make([]byte, n), make([]byte, tagSize), make([]byte, tagSize)
		cipher := cipherOf(v, key, tagSize)
		cryptGeneric(cipher, false, nonce, wantTag, want, text, ad)
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
					t.Errorf("%s: %s, %s of %d bytes with %d bytes of additional data: wrong result", name, variants[v], what, n, len(ad))
				}
			}
			seal(cipher, nonce, tag, out, text, ad)
			check("Seal", out, want, wantTag)
			if !Open(cipher, nonce, wantTag, out, out, ad) {
				t.Errorf("%s: %s, Open of %d bytes rejected a correct tag", name, variants[v], n)
			}
			check("Open", out, text, wantTag)
			clear(tag)
			checkMAC(t, name, v, &pieces, key, nonce, ad, wantMAC)
		})
	})
}

// checkMAC compares the MAC of data absorbed in pieces with want. Some pieces are
// absorbed by other implementations.
func checkMAC(t *testing.T, name string, v Variant, pieces *mactest.Choices, key, nonce, data, want []byte) {
	defer dispatch.Select("aegis", name)
	var s State
	s.Init(v, key, nonce)
	// Leave the end of the data to MAC.
	last := min(len(data), 100)
	last += (len(data) - last) % v.Rate()
	inSomePieces(*pieces, v.Rate(), data[:len(data)-last], append([]string{name}, dispatch.List("aegis")...), s.Absorb)
	before, tag := s, make([]byte, len(want))
	if s.MAC(tag, data[len(data)-last:], uint64(len(data))); !bytes.Equal(tag, want) || s != before {
		t.Errorf("%s: %s, MAC of %d bytes, the last %d by MAC: got %x, want %x and an unchanged state", name, variants[v], len(data), last, tag, want)
	}
}

// inSomePieces splits b into multiples of the rate and a tail, selects an
// implementation for each piece and calls f with it.
func inSomePieces(c mactest.Choices, rate int, b []byte, levels []string, f func(piece []byte)) {
	for len(b) > 0 {
		n := min((c.Piece(len(b))+rate)/rate*rate, len(b))
		dispatch.Select("aegis", levels[c.Below(len(levels))])
		f(b[:n])
		b = b[n:]
	}
}
