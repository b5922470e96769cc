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

	// buf contains the chunks, which are sealed or opened in place. Before sealing,
	// each plaintext chunk is followed by space for the tag, which n does not
	// include.
	buf []byte
	n   int

	src []byte // to seal: the plaintext, if it is in the caller's memory instead of buf

	final  bool   // to seal: the job's last chunk is the stream's last chunk
	sealed []byte // the sealed chunks

	pos    streamPos  // to open
	result openResult // after opening

	// done receives a value when a goroutine has finished the job.
	done  chan struct{}
	async bool
}

// grow reallocates buf to hold at least need bytes, and preserves the first n. The
// buffer grows to its full size, size bytes, in several steps, so that short streams
// use little memory.
func (j *job) grow(need, size, n int) {
	if need <= len(j.buf) {
		return
	}
	newSize := max(4*len(j.buf), 4096)
	if newSize > size/2 {
		newSize = size
	}
	buf := make([]byte, max(need, newSize))
	copy(buf, j.buf[:n])
	j.buf = buf
}

// plainAt returns the offset in buf of byte n of a job's plaintext.
func (c *chunkCipher) plainOffset(n int) int { return n/c.size*c.stride() + n%c.size }

// A queue runs jobs in at most limit goroutines while the caller fills the next job.
// Only the caller reads input, writes output, and removes jobs, in order. The goroutines
// do no I/O and never wait for the caller, so they exit on their own if the queue is
// abandoned.
type queue struct {
	run     func(*job)
	maxJobs int // maximum number of goroutines; if it is 1, launch runs the jobs

	jobs    []*job // outstanding jobs, the oldest first
	spare   *job   // the job that is being filled, or nil
	free    []*job
	initial [2]*job // initial storage of jobs and free, enough for a short stream

	work    func() // the body of each goroutine; set when the first one is needed
	mu      sync.Mutex
	waiting []*job // launched jobs that no goroutine runs yet
}

// next returns the job that the caller fills and then launches.
func (q *queue) nextJob() *job {
	if q.spare == nil {
		if last := len(q.free) - 1; last >= 0 {
			// The buffer of the most recently used job is probably in the cache.
			q.spare, q.free = q.free[last], q.free[:last]
		} else {
			q.spare = new(job)
		}
	}
	return q.spare
}

// full reports whether the oldest job must be released before the next launch.
func (q *queue) full() bool { return len(q.jobs) == q.maxJobs }

// launch starts the next job. The queue must not be full. If inline is true, the job runs
// in the caller's goroutine before launch returns, which is faster when the caller has
// nothing else to do.
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

// runOldest runs the oldest waiting job. It picks the job here, not when the goroutine
// is created, because the scheduler tends to run the newest goroutine first, which
// could leave the oldest job until last.
func (q *queue) runOldest() {
	q.mu.Lock()
	j := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.mu.Unlock()
	q.run(j)
	j.done <- struct{}{}
}

// oldest waits for the oldest job and returns it.
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

// drain waits until no job is running, and then drops all jobs and their buffers.
func (q *queue) drain() {
	q.rewind()
	q.spare, q.jobs, q.free, q.initial = nil, nil, nil, [2]*job{}
}

// rewind waits for all outstanding jobs and removes them, but keeps their buffers for
// reuse.
func (q *queue) rewind() {
	for len(q.jobs) > 0 {
		q.waitOldest()
		q.release()
	}
}

const (
	// Chunks smaller than minLimitedChunk bytes have the same memory limit as chunks of
	// minLimitedChunk bytes.
	minLimitedChunk = 64 << 10

	// fixedMemory is the part of the memory limit that does not depend on the chunk
	// size, and fixedMemoryOne is its value for a single goroutine. Without this part,
	// one or two goroutines with 64 KiB chunks would leave many vector lanes idle.
	fixedMemory    = 1<<20 + 8<<10
	fixedMemoryOne = 200 << 10

	// maxRun is the largest plaintext size, in bytes, of a job with more than one
	// chunk.
	maxJobBytes = 8 << 20
)

// memory returns the maximum total size in bytes of a stream's buffers.
func memoryLimit(size, goroutines int) int64 {
	unit := int64(max(size, minLimitedChunk))
	if goroutines == 1 {
		return 4*unit + fixedMemoryOne
	}
	return (2+2*int64(goroutines))*unit + fixedMemory
}

// runChunks returns the maximum number of chunks per job. A stream's memory budget is
// split evenly among its jobs: one per goroutine and, if there are several goroutines,
// another job that the caller fills while the others run.
func maxJobChunks(c *chunkCipher, goroutines int) int {
	jobs := 1
	if goroutines > 1 {
		jobs = goroutines + 1
	}
	return clampChunks(c, (memoryLimit(c.size, goroutines)/int64(jobs)-int64(c.tagSize))/int64(c.stride()))
}

// slotChunks returns the number of chunks that fit in a wide slot of a ReaderAt. The
// memory budget covers one wide slot per goroutine, plus goroutines + 2 single-chunk
// slots.
func maxWideSlotChunks(c *chunkCipher, goroutines int) int {
	n := memoryLimit(c.size, goroutines) / int64(c.stride())
	return clampChunks(c, (n-int64(2+goroutines))/int64(goroutines))
}

// clampRun returns n or 1, whichever is larger. A job of large chunks is limited to one
// AEAD call and maxRun bytes.
func clampChunks(c *chunkCipher, n int64) int {
	if c.size >= minLimitedChunk {
		n = min(n, batch.MaxLanes, int64(maxJobBytes/c.size))
	}
	return max(1, int(n))
}
