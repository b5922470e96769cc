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

// eachKernel runs f for every variant with every kernel. It skips plain Go, which does
// not clear spilled registers.
func eachKernel(t *testing.T, f func(t *testing.T, v Variant)) {
	if mactest.RaceDetector {
		t.Skip("the race detector's calls in Go code spill registers")
	}
	each(t, func(t *testing.T, v Variant) {
		if dispatch.InUse("aegis") == dispatch.Generic {
			t.Skip("plain Go")
		}
		f(t, v)
	})
}

// secretLengths contains lengths of messages that need one kernel call, and of messages
// that need several calls and store the state between them.
var secretLengths = []int{0, 1, 64, 100, 1000, 10000, dispatch.MaxCall + 100}

// TestRightTagWiped checks that Open leaves no correct tag on the stack when it rejects
// a forgery.
func TestRightTagWiped(t *testing.T) {
	eachKernel(t, func(t *testing.T, v Variant) {
		key, nonce := mactest.Random(v.KeySize(), 1), mactest.Random(v.KeySize(), 2)
		for _, n := range secretLengths {
			for i, ad := range [][]byte{nil, mactest.Random(10, 3), mactest.Random(500, 4)} {
				text, dst := mactest.Random(n, 5), make([]byte, n)
				c := cipherOf(v, key, TagSize128<<(i%2))
				right, wrong := make([]byte, c.TagSize), make([]byte, c.TagSize)
				cryptGeneric(c, true, nonce, right, dst, text, ad)
				mactest.StackWiped(t, fmt.Sprintf("Open of %d bytes with %d of additional data", n, len(ad)), func() {
					if Open(c, nonce, wrong, dst, text, ad) {
						t.Error("accepted a forgery")
					}
				}, right)
			}
		}
	})
}

// TestPairWiped checks that OpenPair leaves no correct tag on the stack when it rejects
// one of two messages.
func TestPairWiped(t *testing.T) {
	eachKernel(t, func(t *testing.T, v Variant) {
		key := mactest.Random(v.KeySize(), 6)
		for _, n := range []int{33, 256} {
			for forged := range 2 {
				two, sealed := pairOf(v, key, TagSize128, [2][]byte{make([]byte, n), make([]byte, n)})
				c := cipherOf(v, key, TagSize128)
				for i := range two {
					two[i].Tag, two[i].Src = bytes.Clone(sealed[i].Tag), sealed[i].Dst
				}
				two[forged].Tag[3] ^= 1
				mactest.StackWiped(t, fmt.Sprintf("OpenPair of %d bytes, forgery %d", n, forged), func() {
					if OpenPair(c, &two) != forged {
						t.Error("accepted a forgery")
					}
				}, sealed[forged].Tag)
			}
		}
	})
}

// TestStateWiped checks that Seal of a long message leaves neither the key nor the
// state on the stack, and that MAC leaves neither the key nor the finished state.
func TestStateWiped(t *testing.T) {
	eachKernel(t, func(t *testing.T, v Variant) {
		key, nonce := mactest.Random(v.KeySize(), 7), mactest.Random(v.KeySize(), 8)
		ad, text := mactest.Random(300, 9), mactest.Random(dispatch.MaxCall+100, 10)
		dst, tag := make([]byte, len(text)), make([]byte, TagSize256)
		c := cipherOf(v, key, TagSize256)
		var l lanes
		var before, finished State
		l.init(v, key, nonce)
		l.absorb(ad)
		// The state before the last call for the text.
		l.cryptText(false, dst, text[:dispatch.MaxCall])
		l.store(&before)
		mactest.StackWiped(t, "Seal", func() { seal(c, nonce, tag, dst, text, ad) }, key, before.blocks[:])

		var s State
		s.Init(v, key, nonce)
		l.load(&s)
		l.absorb(ad)
		u := lengths(8*uint64(len(ad)), 8*TagSize256)
		l.finish(&u)
		l.store(&finished)
		mactest.StackWiped(t, "MAC", func() { s.MAC(tag, ad, uint64(len(ad))) }, key, finished.blocks[:])
	})
}
