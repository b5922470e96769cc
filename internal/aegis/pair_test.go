// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// pairOf fills dst with two random texts. It returns messages that seal the texts in
// place under random nonces, and the expected results.
func pairOf(v Variant, key []byte, tagSize int, dst [2][]byte) (two [2]Message, sealed [2]Message) {
	for i, b := range dst {
		copy(b, mactest.Random(len(b), uint64(i)+1))
		two[i] = Message{mactest.Random(v.KeySize(), uint64(i)+3), make([]byte, tagSize), b, b}
		sealed[i] = Message{Tag: make([]byte, tagSize), Dst: make([]byte, len(b)), Src: bytes.Clone(b)}
		cryptGeneric(cipherOf(v, key, tagSize), false, two[i].Nonce, sealed[i].Tag, sealed[i].Dst, b, nil)
	}
	return two, sealed
}

// TestPair checks SealPair and OpenPair with lengths that the kernel for two messages
// accepts and with other lengths, in memory between inaccessible pages.
func TestPair(t *testing.T) {
	first, second := mactest.NewGuarded(t, 300), mactest.NewGuarded(t, 300)
	each(t, func(t *testing.T, v Variant) {
		key := mactest.Random(v.KeySize(), 5)
		for _, n := range [][2]int{{0, 0}, {31, 31}, {32, 32}, {32, 64}, {64, 64}, {96, 96}, {100, 100}, {256, 256}, {256, 0}} {
			for _, tagSize := range []int{TagSize128, TagSize256} {
				for _, dst := range [][2][]byte{{first.Front(n[0]), second.Back(n[1])}, {first.Back(n[0]), second.Front(n[1])}} {
					two, want := pairOf(v, key, tagSize, dst)
					c := cipherOf(v, key, tagSize)
					SealPair(c, &two)
					for i, m := range two {
						if !bytes.Equal(m.Dst, want[i].Dst) || !bytes.Equal(m.Tag, want[i].Tag) {
							t.Errorf("%d bytes: message %d = %x, tag %x, want %x, tag %x", n, i, m.Dst, m.Tag, want[i].Dst, want[i].Tag)
						}
					}
					if opened := OpenPair(c, &two); opened != 2 || !bytes.Equal(two[0].Dst, want[0].Src) || !bytes.Equal(two[1].Dst, want[1].Src) {
						t.Errorf("%d bytes: OpenPair = %d with %x and %x, want 2 and the plaintexts", n, opened, two[0].Dst, two[1].Dst)
					}
				}
			}
		}
	})
}

// TestPairApart checks SealPair of long messages with separate dst and src.
func TestPairApart(t *testing.T) {
	each(t, func(t *testing.T, v Variant) {
		for _, n := range []int{16 << 10, dispatch.MaxCall / 2, dispatch.MaxCall, 2 * dispatch.MaxCall} {
			testPairApart(t, v, n)
		}
	})
}

func testPairApart(t *testing.T, v Variant, n int) {
	key := mactest.Random(v.KeySize(), 5)
	two, want := pairOf(v, key, TagSize128, [2][]byte{make([]byte, n), make([]byte, n)})
	for i := range two {
		two[i].Dst = make([]byte, n)
	}
	SealPair(cipherOf(v, key, TagSize128), &two)
	for i, m := range two {
		if !bytes.Equal(m.Src, want[i].Src) || !bytes.Equal(m.Dst, want[i].Dst) || !bytes.Equal(m.Tag, want[i].Tag) {
			t.Errorf("%d bytes: message %d: wrong result", n, i)
		}
	}
}

// TestPairShortTag checks that SealPair and OpenPair panic if a tag is too short,
// instead of writing beyond it.
func TestPairShortTag(t *testing.T) {
	each(t, func(t *testing.T, v Variant) {
		key := mactest.Random(v.KeySize(), 5)
		for _, n := range []int{33, 256} { // processed one by one, and by the kernel for two messages
			for _, tagSize := range []int{TagSize128, TagSize256} {
				for short := range 2 {
					two, _ := pairOf(v, key, tagSize, [2][]byte{make([]byte, n), make([]byte, n)})
					memory := make([]byte, 2*TagSize256)
					two[short].Tag = memory[: tagSize-1 : tagSize-1]
					c := cipherOf(v, key, tagSize)
					if mactest.Panic(func() { SealPair(c, &two) }) == "" {
						t.Errorf("SealPair of %d bytes with a tag of %d, want %d: no panic", n, tagSize-1, tagSize)
					}
					// OpenPair checks the second tag only if the first message is
					// authentic.
					if short == 0 && mactest.Panic(func() { OpenPair(c, &two) }) == "" {
						t.Errorf("OpenPair of %d bytes with a tag of %d, want %d: no panic", n, tagSize-1, tagSize)
					}
					if !bytes.Equal(memory[tagSize-1:], make([]byte, len(memory)-tagSize+1)) {
						t.Errorf("SealPair of %d bytes wrote beyond a tag of %d", n, tagSize-1)
					}
				}
			}
		}
	})
}

// TestPairRefused checks that OpenPair stops at the first message with a changed tag
// and returns zeros for this message and the following one.
func TestPairRefused(t *testing.T) {
	each(t, func(t *testing.T, v Variant) {
		key := mactest.Random(v.KeySize(), 5)
		for _, n := range []int{33, 256} {
			for changed := 1; changed < 4; changed++ {
				for at := range TagSize128 {
					two, want := pairOf(v, key, TagSize128, [2][]byte{make([]byte, n), make([]byte, n)})
					c := cipherOf(v, key, TagSize128)
					SealPair(c, &two)
					for i := range two {
						two[i].Tag[at] ^= byte(changed >> i & 1)
					}
					good := 1 - changed&1
					if opened := OpenPair(c, &two); opened != good {
						t.Errorf("tags changed %02b: OpenPair = %d, want %d", changed, opened, good)
					}
					clear(want[1].Src)
					if good == 0 {
						clear(want[0].Src)
					}
					if got := fmt.Sprintf("%x %x", two[0].Dst, two[1].Dst); got != fmt.Sprintf("%x %x", want[0].Src, want[1].Src) {
						t.Errorf("tags changed %02b: plaintexts %s, want %x %x", changed, got, want[0].Src, want[1].Src)
					}
				}
			}
		}
	})
}
