// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// wiped runs f with each implementation of this package. It skips the test if package
// chacha20 or poly1305 uses plain Go, which does not clear spilled registers.
func wiped(t *testing.T, f func(t *testing.T)) {
	if mactest.RaceDetector {
		t.Skip("the race detector's calls in Go code spill registers")
	}
	kernels(t, func(t *testing.T) {
		if dispatch.InUse("chacha20") == dispatch.Generic || dispatch.InUse("poly1305") == dispatch.Generic {
			t.Skip("plain Go")
		}
		f(t)
	})
}

// clamp clears the bits of a Poly1305 key that are 0 in r.
func clamp(key []byte) {
	for i, mask := range [16]byte{3: 0xf0, 4: 3, 7: 0xf0, 8: 3, 11: 0xf0, 12: 3, 15: 0xf0} {
		key[i] &^= mask
	}
}

// TestDerivedKeysWiped checks that neither XChaCha20's derived key nor the Poly1305
// key, clamped or not, remains on the stack.
func TestDerivedKeysWiped(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 60)), [NonceSizeX]byte(mactest.Random(NonceSizeX, 61))
	var derived, polyKey [KeySize]byte
	short := derive(&derived, &key, &nonce)
	chacha20.KeyStream(polyKey[:], &derived, &short, 0)
	r := polyKey
	clamp(r[:])
	wiped(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 64, 65, 200, 700, 1500, 5000, 70000} {
			if n > 700 && dispatch.InUse("chacha20poly1305") == dispatch.Generic {
				break // plain Go computes the powers of r for a vector kernel and spills r
			}
			text, ad, dst := mactest.Random(n, 62), mactest.Random(20, 63), make([]byte, n)
			var tag [TagSize]byte
			for name, f := range map[string]func(){
				"SealX": func() { SealX(&tag, dst, text, ad, &key, &nonce) },
				"OpenX": func() { OpenX(&tag, dst, text, ad, &key, &nonce) },
			} {
				mactest.StackWiped(t, fmt.Sprintf("%s of %d bytes", name, n), f, key[:], derived[:], polyKey[:], r[:])
			}
		}
	})
}

// TestRightTagWiped checks that Open leaves no correct tag on the stack when it rejects
// a forgery.
func TestRightTagWiped(t *testing.T) {
	nonce := [NonceSizeX]byte(mactest.Random(NonceSizeX, 64))
	wiped(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 64, 65, 200, 700, 1500, 5000} {
			text, ad, dst := mactest.Random(n, 65), mactest.Random(20, 66), make([]byte, n)
			var tag, wrong [TagSize]byte
			crypt(&tag, dst, text, ad, &testKey, &testNonce, true)
			mactest.StackWiped(t, fmt.Sprintf("Open of %d bytes", n), func() {
				if Open(&wrong, dst, text, ad, &testKey, &testNonce) {
					t.Error("accepted a forgery")
				}
			}, tag[:])
			derived := testKey
			short := derive(&derived, &testKey, &nonce)
			crypt(&tag, dst, text, ad, &derived, &short, true)
			mactest.StackWiped(t, fmt.Sprintf("OpenX of %d bytes", n), func() {
				if OpenX(&wrong, dst, text, ad, &testKey, &nonce) {
					t.Error("accepted a forgery")
				}
			}, tag[:])
		}
	})
}
