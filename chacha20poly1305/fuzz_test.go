// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length of the longest fuzzed message in bytes. It exceeds several
// steps of the widest kernel.
const fuzzMost = 9000

// FuzzSeal compares every implementation with x/crypto: it seals after a prefix and in
// place, opens the result, and opens a forgery.
func FuzzSeal(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{1, 16, 0, 64, 0, 3, 5}, []byte("key"), []byte("message"))
	f.Add([]byte{0, 66, 9, 0, 8, 70, 255}, bytes.Repeat([]byte{0xff}, 56), bytes.Repeat([]byte{0xff}, 300))
	f.Add([]byte{0, 0, 0, 140, 5, 80, 3, 5}, mactest.Random(56, 1), mactest.Random(500, 2))
	messages, others := mactest.NewFuzzMemory(f, fuzzMost), mactest.NewFuzzMemory(f, 700)
	outputs := mactest.NewFuzzMemory(f, fuzzMost+OverheadSIV+256)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, text []byte) {
		c, k := mactest.NewChoices(choices), mactest.NewChoices(keyAndNonce)
		alg := algorithms[c.Below(len(algorithms))]
		data := others.Place(c, c.Piece(others.MaxLength()), text)
		plaintext := messages.Fill(c, text)
		prefix, flip := c.Below(256), c.Below(1<<16)
		key, nonce := k.Bytes(KeySize), k.Bytes(alg.nonceSize)
		n := len(plaintext)
		want := mustAEAD(t, alg.upstream, key).Seal(nil, nonce, plaintext, data)
		buf := outputs.Place(c, prefix+n+alg.overhead, []byte{0xee})
		head := bytes.Repeat([]byte{0xee}, prefix)
		mactest.EachImplementation("chacha20poly1305", func(name string) {
			a := mustAEAD(t, alg.newAEAD, key)
			check := func(how string, got, want []byte, err error) {
				if err != nil || !bytes.Equal(got, append(bytes.Clone(head), want...)) {
					t.Errorf("%s: %s, %d bytes, %d bytes of additional data, %s after %d bytes: got wrong result or error %v", name, alg.name, n, len(data), how, prefix, err)
				}
			}
			check("sealed", a.Seal(buf[:prefix:prefix+n+alg.overhead], nonce, plaintext, data), want, nil)
			copy(buf[prefix:], plaintext)
			check("sealed in place", a.Seal(buf[:prefix], nonce, buf[prefix:prefix+n], data), want, nil)
			opened, err := a.Open(bytes.Clone(head), nonce, buf[prefix:], data)
			check("opened", opened, plaintext, err)
			opened, err = a.Open(buf[:prefix], nonce, buf[prefix:], data)
			check("opened in place", opened, plaintext, err)
			copy(buf[prefix:], want)
			buf[prefix+flip/8%(n+alg.overhead)] ^= 1 << (flip % 8)
			if opened, err := a.Open(buf[:prefix], nonce, buf[prefix:], data); opened != nil || err != errOpen || !bytes.Equal(buf[prefix:prefix+n], make([]byte, n)) {
				t.Errorf("%s: %s, %d bytes: Open of a forgery: got error %v, want nil, %v and zeros in the output", name, alg.name, n, err, errOpen)
			}
		})
	})
}

// FuzzBatch compares batches with single calls, and opens them with some packets
// forged.
func FuzzBatch(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{0, 20, 0, 64, 3, 70, 1, 65, 0, 90, 9}, []byte("key"), []byte("message"))
	f.Add(append([]byte{1, 40}, mactest.Random(200, 3)...), mactest.Random(700, 1), mactest.Random(3000, 2))
	f.Fuzz(func(t *testing.T, choices, keyAndNonces, text []byte) {
		c, k := mactest.NewChoices(choices), mactest.NewChoices(keyAndNonces)
		alg := algorithms[c.Below(len(algorithms))]
		key := k.Bytes(KeySize)
		packets := make([]Packet, c.Below(70))
		var want [][]byte
		a := mustAEAD(t, alg.newAEAD, key)
		upstream := mustAEAD(t, alg.upstream, key)
		for i := range packets {
			p := &packets[i]
			// Packets may share the text, because it is only read.
			p.Text = text[:c.Piece(len(text))]
			p.AdditionalData = text[:c.Below(24)%(len(text)+1)]
			p.Nonce = k.Bytes(alg.nonceSize)
			want = append(want, upstream.Seal(nil, p.Nonce, p.Text, p.AdditionalData))
		}
		pieces := *c
		mactest.EachImplementation("chacha20poly1305", func(name string) {
			c := pieces
			again := make([]Packet, len(packets))
			copy(again, packets)
			SealBatch(a, again)
			forged := 0
			for i := range again {
				p := &again[i]
				if !bytes.Equal(p.Dst, want[i]) {
					t.Fatalf("%s: packet %d of %d, %d bytes: SealBatch and Seal differ", name, i, len(packets), len(p.Text))
				}
				p.Text, p.Dst = p.Dst, p.Dst[:0]
				if flip := c.Below(256); flip%5 == 1 {
					p.Text[flip%len(p.Text)] ^= byte(flip)
					p.Nonce = bytes.Clone(p.Nonce)
					forged++
				} else {
					p.OK = true // the packet is authentic
				}
			}
			authentic := make([]bool, len(again))
			for i := range again {
				authentic[i], again[i].OK = again[i].OK, false
			}
			if got, err := OpenBatch(a, again); got != len(again)-forged || (err != nil) != (forged > 0) {
				t.Fatalf("%s: OpenBatch = %d, %v, want %d, and an error if packets are forged", name, got, err, len(again)-forged)
			}
			for i, p := range again {
				if p.OK != authentic[i] || p.OK && !bytes.Equal(p.Dst, packets[i].Text) || !p.OK && len(p.Dst) > 0 {
					t.Fatalf("%s: packet %d of %d, %d bytes: OK = %t, want %t, and the plaintext only if OK", name, i, len(packets), len(packets[i].Text), p.OK, authentic[i])
				}
			}
		})
	})
}
