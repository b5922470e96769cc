// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
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

// blocksOf is how many blocks a group makes of a text that is not apart.
func blocksOf(size int) int { return (size + 63) / 64 }

// TestGroups has all numbers of packets in a group, of random lengths, whether that pays or not. Where
// there are packets whose keys alone a group makes, a third are such.
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
			var blocks [maxLanes]int
			for i := range n {
				size, more := rng.IntN(most), maxLaneAD
				blocks[i] = blocksOf(size)
				if groupGains(kind).openApart > 0 && rng.IntN(3) == 0 {
					size, more, blocks[i] = rng.IntN(2000), 100, 0
				}
				src[i] = mactest.Random(size, rng.Uint64())
				ad[i] = mactest.Random(rng.IntN(more+1)*rng.IntN(2), rng.Uint64())
				nonce[i] = mactest.Random(nonceSizes[kind], rng.Uint64())
				dst[i] = make([]byte, len(src[i]))
				want[i] = reference(t, kind, nonce[i], src[i], ad[i])
				copy(came[i][:], want[i][len(src[i]):])
			}
			g, size := newGroup(kind, &testKey), len(want[0])-len(src[0])
			var jobs [maxLanes]job
			set := func(from [maxLanes][]byte) {
				for i := range n {
					jobs[i] = job{Packet: &Packet{AdditionalData: ad[i]}, nonce: nonce[i], dst: dst[i], src: from[i][:len(dst[i])], blocks: blocks[i], tag: make([]byte, size), came: came[i]}
				}
			}
			run := func(what string, from, result [maxLanes][]byte, opening bool) {
				t.Helper()
				set(from)
				g.run(jobs[:n], opening)
				for i := range n {
					if !bytes.Equal(jobs[i].tag, want[i][len(src[i]):]) {
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
			}
			set(want)
			g.run(jobs[:n], true)
			for i := range n {
				forged := want[i][len(src[i]):]
				if kind == SIV {
					forged = came[i][:]
				}
				if bytes.Equal(jobs[i].tag, forged) {
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
				g := newGroup(kind, &testKey)
				text := bytes.Repeat([]byte{0x51}, size)
				for _, n := range []int{maxLanes, 5} {
					var jobs [maxLanes]job
					for i := range n {
						j := &jobs[i]
						*j = job{Packet: new(Packet), nonce: mactest.Random(nonceSizes[kind], uint64(i)), dst: make([]byte, size), src: text}
						if j.blocks = blocksOf(size); groupGains(kind).openApart > 0 {
							j.blocks *= i % 2
						}
						sealed := reference(t, kind, j.nonce, text, nil)
						if j.tag = make([]byte, len(sealed)-size); opening {
							j.src = sealed[:size]
							copy(j.came[:], sealed[size:])
						}
					}
					g.run(jobs[:n], opening)
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

// TestBatchKeepsNothing checks that the pool keeps no packet, key or output alive, nor the tag that a
// refused packet should have had: that is a forgery.
func TestBatchKeepsNothing(t *testing.T) {
	eachGroup(t, func(t *testing.T, kind Kind, _ int) {
		w := new([maxLanes]job)
		w[maxLanes-1].made[0] = 1
		mactest.Pooled(t, &workspaces, w)
		packets := make([]Packet, 40)
		for i := range packets {
			packets[i] = Packet{Nonce: make([]byte, nonceSizes[kind]), Text: make([]byte, 30)}
		}
		b := Batch{Kind: kind, Key: &testKey, Tag: TagSize}
		if kind == SIV {
			b.Tag = TagSizeSIV
		}
		b.Run(packets)
		if w[maxLanes-1].made[0] != 0 {
			t.Error("the packets were in no group")
		}
		for i := range packets {
			packets[i].Text, packets[i].Dst = packets[i].Dst, nil
			packets[i].Text[0] ^= 1
		}
		b = Batch{Kind: kind, Key: &testKey, Tag: b.Tag, Opening: true}
		if b.Run(packets); b.Opened != 0 {
			t.Errorf("%d forgeries open", b.Opened)
		}
		if !reflect.DeepEqual(w, new([maxLanes]job)) {
			t.Error("something is left")
		}
	})
}
