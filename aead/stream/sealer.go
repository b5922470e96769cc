// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// A sealer splits plaintext into chunks. It works on jobs.
type sealer struct {
	hidden
	header []byte
	chunks chunks
	queue  queue
	run    int    // number of chunks per job
	index  uint64 // index of the next job's first chunk

	scratch []byte // plaintext from a source that cannot be read directly into a job
}

// init starts a stream.
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

// room returns the space for up to want bytes of plaintext in the next chunk. It is
// empty if the next job is full. The caller must call add after filling it.
func (s *sealer) room(want int) []byte {
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
// at the end.
func (s *sealer) jobSize() int { return s.run*s.chunks.stride() + s.chunks.tagSize }

// add adds n bytes, which the caller stored in room, to the plaintext.
func (s *sealer) add(n int) { s.queue.next().n += n }

// put copies as much of p as fits into the next job and returns the number of bytes
// copied. If that number is less than len(p), the job is full and is not the stream's
// last. The caller must then start the job before changing p.
func (s *sealer) put(p []byte) int {
	if n := s.run * s.chunks.size; len(p) > s.apart()*n && s.takeWhole(p[:n]) {
		return n
	}
	put := 0
	for put < len(p) {
		n := copy(s.room(len(p)-put), p[put:])
		if n == 0 {
			break
		}
		s.add(n)
		put += n
	}
	return put
}

// apart returns the number of jobs that must remain in p for the next job to read p
// without a copy. With one goroutine, the job runs at once, so it finishes before put
// returns. With several, enough later jobs with copies must be started that the queue
// has released the job by then.
func (s *sealer) apart() int {
	if s.queue.limit == 1 {
		return 1
	}
	return 1 + s.queue.limit
}

// takeWhole fills the next job, if it is empty, with plaintext that is not copied.
func (s *sealer) takeWhole(p []byte) bool {
	j := s.queue.next()
	if j.n > 0 {
		return false
	}
	j.grow(s.jobSize(), s.jobSize(), 0)
	j.src, j.n = p, len(p)
	return true
}

// minRead is the minimum number of bytes to request from a source. A Read for each
// small chunk would cost too much.
const minRead = 32 << 10

// read reads plaintext from src. The returned bytes are not yet in the next job,
// because the job is full or the chunks are small.
func (s *sealer) read(src io.Reader) (outside []byte, n int, err error) {
	if s.chunks.size >= minRead {
		if room := s.room(max(minRead, s.queue.next().n)); len(room) > 0 {
			n, err = readSome(src, room)
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

// start starts the next job, which contains complete chunks or the stream's last chunk.
// The queue must not be full. start returns an error if the stream has too many chunks.
func (s *sealer) start(last bool) error {
	c, j := &s.chunks, s.queue.next()
	count := j.n / c.size
	if last {
		count = int(c.count(int64(j.n), int64(c.size)))
		need := j.n + count*c.tagSize
		j.grow(need, need, len(j.buf)) // the buffer may lack space for an empty chunk
	}
	j.index, j.last = s.index, last
	s.index += uint64(count)
	if s.index > c.maxChunks {
		return errTooLong
	}
	s.queue.start(last && len(s.queue.jobs) == 0)
	return nil
}

// release removes the oldest job, which must be sealed.
func (s *sealer) release() {
	s.queue.jobs[0].n = 0
	s.queue.release()
}
