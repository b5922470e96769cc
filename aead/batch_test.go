// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/mactest"
)

// eachLanes runs f for every AEAD with batches, with every implementation of BLAKE2b
// and ChaCha20.
func eachLanes(t *testing.T, f func(t *testing.T, a batch.AEAD)) {
	for _, pkg := range []string{"blake2b", "chacha20"} {
		t.Run(pkg, func(t *testing.T) {
			mactest.Implementations(t, pkg, func(t *testing.T) {
				for i, size := range tagSizes {
					alg := algorithms[i%2]
					t.Run(fmt.Sprintf("%s/%d", alg.name, size), func(t *testing.T) {
						f(t, mustAEAD(t, alg, mactest.Random(KeySize, 1), size).(batch.AEAD))
					})
				}
			})
		})
	}
}

// A set contains messages, and memory for sealing and opening them.
type set struct {
	seal, open []batch.Message
}

// newSet returns n messages with the lengths returned by length.
func newSet(a cipher.AEAD, n int, length func(i int) int) *set {
	s := new(set)
	for i := range n {
		nonce, plaintext := mactest.Random(a.NonceSize(), uint64(i)), mactest.Random(length(i), uint64(n+i))
		sealed := make([]byte, len(plaintext)+a.Overhead())
		s.seal = append(s.seal, batch.Message{Nonce: nonce, In: plaintext, Out: sealed})
		s.open = append(s.open, batch.Message{Nonce: nonce, In: sealed, Out: make([]byte, len(plaintext))})
	}
	return s
}

// check compares SealAll with Seal, and opens the messages out of place and in place.
func (s *set) check(t *testing.T, a batch.AEAD) {
	t.Helper()
	a.SealAll(s.seal)
	for i, m := range s.seal {
		if !bytes.Equal(m.Out, a.Seal(nil, m.Nonce, m.In, nil)) {
			t.Fatalf("message %d of %d, %d bytes: SealAll and Seal differ", i, len(s.seal), len(m.In))
		}
	}
	s.checkOpen(t, a)
	for i := range s.open {
		m := &s.open[i]
		m.Out = m.In[:len(m.Out)]
	}
	s.checkOpen(t, a)
	for i := range s.seal { // in place
		m := &s.seal[i]
		copy(m.Out, m.In)
		m.In = m.Out[:len(m.In)]
	}
	a.SealAll(s.seal)
	s.checkOpenCount(t, a)
}

func (s *set) checkOpen(t *testing.T, a batch.AEAD) {
	t.Helper()
	s.checkOpenCount(t, a)
	for i, m := range s.open {
		if !bytes.Equal(m.Out, s.seal[i].In) {
			t.Fatalf("message %d of %d, %d bytes: got wrong plaintext", i, len(s.open), len(m.Out))
		}
	}
}

func (s *set) checkOpenCount(t *testing.T, a batch.AEAD) {
	t.Helper()
	if n := a.OpenAll(s.open); n != len(s.open) {
		t.Fatalf("OpenAll = %d, want %d", n, len(s.open))
	}
}

// TestLanes uses every number of messages up to more than twice the number of lanes,
// with equal and different lengths around the boundaries of blocks and pieces. Unless
// in whole mode, it tries a third of the lengths for each number.
func TestLanes(t *testing.T) {
	lengths := []int{0, 1, 64, 127, 128, 129, 256, pieceSize - 1, pieceSize, pieceSize + 1, 2*pieceSize + 1, 65536}
	eachLanes(t, func(t *testing.T, a batch.AEAD) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range 21 {
			for k, length := range lengths {
				switch {
				case testing.Short() && (n+k)%13 != 0, length == 65536 && n != 9:
					continue
				case !mactest.Whole() && (n+k)%3 != 2: // keeps 9 messages of 65536 bytes
					continue
				}
				newSet(a, n, func(int) int { return length }).check(t, a)
				newSet(a, n, func(i int) int { // as in a stream, the last message is shorter
					if i == n-1 {
						return length / 3
					}
					return length
				}).check(t, a)
			}
			if testing.Short() && n%7 != 3 {
				continue
			}
			newSet(a, n, func(int) int { return lengths[rng.IntN(len(lengths)-1)] }).check(t, a)
			newSet(a, n, func(int) int { return rng.IntN(1 << rng.IntN(15)) }).check(t, a)
		}
	})
}

