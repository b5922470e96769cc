// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// Reader opens a stream sequentially. It implements [io.Reader] and [io.WriterTo]. Its
// methods must not be called concurrently.
type Reader struct {
	opener
	src    io.Reader
	srcErr error // error of src, except io.EOF

	// A Reader starts with one chunk and then increases the number of chunks and
	// goroutines up to their limits, so that a caller who reads little gets it soon.
	first  bool // nothing was read yet
	most   int  // maximum number of chunks in the next job
	window int  // maximum number of jobs in use
	fast   bool // src returned all bytes that were requested, so it probably has more

	after [1]byte // for a byte after the stream's last chunk
}

var (
	_ io.Reader   = (*Reader)(nil)
	_ io.WriterTo = (*Reader)(nil)
)

// NewReader reads the header from src and returns a Reader that opens the rest of the
// stream. It uses the default options and a key of 32 bytes. NewReader returns an error
// if the key has any other length, [ErrFormat] or [ErrTruncated] if the header is
// invalid or incomplete, [ErrKey] if the key does not match, and errors of src
// unchanged.
//
// The Reader reads src to its end, possibly ahead of the plaintext that it returns. It
// returns all authentic data before an error. The plaintext is complete only after
// [io.EOF]. After any other error, never use the plaintext that was read before, unless
// a part of it is useful by itself.
func NewReader(src io.Reader, key []byte) (*Reader, error) { return Options{}.NewReader(src, key) }

// NewReader returns a Reader like the function [NewReader], but with the options o.
func (o Options) NewReader(src io.Reader, key []byte) (*Reader, error) {
	goroutines, err := o.goroutines()
	if err != nil {
		return nil, err
	}
	c, err := o.readHeader(src, key)
	if err != nil {
		return nil, err
	}
	r := new(Reader)
	r.chunks = c
	r.begin(goroutines)
	r.from(src, 0)
	return r, nil
}

// from makes the Reader continue with src, which starts with the chunk at the given
// index.
func (r *Reader) from(src io.Reader, index uint64) {
	r.rewind(index)
	r.src, r.srcErr, r.first, r.most, r.window = src, nil, true, 1, 1
}

// Read opens up to len(p) bytes into p. It returns [io.EOF] after the last byte of a
// complete stream, [ErrAuth], [ErrTruncated] or [ErrFormat], which [errors.Is]
// distinguishes, and errors of the underlying reader unchanged. After an error, Read
// returns the same error again.
func (r *Reader) Read(p []byte) (int, error) {
	r.chunks.check()
	if len(p) == 0 {
		return 0, nil
	}
	if !r.more() {
		return 0, r.err
	}
	n := 0
	for {
		m := copy(p[n:], r.rest)
		r.rest = r.rest[m:]
		n += m
		// The job's remaining chunks are already open.
		if n == len(p) || r.taken == r.current.result.opened || r.atLast() && r.end == nil || !r.next() {
			return n, nil
		}
	}
}

// WriteTo opens the rest of the stream and writes it to dst. It returns the errors of
// Read, except [io.EOF], and errors of dst unchanged.
func (r *Reader) WriteTo(dst io.Writer) (int64, error) {
	var written int64
	for r.more() {
		n, err := dst.Write(r.rest)
		if err == nil && n != len(r.rest) {
			err = io.ErrShortWrite
		}
		n = min(max(n, 0), len(r.rest))
		r.rest = r.rest[n:]
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	if r.err == io.EOF {
		return written, nil
	}
	return written, r.err
}

// more ensures that rest is not empty. If err comes next instead, more returns false.
func (r *Reader) more() bool {
	r.chunks.check()
	for len(r.rest) == 0 && r.err == nil {
		if r.current == nil {
			r.fill()
			if r.err != nil {
				break
			}
			if len(r.queue.jobs) == 0 {
				r.err = r.finish()
				break
			}
			r.take()
		}
		if r.atLast() && !r.settle() {
			break
		}
		if !r.next() {
			r.window = min(r.window+1, r.queue.limit)
		}
	}
	if len(r.rest) > 0 {
		return true
	}
	r.queue.drain()
	return false
}

// finish returns the opener's result after all data, or the error of src.
func (r *Reader) finish() error {
	if r.srcErr != nil {
		return r.srcErr
	}
	return r.opener.finish()
}

// fill starts jobs until window jobs are in use or src is at its end. It blocks on src
// only if no job is in use, or if src is known to have more data.
func (r *Reader) fill() {
	for r.end == nil && r.srcErr == nil && (len(r.queue.jobs) == 0 || r.fast && len(r.queue.jobs) < r.window) {
		r.read()
		r.most = min(4*r.most, r.run)
	}
}

// read reads and starts the next job, which consists of the chunks that src returns at
// once, but at least one. If src does not return a complete chunk at once while jobs
// are in use, a later call reads the rest.
func (r *Reader) read() {
	j, stride := r.queue.next(), r.chunks.stride()
	size, have := r.most*stride, r.prepare()
	if !r.first {
		size += r.chunks.probe()
		j.grow(size, size, have)
	}
	for {
		j.grow(have+1, size, have) // the first chunk takes all that arrives
		n, err := r.readSome(j.buf[have:min(len(j.buf), size)])
		have += n
		r.fast = have == size && !r.first
		if err == nil && have < stride {
			if len(r.queue.jobs) == 0 {
				continue
			}
			r.carry = j.buf[:have] // return the plaintext of the jobs in use first
			return
		}
		isEnd := err == io.EOF
		if !isEnd {
			r.srcErr = err
		}
		// Nothing else would run concurrently.
		alone := len(r.queue.jobs) == 0 && (r.window == 1 || !r.fast || err != nil)
		r.start(have, isEnd, alone)
		r.first = false
		return
	}
}

// settle sets end before the stream's last chunk is returned: if no data may follow, it
// reads on. If data follows, settle returns false.
func (r *Reader) settle() bool {
	if r.end == nil && r.srcErr == nil && len(r.queue.jobs) == 1 && len(r.carry) == 0 {
		n, err := r.readSome(r.after[:])
		switch {
		case n > 0:
			r.err = errAfterEnd
			return false
		case err == io.EOF:
			r.end = io.EOF
		default:
			r.srcErr = err
		}
	}
	if r.end == nil {
		r.end = r.srcErr // if nil, data follows
	}
	return true
}

// readSome reads at least one byte from src.
func (r *Reader) readSome(buf []byte) (int, error) {
	r.srcErr = errPanicked // in case src panics
	n, err := readSome(r.src, buf)
	r.srcErr = nil
	return n, err
}
