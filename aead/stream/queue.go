// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"slices"
	"sync"

	"github.com/unimac/unimac/aead/internal/batch"
)

// A job is a run of consecutive chunks that are sealed or opened together.
type job struct {
	index uint64 // of the first chunk
	batch messageBatch

	// Chunks one after the other, sealed and opened in place. If they are to be
	// sealed, n is how many bytes of plaintext there are, and each chunk's is
	// followed by room for its tag. If they are to be opened, n is how many bytes
	// of buf they have.
	buf []byte
	n   int

	src []byte // to be sealed: the plaintext, where it is not in buf but the caller's

	last   bool   // to be sealed: the last chunk is the stream's
	sealed []byte // the chunks, when they are sealed

	place  place  // to be opened
	result result // when they are opened

	// done receives a value when a goroutine has run the job. It is nil as long as
	// the job has always run where it was started.
	done  chan struct{}
	async bool
}

// grow makes buf at least need bytes long, on the way to size: a short stream has no
// use for the buffer of a long one. Of what it held, the first n bytes stay.
func (j *job) grow(need, size, n int) {
	if need <= len(j.buf) {
		return
	}
	more := max(4*len(j.buf), 4096)
	if more > size/2 {
		more = size
	}
	buf := make([]byte, max(need, more))
	copy(buf, j.buf[:n])
	j.buf = buf
}

// plainAt is where byte n of a job's plaintext is in buf.
func (c *chunks) plainAt(n int) int { return n/c.size*c.stride() + n%c.size }

// queue holds jobs in the order of their chunks. As many as its limit run at the
// same time, each in a goroutine, and one more can be filled meanwhile. Only the
// queue's user takes them out, in order, and talks to the underlying reader or
// writer. So no goroutine ever waits for anything, and a queue that is abandoned
// comes to rest by itself.
type queue struct {
	run   func(*job)
	limit int // goroutines at most; if it is 1, jobs run where they are started

	jobs  []*job // those in use, the oldest first
	spare *job   // the one that is being filled, if one is
	free  []*job
	one   [2]*job // what jobs and free begin with: a short stream has one job

	work    func() // what a goroutine does; set when the first is needed
	mu      sync.Mutex
	waiting []*job // those that were started and that no goroutine has begun with
}

// next is the job to fill and start.
func (q *queue) next() *job {
	if q.spare == nil {
		if last := len(q.free) - 1; last >= 0 {
			// The one that was used last: its buffer is in the cache.
			q.spare, q.free = q.free[last], q.free[:last]
		} else {
			q.spare = new(job)
		}
	}
	return q.spare
}

// full reports whether no more jobs may be started before the oldest is released.
func (q *queue) full() bool { return len(q.jobs) == q.limit }

// start takes next into use and runs it: here, if nothing else is to happen at the
// same time. The queue must not be full.
func (q *queue) start(here bool) {
	j := q.next()
	q.spare = nil
	if q.jobs == nil {
		q.jobs, q.free = q.one[:0:1], q.one[1:1]
	}
	q.jobs = append(q.jobs, j)
	j.async = !here && q.limit > 1
	if !j.async {
		q.run(j)
		return
	}
	if j.done == nil {
		j.done = make(chan struct{}, 1)
	}
	if q.work == nil {
		q.work = q.runOldest
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, j)
	q.mu.Unlock()
	go q.work()
}

// runOldest runs the oldest job that no goroutine has begun with. Go begins with
// the goroutine that was started last: if that came with a job of its own, the
// oldest could be the last to be done.
func (q *queue) runOldest() {
	q.mu.Lock()
	j := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.mu.Unlock()
	q.run(j)
	j.done <- struct{}{}
}

// oldest waits for the oldest job in use and returns it.
func (q *queue) oldest() *job {
	j := q.jobs[0]
	if j.async {
		<-j.done
		j.async = false
	}
	return j
}

// ready reports whether oldest would not have to wait.
func (q *queue) ready() bool {
	return len(q.jobs) > 0 && (!q.jobs[0].async || len(q.jobs[0].done) > 0)
}

// release takes the oldest job out of use.
func (q *queue) release() {
	j := q.jobs[0]
	q.jobs = slices.Delete(q.jobs, 0, 1)
	q.free = append(q.free, j)
}

// drain waits for all jobs in use, so that no goroutine works on one any more, and
// drops them, and with them the buffers.
func (q *queue) drain() {
	q.rewind()
	q.spare, q.jobs, q.free, q.one = nil, nil, nil, [2]*job{}
}

// rewind waits for all jobs in use, and keeps the buffers.
func (q *queue) rewind() {
	for len(q.jobs) > 0 {
		q.oldest()
		q.release()
	}
}

const (
	// minUnit is what a chunk counts for in the bound of memory, if it is smaller.
	minUnit = 64 << 10

	// slack and slackOne are how much memory there may be in addition, with several
	// goroutines and with one: enough for the lanes to be full of chunks of 64 KiB
	// with two goroutines, and nearly so with one.
	slack    = 1<<20 + 8<<10
	slackOne = 200 << 10

	// maxRun is how many bytes of large chunks a job has, unless one is larger.
	maxRun = 8 << 20
)

// memory is how many bytes of buffers a stream may have.
func memory(size, goroutines int) int64 {
	unit := int64(max(size, minUnit))
	if goroutines == 1 {
		return 4*unit + slackOne
	}
	return (2+2*int64(goroutines))*unit + slack
}

// runChunks is how many chunks a job has at most: what memory allows if there is
// one job for each goroutine and one more to be filled.
func runChunks(c *chunks, goroutines int) int {
	jobs := 1
	if goroutines > 1 {
		jobs = goroutines + 1
	}
	return limitRun(c, (memory(c.size, goroutines)/int64(jobs)-int64(c.tagSize))/int64(c.stride()))
}

// slotChunks is how many chunks a wide slot of a ReaderAt has at most: there is one
// for each goroutine, and 2 more than goroutines for one chunk each.
func slotChunks(c *chunks, goroutines int) int {
	n := memory(c.size, goroutines) / int64(c.stride())
	return limitRun(c, (n-int64(2+goroutines))/int64(goroutines))
}

// limitRun limits a run of n chunks to what is of use.
func limitRun(c *chunks, n int64) int {
	if c.size >= minUnit {
		n = min(n, batch.MaxLanes, int64(maxRun/c.size))
	}
	return max(1, int(n))
}
