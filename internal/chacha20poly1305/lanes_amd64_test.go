// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

// TestLanes compares all numbers of packets, of random lengths, with x/crypto.
func TestLanes(t *testing.T) {
	kernels(t, func(t *testing.T) {
		_, longest := LaneLimits(NonceSizeSIV)
		if longest == 0 {
			return
		}
		rng := rand.New(rand.NewPCG(1, 2))
		rounds := 300
		if testing.Short() {
			rounds = 60
		}
		for round := range rounds {
			n, most := 1+round%MaxLanes, 1+rng.IntN(longest+1)
			x := round%3 == 0
			l := NewLanes()
			l.SetKey(&testKey)
			a, _ := chacha20poly1305.New(testKey[:])
			if x {
				a, _ = chacha20poly1305.NewX(testKey[:])
			}
			var src, dst, ad, nonce, want [MaxLanes][]byte
			for i := range n {
				src[i] = mactest.Random(rng.IntN(most), rng.Uint64())
				ad[i] = mactest.Random(rng.IntN(MaxLaneAD+1)*rng.IntN(2), rng.Uint64())
				nonce[i] = mactest.Random(a.NonceSize(), rng.Uint64())
				dst[i] = make([]byte, len(src[i]))
				want[i] = a.Seal(nil, nonce[i], src[i], ad[i])
			}
			run := func(what string, from, to, result [MaxLanes][]byte, f func(n int)) {
				t.Helper()
				l.SetKey(&testKey)
				for i := range n {
					l.SetText(i, to[i], from[i], ad[i])
					if x {
						l.SetNonceX(i, (*[24]byte)(nonce[i]))
					} else {
						l.SetNonce(i, (*[NonceSize]byte)(nonce[i]))
					}
				}
				if x {
					l.Derive(n)
				}
				f(n)
				for i := range n {
					if !bytes.Equal(to[i], result[i][:len(to[i])]) {
						t.Fatalf("%s: packet %d of %d, %d bytes: wrong text", what, i, n, len(src[i]))
					}
					if !bytes.Equal(l.Tag(i)[:], want[i][len(src[i]):]) {
						t.Fatalf("%s: packet %d of %d, %d bytes and %d: wrong tag", what, i, n, len(src[i]), len(ad[i]))
					}
				}
			}
			run("Seal", src, dst, want, l.Seal)
			run("Open in place", dst, dst, src, l.Open)
			run("Seal in place", dst, dst, want, l.Seal)
			for i := range n {
				dst[i] = bytes.Clone(dst[i])
			}
			sealed := dst
			for i := range n {
				dst[i] = make([]byte, len(src[i]))
			}
			run("Open", sealed, dst, src, l.Open)
			l.Free()
		}
	})
}
