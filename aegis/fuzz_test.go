// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length of the longest fuzzed message in bytes. It exceeds several
// steps of the widest kernel and a MAC's buffer.
const fuzzMost = 5000

// FuzzSeal compares every implementation with plain Go: it seals after a prefix and in
// place, opens the result, and opens a forgery.
func FuzzSeal(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{1, 1, 16, 0, 64, 0, 3, 5}, []byte("key"), []byte("message"))
	f.Add([]byte{5, 0, 66, 9, 0, 8, 70, 255}, bytes.Repeat([]byte{0xff}, 64), bytes.Repeat([]byte{0xff}, 300))
	f.Add([]byte{3, 1, 0, 0, 140, 5, 80, 3, 5}, mactest.Random(64, 1), mactest.Random(500, 2))
	messages, others := mactest.NewFuzzMemory(f, fuzzMost), mactest.NewFuzzMemory(f, 700)
	outputs := mactest.NewFuzzMemory(f, fuzzMost+32+256)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, text []byte) {
		defer dispatch.Reset("aegis")
		c, k := mactest.NewChoices(choices), mactest.NewChoices(keyAndNonce)
		v := variants[c.Below(len(variants))]
		size := 16 << c.Below(2)
		data := others.Place(c, c.Piece(others.MaxLength()), text)
		plaintext := messages.Fill(c, text)
		prefix, flip := c.Below(256), c.Below(1<<16)
		a, nonce := mustAEAD(t, v.Variant, k.Bytes(v.KeySize()), size), k.Bytes(v.NonceSize())
		n := len(plaintext)
		dispatch.Select("aegis", dispatch.Generic)
		want := a.Seal(nil, nonce, plaintext, data)
		buf := outputs.Place(c, prefix+n+size, []byte{0xee})
		head := bytes.Repeat([]byte{0xee}, prefix)
		mactest.EachImplementation("aegis", func(name string) {
			check := func(how string, got, want []byte, err error) {
				if err != nil || !bytes.Equal(got, append(bytes.Clone(head), want...)) {
					t.Errorf("%s: %v, %d bytes, %d bytes of additional data, %s after %d bytes: got wrong result or error %v", name, v.Variant, n, len(data), how, prefix, err)
				}
			}
			check("sealed", a.Seal(buf[:prefix:prefix+n+size], nonce, plaintext, data), want, nil)
			copy(buf[prefix:], plaintext)
			check("sealed in place", a.Seal(buf[:prefix], nonce, buf[prefix:prefix+n], data), want, nil)
			opened, err := a.Open(bytes.Clone(head), nonce, buf[prefix:], data)
			check("opened", opened, plaintext, err)
			opened, err = a.Open(buf[:prefix], nonce, buf[prefix:], data)
			check("opened in place", opened, plaintext, err)
			copy(buf[prefix:], want)
			buf[prefix+flip/8%(n+size)] ^= 1 << (flip % 8)
			if opened, err := a.Open(buf[:prefix], nonce, buf[prefix:], data); opened != nil || err != errOpen || !bytes.Equal(buf[prefix:prefix+n], make([]byte, n)) {
				t.Errorf("%s: %v, %d bytes: Open of a forgery: got error %v, want nil, %v and zeros in the output", name, v.Variant, n, err, errOpen)
			}
		})
	})
}

// FuzzMAC compares the tags of every implementation with plain Go, for messages written
// at once and in pieces.
func FuzzMAC(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{0, 1, 34, 0, 3, 3, 31}, make([]byte, 64), []byte("message"))
	f.Add(append([]byte{5, 0, 0xff, 15, 65}, bytes.Repeat([]byte{82}, 30)...), mactest.Random(64, 1), mactest.Random(200, 2))
	memory := mactest.NewFuzzMemory(f, fuzzMost)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, data []byte) {
		defer dispatch.Reset("aegis")
		c, k := mactest.NewChoices(choices), mactest.NewChoices(keyAndNonce)
		v := variants[c.Below(len(variants))]
		size := 16 << c.Below(2)
		key, nonce := k.Bytes(v.KeySize()), k.Bytes(v.NonceSize())
		msg := memory.Fill(c, data)
		dispatch.Select("aegis", dispatch.Generic)
		m := mustMAC(t, v.Variant, key, nonce, size)
		m.Write(msg)
		want := m.Sum(nil)
		pieces := *c
		mactest.EachImplementation("aegis", func(name string) {
			m := pieces.WritePieces(t, mustMAC(t, v.Variant, key, nonce, size), msg).(*MAC)
			if got := m.Sum(nil); !bytes.Equal(got, want) || !m.Verify(want) {
				t.Errorf("%s: %v, %d bytes: got %x, want %x", name, v.Variant, len(msg), got, want)
			}
			m.Reset()
			m.Write(msg)
			if got := m.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%s: %v, %d bytes, after Reset: got %x, want %x", name, v.Variant, len(msg), got, want)
			}
		})
	})
}
