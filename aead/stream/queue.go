// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"slices"
	"sync"

	"github.com/unimac/unimac/aead/internal/batch"
)

// A job seals or opens several consecutive chunks.
type job struct {
	index uint64 // index of the first chunk
	batch messageBatch

	// buf holds the input. Each chunk of plaintext to seal is followed by a gap for its
	// tag.
	buf []byte
	n   int // size of the input in bytes, not counting the gaps

	src []byte // plaintext to seal, or nil if it is in buf

	final  bool   // to seal: the job ends with the stream's final chunk
	sealed []byte // the sealed chunks

	pos    streamPos  // to open
	result openResult // after opening

	// done receives a value when a goroutine finishes the job.
	done  chan struct{}
	async bool
}

// grow enlarges buf to at least need bytes and keeps its first n.
func (j *job) grow(need, size, n int) {
	if need <= len(j.buf) {
		return
	}
	// Grow in steps, so that short streams use little memory.
	newSize := max(4*len(j.buf), 4096)
	if newSize > size/2 {
		newSize = size
	}
	buf := make([]byte, max(need, newSize))
	copy(buf, j.buf[:n])
	j.buf = buf
}

// plainOffset returns the offset in a job's buffer of plaintext byte n.
func (c *chunkCipher) plainOffset(n int) int { return n/c.size*c.stride() + n%c.size }

// A queue runs jobs in goroutines while the caller fills the next one.
type queue struct {
	run     func(*job) // must not do I/O, which may panic
	maxJobs int        // maximum number of outstanding jobs; if 1, launch runs them

	jobs    []*job // outstanding jobs, the oldest first
	spare   *job   // the job that is being filled, or nil
	free    []*job
	initial [2]*job // initial storage of jobs and free, enough for a short stream

	work    func() // body of each goroutine; set on first use
	mu      sync.Mutex
	waiting []*job // launched jobs that no goroutine runs yet
}

// nextJob returns the job to fill and launch next.
func (q *queue) nextJob() *job {
	if q.spare == nil {
		if last := len(q.free) - 1; last >= 0 {
			// The most recently used buffer is probably still in the cache.
			q.spare, q.free = q.free[last], q.free[:last]
		} else {
			q.spare = new(job)
		}
	}
	return q.spare
}

// full reports whether the oldest job must be released before the next launch.
func (q *queue) full() bool { return len(q.jobs) == q.maxJobs }

// launch starts the next job, in the caller's goroutine if inline is true.
func (q *queue) launch(inline bool) {
	j := q.nextJob()
	q.spare = nil
	if q.jobs == nil {
		q.jobs, q.free = q.initial[:0:1], q.initial[1:1]
	}
	q.jobs = append(q.jobs, j)
	j.async = !inline && q.maxJobs > 1
	if !j.async {
		q.run(j)
		return
	}
	if j.done == nil {
		// The buffer lets goroutines exit even if the queue is abandoned.
		j.done = make(chan struct{}, 1)
	}
	if q.work == nil {
		q.work = q.runOldest
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, j)
	q.mu.Unlock()
	// The newest goroutine often runs first, so it must take the oldest job.
	go q.work()
}

// runOldest runs the oldest waiting job.
func (q *queue) runOldest() {
	q.mu.Lock()
	j := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.mu.Unlock()
	q.run(j)
	j.done <- struct{}{}
}

// waitOldest waits for the oldest job and returns it.
func (q *queue) waitOldest() *job {
	j := q.jobs[0]
	if j.async {
		<-j.done
		j.async = false
	}
	return j
}

// ready reports whether the oldest job exists and is done.
func (q *queue) ready() bool {
	return len(q.jobs) > 0 && (!q.jobs[0].async || len(q.jobs[0].done) > 0)
}

func (q *queue) release() {
	j := q.jobs[0]
	q.jobs = slices.Delete(q.jobs, 0, 1)
	q.free = append(q.free, j)
}

// drain waits for all running jobs and then drops all buffers.
func (q *queue) drain() {
	q.rewind()
	q.spare, q.jobs, q.free, q.initial = nil, nil, nil, [2]*job{}
}

// rewind waits for all outstanding jobs and removes them, but keeps their buffers.
func (q *queue) rewind() {
	for len(q.jobs) > 0 {
		q.waitOldest()
		q.release()
	}
}

const (
	// The memory limit is computed as if chunks had at least minLimitedChunk bytes.
	minLimitedChunk = 64 << 10

	// fixedMemory is the constant term of the memory limit. It gives two goroutines
	// enough 64 KiB chunks to fill most vector lanes.
	fixedMemory = 1<<20 + 8<<10

	// fixedMemoryOne replaces fixedMemory if there is only one goroutine.
	fixedMemoryOne = 200 << 10

	// maxJobBytes limits the plaintext size of a job that has several large chunks.
	maxJobBytes = 8 << 20
)

// memoryLimit returns the maximum total size of a stream's buffers in bytes.
func memoryLimit(size, goroutines int) int64 {
	unit := int64(max(size, minLimitedChunk))
	if goroutines == 1 {
		return 4*unit + fixedMemoryOne
	}
	return (2+2*int64(goroutines))*unit + fixedMemory
}

// maxJobChunks returns the maximum number of chunks in one job.
func maxJobChunks(c *chunkCipher, goroutines int) int {
	jobs := 1
	if goroutines > 1 {
		jobs = goroutines + 1 // the caller fills one more
	}
	// The jobs share the memory limit evenly.
	return clampChunks(c, (memoryLimit(c.size, goroutines)/int64(jobs)-int64(c.tagSize))/int64(c.stride()))
}

// maxWideSlotChunks returns the maximum number of chunks per wide slot.
func maxWideSlotChunks(c *chunkCipher, goroutines int) int {
	n := memoryLimit(c.size, goroutines) / int64(c.stride())
	// Reserve one chunk for each slot that is not wide.
	return clampChunks(c, (n-int64(2+goroutines))/int64(goroutines))
}

// clampChunks returns n, limited to the number of chunks allowed per job.
func clampChunks(c *chunkCipher, n int64) int {
	if c.size >= minLimitedChunk {
		n = min(n, batch.MaxLanes, int64(maxJobBytes/c.size))
	}
	return max(1, int(n))
}
