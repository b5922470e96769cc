// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// A sealer seals plaintext in jobs of several chunks each.
type sealer struct {
	keyHider
	header       []byte
	chunks       chunkCipher
	queue        queue
	maxJobChunks int    // chunks in a job
	index        uint64 // index of the first chunk of the next job

	scratch []byte // buffer for data that cannot be read directly into a job
}

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
	s.maxJobChunks = maxJobChunks(&s.chunks, goroutines)
	s.queue.maxJobs = goroutines
	s.queue.run = s.seal
}

func (s *sealer) seal(j *job) {
	j.sealed = s.chunks.seal(j.buf, j.src, j.n, j.index, j.final, &j.batch)
	j.src = nil
}

// space returns at most want free bytes of the next job, or nil if the job is full.
func (s *sealer) space(want int) []byte {
	c, j := &s.chunks, s.queue.nextJob()
	// A gap for a tag follows each chunk, so stop at the end of the current chunk.
	want = min(want, s.maxJobChunks*c.size-j.n, c.size-j.n%c.size)
	if want <= 0 {
		return nil
	}
	at := c.plainOffset(j.n)
	j.grow(at+want+c.tagSize, s.jobSize(), at)
	return j.buf[at : at+want]
}

// jobSize returns a job's buffer size, with room for an empty chunk.
func (s *sealer) jobSize() int { return s.maxJobChunks*s.chunks.stride() + s.chunks.tagSize }

// add records that n bytes were written to the slice from s.space().
func (s *sealer) add(n int) { s.queue.nextJob().n += n }

// buffer adds bytes from p to the next job and returns the number of bytes added. If
// some of p is left, the job is full. The caller must then start the job, and must add
// the rest before changing p.
func (s *sealer) buffer(p []byte) int {
	// Write's last jobs copy p, because they may still run when Write returns.
	if n := s.maxJobChunks * s.chunks.size; len(p) > s.copyMargin()*n && s.borrow(p[:n]) {
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

// copyMargin returns the maximum number of unfinished jobs when Write returns.
func (s *sealer) copyMargin() int {
	if s.queue.maxJobs == 1 {
		return 1 // the job being filled
	}
	return 1 + s.queue.maxJobs // also those running in goroutines
}

// borrow makes the next job read from p, if the job is empty.
func (s *sealer) borrow(p []byte) bool {
	j := s.queue.nextJob()
	if j.n > 0 {
		return false
	}
	j.grow(s.jobSize(), s.jobSize(), 0)
	j.src, j.n = p, len(p)
	return true
}

// minRead is the smallest chunk size for which plaintext is read directly into jobs.
// For smaller chunks, plaintext is read minRead bytes at a time and then copied.
const minRead = 32 << 10

// readPlaintext reads n bytes from src, either directly into the next job or into
// unbuffered. The caller must add the bytes in unbuffered to jobs.
func (s *sealer) readPlaintext(src io.Reader) (unbuffered []byte, n int, err error) {
	if s.chunks.size >= minRead {
		if free := s.space(max(minRead, s.queue.nextJob().n)); len(free) > 0 {
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

// startJob starts the next job, the stream's last if final is true.
func (s *sealer) startJob(final bool) error {
	c, j := &s.chunks, s.queue.nextJob()
	// Only the final job may contain an incomplete chunk.
	count := j.n / c.size
	if final {
		count = int(c.chunkCount(int64(j.n), int64(c.size)))
		need := j.n + count*c.tagSize
		j.grow(need, need, len(j.buf)) // room for an empty chunk
	}
	j.index, j.final = s.index, final
	s.index += uint64(count)
	if s.index > c.maxChunks {
		return errTooLong
	}
	s.queue.launch(final && len(s.queue.jobs) == 0)
	return nil
}

func (s *sealer) release() {
	s.queue.jobs[0].n = 0
	s.queue.release()
}
