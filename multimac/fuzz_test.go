// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// FuzzMAC compares Sum, SumBatch and MAC, with every implementation of BLAKE2b, with a
// reference built on golang.org/x/crypto. The fuzzer chooses the key size, the number
// of lists and inputs, the input lengths, and how inputs are split into Writes.
func FuzzMAC(f *testing.F) {
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add([]byte{0, 1, 4, 2, 2, 4, 39}, []byte("key"), []byte("PotatoesBoil 'em, mash 'em, stick 'em in a stew"))
	f.Add([]byte{1, 9, 1, 66, 2, 66, 65, 0, 3, 67, 70, 0, 1, 255, 1, 0}, []byte{}, mactest.Random(300, 1))
	f.Add(append([]byte{2, 20}, mactest.Random(90, 2)...), bytes.Repeat([]byte{0xff}, 128), []byte{0xff})
	blocks := []byte{2, 99, 17}
	for i := range byte(17) {
		blocks = append(blocks, 1+i%5, 66, 70, 67, 65, 69)
	}
	f.Add(blocks, []byte{1}, []byte{0xff})
	f.Add([]byte{0, 99, 9, 0, 1, 0, 2, 0, 0, 3, 0, 66, 0, 0, 1, 70}, []byte{1}, []byte("input")) // empty lists and empty inputs
	const maxLen = 3000
	memory := mactest.NewFuzzMemory(f, maxLen)
	f.Fuzz(func(t *testing.T, choices, keyBytes, data []byte) {
		c := mactest.NewChoices(choices)
		size := sizes[c.Below(len(sizes))]
		keys := mactest.NewChoices(keyBytes).Bytes(2 * size)
		if bytes.Equal(keys[:size], keys[size:]) {
			if _, err := NewKey(keys[:size], keys[size:]); err == nil {
				t.Error("NewKey with equal keys: got no error")
			}
			keys[0] ^= 1
		}
		// Each input is a slice of the fuzzed data, chosen by the remaining choices.
		rest := memory.Place(c, maxLen, data)
		lists := make([][][]byte, c.Below(25))
		var want []byte
		for i := range lists {
			for range c.Below(6) {
				n := 0
				if !c.Done() {
					n = c.Piece(min(len(rest), 1000))
				}
				lists[i] = append(lists[i], rest[len(rest)-n:])
				rest = rest[:len(rest)-n]
			}
			want = append(want, refMAC(t, keys[:size], keys[size:], lists[i]...)...)
		}
		mactest.EachImplementation("blake2b", func(name string) {
			k := mustKey(t, keys[:size], keys[size:])
			if got := k.SumBatch([]byte("ab"), lists...); !bytes.Equal(got, append([]byte("ab"), want...)) {
				t.Errorf("%s: SumBatch of %d lists = %x, want %x after the prefix \"ab\"", name, len(lists), got, want)
			}
			m := k.New()
			for i, inputs := range lists {
				want := want[i*size : (i+1)*size]
				if got := k.Sum(inputs...); !bytes.Equal(got, want) || !k.Verify(want, inputs...) {
					t.Errorf("%s: list %d: Sum = %x, want %x", name, i, got, want)
				}
				m.Reset()
				for j, input := range inputs {
					n := len(input) * j / 5
					m.Write(input[:n])
					other, _ := m.Clone()
					m = other.(*MAC)
					m.Write(input[n:])
					m.Next()
				}
				if got := m.Sum(nil); !bytes.Equal(got, want) || !m.Verify(want) {
					t.Errorf("%s: list %d: MAC = %x, want %x", name, i, got, want)
				}
				if len(inputs) > 0 && k.Verify(want, inputs[1:]...) {
					t.Errorf("%s: list %d: Verify ignores the first input", name, i)
				}
			}
		})
	})
}
