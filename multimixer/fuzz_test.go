// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// FuzzMAC compares Sum and MAC, with every implementation, with a reference built on
// golang.org/x/crypto's BLAKE2b and ChaCha20. The fuzzer chooses the tag size and the
// length, alignment and split of the message.
func FuzzMAC(f *testing.F) {
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add([]byte{1, 33, 0, 70, 1, 31}, testKey, []byte("abc"))
	f.Add([]byte{2, 0, 32, 64, 255, 255, 255, 255}, testKey, mactest.Random(100, 1))
	f.Add([]byte{0, 1, 64, 3, 1, 255, 255, 63, 192}, bytes.Repeat([]byte{0xff}, 32), []byte{0xff})
	for _, n := range []int{0, 1, 31, 32, 33, 8191, 8192, 8193, 16384} {
		f.Add([]byte{byte(n % 3), byte(n), byte(n >> 8), 64, 255, 255, 255, 33}, []byte("key"), mactest.Random(251, 2))
	}
	memory := mactest.NewFuzzMemory(f, 2*chunkSize+100)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		key := mactest.NewChoices(keyBytes).Bytes(KeySize)
		c := mactest.NewChoices(choices)
		size := sizes[c.Below(len(sizes))]
		msg := memory.Fill(c, data)
		want := refMAC(key, msg, size)
		wrong := bytes.Clone(want)
		wrong[len(msg)%size] ^= 1
		pieces := *c
		mactest.EachImplementation("multimixer", func(name string) {
			k := mustKey(t, key, size)
			m := pieces.WritePieces(t, k.New(), msg).(*MAC)
			if got := m.Sum(nil); !bytes.Equal(got, want) || !m.Verify(want) || m.Verify(wrong) {
				t.Errorf("%s: %d bytes: MAC = %x, want %x", name, len(msg), got, want)
			}
			// Try a Key that earlier messages have expanded, and a new one.
			for _, k := range []*Key{k, mustKey(t, key, size)} {
				if got := k.Sum(nil, msg); !bytes.Equal(got, want) || !k.Verify(want, msg) || k.Verify(wrong, msg) {
					t.Errorf("%s: %d bytes: Sum = %x, want %x", name, len(msg), got, want)
				}
			}
		})
	})
}
