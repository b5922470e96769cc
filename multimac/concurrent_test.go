// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"bytes"
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

func TestConcurrent(t *testing.T) {
	k := mustKey(t, mactest.Random(32, 1), mactest.Random(32, 2))
	a, b := mactest.Random(300, 3), mactest.Random(70, 4)
	want := k.Sum(a, b)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if !k.Verify(want, a, b) || k.Verify(want, b, a) {
					t.Error("concurrent Verify: got wrong result")
				}
			}
		})
	}
	wg.Wait()
}

// TestConcurrentBatches checks that concurrent calls of SumBatch do not share pooled
// memory.
func TestConcurrentBatches(t *testing.T) {
	k := mustKey(t, mactest.Random(32, 1), mactest.Random(32, 2))
	var wg sync.WaitGroup
	for g := range 8 {
		lists := make([][][]byte, 20)
		var want []byte
		for i := range lists {
			lists[i] = [][]byte{mactest.Random(100*i+g, 3), mactest.Random(g, 4)}
			want = k.Append(want, lists[i]...)
		}
		wg.Go(func() {
			for range 200 {
				if got := k.SumBatch(nil, lists...); !bytes.Equal(got, want) {
					t.Error("concurrent SumBatch: got wrong tags")
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestBatchWiped checks that SumBatch leaves no secret in the pool.
func TestBatchWiped(t *testing.T) {
	k := mustKey(t, mactest.Random(32, 1), mactest.Random(32, 2))
	for range 100 { // the pool may return a new batch
		k.SumBatch(nil, [][]byte{{1}}, [][]byte{{2}}, [][]byte{{3}, {4}})
		b := batchPool.Get().(*batch)
		if b.key != nil || b.lists != nil || b.tags != nil || b.chains != [batchSize]chain{} || b.digests != [batchSize * maxSize]byte{} {
			t.Fatal("pooled memory contains keys, lists, tags or intermediate values, want zeros")
		}
		for i := range b.states {
			if b.keys[i] != nil || b.inputs[i] != nil {
				t.Fatal("pooled memory refers to keys or inputs, want nil")
			}
		}
		batchPool.Put(b)
	}
}
