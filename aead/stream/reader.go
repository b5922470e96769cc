// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"io"
	"runtime"

	"github.com/unimac/unimac/aead/internal/batch"
)

// Reader opens a stream from its beginning to its end. It implements [io.Reader]
// and [io.WriterTo]. Its methods must not be called at the same time by several
// goroutines.
type Reader struct {
	src    io.Reader
	chunks chunks
	queue  queue

	// A Reader begins with one chunk and takes up to the limits of memory and
	// goroutines as it goes on: whoever reads little gets it soon.
	batch  int // chunks in the next job
	most   int // chunks in a job
	window int // jobs in use at a time

	index   uint64 // of the next job's first chunk
	ahead   byte   // the next job's first byte, which told that there is one
	isAhead bool
	end     error // what comes after the jobs in use; nil if src goes on

	current *job   // the oldest, if the reader has got to it
	taken   int    // chunks of it that are, or were, rest
	rest    []byte // authentic plaintext to hand out
	err     error  // what comes after rest
}

var (
	_ io.Reader   = (*Reader)(nil)
	_ io.WriterTo = (*Reader)(nil)
)

// NewReader reads the header from src and returns a Reader that opens what
// follows under a key of 32 bytes. It returns an error if the key has another
// length, [ErrFormat] or [ErrTruncated] for a header that is none, and an error
// of src as it is. A wrong key shows at the first Read.
//
// The Reader reads src to its end, and ahead of what it hands out. It returns all
// authentic data before an error, but only [io.EOF] says that this is the whole:
// with any other error, use nothing of what came before unless a part of the
// plaintext is of use by itself.
func NewReader(src io.Reader, key []byte) (*Reader, error) {
	return newReader(src, key, runtime.GOMAXPROCS(0))
}

func newReader(src io.Reader, key []byte, goroutines int) (*Reader, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	var header [headerSize]byte
	n, err := readFull(src, header[:])
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := checkHeader(header[:n]); err != nil {
		return nil, err
	}
	r := &Reader{src: src, batch: 1, window: 1}
	if r.chunks, err = newChunks(key, &header); err != nil {
		return nil, err
	}
	r.most = batchChunks(r.chunks.size, jobCount(goroutines))
	r.queue = newQueue(&r.chunks, goroutines, r.most*r.chunks.stride()+1, (*job).open)
	return r, nil
}

// Read opens up to len(p) bytes into p. Its errors are [ErrAuth], [ErrTruncated]
// and [ErrFormat], to be told with [errors.Is], those of the underlying reader as
// they are, and [io.EOF] after the last byte of a stream that is complete. After
// an error, Read returns it again.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !r.more() {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// WriteTo opens all that is left of the stream to dst. Its errors are those of
// Read without [io.EOF], and those of dst as they are.
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
	for len(r.rest) == 0 && r.err == nil {
		switch {
		case r.current == nil:
			r.fill()
			if r.queue.n == 0 {
				r.err = r.end
				break
			}
			r.current, r.taken = r.queue.oldest(), 0
		case r.taken < r.current.opened:
			at := r.taken * r.chunks.stride()
			end := min(at+r.chunks.stride(), len(r.current.sealed)) - tagSize
			r.rest = r.current.sealed[at:end]
			r.taken++
		case r.current.err != nil:
			r.err = r.current.err
		default:
			r.current = nil
			r.queue.release()
			r.window = min(r.window+1, len(r.queue.jobs))
		}
	}
	if r.err != nil {
		if r.current != nil {
			r.current = nil
			r.queue.release()
		}
		r.queue.drain()
		r.queue = queue{} // and with it the buffers
	}
	return len(r.rest) > 0
}

// fill starts jobs until there are as many as should be, or src is at its end.
func (r *Reader) fill() {
	for r.end == nil && r.queue.n < r.window {
		j := r.queue.next()
		stride := r.chunks.stride()
		size := r.batch*stride + 1
		r.end = errPanicked // until it returns
		buf, n, err := r.read(j.sealed, size)
		r.end = nil
		var whole int // chunks that are not the last one
		j.last = false
		switch err {
		case nil:
			r.ahead, r.isAhead = buf[size-1], true
			whole = r.batch
			j.sealed = buf[:whole*stride]
		case io.EOF:
			j.sealed, j.last = buf[:n], true
			whole = n / stride
			switch left := n % stride; {
			case n == 0:
				r.end = errNoChunk
			case 0 < left && left < tagSize:
				// Not even a tag: what is before is not the end.
				r.end = errWithinTag
				j.sealed, j.last = buf[:whole*stride], false
			case left == tagSize && (whole > 0 || r.index > 0):
				r.end = errEmptyChunk
			default:
				r.end = io.EOF
			}
		default:
			// Only what is followed by something is known not to be the end.
			r.end = err
			whole = max(n-1, 0) / stride
			j.sealed = buf[:whole*stride]
		}
		if len(j.sealed) > 0 {
			j.index = r.index
			r.index += uint64(whole)
			r.queue.start()
		}
		r.batch = min(batch.MaxLanes*r.batch, r.most)
	}
}

// read reads size bytes, of which the one ahead is the first, into buf or a larger
// one. At the beginning, that one grows with what comes: a short stream needs
// little memory, even if its header announces large chunks. The results are the
// buffer and those of readFull.
func (r *Reader) read(buf []byte, size int) (full []byte, n int, err error) {
	buf = buf[:min(cap(buf), size)]
	if r.isAhead {
		if len(buf) < size {
			buf = make([]byte, size)
		}
		buf[0], n = r.ahead, 1
	}
	for {
		m, err := readFull(r.src, buf[n:])
		n += m
		if err != nil || n == size {
			return buf, n, err
		}
		more := max(4*len(buf), 4096)
		if more > size/2 {
			more = size
		}
		grown := make([]byte, more)
		copy(grown, buf)
		buf = grown
	}
}

// readFull is [io.ReadFull], but for its errors: io.EOF after fewer bytes means
// the end of src, and every other error is one of src. With an error it may have
// filled buf.
func readFull(src io.Reader, buf []byte) (n int, err error) {
	for idle := 0; n < len(buf) && err == nil; {
		var m int
		m, err = src.Read(buf[n:])
		if m < 0 || m > len(buf)-n {
			panic("stream: the underlying reader returned an impossible count")
		}
		n += m
		if idle++; m > 0 {
			idle = 0
		} else if idle == 100 && err == nil {
			err = io.ErrNoProgress
		}
	}
	if n == len(buf) && err == io.EOF {
		err = nil // it will come again
	}
	return n, err
}
