// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshmac_test

import (
	"bytes"
	"encoding/binary"
	"hash"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/sshpatch/sshmac"
	"github.com/unimac/unimac/umac"
)

// FuzzPackets sends packets through one MAC, each in pieces that may cut its
// sequence number, and compares with UMAC of the packet under the nonce BE64(sequence
// number). The choices are the algorithm, and for each packet its sequence number,
// its length and its pieces.
func FuzzPackets(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 64, 4, 4, 1, 11, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, []byte("key"), []byte("packet"))
	f.Add([]byte{2, 0, 0, 0, 1, 3, 3, 1, 255, 0, 0, 0, 2, 200, 3, 5, 5}, bytes.Repeat([]byte{0xff}, 16), mactest.Random(99, 1))
	f.Add(append([]byte{3}, mactest.Random(60, 2)...), mactest.Random(16, 3), mactest.Random(1500, 4))
	f.Add([]byte{3, 0, 0, 0, 0, 0}, []byte("key"), []byte(nil)) // an empty packet
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xfe, 20, 64, 1, 1, 0xff, 0xff, 0xff, 0xff, 76, 70, 0, 0, 0, 0, 0, 0}, []byte("key"), []byte("packet"))
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range algorithms {
			if !yield(name) {
				return
			}
		}
	})
	memory := mactest.NewFuzzMemory(f, 4+4000)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		first := mactest.NewChoices(choices)
		algorithm := names[first.Below(len(names))]
		key := mactest.NewChoices(keyBytes).Bytes(sshmac.KeySize)
		k, err := umac.NewKey(key, algorithms[algorithm])
		if err != nil {
			t.Fatal(err)
		}
		mactest.EachImplementation("umac", func(implementation string) {
			c := *first
			m := mustNew(t, algorithm, key)
			for range 8 {
				sequence := c.Bytes(4)
				packet := memory.Place(&c, 4+c.Piece(4000), data)
				copy(packet, sequence)
				want := k.Sum(nil, append(make([]byte, 4), sequence...), packet[4:])
				m.Reset()
				for rest := packet; len(rest) > 0; {
					n := 1 + c.Piece(len(rest)-1)
					m.Write(rest[:n])
					rest = rest[n:]
					if n == 2 {
						other, _ := m.(hash.Cloner).Clone()
						m.Write(rest)
						m = other
					}
				}
				if got := m.Sum(nil); !bytes.Equal(got, want) {
					t.Errorf("%s: %s, packet %d of %d bytes: %x, want %x", implementation, algorithm, binary.BigEndian.Uint32(sequence), len(packet)-4, got, want)
				}
				if c.Done() {
					break
				}
			}
		})
	})
}
