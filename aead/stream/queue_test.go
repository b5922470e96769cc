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

// slowAEAD counts how many calls run side by side. Each waits a while for as many
// as are wanted.
type slowAEAD struct {
	batch.AEAD
	want          int64
	running, most atomic.Int64
}

func (a *slowAEAD) call() (done func()) {
	n := a.running.Add(1)
	for m := a.most.Load(); n > m && !a.most.CompareAndSwap(m, n); m = a.most.Load() {
	}
	for range 50 {
		if time.Sleep(time.Millisecond); a.most.Load() >= a.want {
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

// TestSideBySide checks that all goroutines get work, in all three types and
// whatever the machine has to spare. A queue has one job more than goroutines.
func TestSideBySide(t *testing.T) {
	plaintext := make([]byte, 6<<20)
	file := refSeal(t, testKey, &testSalt, 16, plaintext)
	for _, g := range []int{1, 2, 4} {
		check := func(name string, c *chunks, most int, f func() error) {
			t.Helper()
			slow := &slowAEAD{AEAD: c.aead, want: int64(most)}
			c.aead = slow
			if err := f(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if n := slow.most.Load(); n != int64(most) {
				t.Errorf("%s with %d goroutines: %d chunks at a time, want %d", name, g, n, most)
			}
		}
		jobs := g + 1
		if g == 1 {
			jobs = 1
		}
		w, err := newWriter(io.Discard, testKey, &testSalt, 16, g)
		if err != nil {
			t.Fatal(err)
		}
		check("Writer", &w.chunks, jobs, func() error {
			if _, err := w.Write(plaintext); err != nil {
				return err
			}
			return w.Close()
		})
		r, err := newReader(bytes.NewReader(file), testKey, g)
		if err != nil {
			t.Fatal(err)
		}
		check("Reader", &r.chunks, jobs, func() error {
			_, err := r.WriteTo(io.Discard)
			return err
		})
		at, err := newReaderAt(bytes.NewReader(file), int64(len(file)), testKey, g)
		if err != nil {
			t.Fatal(err)
		}
		check("ReaderAt", &at.chunks, g, func() error {
			_, err := at.ReadAt(make([]byte, len(plaintext)), 0)
			return err
		})
	}
}

// TestOldestFirst checks in which order jobs are begun: with one processor, Go
// runs the goroutine first that was started last.
func TestOldestFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var mu sync.Mutex
	var order []uint64
	q := newQueue(nil, 7, 1, func(j *job) {
		mu.Lock()
		order = append(order, j.index)
		mu.Unlock()
		j.done <- struct{}{}
	})
	for round := range uint64(2) {
		for i := range uint64(len(q.jobs)) {
			q.next().index = 8*round + i
			q.start()
		}
		for q.n > 0 {
			q.oldest()
			q.release()
		}
	}
	if !slices.IsSorted(order) || len(order) != 16 {
		t.Errorf("jobs are worked on in the order %v", order)
	}
}
