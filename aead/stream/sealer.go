// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// A sealer seals plaintext in chunks. Jobs seal several chunks each.
type sealer struct {
	hidden
	header []byte
	chunks chunks
	queue  queue
	run    int    // chunks in a job
	index  uint64 // of the first chunk of the next job

	scratch []byte // for data from a source that cannot be read into a job
}

// init begins a stream with the options o.
func (s *sealer) init(o *Options, key []byte) error {
	goroutines, err := o.goroutines()
	if err != nil {
		return err
	}
	if s.header, s.chunks, err = o.newHeader(key); err != nil {
		return err
	}
	s.begin(goroutines)
	return nil
}

func (s *sealer) begin(goroutines int) {
	s.run = runChunks(&s.chunks, goroutines)
	s.queue.limit = goroutines
	s.queue.run = s.seal
}

func (s *sealer) seal(j *job) {
	j.sealed = s.chunks.seal(j.buf, j.src, j.n, j.index, j.last, &j.batch)
	j.src = nil
}

// space returns a part of the next job's buffer into which the caller may write up to
// want bytes of plaintext, all within one chunk. If the job is full, space returns nil.
// After writing, the caller must call add with the number of bytes written.
func (s *sealer) space(want int) []byte {
	c, j := &s.chunks, s.queue.next()
	want = min(want, s.run*c.size-j.n, c.size-j.n%c.size)
	if want <= 0 {
		return nil
	}
	at := c.plainAt(j.n)
	j.grow(at+want+c.tagSize, s.jobSize(), at)
	return j.buf[at : at+want]
}

// jobSize returns the size of a job's buffer, which includes space for an empty chunk
// after the whole chunks.
func (s *sealer) jobSize() int { return s.run*s.chunks.stride() + s.chunks.tagSize }

// add appends n bytes to the plaintext. The caller must have written them to the slice
// that space returned.
func (s *sealer) add(n int) { s.queue.next().n += n }

// buffer copies as much of p as fits into the next job and returns the number of bytes copied. If
// that number is less than len(p), the job is full and is not the last one of the stream. The
// caller must then start the job before changing p.
func (s *sealer) buffer(p []byte) int {
	if n := s.run * s.chunks.size; len(p) > s.copyMargin()*n && s.takeWhole(p[:n]) {
		return n
	}
	copied := 0
	for copied < len(p) {
		n := copy(s.space(len(p)-copied), p[copied:])
		if n == 0 {
			break
		}
		s.add(n)
		copied += n
	}
	return copied
}

// copyMargin returns the number of jobs at the end of a Write that must copy the
// caller's memory. Earlier jobs may read the caller's memory directly, because they
// finish before Write returns. With one goroutine, each job runs immediately. With
// several goroutines, the queue accepts that many later jobs only after an earlier job
// was released.
func (s *sealer) copyMargin() int {
	if s.queue.limit == 1 {
		return 1
	}
	return 1 + s.queue.limit
}

// takeWhole makes p the plaintext of the next job without copying p. If the job already
// contains data, takeWhole does nothing and returns false.
func (s *sealer) takeWhole(p []byte) bool {
	j := s.queue.next()
	if j.n > 0 {
		return false
	}
	j.grow(s.jobSize(), s.jobSize(), 0)
	j.src, j.n = p, len(p)
	return true
}

// minRead is the minimum number of bytes to request from a source, so that small chunks
// do not require one Read call each.
const minRead = 32 << 10

// read reads n bytes of plaintext from src. If the next job is full, or if chunks are
// small, read returns the bytes in unbuffered, and the caller must buffer them.
// Otherwise, it stores them in the next job.
func (s *sealer) read(src io.Reader) (unbuffered []byte, n int, err error) {
	if s.chunks.size >= minRead {
		if free := s.space(max(minRead, s.queue.next().n)); len(free) > 0 {
			n, err = readSome(src, free)
			s.add(n)
			return nil, n, err
		}
	}
	if s.scratch == nil {
		s.scratch = make([]byte, minRead)
	}
	n, err = readSome(src, s.scratch)
	return s.scratch[:n], n, err
}

// startJob starts the next job, which consists of whole chunks unless last is true. The queue must
// not be full. startJob returns an error if the stream has too many chunks.
func (s *sealer) startJob(last bool) error {
	c, j := &s.chunks, s.queue.next()
	count := j.n / c.size
	if last {
		count = int(c.count(int64(j.n), int64(c.size)))
		need := j.n + count*c.tagSize
		j.grow(need, need, len(j.buf)) // for an empty chunk
	}
	j.index, j.last = s.index, last
	s.index += uint64(count)
	if s.index > c.maxChunks {
		return errTooLong
	}
	s.queue.launch(last && len(s.queue.jobs) == 0)
	return nil
}

// release releases the oldest job, whose chunks were written.
func (s *sealer) release() {
	s.queue.jobs[0].n = 0
	s.queue.release()
}
