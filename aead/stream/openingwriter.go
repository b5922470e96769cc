// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
)

// OpeningWriter opens the stream that is written to it and writes the plaintext to
// another writer. Use it for code that requires a writer. It implements
// [io.WriteCloser]. Its methods must not be called concurrently.
type OpeningWriter struct {
	opener
	dst io.Writer

	options Options // until the header is complete
	key     []byte
	header  []byte // received part of the header; its capacity is the header's size

	have   int   // bytes in the buffer of the next job
	fault  error // error of Write or of dst
	closed bool
	result error // result of Close
}

var _ io.WriteCloser = (*OpeningWriter)(nil)

// NewOpeningWriter returns an OpeningWriter that writes the plaintext to dst. It uses
// the default options and a key of 32 bytes, and returns an error for a key of any
// other length. If dst is nil, Write or Close panics when there is plaintext.
//
// An OpeningWriter only writes authentic bytes to dst. The plaintext is complete only
// if Close returns no error. After an error, never use the plaintext that was written
// before, unless a part of it is useful by itself.
func NewOpeningWriter(dst io.Writer, key []byte) (*OpeningWriter, error) {
	return Options{}.NewOpeningWriter(dst, key)
}

// NewOpeningWriter returns an OpeningWriter like the function [NewOpeningWriter], but
// with the options o.
func (o Options) NewOpeningWriter(dst io.Writer, key []byte) (*OpeningWriter, error) {
	if _, err := o.goroutines(); err != nil {
		return nil, err
	}
	f, err := o.checkOpened(key)
	if err != nil {
		return nil, err
	}
	o.AdditionalData = bytes.Clone(o.AdditionalData)
	return &OpeningWriter{dst: dst, options: o, key: bytes.Clone(key), header: make([]byte, 0, f.headerSize())}, nil
}

// Write opens the next bytes of the stream. It buffers chunks until it has several or
// until Close is called. It returns the errors of [NewReader] and [Reader.Read], except
// [io.EOF], and returns errors of dst unchanged, possibly for an earlier Write. After
// an error, Write and Close return the same error again.
func (w *OpeningWriter) Write(p []byte) (int, error) {
	w.check()
	written := 0
	if w.fault == nil && len(w.header) < cap(w.header) {
		written = min(len(p), cap(w.header)-len(w.header))
		w.header = append(w.header, p[:written]...)
		if len(w.header) == cap(w.header) {
			w.fault = w.begin()
		}
	}
	for w.fault == nil && written < len(p) {
		if w.have == 0 {
			w.have = w.prepare()
		}
		j, size := w.queue.next(), w.run*w.chunks.stride()+w.chunks.probe()
		j.grow(min(w.have+len(p)-written, size), size, w.have)
		n := copy(j.buf[w.have:min(len(j.buf), size)], p[written:])
		w.have += n
		written += n
		if w.have == size {
			w.start(false)
		}
	}
	return written, w.fault
}

// Close opens the remaining chunks and returns an error if the stream is not complete.
// It does not close the underlying writer. Later calls do nothing and return the same
// result.
func (w *OpeningWriter) Close() error {
	w.check()
	if w.closed {
		return w.result
	}
	w.closed, w.result = true, errPanicked // in case dst panics
	if w.fault == nil && len(w.header) < cap(w.header) {
		_, w.fault = w.options.openHeader(w.key, w.header)
	}
	if w.fault == nil {
		if w.have == 0 {
			w.have = w.prepare()
		}
		w.start(true)
		for w.fault == nil && len(w.queue.jobs) > 0 {
			w.flush()
		}
	}
	if w.fault == nil {
		if err := w.finish(); err != io.EOF {
			w.fault = err
		}
	}
	w.queue.drain()
	clear(w.key)
	w.result, w.fault = w.fault, errClosed
	return w.result
}

// check panics if w was not created by NewOpeningWriter.
func (w *OpeningWriter) check() {
	if w.key == nil {
		panic("stream: a zero value, which no constructor made")
	}
}

// begin prepares for the chunks after the header.
func (w *OpeningWriter) begin() (err error) {
	defer clear(w.key)
	if w.chunks, err = w.options.openHeader(w.key, w.header); err != nil {
		return err
	}
	goroutines, err := w.options.goroutines()
	if err != nil {
		return err
	}
	w.opener.begin(goroutines)
	w.options = Options{}
	return nil
}

// start starts the next job and writes the results that are ready or must be written to
// continue.
func (w *OpeningWriter) start(isEnd bool) {
	for w.fault == nil && w.queue.full() {
		w.flush()
	}
	if w.fault != nil {
		return
	}
	w.opener.start(w.have, isEnd, isEnd && len(w.queue.jobs) == 0)
	w.have = 0
	for w.fault == nil && w.queue.ready() {
		w.flush()
	}
}

// flush writes the plaintext of the oldest job.
func (w *OpeningWriter) flush() {
	w.take()
	w.fault = errPanicked // in case dst panics
	defer func() {
		if w.fault != nil {
			w.queue.drain() // stop all goroutines
		}
	}()
	for w.next() {
		n, err := w.dst.Write(w.rest)
		if err == nil && n != len(w.rest) {
			err = io.ErrShortWrite
		}
		if err != nil {
			w.fault = err
			return
		}
	}
	w.fault = w.err
}
