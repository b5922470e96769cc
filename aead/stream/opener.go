// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// An opener opens the chunks of a stream in order. Jobs open several chunks each.
type opener struct {
	hidden
	chunks chunks
	queue  queue
	run    int    // maximum number of chunks in a job
	index  uint64 // of the first chunk of the next job

	// carry is the beginning of a chunk that was read together with the whole chunks of
	// a job. It is a part of that job's buffer.
	carry []byte

	// end is the error to return after the jobs in use, provided that their chunks are
	// authentic. If the data ends after a chunk, end is io.EOF. If more data follows,
	// end is nil.
	end error

	current *job   // the oldest job, if its plaintext is being returned
	taken   int    // chunks of current that next has returned
	ended   bool   // the last chunk of the stream was in an earlier job
	rest    []byte // authentic plaintext to return next
	err     error  // after rest
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

// rewind discards all data. The next chunk has the given index.
func (o *opener) rewind(index uint64) {
	o.queue.rewind()
	o.index, o.carry, o.end = index, nil, nil
	o.current, o.taken, o.ended, o.rest, o.err = nil, 0, false, nil, nil
}

// probe returns the number of extra bytes, from the start of the next chunk, to request
// with a full job. If the source delivers them, more data is probably available. A slow
// source tends to pause between chunks or at a random offset, and rarely just after
// these bytes.
func (c *chunks) probe() int { return c.tagSize / 2 }

// prepare copies the carry to the buffer of the next job and returns its length.
func (o *opener) prepare() int {
	j, n := o.queue.next(), len(o.carry)
	j.grow(n, n, 0)
	copy(j.buf, o.carry)
	o.carry = nil
	return n
}

// startJob starts the next job, whose buffer must contain n bytes. If isEnd is true, no
// data follows these bytes. In this case, startJob sets end and includes a shorter last
// chunk in the job. If isEnd is false, the job consists of the whole chunks, and the
// remaining bytes become the carry. If here is true, the job runs before startJob
// returns.
func (o *opener) startJob(n int, isEnd, here bool) {
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
		o.queue.launch(here)
	}
}

// takeOldest makes the oldest job, which must exist, the current one.
func (o *opener) takeOldest() { o.current, o.taken = o.queue.oldest(), 0 }

// atLast reports whether the next chunk of the current job was sealed as the last one
// of the stream. For a damaged stream, in which other chunks may follow, it returns
// false.
func (o *opener) atLast() bool {
	r := &o.current.result
	return r.ended && r.err == nil && o.taken == r.opened-1 && !o.chunks.damaged
}

// next sets rest to the plaintext of the next chunk in the current job. If no chunk
// remains, next sets err to the job's error, which may be nil, releases the job and
// returns false. If data follows the chunk that was sealed as the last one, next sets
// err and returns false instead of that chunk. The caller must therefore set end before
// it calls next for the last chunk.
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

// finish returns the error to report after all data: io.EOF if the stream is complete.
// When finish is called, the source must be at its end, and no job may be in use.
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
