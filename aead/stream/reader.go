// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// Reader opens a stream from its beginning to its end. It implements [io.Reader]
// and [io.WriterTo]. Its methods must not be called at the same time by several
// goroutines.
type Reader struct {
	opener
	src    io.Reader
	srcErr error // of src, other than io.EOF

	// A Reader begins with one chunk and takes up to the limits of memory and
	// goroutines as it goes on: a caller who reads little gets it soon.
	first  bool // nothing was read yet
	most   int  // chunks in the next job, at most
	window int  // jobs in use at a time
	fast   bool // src gave all that it was asked for, and so goes on

	after [1]byte // what would follow the stream's last chunk
}

var (
	_ io.Reader   = (*Reader)(nil)
	_ io.WriterTo = (*Reader)(nil)
)

// NewReader reads the header from src and returns a Reader that opens what follows
// under a key of 32 bytes, with the default options. It returns an error if the key
// has another length, [ErrFormat] or [ErrTruncated] if the header is invalid or not
// complete, [ErrKey], and errors of src unchanged.
//
// The Reader reads src to its end, and may read ahead of what it returns. It returns all
// authentic data before an error. Only [io.EOF] means that this was the whole: with any
// other error, never use what came before, unless a part of the plaintext is useful by
// itself.
func NewReader(src io.Reader, key []byte) (*Reader, error) { return Options{}.NewReader(src, key) }

// NewReader returns a Reader as the function [NewReader] does, but with these options.
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

// from lets the Reader go on with src, which begins with the chunk of that index.
func (r *Reader) from(src io.Reader, index uint64) {
	r.rewind(index)
	r.src, r.srcErr, r.first, r.most, r.window = src, nil, true, 1, 1
}

// Read opens up to len(p) bytes into p. It returns [ErrAuth], [ErrTruncated] or
// [ErrFormat], which [errors.Is] distinguishes, errors of the underlying reader
// unchanged, and [io.EOF] after the last byte of a complete stream. After an error,
// Read returns the same error again.
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
		// The other chunks of the job are there, too.
		if n == len(p) || r.taken == r.current.result.opened || r.atLast() && r.end == nil || !r.next() {
			return n, nil
		}
	}
}

// WriteTo opens the rest of the stream and writes it to dst. It returns the same errors
// as Read except [io.EOF], and errors of dst unchanged.
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

// more makes sure that rest is not empty, and reports false if err comes instead.
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

// finish is that of the opener, after an error of src.
func (r *Reader) finish() error {
	if r.srcErr != nil {
		return r.srcErr
	}
	return r.opener.finish()
}

// fill starts jobs until there are as many as should be, or src is at its end. It
// waits for src only if no job is in use, or if src has more for certain.
func (r *Reader) fill() {
	for r.end == nil && r.srcErr == nil && (len(r.queue.jobs) == 0 || r.fast && len(r.queue.jobs) < r.window) {
		r.read()
		r.most = min(4*r.most, r.run)
	}
}

// read reads the next job, and starts it: as many chunks as come at once, but one at
// least. If that does not come at once while jobs are in use, it is read later.
func (r *Reader) read() {
	j, stride := r.queue.next(), r.chunks.stride()
	size, have := r.most*stride, r.prepare()
	if !r.first {
		size += r.chunks.probe()
		j.grow(size, size, have)
	}
	for {
		j.grow(have+1, size, have) // for the first chunk, as much as comes
		n, err := r.readSome(j.buf[have:min(len(j.buf), size)])
		have += n
		r.fast = have == size && !r.first
		if err == nil && have < stride {
			if len(r.queue.jobs) == 0 {
				continue
			}
			r.carry = j.buf[:have] // what the jobs in use have goes first
			return
		}
		isEnd := err == io.EOF
		if !isEnd {
			r.srcErr = err
		}
		// Nothing else would happen at the same time.
		alone := len(r.queue.jobs) == 0 && (r.window == 1 || !r.fast || err != nil)
		r.start(have, isEnd, alone)
		r.first = false
		return
	}
}

// settle sets end, before the stream's last chunk is handed out: it reads on where
// nothing may be. It reports false if something is.
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
		r.end = r.srcErr // if that is nil, something follows
	}
	return true
}

// readSome reads from src.
func (r *Reader) readSome(buf []byte) (int, error) {
	r.srcErr = errPanicked // until it returns
	n, err := readSome(r.src, buf)
	r.srcErr = nil
	return n, err
}
