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

// reference returns the sealed packet. It uses x/crypto or, for SIV, SealSIV, which
// TestSIVLengths checks.
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

// eachGroup runs f as a subtest for every kind with every implementation that has
// groups. longest is the maximum text length.
func eachGroup(t *testing.T, f func(t *testing.T, kind Kind, longest int)) {
	kernels(t, func(t *testing.T) {
		for _, kind := range kinds {
			if g := groupModelOf(kind); g != nil {
				t.Run(fmt.Sprint(kind), func(t *testing.T) { f(t, kind, g.text) })
			}
		}
	})
}

// blocksOf returns the number of keystream blocks for a text of size bytes.
func blocksOf(size int) int { return (size + 63) / 64 }

// TestGroups checks groups of every number of packets with random lengths, even if a
// group would not save time. If a group may compute only the keys of some packets, a
// third of the packets are such packets.
func TestGroups(t *testing.T) {
	eachGroup(t, func(t *testing.T, kind Kind, longest int) {
		rng := rand.New(rand.NewPCG(1, uint64(kind)))
		rounds := 150
		if testing.Short() {
			rounds = 2 * maxLanes
		}
		for round := range rounds {
			n, limit := 1+round%maxLanes, 1+rng.IntN(longest+1)
			var src, dst, ad, nonce, want [maxLanes][]byte
			var came [maxLanes][TagSizeSIV]byte
			var blocks [maxLanes]int
			for i := range n {
				size, more := rng.IntN(limit), maxLaneAD
				blocks[i] = blocksOf(size)
				if groupModelOf(kind).openKeysOnly > 0 && rng.IntN(3) == 0 {
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
			var packets [maxLanes]groupPacket
			set := func(from [maxLanes][]byte) {
				for i := range n {
					packets[i] = groupPacket{Packet: &Packet{AdditionalData: ad[i]}, nonce: nonce[i], dst: dst[i], src: from[i][:len(dst[i])], blocks: blocks[i], tag: make([]byte, size), received: came[i]}
				}
			}
			run := func(what string, from, result [maxLanes][]byte, opening bool) {
				t.Helper()
				set(from)
				g.run(packets[:n], opening)
				for i := range n {
					if !bytes.Equal(packets[i].tag, want[i][len(src[i]):]) {
						t.Fatalf("%s: packet %d of %d, %d bytes, %d of additional data: wrong tag", what, i, n, len(src[i]), len(ad[i]))
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
			g.run(packets[:n], true)
			for i := range n {
				forged := want[i][len(src[i]):]
				if kind == SIV {
					forged = came[i][:]
				}
				if bytes.Equal(packets[i].tag, forged) {
					t.Fatalf("packet %d of %d: computed the tag of a forgery", i, n)
				}
			}
			g.end()
		}
	})
}

// TestGroupsWiped checks that a group that has processed a full set of packets and then
// a smaller set contains no plaintext, key, keystream or tag after end.
func TestGroupsWiped(t *testing.T) {
	eachGroup(t, func(t *testing.T, kind Kind, longest int) {
		for size := 1; size <= longest; size += 7 {
			for _, opening := range []bool{false, true} {
				g := newGroup(kind, &testKey)
				text := bytes.Repeat([]byte{0x51}, size)
				for _, n := range []int{maxLanes, 5} {
					var packets [maxLanes]groupPacket
					for i := range n {
						p := &packets[i]
						*p = groupPacket{Packet: new(Packet), nonce: mactest.Random(nonceSizes[kind], uint64(i)), dst: make([]byte, size), src: text}
						if p.blocks = blocksOf(size); groupModelOf(kind).openKeysOnly > 0 {
							p.blocks *= i % 2
						}
						sealed := reference(t, kind, p.nonce, text, nil)
						if p.tag = make([]byte, len(sealed)-size); opening {
							p.src = sealed[:size]
							copy(p.received[:], sealed[size:])
						}
					}
					g.run(packets[:n], opening)
				}
				g.end()
				checkWiped(t, g, fmt.Sprintf("%d bytes, opening = %v", size, opening), text[:min(size, 16)])
				if t.Failed() {
					return
				}
			}
		}
	})
}

// TestBatchKeepsNothing checks that the pool does not retain packets, keys, outputs or
// the correct tags of rejected packets, which would be forgeries.
func TestBatchKeepsNothing(t *testing.T) {
	eachGroup(t, func(t *testing.T, kind Kind, _ int) {
		w := new([maxLanes]groupPacket)
		w[maxLanes-1].computed[0] = 1
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
		if w[maxLanes-1].computed[0] != 0 {
			t.Error("the packets were not processed in groups")
		}
		for i := range packets {
			packets[i].Text, packets[i].Dst = packets[i].Dst, nil
			packets[i].Text[0] ^= 1
		}
		b = Batch{Kind: kind, Key: &testKey, Tag: b.Tag, Opening: true}
		if b.Run(packets); b.Opened != 0 {
			t.Errorf("Run opened %d forgeries, want 0", b.Opened)
		}
		if !reflect.DeepEqual(w, new([maxLanes]groupPacket)) {
			t.Error("the pooled packets are not all zero")
		}
	})
}