// TestLanesForged changes each part of each message in turn. The messages before the
// forged one must open. Nothing may be written for the forged message, for later
// messages, or for other messages in the same lanes.
func TestLanesForged(t *testing.T) {
	eachLanes(t, func(t *testing.T, a batch.AEAD) {
		for _, n := range []int{1, 2, 3, 5, 8, 11, 17} {
			for bad := range n {
				s := newSet(a, n, func(i int) int { return 1000 + 10*i })
				a.SealAll(s.seal)
				sealed, nonce := s.open[bad].In, s.open[bad].Nonce
				for _, change := range []*byte{&sealed[0], &sealed[500], &sealed[999], &sealed[len(sealed)-1], &nonce[0]} {
					*change ^= 0x10
					for i := range s.open {
						clear(s.open[i].Out)
					}
					if got := a.OpenAll(s.open); got != bad {
						t.Fatalf("message %d of %d changed: OpenAll = %d, want %d", bad, n, got, bad)
					}
					for i, m := range s.open {
						want := s.seal[i].In
						if i >= bad {
							want = make([]byte, len(m.Out))
						}
						if !bytes.Equal(m.Out, want) {
							t.Fatalf("message %d of %d changed: got wrong output for message %d", bad, n, i)
						}
					}
					*change ^= 0x10
				}
				// In place, the ciphertext must remain, so that it can be opened in
				// another way.
				sealed[1] ^= 1
				want := bytes.Clone(sealed)
				for i := range s.open {
					m := &s.open[i]
					m.Out = m.In[:len(m.Out)]
				}
				if got := a.OpenAll(s.open); got != bad || !bytes.Equal(sealed, want) {
					t.Fatalf("message %d of %d changed, in place: OpenAll = %d, want %d; ciphertext unchanged: %t, want true", bad, n, got, bad, bytes.Equal(sealed, want))
				}
			}
		}
	})
}

func TestLanesPanic(t *testing.T) {
	eachLanes(t, func(t *testing.T, a batch.AEAD) {
		for n := 1; n <= 9; n++ {
			s := newSet(a, n, func(int) int { return 100 })
			s.seal[n-1].Nonce = make([]byte, a.NonceSize()+1)
			want := fmt.Sprintf("aead: nonce of %d bytes, want %d", a.NonceSize()+1, a.NonceSize())
			if got := mactest.Panic(func() { a.SealAll(s.seal) }); got != want {
				t.Errorf("got panic %q, want %q", got, want)
			}
		}
	})
}

func TestLanesAllocations(t *testing.T) {
	eachLanes(t, func(t *testing.T, a batch.AEAD) {
		s := newSet(a, 11, func(int) int { return 3000 })
		mactest.NoAllocations(t, "SealAll, OpenAll", func() {
			a.SealAll(s.seal)
			a.OpenAll(s.open)
		})
	})
}

// TestBatchWiped checks that the pooled memory contains no part of a key, plaintext or
// tag.
func TestBatchWiped(t *testing.T) {
	eachLanes(t, func(t *testing.T, a batch.AEAD) {
		s := newSet(a, 8, func(int) int { return 1000 })
		a.SealAll(s.seal)
		a.OpenAll(s.open)
		s.open[3].In[0] ^= 1
		a.OpenAll(s.open)
		w := batchPool.Get().(*batchWork)
		defer batchPool.Put(w)
		if w.aead != nil || w.msgs != nil || w.digests != [len(w.digests)]byte{} || w.lengths != [len(w.lengths)][8]byte{} {
			t.Error("pooled memory contains keys, tags or messages, want zeros")
		}
		for i := range w.macs {
			if w.macs[i] != (blake2b.State{}) || w.streams[i] != (chacha20.Stream{}) || w.macInputs[i] != nil {
				t.Errorf("pooled memory contains the state of message %d, want zeros", i)
			}
		}
	})
}

