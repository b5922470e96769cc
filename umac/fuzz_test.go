// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/rfc4418"
	"github.com/unimac/unimac/internal/umac"
)

// fuzzMost is the length of the longest fuzzed message in bytes. It covers a kernel's
// main loop and its tail.
const fuzzMost = 8*umac.ChunkSize + 100

// FuzzUMAC compares the tags of every implementation with the reference, for messages
// hashed in one call and in pieces. The fuzzer chooses the sizes of the key, tag and
// nonce, the nonce, and the length, alignment and split of the message.
func FuzzUMAC(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{0, 3, 7, 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 3, 0, 70}, rfcKey, []byte("abc"))
	f.Add([]byte{1, 1, 0, 0xff, 0, 4, 64, 1, 0, 250, 64}, []byte("another key"), mactest.Random(1024, 1))
	f.Add([]byte{2, 2, 15, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 20, 3, 124, 125, 126}, bytes.Repeat([]byte{0xff}, 32), []byte{0xff})
	for _, n := range []int{0, 1, 31, 32, 33, 127, 128, 1023, 1024, 1025, 2048, 8192} {
		f.Add([]byte{byte(n % 3), 3, 7, '1', '2', '3', '4', '5', '6', '7', '8', byte(n), byte(n >> 8), byte(64 + n%64), 17, 64, 67}, []byte("key"), []byte{0xff})
	}
	memory := mactest.NewFuzzMemory(f, fuzzMost)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		c := mactest.NewChoices(choices)
		key := mactest.NewChoices(keyBytes).Bytes([]int{16, 24, 32}[c.Below(3)])
		size := sizes[c.Below(len(sizes))]
		nonce := c.Bytes(1 + c.Below(MaxNonceSize))
		msg := memory.Fill(c, data)
		pieces := *c
		want := rfc4418.UMAC(key, nonce, msg, size)
		wrong := bytes.Clone(want)
		wrong[size-1] ^= 1 << (len(msg) % 8)
		mactest.EachImplementation("umac", func(name string) {
			k := mustKey(t, key, size)
			if got := k.Sum(nil, nonce, msg); !bytes.Equal(got, want) {
				t.Errorf("%s: key of %d bytes, nonce %x, %d bytes: Sum = %x, want %x", name, len(key), nonce, len(msg), got, want)
			}
			if !k.Verify(want, nonce, msg) || k.Verify(wrong, nonce, msg) {
				t.Errorf("%s: Verify accepts a wrong tag or rejects the correct one", name)
			}
			// Reuse a MAC that has already hashed another message.
			m := k.New([]byte{1})
			m.Write(msg[:len(msg)/2])
			m.ResetNonce(nonce)
			m = pieces.WritePieces(t, m, msg).(*MAC)
			if got := m.Sum(nil); !bytes.Equal(got, want) || !m.Verify(want) || m.Verify(wrong) {
				t.Errorf("%s: key of %d bytes, nonce %x, %d bytes: MAC = %x, want %x", name, len(key), nonce, len(msg), got, want)
			}
		})
	})
}
