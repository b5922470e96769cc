// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/unimac/unimac/aead/internal/batch"
)

// A slowAEAD counts how many calls run at the same time. Each call waits a while for
// the expected number of calls.
type slowAEAD struct {
	batch.AEAD
	want          int64
	running, peak atomic.Int64
}

func (a *slowAEAD) call() (done func()) {
	n := a.running.Add(1)
	for m := a.peak.Load(); n > m && !a.peak.CompareAndSwap(m, n); m = a.peak.Load() {
	}
	for range 50 {
		if time.Sleep(time.Millisecond); a.peak.Load() >= a.want {
			break
		}
	}
	return func() { a.running.Add(-1) }
}

func (a *slowAEAD) SealAll(msgs []batch.Message) {
	defer a.call()()
	a.AEAD.SealAll(msgs)
}

func (a *slowAEAD) OpenAll(msgs []batch.Message) int {
	defer a.call()()
	return a.AEAD.OpenAll(msgs)
}

// TestConcurrency checks that all types use exactly the given number of goroutines,
// whatever the number of processors.
func TestConcurrency(t *testing.T) { eachKind(t, largeKinds, testConcurrency) }

func testConcurrency(t *testing.T, k *kind) {
	plaintext := make([]byte, 6<<20)
	file := k.refSeal(t, plaintext)
	for _, g := range []int{1, 2, 4} {
		check := func(name string, c *chunkCipher, f func() error) {
			t.Helper()
			slow := &slowAEAD{AEAD: c.aead, want: int64(g)}
			c.aead = slow
			if err := f(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if n := slow.peak.Load(); n != int64(g) {
				t.Errorf("%s with %d goroutines: at most %d calls ran at the same time, want %d", name, g, n, g)
			}
			if n := slow.running.Load(); n != 0 {
				t.Errorf("%s with %d goroutines: %d calls still running after its end, want 0", name, g, n)
			}
		}
		w, err := k.newWriter(io.Discard, g)
		if err != nil {
			t.Fatal(err)
		}
		check("Writer", &w.chunks, func() error {
			if _, err := w.Write(plaintext); err != nil {
				return err
			}
			return w.Close()
		})
		r, err := k.newReader(bytes.NewReader(file), g)
		if err != nil {
			t.Fatal(err)
		}
		check("Reader", &r.chunks, func() error {
			_, err := r.WriteTo(io.Discard)
			return err
		})
		at, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), g)
		if err != nil {
			t.Fatal(err)
		}
		check("ReaderAt", &at.chunks, func() error {
			_, err := at.ReadAt(make([]byte, len(plaintext)), 0)
			return err
		})
	}
}

// TestOldestFirst checks the order in which jobs begin: with one processor, Go would
// first run the goroutine that was started last.
func TestOldestFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var mu sync.Mutex
	var order []uint64
	q := queue{maxJobs: 8, run: func(j *job) {
		mu.Lock()
		order = append(order, j.index)
		mu.Unlock()
	}}
	for round := range uint64(2) {
		for i := range uint64(q.maxJobs) {
			q.nextJob().index = 8*round + i
			q.launch(false)
		}
		q.rewind()
	}
	if !slices.IsSorted(order) || len(order) != 16 {
		t.Errorf("jobs ran in the order %v, want 16 jobs in ascending order", order)
	}
}
