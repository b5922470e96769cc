// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"sync/atomic"

	"github.com/unimac/unimac/aead/internal/batch"
)

const (
	// memory is how many bytes of buffers a Writer, Reader or ReaderAt may have.
	// A little more than the largest chunk, so that there is always one.
	memory = 24 << 20

	// batchSize is how many bytes of plaintext a goroutine gets at once, if
	// chunks are not larger: enough that starting it does not matter, and to fill
	// the lanes with chunks of 64 KiB.
	batchSize = 512 << 10

	// maxBatchSize is how many bytes it gets where the lanes need more.
	maxBatchSize = 8 << 20
)

// A job is a run of consecutive chunks that are sealed or opened together.
type job struct {
	chunks *chunks
	index  uint64 // of the first chunk
	last   bool   // the last chunk is the stream's
	lanes  lanes

	plain    []byte // to be sealed
	borrowed bool   // it is the caller's
	own      []byte // then, the job's memory for it

	sealed []byte // the result; or to be opened in place
	opened int    // how many chunks of sealed are authentic
	err    error  // of the chunk behind those

	done chan struct{} // receives a value when the job has run
}

func (j *job) seal() {
	if size := len(j.plain) + j.chunks.count(len(j.plain))*tagSize; cap(j.sealed) < size {
		j.sealed = make([]byte, 0, size)
	}
	j.sealed = j.chunks.seal(j.sealed[:0], j.plain, j.index, j.last, &j.lanes)
	j.done <- struct{}{}
}

func (j *job) open() {
	j.opened, j.err = j.chunks.open(j.sealed, j.sealed, j.chunks.stride(), j.index, j.last, &j.lanes)
	j.done <- struct{}{}
}

// queue holds jobs in the order of their chunks. Those that were started run side
// by side; only the queue's user takes them out, in order, and talks to the
// underlying reader or writer. So no goroutine ever waits for anything, and a
// queue that is abandoned comes to rest by itself.
type queue struct {
	jobs    []*job // a ring
	head, n int    // the oldest job in use, and how many are
	work    func() // runs the oldest job that was started and has not run
}

// newQueue returns a queue of jobs of which each may take size bytes: as many as
// jobCount says, within memory.
func newQueue(c *chunks, goroutines, size int, work func(*job)) queue {
	jobs := make([]*job, max(1, min(jobCount(goroutines), memory/size)))
	for i := range jobs {
		jobs[i] = &job{chunks: c, done: make(chan struct{}, 1)}
	}
	// Go begins with the goroutine that was started last. If that came with a job
	// of its own, the oldest could be the last to be done.
	var begun atomic.Uint64
	return queue{jobs: jobs, work: func() {
		work(jobs[(begun.Add(1)-1)%uint64(len(jobs))])
	}}
}

// jobCount is how many jobs there should be: one more than goroutines work on,
// and if that is one, none beside its own.
func jobCount(goroutines int) int {
	if goroutines > 1 {
		return goroutines + 1
	}
	return 1
}

// full reports whether all jobs are in use.
func (q *queue) full() bool { return q.n == len(q.jobs) }

// next is the job to fill and start. The queue must not be full.
func (q *queue) next() *job { return q.jobs[(q.head+q.n)%len(q.jobs)] }

// start takes next into use and runs it.
func (q *queue) start() {
	q.n++
	if len(q.jobs) == 1 {
		q.work()
	} else {
		go q.work()
	}
}

// oldest waits for the oldest job in use, once for each.
func (q *queue) oldest() *job {
	j := q.jobs[q.head]
	<-j.done
	return j
}

// ready reports whether oldest would not have to wait.
func (q *queue) ready() bool { return q.n > 0 && len(q.jobs[q.head].done) > 0 }

// drain waits for all jobs in use, so that no goroutine is left behind.
func (q *queue) drain() {
	for q.n > 0 {
		q.oldest()
		q.release()
	}
}

// release takes the oldest job out of use.
func (q *queue) release() {
	q.head = (q.head + 1) % len(q.jobs)
	q.n--
}

// batchChunks is how many chunks of the given size a goroutine gets at once, at
// most, where there are to be count buffers for as many.
func batchChunks(size, count int) int {
	lanes := min(batch.MaxLanes, maxBatchSize/size, memory/(count*size))
	return max(1, batchSize/size, lanes)
}
