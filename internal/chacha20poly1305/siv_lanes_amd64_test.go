// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestSIVLanes compares all numbers of packets, of random lengths, with single ones, which
// TestSIVLengths compares with the definition.
func TestSIVLanes(t *testing.T) {
	kernels(t, func(t *testing.T) {
		_, longest := LaneLimits(NonceSizeSIV)
		if longest == 0 {
			return
		}
		rng := rand.New(rand.NewPCG(5, 6))
		for round := range 3 * MaxLanes {
			n, most := 1+round%MaxLanes, 1+rng.IntN(longest+1)
			var src, dst, ad, want [MaxLanes][]byte
			var nonce [MaxLanes][NonceSizeSIV]byte
			var tag [MaxLanes][TagSizeSIV]byte
			for i := range n {
				src[i] = mactest.Random(rng.IntN(most), rng.Uint64())
				ad[i] = mactest.Random(rng.IntN(MaxLaneAD+1)*rng.IntN(2), rng.Uint64())
				nonce[i] = [NonceSizeSIV]byte(mactest.Random(NonceSizeSIV, rng.Uint64()))
				dst[i], want[i] = make([]byte, len(src[i])), make([]byte, len(src[i]))
				SealSIV(&tag[i], want[i], src[i], ad[i], &testKey, &nonce[i])
			}
			l := NewLanes()
			set := func(from [MaxLanes][]byte, came [MaxLanes][TagSizeSIV]byte) {
				l.SetKey(&testKey)
				for i := range n {
					l.SetText(i, dst[i], from[i], ad[i])
					l.SetNonceSIV(i, &nonce[i])
					l.SetTagSIV(i, &came[i])
				}
			}
			tagOf := func(i int) (tag [TagSizeSIV]byte) {
				l.PutTagSIV(&tag, i)
				return tag
			}
			check := func(what string, result [MaxLanes][]byte) {
				t.Helper()
				for i := range n {
					if !bytes.Equal(dst[i], result[i]) || tagOf(i) != tag[i] {
						t.Fatalf("%s: packet %d of %d, %d bytes and %d: wrong", what, i, n, len(src[i]), len(ad[i]))
					}
				}
			}
			var none [MaxLanes][TagSizeSIV]byte
			set(src, none)
			l.SealSIV(n)
			check("Seal", want)
			set(dst, tag)
			l.OpenSIV(n)
			check("Open in place", src)
			forged := tag
			for i := range n {
				forged[i][(round+i)%TagSizeSIV] ^= 1
			}
			set(want, forged)
			l.OpenSIV(n)
			for i := range n {
				if tagOf(i) == forged[i] {
					t.Fatalf("packet %d of %d: a forgery opens", i, n)
				}
			}
			set(want, tag)
			l.OpenSIV(n)
			check("Open", src)
			// The next round finds what this leaves in the rows.
			set(dst, none)
			l.SealSIV(n)
			check("Seal in place", want)
			l.Free()
		}
	})
}
