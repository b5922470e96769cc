// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// A Reader decrypts a stream from beginning to end. It implements [io.Reader] and
// [io.WriterTo] and must not be used concurrently.
type Reader struct {
	opener
	src    io.Reader
	srcErr error // error from src, other than io.EOF

	// Jobs start small, so that the caller soon gets the first bytes.
	fresh     bool // src has not been read
	jobChunks int  // maximum number of chunks in the next job
	window    int  // maximum number of outstanding jobs
	srcFast   bool // src filled the last buffer, so more data is probably available

	extra [1]byte // buffer for a byte after the last chunk
}

var (
	_ io.Reader   = (*Reader)(nil)
	_ io.WriterTo = (*Reader)(nil)
)

// NewReader returns a Reader that decrypts the stream in src. It reads the header and
// uses a 32-byte key and the default options. If the key is not 32 bytes long,
// NewReader returns an error. If the header is invalid, the error wraps [ErrFormat]. If
// the header is incomplete, it wraps [ErrTruncated]. If the header does not match the
// key, it wraps [ErrKey]. If src fails, NewReader returns its error unchanged.
//
// The Reader reads src to its end and may read ahead of the plaintext it returns. It
// returns all authentic plaintext that precedes an error. The plaintext is complete
// only if the error is [io.EOF]. After any other error, never use the plaintext unless
// parts of it are useful on their own.
func NewReader(src io.Reader, key []byte) (*Reader, error) { return Options{}.NewReader(src, key) }

// NewReader is like the function [NewReader] but uses the options in o.
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
	r.reset(src, 0)
	return r, nil
}

// reset makes r read from src, which must start with chunk index.
func (r *Reader) reset(src io.Reader, index uint64) {
	r.rewind(index)
	r.src, r.srcErr, r.fresh, r.jobChunks, r.window = src, nil, true, 1, 1
}

// Read reads up to len(p) bytes of plaintext into p. After the last byte of a complete
// stream, it returns [io.EOF]. If the stream is incomplete or not authentic, the error
// wraps [ErrAuth], [ErrTruncated] or [ErrFormat]. Errors from the underlying reader are
// returned unchanged. After an error, all later calls return the same error.
func (r *Reader) Read(p []byte) (int, error) {
	r.chunks.check()
	if len(p) == 0 {
		return 0, nil
	}
	if !r.awaitPlaintext() {
		return 0, r.err
	}
	n := 0
	for {
		m := copy(p[n:], r.unread)
		r.unread = r.unread[m:]
		n += m
		if n == len(p) || r.consumed == r.current.result.count || r.nextIsFinal() && r.endErr == nil || !r.nextChunk() {
			return n, nil
		}
	}
}

// WriteTo writes the rest of the plaintext to dst. If the stream is complete, WriteTo
// returns nil; otherwise, it returns the same errors as [Reader.Read]. Errors from dst
// are returned unchanged.
func (r *Reader) WriteTo(dst io.Writer) (int64, error) {
	var written int64
	for r.awaitPlaintext() {
		n, err := dst.Write(r.unread)
		if err == nil && n != len(r.unread) {
			err = io.ErrShortWrite
		}
		n = min(max(n, 0), len(r.unread))
		r.unread = r.unread[n:]
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

// awaitPlaintext waits for plaintext in r.unread and reports whether there is any.
func (r *Reader) awaitPlaintext() bool {
	r.chunks.check()
	for len(r.unread) == 0 && r.err == nil {
		if r.current == nil {
			r.startJobs()
			if r.err != nil {
				break
			}
			if len(r.queue.jobs) == 0 {
				r.err = r.finalErr()
				break
			}
			r.takeOldest()
		}
		if r.nextIsFinal() && !r.confirmEnd() {
			break
		}
		if !r.nextChunk() {
			r.window = min(r.window+1, r.queue.maxJobs)
		}
	}
	if len(r.unread) > 0 {
		return true
	}
	r.queue.drain()
	return false
}

func (r *Reader) finalErr() error {
	if r.srcErr != nil {
		return r.srcErr
	}
	return r.opener.finalErr()
}

// startJobs starts jobs until r.window are outstanding or src is slow.
func (r *Reader) startJobs() {
	// A slow src must not delay the plaintext of an outstanding job.
	for r.endErr == nil && r.srcErr == nil && (len(r.queue.jobs) == 0 || r.srcFast && len(r.queue.jobs) < r.window) {
		r.startNextJob()
		r.jobChunks = min(4*r.jobChunks, r.maxJobChunks)
	}
}

// startNextJob fills the next job from src and starts it.
func (r *Reader) startNextJob() {
	j, stride := r.queue.nextJob(), r.chunks.stride()
	size, buffered := r.jobChunks*stride, r.copyPartial()
	if !r.fresh {
		size += r.chunks.lookahead()
		j.grow(size, size, buffered)
	}
	for {
		j.grow(buffered+1, size, buffered) // for the first chunk, in several steps
		n, err := r.readSome(j.buf[buffered:min(len(j.buf), size)])
		buffered += n
		r.srcFast = buffered == size && !r.fresh
		if err == nil && buffered < stride {
			if len(r.queue.jobs) == 0 {
				continue
			}
			r.partialChunk = j.buf[:buffered] // return the plaintext of the outstanding jobs first
			return
		}
		isEnd := err == io.EOF
		if !isEnd {
			r.srcErr = err
		}
		// With nothing else to do meanwhile, run the job in this goroutine.
		alone := len(r.queue.jobs) == 0 && (r.window == 1 || !r.srcFast || err != nil)
		r.startJob(buffered, isEnd, alone)
		r.fresh = false
		return
	}
}

// confirmEnd checks that nothing follows the final chunk, before that chunk is
// returned.
func (r *Reader) confirmEnd() bool {
	if r.endErr == nil && r.srcErr == nil && len(r.queue.jobs) == 1 && len(r.partialChunk) == 0 {
		n, err := r.readSome(r.extra[:])
		switch {
		case n > 0:
			r.err = errAfterEnd
			return false
		case err == io.EOF:
			r.endErr = io.EOF
		default:
			r.srcErr = err
		}
	}
	if r.endErr == nil {
		r.endErr = r.srcErr // nil if data follows
	}
	return true
}

func (r *Reader) readSome(buf []byte) (int, error) {
	r.srcErr = errPanicked // if src panics
	n, err := readSome(r.src, buf)
	r.srcErr = nil
	return n, err
}
