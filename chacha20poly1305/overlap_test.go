// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/cipher"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/mactest"
)

// TestOpenBatchOverlap opens packets in place and places the output of one at every
// distance from the ciphertext of another, whose tag follows its own output. A search
// that stops at the first output within a ciphertext would miss the overlap.
func TestOpenBatchOverlap(t *testing.T) {
	eachBatch(t, func(t *testing.T, a cipher.AEAD) {
		const n, length, size = 6, 40, 100
		for to := range 2 * size {
			memory, other := make([]byte, n*size), make([]byte, 3*size)
			packets := make([]Packet, n)
			for i := range packets {
				p, m := &packets[i], memory[i*size:]
				if i == 2 {
					m = other[size:]
				}
				p.Text, p.Dst, p.Nonce = m[:length+a.Overhead()], m[:0:length], make([]byte, a.NonceSize())
			}
			packets[4].Dst = other[to : to : to+length]
			panicked := mactest.Panic(func() { OpenBatch(a, packets) }) != ""
			if want := to+length > size && to < size+length+a.Overhead(); panicked != want {
				t.Errorf("output at %d, another packet's ciphertext at %d: panicked = %t, want %t", to, size, panicked, want)
			}
		}
	})
}

// TestBatchNonceOverlap places each packet's nonce in the packet's own output, at
// various offsets. The results must equal those with separate nonces.
func TestBatchNonceOverlap(t *testing.T) {
	eachBatch(t, func(t *testing.T, a cipher.AEAD) {
		for n := 1; n <= 24; n++ {
			packets, opened, want, texts := make([]Packet, n), make([]Packet, n), make([][]byte, n), make([][]byte, n)
			for i := range packets {
				length := []int{0, 40, 64, 200, 300, 1420}[(i/4+n)%6]
				nonce, data := mactest.Random(a.NonceSize(), uint64(i)), mactest.Random(i%15, 46)
				texts[i] = mactest.Random(length, uint64(100+i))
				want[i] = a.Seal(nil, nonce, texts[i], data)
				within := func(size int) (out, place []byte) {
					memory := make([]byte, len(nonce)+size)
					at := (7*i + n) % (size + 1)
					copy(memory[at:], nonce)
					return memory[min(len(nonce)-1, 5):][:0], memory[at:][:len(nonce)]
				}
				p, o := &packets[i], &opened[i]
				p.Text, p.AdditionalData = texts[i], data
				p.Dst, p.Nonce = within(len(want[i]))
				o.Text, o.AdditionalData = want[i], data
				o.Dst, o.Nonce = within(length)
			}
			SealBatch(a, packets)
			if got, err := OpenBatch(a, opened); got != n || err != nil {
				t.Errorf("OpenBatch = %d, %v, want %d, nil", got, err, n)
			}
			for i := range packets {
				if !bytes.Equal(packets[i].Dst, want[i]) || !bytes.Equal(opened[i].Dst, texts[i]) {
					t.Fatalf("packet %d of %d, %d bytes: got wrong ciphertext or plaintext", i, n, len(texts[i]))
				}
			}
		}
	})
}

// TestBatchOverlapNearby arranges packets one after the other, in ascending or another
// order, and then moves some buffers by a few bytes. A batch must panic if and only if
// a comparison of all pairs of buffers finds a forbidden overlap.
func TestBatchOverlapNearby(t *testing.T) {
	key, rng := mactest.Random(KeySize, 45), rand.New(rand.NewPCG(15, 16))
	rounds, panics := 100_000, 0
	if testing.Short() {
		rounds = 20_000
	}
	for round := range rounds {
		a := mustAEAD(t, New, key)
		opening, inPlace := round%2 == 0, round%4 < 2
		n := 2 + rng.IntN(4)
		if round%8 == 7 {
			n = 8 + rng.IntN(4)
		}
		memory := make([]byte, 200*n)
		at := 2
		take := func(length int) []byte {
			from := at
			if rng.IntN(8*n) == 0 {
				from += rng.IntN(120) - 60
			}
			from = min(max(from, 0), len(memory)-length)
			at += length + rng.IntN(3)
			return memory[from:][:length:length]
		}
		packets := make([]Packet, n)
		order := rng.Perm(n)
		if round%3 > 0 {
			slices.Sort(order)
		}
		for _, i := range order {
			p, length := &packets[i], rng.IntN(20)
			p.Nonce, p.AdditionalData = make([]byte, NonceSize), take(rng.IntN(5))
			if round%16 < 8 {
				p.Nonce = take(NonceSize)
			}
			p.Text = take(length + Overhead)
			p.Dst = p.Text[:0]
			if !inPlace || rng.IntN(8*n) == 0 {
				p.Dst = take(length + Overhead)[:0]
			}
			if !opening {
				p.Text = p.Text[:length]
			}
		}
		want := overlaps(packets, opening)
		panicked := mactest.Panic(func() {
			if opening {
				OpenBatch(a, packets)
			} else {
				SealBatch(a, packets)
			}
		}) != ""
		if panicked != want {
			t.Fatalf("round %d, %d packets, opening = %t: panicked = %t, want %t", round, n, opening, panicked, want)
		}
		if panicked {
			panics++
		}
	}
	if panics < rounds/10 || panics > rounds*9/10 {
		t.Errorf("%d of %d batches overlap, want 10%% to 90%%", panics, rounds)
	}
}

// overlaps compares all pairs of buffers.
func overlaps(packets []Packet, opening bool) bool {
	for i, p := range packets {
		size := len(p.Text) + Overhead
		if opening {
			size = len(p.Text) - Overhead
		}
		out := p.Dst[len(p.Dst):][:size]
		for j, q := range packets {
			if i == j {
				text := q.Text[:min(size, len(q.Text))]
				if alias.InexactOverlap(out, text) || alias.Overlap(out, q.AdditionalData) {
					return true
				}
				continue
			}
			other := q.Dst[len(q.Dst):][:len(q.Text)+size-len(p.Text)]
			if alias.Overlap(out, other) || alias.Overlap(out, q.Text) || alias.Overlap(out, q.AdditionalData) || alias.Overlap(out, q.Nonce) {
				return true
			}
		}
	}
	return false
}
