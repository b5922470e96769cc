// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestLanesWiped checks that Free leaves no key, no key stream and no pointer.
func TestLanesWiped(t *testing.T) {
	kernels(t, func(t *testing.T) {
		if !LanesAvailable() {
			return
		}
		for n := 1; n <= MaxLanes; n += 5 {
			for _, x := range []bool{false, true} {
				l := NewLanes()
				l.SetKey(&testKey)
				for i := range n {
					text := mactest.Random(100*i, 1)
					l.SetText(i, make([]byte, len(text)), text, nil)
					if x {
						l.SetNonceX(i, (*[24]byte)(mactest.Random(24, uint64(i))))
					} else {
						l.SetNonce(i, (*[NonceSize]byte)(mactest.Random(NonceSize, uint64(i))))
					}
				}
				if x {
					l.Derive()
				}
				l.Seal(n)
				l.Free()
				if l.initial != (lanes{}).initial {
					t.Errorf("%d packets: the key is left", n)
				}
				if l.polyKey != (lanes{}).polyKey {
					t.Errorf("%d packets: the keys of Poly1305 are left", n)
				}
				if l.table != (lanes{}).table {
					t.Errorf("%d packets: powers of r are left", n)
				}
				if l.dst != (lanes{}).dst || l.src != (lanes{}).src {
					t.Errorf("%d packets: pointers are left", n)
				}
			}
		}
	})
}
