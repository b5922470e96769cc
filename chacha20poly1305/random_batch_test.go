// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// TestRandomBatch checks that single calls open what batches with random nonces seal,
// and vice versa, out of place and in place.
func TestRandomBatch(t *testing.T) {
	implementations(t, func(t *testing.T) {
		a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 50))
		rng := mathrand.New(mathrand.NewPCG(21, 22))
		for _, n := range []int{0, 1, 2, 7, 20, 256, 257, 300} {
			for _, maxLen := range []int{0, 20, 300, 2500} {
				packets := newPackets(a, n, maxLen, rng)
				plain, prefixes, nonces := make([][]byte, n), make([][]byte, n), map[string]bool{}
				for i := range packets {
					p := &packets[i]
					plain[i], prefixes[i] = bytes.Clone(p.Text), bytes.Clone(p.Dst)
					if i%5 == 4 {
						text := append(make([]byte, 0, len(p.Text)+a.Overhead()), p.Text...)
						p.Text, p.Dst, prefixes[i] = text, text[:0], nil
					}
				}
				singles := sealed(a, packets)
				SealBatch(a, packets)
				for i, p := range packets {
					out, found := bytes.CutPrefix(p.Dst, prefixes[i])
					if !found {
						t.Fatalf("packet %d of %d: Dst does not begin with its prefix", i, n)
					}
					if len(p.Nonce) != 0 || i%5 != 4 && !bytes.Equal(p.Text, plain[i]) {
						t.Fatalf("packet %d of %d: SealBatch changed its input", i, n)
					}
					if got, err := a.Open(nil, nil, out, p.AdditionalData); err != nil || !bytes.Equal(got, plain[i]) {
						t.Fatalf("packet %d of %d, %d bytes, %d bytes of additional data: got wrong plaintext or error %v", i, n, len(plain[i]), len(p.AdditionalData), err)
					}
					nonces[string(out[:NonceSizeX])] = true
				}
				if len(nonces) != n {
					t.Fatalf("got %d different nonces, want %d", len(nonces), n)
				}
				checkOpenBatch(t, a, packets, plain, singles, rng)
			}
		}
	})
}

// countingReader counts reads.
type countingReader struct {
	io.Reader
	reads int
}

func (r *countingReader) Read(p []byte) (int, error) {
	r.reads++
	return r.Reader.Read(p)
}

// TestRandomBatchOneRead checks that a batch reads all its nonces at once.
func TestRandomBatchOneRead(t *testing.T) {
	reader := rand.Reader
	defer func() { rand.Reader = reader }()
	a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 51))
	for _, n := range []int{2, 100, 300} {
		counting := &countingReader{Reader: reader}
		rand.Reader = counting
		SealBatch(a, newPackets(a, n, 100, mathrand.New(mathrand.NewPCG(23, 24))))
		if counting.reads != 1 {
			t.Errorf("%d packets: got %d reads, want 1", n, counting.reads)
		}
	}
}

// TestRandomBatchConcurrent seals batches in several goroutines until the scheduler has
// switched between them in the middle of a batch. No nonce may be used twice.
func TestRandomBatchConcurrent(t *testing.T) {
	// Plain Go takes the longest time.
	dispatch.Select("chacha20poly1305", dispatch.Generic)
	defer dispatch.Reset("chacha20poly1305")
	const workers, batches, n = 8, 10, 64
	a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 55))
	text := mactest.Random(16<<10, 56)
	var nonces [workers][][]byte
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range batches {
				packets := make([]Packet, n)
				for i := range packets {
					packets[i].Text = text
				}
				SealBatch(a, packets)
				for i := range packets {
					nonces[w] = append(nonces[w], bytes.Clone(packets[i].Dst[:NonceSizeX]))
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, nonce := range slices.Concat(nonces[:]...) {
		if seen[string(nonce)] {
			t.Fatal("got a repeated nonce")
		}
		seen[string(nonce)] = true
	}
}

// TestRandomBatchPanics puts a bad packet among good ones. Nothing may be sealed or
// opened before the panic.
func TestRandomBatchPanics(t *testing.T) {
	a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 52))
	const n, stride = 20, 300
	for name, spoil := range map[string]func(p []Packet){
		"nonce given":                   func(p []Packet) { p[n-1].Nonce = make([]byte, NonceSizeX) },
		"inexact overlap":               func(p []Packet) { p[n-1].Dst = p[n-1].Text[1:1] },
		"output overlaps the nonce":     func(p []Packet) { p[n-1].Dst = p[n-1].Text[NonceSizeX:NonceSizeX] },
		"output overlaps a tag":         func(p []Packet) { p[n-1].Dst = p[n-1].Text[95:95] },
		"additional data in the output": func(p []Packet) { p[n-1].AdditionalData = p[n-1].Text[5:6] },
		"output of another packet":      func(p []Packet) { p[n-1].Dst = p[3].Text[:0] },
		"text of another packet":        func(p []Packet) { p[n-1].Text = p[3].Text },
	} {
		for _, open := range []bool{false, true} {
			packets, memory := make([]Packet, n), mactest.Random(n*stride, 53)
			for i := range packets {
				text := memory[i*stride:][:100]
				packets[i] = Packet{Text: text, Dst: text[:0]}
			}
			spoil(packets)
			before := bytes.Clone(memory)
			if mactest.Panic(func() {
				if open {
					OpenBatch(a, packets)
				} else {
					SealBatch(a, packets)
				}
			}) == "" {
				t.Errorf("%s, opening = %t: got no panic", name, open)
			}
			if !bytes.Equal(memory, before) {
				t.Errorf("%s, opening = %t: memory was changed before the panic", name, open)
			}
		}
	}
}

// TestRandomBatchAllocations checks that batches do not allocate.
func TestRandomBatchAllocations(t *testing.T) {
	a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 54))
	for _, n := range []int{1, 16, 300} {
		packets := newPackets(a, n, 100, mathrand.New(mathrand.NewPCG(25, 26)))
		texts, rooms := make([][]byte, n), make([][]byte, n)
		for i := range packets {
			texts[i], rooms[i] = packets[i].Text, make([]byte, 0, len(packets[i].Text)+a.Overhead())
		}
		mactest.NoAllocations(t, fmt.Sprintf("batches of %d", n), func() {
			for i := range packets {
				packets[i].Text, packets[i].Dst = texts[i], rooms[i]
			}
			SealBatch(a, packets)
			for i := range packets {
				packets[i].Text, packets[i].Dst = packets[i].Dst, packets[i].Dst[:0]
			}
			if got, err := OpenBatch(a, packets); got != n || err != nil {
				t.Errorf("OpenBatch = %d, %v, want %d, nil", got, err, n)
			}
			for i := range packets {
				copy(texts[i], packets[i].Dst)
			}
		})
	}
}
