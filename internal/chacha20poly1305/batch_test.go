// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/mactest"
)

var (
	kinds      = [...]Kind{ChaCha20, XChaCha20, SIV}
	nonceSizes = [...]int{ChaCha20: NonceSize, XChaCha20: NonceSizeX, SIV: NonceSizeSIV}
)

// reference seals a packet: with x/crypto, or one of SIV by itself, which TestSIVLengths compares
// with the definition.
func reference(t *testing.T, kind Kind, nonce, text, ad []byte) []byte {
	t.Helper()
	if kind == SIV {
		out := make([]byte, len(text)+TagSizeSIV)
		SealSIV((*[TagSizeSIV]byte)(out[len(text):]), out[:len(text)], text, ad, &testKey, (*[NonceSizeSIV]byte)(nonce))
		return out
	}
	a, err := chacha20poly1305.New(testKey[:])
	if kind == XChaCha20 {
		a, err = chacha20poly1305.NewX(testKey[:])
	}
	if err != nil {
		t.Fatal(err)
	}
	return a.Seal(nil, nonce, text, ad)
}

// eachGroup runs f for every kind with every implementation that has groups.
func eachGroup(t *testing.T, f func(t *testing.T, kind Kind, longest int)) {
	kernels(t, func(t *testing.T) {
		for _, kind := range kinds {
			if g := groupGains(kind); g != nil {
				t.Run(fmt.Sprint(kind), func(t *testing.T) { f(t, kind, g.text) })
			}
		}
	})
}

// TestGroups has all numbers of packets in a group, of random lengths, whether that pays or not.
func TestGroups(t *testing.T) {
	eachGroup(t, func(t *testing.T, kind Kind, longest int) {
		rng := rand.New(rand.NewPCG(1, uint64(kind)))
		rounds := 150
		if testing.Short() {
			rounds = 2 * maxLanes
		}
		for round := range rounds {
			n, most := 1+round%maxLanes, 1+rng.IntN(longest+1)
			var src, dst, ad, nonce, want [maxLanes][]byte
			var came [maxLanes][TagSizeSIV]byte
			for i := range n {
				src[i] = mactest.Random(rng.IntN(most), rng.Uint64())
				ad[i] = mactest.Random(rng.IntN(maxLaneAD+1)*rng.IntN(2), rng.Uint64())
				nonce[i] = mactest.Random(nonceSizes[kind], rng.Uint64())
				dst[i] = make([]byte, len(src[i]))
				want[i] = reference(t, kind, nonce[i], src[i], ad[i])
				copy(came[i][:], want[i][len(src[i]):])
			}
			g, size := newGroup(), tagSizes[kind]
			g.begin(kind, &testKey)
			run := func(what string, from, result [maxLanes][]byte, opening bool) {
				t.Helper()
				for i := range n {
					tag := &came[i]
					if !opening {
						tag = nil
					}
					g.set(i, dst[i], from[i][:len(dst[i])], ad[i], nonce[i], tag)
				}
				g.run(n, opening)
				for i := range n {
					tag := make([]byte, size)
					if g.putTag(tag, i); !bytes.Equal(tag, want[i][len(src[i]):]) {
						t.Fatalf("%s: packet %d of %d, %d bytes and %d: wrong tag", what, i, n, len(src[i]), len(ad[i]))
					}
					if !bytes.Equal(dst[i], result[i][:len(dst[i])]) {
						t.Fatalf("%s: packet %d of %d, %d bytes: wrong text", what, i, n, len(src[i]))
					}
				}
			}
			run("Seal", src, want, false)
			run("Open in place", dst, src, true)
			run("Seal in place", dst, want, false)
			run("Open", want, src, true)
			for i := range n {
				if kind == SIV {
					came[i][(round+i)%size] ^= 1
				} else {
					want[i][len(want[i])-1-i] ^= 1
				}
				g.set(i, dst[i], want[i][:len(dst[i])], ad[i], nonce[i], &came[i])
			}
			g.run(n, true)
			for i := range n {
				tag := make([]byte, size)
				g.putTag(tag, i)
				if forged := append(bytes.Clone(want[i][len(src[i]):]), came[i][:]...); bytes.Equal(tag, forged[:size]) && kind != SIV || kind == SIV && bytes.Equal(tag, came[i][:]) {
					t.Fatalf("packet %d of %d: a forgery opens", i, n)
				}
			}
			g.end()
		}
	})
}

// TestGroupsWiped checks that a group leaves nothing secret when it ends: no plaintext, of as many
// packets as there may be and then of fewer, and no key, key stream or tag.
func TestGroupsWiped(t *testing.T) {
	eachGroup(t, func(t *testing.T, kind Kind, longest int) {
		for size := 1; size <= longest; size += 7 {
			for _, opening := range []bool{false, true} {
				g := newGroup()
				g.begin(kind, &testKey)
				text := bytes.Repeat([]byte{0x51}, size)
				for _, n := range []int{maxLanes, 5} {
					for i := range n {
						nonce, src := mactest.Random(nonceSizes[kind], uint64(i)), text
						var tag [TagSizeSIV]byte
						if opening {
							sealed := reference(t, kind, nonce, text, nil)
							src = sealed[:size]
							copy(tag[:], sealed[size:])
						}
						g.set(i, make([]byte, size), src, nil, nonce, &tag)
					}
					g.run(n, opening)
				}
				g.end()
				checkWiped(t, g, fmt.Sprintf("%d bytes, opening is %v", size, opening), text[:min(size, 16)])
				if t.Failed() {
					return
				}
			}
		}
	})
}

// TestBatchKeepsNothing checks that the pool keeps no output alive, nor the tag that a refused
// packet should have had: that is a forgery.
func TestBatchKeepsNothing(t *testing.T) {
	eachGroup(t, func(t *testing.T, kind Kind, _ int) {
		w := new(workspace)
		mactest.Pooled(t, &workspaces, w)
		packets := make([]Packet, 40)
		for i := range packets {
			packets[i] = Packet{Nonce: make([]byte, nonceSizes[kind]), Text: make([]byte, 30)}
		}
		SealAll(kind, &testKey, packets)
		used := false
		for i, r := range w.order {
			used = used || int(r) != 0 && i < len(packets)
		}
		if !used {
			t.Error("the packets were in no group")
		}
		for i := range packets {
			packets[i].Text, packets[i].Dst = packets[i].Dst, nil
			packets[i].Text[0] ^= 1
		}
		if n := OpenAll(kind, &testKey, packets); n != 0 {
			t.Errorf("%d forgeries open", n)
		}
		for i := range w.results {
			if w.results[i] != nil {
				t.Error("an output is left")
			}
		}
		if w.made != [TagSizeSIV]byte{} {
			t.Error("a tag is left")
		}
	})
}
