// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// An opener opens the chunks of a stream in order, several per job.
type opener struct {
	keyHider
	chunks       chunkCipher
	queue        queue
	maxJobChunks int    // maximum number of chunks in a job
	index        uint64 // index of the first chunk of the next job

	// partialChunk holds an incomplete chunk until the next job.
	partialChunk []byte

	// endErr is the error for the end of the input, once reached.
	endErr error

	current  *job   // the oldest job, if its plaintext is being returned
	consumed int    // number of chunks of current that nextChunk has returned
	sawFinal bool   // an earlier job contained the stream's final chunk
	unread   []byte // authentic plaintext to return next
	err      error  // error to return after unread
}

func (o *opener) begin(goroutines int) {
	o.maxJobChunks = maxJobChunks(&o.chunks, goroutines)
	o.queue.maxJobs = goroutines
	o.queue.run = o.open
}

func (o *opener) open(j *job) {
	src := j.buf[:j.n]
	j.result = o.chunks.open(src, src, o.chunks.stride(), j.index, j.pos, &j.batch)
}

// rewind discards all jobs and prepares to open chunk index.
func (o *opener) rewind(index uint64) {
	o.queue.rewind()
	o.index, o.partialChunk, o.endErr = index, nil, nil
	o.current, o.consumed, o.sawFinal, o.unread, o.err = nil, 0, false, nil, nil
}

// lookahead returns the number of bytes to read beyond a full job.
func (c *chunkCipher) lookahead() int {
	// Slow sources usually pause between chunks. If half a tag more arrives, more data
	// is probably coming.
	return c.tagSize / 2
}

// copyPartial copies partialChunk to the next job and returns its length.
func (o *opener) copyPartial() int {
	j, n := o.queue.nextJob(), len(o.partialChunk)
	j.grow(n, n, 0)
	copy(j.buf, o.partialChunk)
	o.partialChunk = nil
	return n
}

// startJob starts the next job on the n bytes in its buffer.
func (o *opener) startJob(n int, isEnd, inline bool) {
	j, stride := o.queue.nextJob(), o.chunks.stride()
	whole, left := n/stride, n%stride
	j.pos, j.n = posUnknown, whole*stride
	switch {
	case !isEnd:
		o.partialChunk = j.buf[j.n:n]
	case left == 0:
		j.pos, o.endErr = posEnd, io.EOF
	case left < o.chunks.tagSize:
		o.endErr = errWithinTag
	case left == o.chunks.tagSize && !o.chunks.mayBeEmpty(o.index+uint64(whole)):
		j.pos, j.n, o.endErr = posEnd, n, errEmptyChunk
	default:
		j.pos, j.n, o.endErr = posEnd, n, io.EOF
	}
	if j.n > 0 {
		j.index = o.index
		o.index += uint64(whole)
		o.queue.launch(inline)
	}
}

func (o *opener) takeOldest() { o.current, o.consumed = o.queue.waitOldest(), 0 }

// nextIsFinal reports whether the current job's next chunk is the last one in the
// stream.
func (o *opener) nextIsFinal() bool {
	// If the end is damaged, chunks may follow even a chunk that is marked as final.
	r := &o.current.result
	return r.final && r.err == nil && o.consumed == r.count-1 && !o.chunks.endDamaged
}

// nextChunk stores the next chunk's plaintext in o.unread and reports whether it did.
func (o *opener) nextChunk() bool {
	j, stride := o.current, o.chunks.stride()
	if o.consumed < j.result.count {
		// Reject a final chunk if more data follows. If this chunk ends the input, the
		// caller must have set o.endErr.
		if o.nextIsFinal() && (o.endErr == nil || o.endErr == errWithinTag || len(o.queue.jobs) > 1) {
			o.err = errAfterEnd
			return false
		}
		at := o.consumed * stride
		o.unread = j.buf[at : min(at+stride, j.n)-o.chunks.tagSize]
		o.consumed++
		return true
	}
	// All authentic chunks of the job were returned, so release it.
	o.err = j.result.err
	o.sawFinal = o.sawFinal || j.result.final
	o.current = nil
	o.queue.release()
	return false
}

// finalErr returns io.EOF if the stream is complete, and another error otherwise.
func (o *opener) finalErr() error {
	// The caller has read all input and released all jobs.
	switch {
	case o.endErr == io.EOF && o.sawFinal, o.endErr == errEmptyChunk:
		return o.endErr
	case o.endErr == io.EOF && o.index == 0:
		return errNoChunk
	case o.endErr == io.EOF:
		return errUnexpectedEnd
	}
	return o.endErr
}
