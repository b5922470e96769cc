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

// pairOf returns two messages with random nonces, whose texts are in dst, and the
// sealed messages.
func pairOf(v Variant, key []byte, tagSize int, dst [2][]byte) (two [2]Message, sealed [2]Message) {
	for i, b := range dst {
		copy(b, mactest.Random(len(b), uint64(i)+1))
		two[i] = Message{mactest.Random(v.KeySize(), uint64(i)+3), make([]byte, tagSize), b, b}
		sealed[i] = Message{Tag: make([]byte, tagSize), Dst: make([]byte, len(b)), Src: bytes.Clone(b)}
		cryptGeneric(cipherOf(v, key, tagSize), false, two[i].Nonce, sealed[i].Tag, sealed[i].Dst, b, nil)
	}
	return two, sealed
}

// TestPair seals and opens two messages, of lengths that the kernel accepts and of
// other lengths, between inaccessible pages.
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
							t.Errorf("%d bytes: message %d is %x, tag %x, want %x, %x", n, i, m.Dst, m.Tag, want[i].Dst, want[i].Tag)
						}
					}
					if opened := OpenPair(c, &two); opened != 2 || !bytes.Equal(two[0].Dst, want[0].Src) || !bytes.Equal(two[1].Dst, want[1].Src) {
						t.Errorf("%d bytes: OpenPair returns %d, opened %x and %x", n, opened, two[0].Dst, two[1].Dst)
					}
				}
			}
		}
	})
}

// TestPairApart uses separate dst and src, longer than a page.
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
			t.Errorf("message %d is wrong", i)
		}
	}
}

// TestPairShortTag checks that tags that are too short panic: no kernel may write after them.
func TestPairShortTag(t *testing.T) {
	each(t, func(t *testing.T, v Variant) {
		key := mactest.Random(v.KeySize(), 5)
		for _, n := range []int{33, 256} { // processed as single messages, and by a kernel for two
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
						t.Errorf("SealPair of %d bytes wrote after a tag of %d", n, tagSize-1)
					}
				}
			}
		}
	})
}

// TestPairRefused changes one or both of two tags. The message that is not authentic
// and the one after it must be zeros.
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
						t.Errorf("changed %b: %d opened, want %d", changed, opened, good)
					}
					clear(want[1].Src)
					if good == 0 {
						clear(want[0].Src)
					}
					if got := fmt.Sprintf("%x %x", two[0].Dst, two[1].Dst); got != fmt.Sprintf("%x %x", want[0].Src, want[1].Src) {
						t.Errorf("changed %b: %s", changed, got)
					}
				}
			}
		}
	})
}
