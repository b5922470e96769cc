// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// An opener takes the chunks of a stream in order and gives their plaintext, in
// jobs.
type opener struct {
	hidden
	chunks chunks
	queue  queue
	run    int    // chunks in a job at most
	index  uint64 // of the next job's first chunk

	// carry is the beginning of a chunk that came with a job's whole ones. It is in
	// the buffer of that job.
	carry []byte

	// end is what comes after the jobs in use as far as the format goes, if the
	// chunks are authentic: io.EOF after a chunk, or an error. It is nil if the data
	// goes on.
	end error

	current *job   // the oldest, if it is being handed out
	taken   int    // chunks of it that are, or were, rest
	ended   bool   // the stream's last chunk is among those taken
	rest    []byte // authentic plaintext to hand out
	err     error  // what comes after rest
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

// rewind forgets all that has come. The chunk of that index comes next.
func (o *opener) rewind(index uint64) {
	o.queue.rewind()
	o.index, o.carry, o.end = index, nil, nil
	o.current, o.taken, o.ended, o.rest, o.err = nil, 0, false, nil, nil
}

// probe is how many bytes of the next chunk are read with a full job. If they come,
// the source goes on: a slow one rests after whole chunks, or anywhere, but hardly
// ever just here.
func (c *chunks) probe() int { return c.tagSize / 2 }

// prepare moves what is carried to the buffer of the next job, and returns how many
// bytes that are.
func (o *opener) prepare() int {
	j, n := o.queue.next(), len(o.carry)
	j.grow(n, n, 0)
	copy(j.buf, o.carry)
	o.carry = nil
	return n
}

// start starts the next job with the whole chunks of the n bytes in its buffer. If
// the data ends there, it sets end, and takes a shorter chunk, too. Otherwise that
// is carried.
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

// take makes the oldest job the current one. There must be one.
func (o *opener) take() { o.current, o.taken = o.queue.oldest(), 0 }

// atLast reports whether next would hand out a chunk that was sealed as the stream's last.
func (o *opener) atLast() bool {
	r := &o.current.result
	return r.ended && r.err == nil && o.taken == r.opened-1 && !o.chunks.damaged
}

// next makes rest the plaintext of the current job's next chunk. It reports false if
// there is none: then there is no current job any more, or err is set. If something
// follows the stream's last chunk, that is not handed out: end must be set before.
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

// finish returns what comes after all, when the data is at its end and no job is in
// use.
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
