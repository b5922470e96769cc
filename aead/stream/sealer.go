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

// space returns the next free bytes of the next job's buffer, or nil if the job is
// full. The slice is at most want bytes long and ends no later than the current chunk.
func (s *sealer) space(want int) []byte {
	c, j := &s.chunks, s.queue.nextJob()
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

// buffer adds as much of p to the next job as there is room for, and returns the number
// of bytes added. If that number is less than len(p), the job is full, and the caller
// must start the job before changing p.
func (s *sealer) buffer(p []byte) int {
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

// copyMargin returns the maximum number of jobs that may still be running when Write
// returns. The plaintext of that many of Write's last jobs must be copied, because the
// caller may reuse Write's argument after the return. Earlier jobs have finished by
// then and can read the argument directly.
func (s *sealer) copyMargin() int {
	if s.queue.maxJobs == 1 {
		return 1
	}
	return 1 + s.queue.maxJobs
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

// minRead is the smallest chunk size at which plaintext is read directly into a job.
// For smaller chunks, each Read call requests minRead bytes, and these bytes are then
// copied into jobs.
const minRead = 32 << 10

// readPlaintext reads n bytes from src. If chunks are large and the next job has space,
// it reads directly into the job, and unbuffered is nil. Otherwise, it returns the
// bytes in unbuffered, and the caller must add them to a job.
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
