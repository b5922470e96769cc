// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// An opener receives the chunks of a stream in order and returns their plaintext. It
// works on jobs.
type opener struct {
	hidden
	chunks chunks
	queue  queue
	run    int    // maximum number of chunks per job
	index  uint64 // index of the next job's first chunk

	// carry is the beginning of a chunk that was read together with a job's complete
	// chunks. It is in the job's buffer.
	carry []byte

	// end is the result after the jobs in use if their chunks are authentic: io.EOF
	// after a chunk, or an error. It is nil if more data follows.
	end error

	current *job   // the oldest job, while its plaintext is being returned
	taken   int    // number of its chunks that rest has contained, including the current one
	ended   bool   // taken includes the stream's last chunk
	rest    []byte // authentic plaintext to return
	err     error  // result after rest
}

func (o *opener) begin(goroutines int) {
	o.run = runChunks(&o.chunks, goroutines)
	o.queue.limit = goroutines
	o.queue.run = o.open
}

func (o *opener) open(j *job) {
	src := j.buf[:j.n]
	j.result = o.chunks.open(src, src, o.chunks.stride(), j.index, j.place, &j.batch)
}

// rewind discards all data. The chunk with the given index comes next.
func (o *opener) rewind(index uint64) {
	o.queue.rewind()
	o.index, o.carry, o.end = index, nil, nil
	o.current, o.taken, o.ended, o.rest, o.err = nil, 0, false, nil, nil
}

// probe returns the number of bytes of the next chunk to read together with a full job.
// If they arrive, the source has more data available. A slow source pauses after
// complete chunks or at any other position, but rarely exactly here.
func (c *chunks) probe() int { return c.tagSize / 2 }

// prepare moves carry to the buffer of the next job and returns its length.
func (o *opener) prepare() int {
	j, n := o.queue.next(), len(o.carry)
	j.grow(n, n, 0)
	copy(j.buf, o.carry)
	o.carry = nil
	return n
}

// start starts the next job with the complete chunks among the n bytes in its buffer.
// If the data ends there, start sets end and includes an incomplete chunk. Otherwise it
// carries the incomplete chunk over.
func (o *opener) start(n int, isEnd, here bool) {
	j, stride := o.queue.next(), o.chunks.stride()
	whole, left := n/stride, n%stride
	j.place, j.n = unknown, whole*stride
	switch {
	case !isEnd:
		o.carry = j.buf[j.n:n]
	case left == 0:
		j.place, o.end = atEnd, io.EOF
	case left < o.chunks.tagSize:
		o.end = errWithinTag
	case left == o.chunks.tagSize && !o.chunks.mayBeEmpty(o.index+uint64(whole)):
		j.place, j.n, o.end = atEnd, n, errEmptyChunk
	default:
		j.place, j.n, o.end = atEnd, n, io.EOF
	}
	if j.n > 0 {
		j.index = o.index
		o.index += uint64(whole)
		o.queue.start(here)
	}
}

// take makes the oldest job the current one. There must be such a job.
func (o *opener) take() { o.current, o.taken = o.queue.oldest(), 0 }

// atLast reports whether the next chunk was sealed as the stream's last.
func (o *opener) atLast() bool {
	r := &o.current.result
	return r.ended && r.err == nil && o.taken == r.opened-1 && !o.chunks.damaged
}

// next sets rest to the plaintext of the current job's next chunk. If there is no such
// chunk, next returns false and either releases the current job or sets err. The
// stream's last chunk is not returned if data follows it, so end must be set before.
func (o *opener) next() bool {
	j, stride := o.current, o.chunks.stride()
	if o.taken < j.result.opened {
		if o.atLast() && (o.end == nil || o.end == errWithinTag || len(o.queue.jobs) > 1) {
			o.err = errAfterEnd
			return false
		}
		at := o.taken * stride
		o.rest = j.buf[at : min(at+stride, j.n)-o.chunks.tagSize]
		o.taken++
		return true
	}
	o.err = j.result.err
	o.ended = o.ended || j.result.ended
	o.current = nil
	o.queue.release()
	return false
}

// finish returns the result after all data. The data must be at its end, and no job may
// be in use.
func (o *opener) finish() error {
	switch {
	case o.end == io.EOF && o.ended, o.end == errEmptyChunk:
		return o.end
	case o.end == io.EOF && o.index == 0:
		return errNoChunk
	case o.end == io.EOF:
		return errUnexpectedEnd
	}
	return o.end
}
