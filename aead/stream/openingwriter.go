// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
)

// OpeningWriter opens the stream that is written to it, in pieces of any size, and
// writes the plaintext to another writer. It is for those who ask for a writer. It
// implements [io.WriteCloser]. Its methods must not be called at the same time by
// several goroutines.
type OpeningWriter struct {
	opener
	dst io.Writer

	options Options // until the header has come
	key     []byte
	header  []byte // as much as has come; its capacity is all of it

	have   int   // bytes in the buffer of the next job
	fault  error // of Write and of dst
	closed bool
	result error // of Close
}

var _ io.WriteCloser = (*OpeningWriter)(nil)

// NewOpeningWriter returns an OpeningWriter that opens to dst under a key of 32
// bytes, with the default options. A key of another length is an error. If dst is nil, Write or
// Close panics as soon as there is plaintext.
//
// It writes nothing to dst that is not authentic, but only if Close returns no error
// it was the whole: otherwise, never use what came before, unless a part of the
// plaintext is of use by itself.
func NewOpeningWriter(dst io.Writer, key []byte) (*OpeningWriter, error) {
	return Options{}.NewOpeningWriter(dst, key)
}

// NewOpeningWriter returns an OpeningWriter as the function [NewOpeningWriter] does, but with these options.
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

// Write takes the next bytes of the stream. It keeps chunks back until several have
// come, or Close is called. It returns the same errors as [NewReader] and
// [Reader.Read] except [io.EOF], and errors of dst unchanged, possibly for an earlier
// Write. After an error, Write and Close return it again.
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

// Close opens what is left, and returns an error if the stream is not complete. It
// does not close the underlying writer. Called again, it does nothing and returns
// the same.
func (w *OpeningWriter) Close() error {
	w.check()
	if w.closed {
		return w.result
	}
	w.closed, w.result = true, errPanicked // until it returns
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

// check panics if w is a zero value.
func (w *OpeningWriter) check() {
	if w.key == nil {
		panic("stream: a zero value, which no constructor made")
	}
}

// begin begins with the chunks, after the header.
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

// start starts the next job and writes what is ready or must be.
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
	w.fault = errPanicked // until dst returns
	defer func() {
		if w.fault != nil {
			w.queue.drain() // no goroutine goes on
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
