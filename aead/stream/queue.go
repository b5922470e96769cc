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
	index uint64 // index of the first chunk
	batch messageBatch

	// buf contains the chunks, which are sealed and opened in place. For sealing, n is
	// the number of plaintext bytes, and space for a tag follows the plaintext of each
	// chunk. For opening, n is the number of bytes of buf in use.
	buf []byte
	n   int

	src []byte // sealing: the plaintext, if it is the caller's and not in buf

	last   bool   // sealing: the last chunk is the stream's last
	sealed []byte // sealing: the sealed chunks

	place  place  // opening
	result result // opening

	// done receives a value after a goroutine has run the job. It is nil if no
	// goroutine has run the job yet.
	done  chan struct{}
	async bool
}

// grow extends buf to at least need bytes and keeps its first n bytes. It grows up to
// size in steps, so that a short stream does not allocate the buffer of a long one.
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

// plainAt returns the position in buf of byte n of a job's plaintext.
func (c *chunks) plainAt(n int) int { return n/c.size*c.stride() + n%c.size }

// A queue contains jobs in the order of their chunks. Up to limit jobs run
// concurrently, each in its own goroutine, while one more job is filled. Only the owner
// of the queue removes jobs, in order, and uses the underlying reader or writer.
// Therefore the goroutines never block, and they end by themselves if the queue is
// abandoned.
type queue struct {
	run   func(*job)
	limit int // maximum number of goroutines; if 1, the caller runs the jobs

	jobs  []*job // jobs in use, the oldest first
	spare *job   // the job that is being filled, if any
	free  []*job
	one   [2]*job // initial storage of jobs and free, for short streams with a single job

	work    func() // the function that goroutines run; set when the first one is needed
	mu      sync.Mutex
	waiting []*job // started jobs that no goroutine runs yet
}

// next returns the job to fill and start.
func (q *queue) next() *job {
	if q.spare == nil {
		if last := len(q.free) - 1; last >= 0 {
			// Take the most recently used job, because its buffer is in the cache.
			q.spare, q.free = q.free[last], q.free[:last]
		} else {
			q.spare = new(job)
		}
	}
	return q.spare
}

// full reports whether the oldest job must be released before another can be started.
func (q *queue) full() bool { return len(q.jobs) == q.limit }

// start starts the job that next returned. If here is true, the caller's goroutine runs
// it, because nothing else would run concurrently. The queue must not be full.
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

// runOldest runs the oldest waiting job. Go schedules the goroutine that was started
// last first. If each goroutine ran the job that was started with it, the oldest job
// could finish last.
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

// ready reports whether oldest would return without waiting.
func (q *queue) ready() bool {
	return len(q.jobs) > 0 && (!q.jobs[0].async || len(q.jobs[0].done) > 0)
}

// release removes the oldest job from the jobs in use.
func (q *queue) release() {
	j := q.jobs[0]
	q.jobs = slices.Delete(q.jobs, 0, 1)
	q.free = append(q.free, j)
}

// drain waits for all jobs in use, so that no goroutine is left, and drops the jobs and
// their buffers.
func (q *queue) drain() {
	q.rewind()
	q.spare, q.jobs, q.free, q.one = nil, nil, nil, [2]*job{}
}

// rewind waits for all jobs in use and keeps their buffers.
func (q *queue) rewind() {
	for len(q.jobs) > 0 {
		q.oldest()
		q.release()
	}
}

const (
	// minUnit is the size at which smaller chunks count in the memory limit.
	minUnit = 64 << 10

	// slack and slackOne are the additional memory with several goroutines and with
	// one. They suffice to fill all lanes with 64 KiB chunks with two goroutines, and
	// almost all with one.
	slack    = 1<<20 + 8<<10
	slackOne = 200 << 10

	// maxRun is the maximum size of a job in bytes, unless a single chunk is larger.
	maxRun = 8 << 20
)

// memory returns the limit for the buffers of a stream in bytes.
func memory(size, goroutines int) int64 {
	unit := int64(max(size, minUnit))
	if goroutines == 1 {
		return 4*unit + slackOne
	}
	return (2+2*int64(goroutines))*unit + slack
}

// runChunks returns the maximum number of chunks per job. The memory limit must allow
// one job for each goroutine and one job to fill.
func runChunks(c *chunks, goroutines int) int {
	jobs := 1
	if goroutines > 1 {
		jobs = goroutines + 1
	}
	return limitRun(c, (memory(c.size, goroutines)/int64(jobs)-int64(c.tagSize))/int64(c.stride()))
}

// slotChunks returns the maximum number of chunks in a wide slot of a ReaderAt. There
// is one wide slot for each goroutine, and there are two more slots than goroutines for
// one chunk each.
func slotChunks(c *chunks, goroutines int) int {
	n := memory(c.size, goroutines) / int64(c.stride())
	return limitRun(c, (n-int64(2+goroutines))/int64(goroutines))
}

// limitRun returns the useful part of a run of n chunks.
func limitRun(c *chunks, n int64) int {
	if c.size >= minUnit {
		n = min(n, batch.MaxLanes, int64(maxRun/c.size))
	}
	return max(1, int(n))
}
