// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
)

// An OpeningWriter decrypts the stream that is written to it and writes the plaintext
// to another writer. It implements [io.WriteCloser] for APIs that need a writer. If
// your program can read the stream itself, use a [Reader] instead. An OpeningWriter
// must not be used concurrently.
type OpeningWriter struct {
	opener
	dst io.Writer

	options Options // options, used until the header is complete
	key     []byte
	header  []byte // header bytes received so far; cap(header) is the header size

	buffered int   // number of bytes in the next job's buffer
	fault    error // error that Write returns
	closed   bool
	result   error // of Close
}

var _ io.WriteCloser = (*OpeningWriter)(nil)

// NewOpeningWriter returns an OpeningWriter that writes the plaintext to dst. It uses a
// 32-byte key and the default options. If the key is not 32 bytes long, it returns an
// error. If dst is nil, Write or Close panics when there is plaintext to write.
//
// The OpeningWriter writes only authentic plaintext to dst. The plaintext is complete
// only if Close returns nil. If Close returns an error, never use the plaintext unless
// parts of it are useful on their own.
func NewOpeningWriter(dst io.Writer, key []byte) (*OpeningWriter, error) {
	return Options{}.NewOpeningWriter(dst, key)
}

// NewOpeningWriter is like the function [NewOpeningWriter] but uses the options in o.
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

// Write decrypts the next bytes of the stream. Data may stay buffered until several
// chunks are complete or Close is called, so an error may be due to an earlier Write.
// If the stream is invalid, Write returns the same errors as [NewReader] and
// [Reader.Read]. Errors from the underlying writer are returned unchanged. After an
// error, later calls to Write and Close return the same error.
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
		if w.buffered == 0 {
			w.buffered = w.copyPartial()
		}
		j, size := w.queue.nextJob(), w.maxJobChunks*w.chunks.stride()+w.chunks.lookahead()
		j.grow(min(w.buffered+len(p)-written, size), size, w.buffered)
		n := copy(j.buf[w.buffered:min(len(j.buf), size)], p[written:])
		w.buffered += n
		written += n
		if w.buffered == size {
			w.submit(false)
		}
	}
	return written, w.fault
}

// Close decrypts any buffered data and writes the plaintext. It returns an error if the
// stream is invalid or incomplete, if the underlying writer fails, or if an earlier
// Write failed. Later calls do nothing and return the same result. Close does not close
// the underlying writer.
func (w *OpeningWriter) Close() error {
	w.check()
	if w.closed {
		return w.result
	}
	w.closed, w.result = true, errPanicked // if dst panics
	if w.fault == nil && len(w.header) < cap(w.header) {
		_, w.fault = w.options.openHeader(w.key, w.header)
	}
	if w.fault == nil {
		if w.buffered == 0 {
			w.buffered = w.copyPartial()
		}
		w.submit(true)
		for w.fault == nil && len(w.queue.jobs) > 0 {
			w.flush()
		}
	}
	if w.fault == nil {
		if err := w.finalErr(); err != io.EOF {
			w.fault = err
		}
	}
	w.queue.drain()
	clear(w.key)
	w.result, w.fault = w.fault, errClosed
	return w.result
}

func (w *OpeningWriter) check() {
	if w.key == nil {
		panic("stream: use of a value that no constructor returned")
	}
}

// begin verifies the header and prepares to open chunks.
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

// submit starts the next job and writes the plaintext of finished jobs.
func (w *OpeningWriter) submit(isEnd bool) {
	for w.fault == nil && w.queue.full() {
		w.flush()
	}
	if w.fault != nil {
		return
	}
	w.opener.startJob(w.buffered, isEnd, isEnd && len(w.queue.jobs) == 0)
	w.buffered = 0
	for w.fault == nil && w.queue.ready() {
		w.flush()
	}
}

func (w *OpeningWriter) flush() {
	w.takeOldest()
	w.fault = errPanicked // if dst panics
	defer func() {
		if w.fault != nil {
			w.queue.drain() // stop all goroutines
		}
	}()
	for w.nextChunk() {
		n, err := w.dst.Write(w.unread)
		if err == nil && n != len(w.unread) {
			err = io.ErrShortWrite
		}
		if err != nil {
			w.fault = err
			return
		}
	}
	w.fault = w.err
}
