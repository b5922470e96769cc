// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// checkBatch compares SumBatch with single digests.
func checkBatch(t testing.TB, size int, key []byte, msgs [][]byte) {
	t.Helper()
	want := []byte("before")
	for _, msg := range msgs {
		want = append(want, sumOf(size, key, msg)...)
	}
	for _, spare := range []int{0, len(want)} {
		dst := append(make([]byte, 0, len("before")+spare), "before"...)
		got, err := SumBatch(dst, size, key, msgs...)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d messages, key of %d bytes, digests of %d bytes: SumBatch = %x, %v, want %x", len(msgs), len(key), size, got, err, want)
		}
		if spare > 0 && &got[0] != &dst[0] {
			t.Fatal("SumBatch allocated although dst has enough capacity")
		}
	}
}

// TestSumBatch hashes every number of messages up to 100, with equal, random and zero
// lengths.
func TestSumBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	text := mactest.Random(2000, 8)
	lengths := map[string]func() int{
		"equal":  func() int { return 128 },
		"short":  func() int { return rng.IntN(130) },
		"random": func() int { return rng.IntN(1000) },
		"empty":  func() int { return 0 },
		"mixed":  func() int { return rng.IntN(2) * rng.IntN(2000) },
	}
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for name, length := range lengths {
			for n := range 100 {
				if testing.Short() && n > 40 && n%9 > 0 {
					continue
				}
				msgs := make([][]byte, n)
				for i := range msgs {
					msgs[i] = text[:length()]
				}
				checkBatch(t, 1+rng.IntN(Size), text[:rng.IntN(2)*rng.IntN(Size+1)], msgs)
				if t.Failed() {
					t.Fatalf("failed with %s lengths", name)
				}
			}
		}
	})
}

// TestBatchWiped checks that no part of a key or message stays in the pool.
func TestBatchWiped(t *testing.T) {
	for range 20 {
		if _, err := SumBatch(nil, Size, mactest.Random(32, 9), make([][]byte, 70)...); err != nil {
			t.Fatal(err)
		}
		b := batchPool.Get().(*batch)
		if *b != (batch{}) {
			t.Fatal("pooled memory is not all zeros")
		}
		batchPool.Put(b)
	}
}

func TestBatchConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for seed := range uint64(8) {
		wg.Go(func() {
			msgs := make([][]byte, 20)
			for i := range msgs {
				msgs[i] = mactest.Random(30*i, seed)
			}
			for range 20 {
				checkBatch(t, 32, nil, msgs)
			}
		})
	}
	wg.Wait()
}

// TestSumPairs hashes two messages with lengths around the threshold for sharing lanes.
func TestSumPairs(t *testing.T) {
	mactest.Implementations(t, "blake2b", func(t *testing.T) {
		for _, key := range [][]byte{nil, mactest.Random(32, 10)} {
			for _, a := range []int{0, 999, 1000, 1001, 3000} {
				for _, b := range []int{0, 999, 1000, 1001, 3000} {
					checkBatch(t, 48, key, [][]byte{mactest.Random(a, 11), mactest.Random(b, 12)})
				}
			}
		}
	})
}
