// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"reflect"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestLanesWiped checks that Free leaves no key, no key stream and no pointer.
func TestLanesWiped(t *testing.T) {
	kernels(t, func(t *testing.T) {
		_, longest := LaneLimits(NonceSizeSIV)
		if longest == 0 {
			return
		}
		for n := 1; n <= MaxLanes; n += 5 {
			for _, size := range []int{NonceSize, 24, NonceSizeSIV} {
				l := NewLanes()
				l.SetKey(&testKey)
				for i := range n {
					text := mactest.Random(longest/MaxLanes*i, 1)
					l.SetText(i, make([]byte, len(text)), text, nil)
					switch nonce := mactest.Random(size, uint64(i)); size {
					case NonceSize:
						l.SetNonce(i, (*[NonceSize]byte)(nonce))
					case NonceSizeSIV:
						l.SetNonceSIV(i, (*[NonceSizeSIV]byte)(nonce))
					default:
						l.SetNonceX(i, (*[24]byte)(nonce))
					}
				}
				switch size {
				case NonceSize:
					l.Seal(n)
				case NonceSizeSIV:
					l.SealSIV(n)
				default:
					l.Derive(n)
					l.Seal(n)
				}
				l.Free()
				if l.initial != (lanes{}).initial || l.key != (lanes{}).key {
					t.Errorf("%d packets: the key is left", n)
				}
				if l.out != (lanes{}).out {
					t.Errorf("%d packets: key stream is left", n)
				}
				if l.polyKey != (lanes{}).polyKey {
					t.Errorf("%d packets: the keys of Poly1305 are left", n)
				}
				if l.siv != (sivLanes{}) {
					t.Errorf("%d packets: keys or tags of SIV are left", n)
				}
				if l.table != (lanes{}).table {
					t.Errorf("%d packets: powers of r are left", n)
				}
				if !reflect.DeepEqual(&l.avx2, new(lanesAVX2)) {
					t.Errorf("%d packets: AVX2 leaves something", n)
				}
				if l.dst != (lanes{}).dst || l.src != (lanes{}).src {
					t.Errorf("%d packets: pointers are left", n)
				}
			}
		}
	})
}