func TestLanesConcurrent(t *testing.T) {
	a := mustAEAD(t, algorithms[0], mactest.Random(KeySize, 1), TagSize).(batch.AEAD)
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() {
			for range 20 {
				newSet(a, n, func(i int) int { return 3000 + i }).check(t, a)
			}
		})
	}
	wg.Wait()
}

// FuzzLanes uses message lengths from the fuzzer's bytes, two bytes each, and changes
// one message.
func FuzzLanes(f *testing.F) {
	f.Add([]byte{}, uint16(0), uint16(0))
	f.Add([]byte{1, 0, 1, 1, 1, 2, 1, 3}, uint16(3), uint16(128))
	f.Add(mactest.Random(40, 1), uint16(7), uint16(77))
	a := mustAEAD(f, algorithms[0], mactest.Random(KeySize, 1), TagSize).(batch.AEAD)
	f.Fuzz(func(t *testing.T, lengths []byte, bad, at uint16) {
		s := newSet(a, min(len(lengths)/2, 20), func(i int) int { return int(lengths[2*i])<<8 | int(lengths[2*i+1]) })
		s.check(t, a)
		if n := len(s.open); n > 0 {
			s = newSet(a, n, func(i int) int { return len(s.open[i].Out) })
			a.SealAll(s.seal)
			i := int(bad) % n
			sealed := s.open[i].In
			sealed[int(at)%len(sealed)] ^= 1
			if got := a.OpenAll(s.open); got != i {
				t.Errorf("message %d of %d changed: OpenAll = %d, want %d", i, n, got, i)
			}
		}
	})
}

// BenchmarkLanes measures batches of a stream's chunks.
func BenchmarkLanes(b *testing.B) {
	a := mustAEAD(b, algorithms[0], make([]byte, KeySize), TagSize).(batch.AEAD)
	for _, n := range []int{1, 2, 3, 4, 5, 8} {
		s := newSet(a, n, func(int) int { return 65536 })
		a.SealAll(s.seal)
		for name, f := range map[string]func(){
			"seal": func() { a.SealAll(s.seal) }, "open": func() { a.OpenAll(s.open) },
		} {
			b.Run(fmt.Sprintf("alg=%s/messages=%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(n * 65536))
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
	}
}

// TestBatchEmpty includes empty messages in batches.
func TestBatchEmpty(t *testing.T) {
	eachLanes(t, func(t *testing.T, a batch.AEAD) {
		text := mactest.Random(3000, 41)
		mactest.Empty(t, "SealAll and OpenAll", func(empty []byte) (all []byte) {
			var sealed, opened []batch.Message
			for i := range 9 {
				m := batch.Message{Nonce: mactest.Random(a.NonceSize(), uint64(i)), In: empty}
				if i%4 == 1 {
					m.In = text
				}
				m.Out = make([]byte, len(m.In)+a.Overhead())
				sealed = append(sealed, m)
			}
			a.SealAll(sealed)
			for _, m := range sealed {
				all = append(all, m.Out...)
				out := empty
				if len(m.In) > 0 {
					out = make([]byte, len(m.In))
				}
				opened = append(opened, batch.Message{Nonce: m.Nonce, In: m.Out, Out: out})
			}
			if n := a.OpenAll(opened); n != len(opened) {
				t.Errorf("OpenAll = %d, want %d", n, len(opened))
			}
			for _, m := range opened {
				all = append(all, m.Out...)
			}
			return all
		}, text)
	})
}
