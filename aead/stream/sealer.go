// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// A sealer takes plaintext and makes chunks of it, in jobs.
type sealer struct {
	hidden
	header []byte
	chunks chunks
	queue  queue
	run    int    // chunks in a job
	index  uint64 // of the next job's first chunk

	scratch []byte // what was read from a source, where that cannot go into a job
}

// init begins a stream.
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

// room is where the next plaintext goes: up to want bytes, in one chunk. It is empty
// if the next job is full. What is put there counts after add.
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

// jobSize is the size of a job's buffer: it has room for an empty chunk after the others.
func (s *sealer) jobSize() int { return s.run*s.chunks.stride() + s.chunks.tagSize }

// add adds n bytes, which are in room, to the plaintext.
func (s *sealer) add(n int) { s.queue.next().n += n }

// put adds as much of p to the plaintext as the next job has room for, and returns
// how much that is. If it is not all, the job is full and not the stream's last, and is to
// be started before p may change.
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

// apart is a number of jobs. Only if more than that is left of p, the next job reads p itself and
// no copy, because it is done then before put has taken all of p: one goroutine runs it at once.
// With several, more jobs are started after it than the queue holds next to it, and those have
// copies.
func (s *sealer) apart() int {
	if s.queue.limit == 1 {
		return 1
	}
	return 1 + s.queue.limit
}

// takeWhole fills the next job with plaintext that is not copied, if it is empty.
func (s *sealer) takeWhole(p []byte) bool {
	j := s.queue.next()
	if j.n > 0 {
		return false
	}
	j.grow(s.jobSize(), s.jobSize(), 0)
	j.src, j.n = p, len(p)
	return true
}

// minRead is how many bytes a source is asked for, at least: small chunks are not
// worth a Read each.
const minRead = 32 << 10

// read reads plaintext from src. What it returns is not in the next job yet: that is
// full, or the chunks are small.
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

// start starts the next job, which holds whole chunks, or the stream's last. The
// queue must not be full. It returns an error if the stream has too many chunks.
func (s *sealer) start(last bool) error {
	c, j := &s.chunks, s.queue.next()
	count := j.n / c.size
	if last {
		count = int(c.count(int64(j.n), int64(c.size)))
		need := j.n + count*c.tagSize
		j.grow(need, need, len(j.buf)) // there may be no room yet for an empty chunk
	}
	j.index, j.last = s.index, last
	s.index += uint64(count)
	if s.index > c.maxChunks {
		return errTooLong
	}
	s.queue.start(last && len(s.queue.jobs) == 0)
	return nil
}

// release takes the oldest job, which was sealed, out of use.
func (s *sealer) release() {
	s.queue.jobs[0].n = 0
	s.queue.release()
}
