// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"bytes"
	"testing"

	//lint:ignore SA1019 deprecated for those who would build on it; here it is a reference
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

// fuzzMost is the length of the longest fuzzed message in bytes. It exceeds the largest
// step of every kernel with its tail, and the length at which a MAC allocates its
// table.
const fuzzMost = 6000

// FuzzPoly1305 compares every implementation with x/crypto, for messages hashed at once
// and in pieces. The fuzzer chooses the length, alignment and split of the message.
func FuzzPoly1305(f *testing.F) {
	ones := bytes.Repeat([]byte{0xff}, KeySize)
	f.Add([]byte{16, 0, 64}, []byte{2}, ones[:16])
	f.Add([]byte{34, 0, 3, 3, 31}, make([]byte, KeySize), []byte(ietf))
	f.Add([]byte{0, 16, 9, 64, 65, 66, 67, 128, 129, 130, 131, 192, 64, 64, 64}, ones, ones)
	f.Add(append([]byte{0xff, 20, 65}, bytes.Repeat([]byte{82}, 30)...), mactest.Random(KeySize, 1), mactest.Random(200, 2))
	for _, n := range []int{0, 1, 15, 16, 17, 63, 64, 95, 96, 128, 256, 272, 288, 384, 385, 512, 1024, 2048} {
		f.Add([]byte{byte(n), byte(n >> 8), byte(64 + n%64), 16, 67, 64}, ones, []byte{0xff})
	}
	memory := mactest.NewFuzzMemory(f, fuzzMost)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		key := [KeySize]byte(mactest.NewChoices(keyBytes).Bytes(KeySize))
		c := mactest.NewChoices(choices)
		msg := memory.Fill(c, data)
		var want [TagSize]byte
		xpoly1305.Sum(&want, msg, &key)
		wrong := want
		wrong[len(msg)%TagSize] ^= 0x80
		pieces := *c
		mactest.EachImplementation("poly1305", func(name string) {
			var tag [TagSize]byte
			if Sum(&tag, msg, &key); tag != want {
				t.Errorf("%s: key %x, %d bytes: Sum = %x, want %x", name, key, len(msg), tag, want)
			}
			if !Verify(&want, msg, &key) || Verify(&wrong, msg, &key) {
				t.Errorf("%s: Verify accepts a wrong tag or rejects the correct one", name)
			}
			m := pieces.WritePieces(t, New(&key), msg).(*MAC)
			if got := m.Sum(nil); !bytes.Equal(got, want[:]) || !m.Verify(want[:]) || m.Verify(wrong[:]) {
				t.Errorf("%s: key %x, %d bytes: MAC = %x, want %x", name, key, len(msg), got, want)
			}
			// Hash the message again, with the table if the MAC has kept one.
			m.Reset()
			m.Write(msg)
			if got := m.Sum(nil); !bytes.Equal(got, want[:]) {
				t.Errorf("%s: key %x, %d bytes: MAC after Reset = %x, want %x", name, key, len(msg), got, want)
			}
		})
	})
}
