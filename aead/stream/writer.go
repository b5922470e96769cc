// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"errors"
	"io"
)

var (
	errClosed  = errors.New("stream: use after Close")
	errAborted = errors.New("stream: use after Abort")
)

// A Writer seals the data written to it. It implements [io.WriteCloser] and
// [io.ReaderFrom] and must not be used concurrently.
type Writer struct {
	sealer
	dst    io.Writer
	begun  bool  // the header was written
	err    error // error from dst or a source, or errClosed or errAborted
	closed bool
	result error // of Close
}

var (
	_ io.WriteCloser = (*Writer)(nil)
	_ io.ReaderFrom  = (*Writer)(nil)
)

// NewWriter returns a Writer that writes a sealed stream to dst. It uses a 32-byte key
// and the default options. If the key is not 32 bytes long, NewWriter returns an error.
// The Writer writes to dst when several chunks are full, and in Close.
//
// After writing all data, call Close, which writes the end of the stream, and check its
// error. After a failure, call [Writer.Abort] instead, because Close would make the
// stream look complete. After Close, Abort does nothing, so a call to Abort can be
// deferred.
func NewWriter(dst io.Writer, key []byte) (*Writer, error) { return Options{}.NewWriter(dst, key) }

// NewWriter is like the function [NewWriter] but uses the options in o.
func (o Options) NewWriter(dst io.Writer, key []byte) (*Writer, error) {
	w := &Writer{dst: dst}
	if err := w.init(&o, key); err != nil {
		return nil, err
	}
	return w, nil
}

// Write seals p. Errors from the underlying writer are returned unchanged. Data is
// buffered, so an error may be due to an earlier Write. After an error, the stream
// can't be continued.
func (w *Writer) Write(p []byte) (int, error) {
	w.chunks.check()
	written := 0
	for w.err == nil {
		written += w.buffer(p[written:])
		if written == len(p) {
			break
		}
		w.submit(false)
	}
	return written, w.err
}

// ReadFrom seals all data from src and returns the number of bytes read. It does not
// end the stream, so more data may be written. Errors from src and the underlying
// writer are returned unchanged. After an error, the stream can't be continued, and
// Close returns the same error without writing a final chunk.
func (w *Writer) ReadFrom(src io.Reader) (int64, error) {
	w.chunks.check()
	var read int64
	for w.err == nil {
		w.err = errPanicked // if src panics, it is not known how much was read
		unbuffered, n, err := w.readPlaintext(src)
		w.err = nil
		read += int64(n)
		if len(unbuffered) > 0 {
			w.Write(unbuffered)
		}
		if err == io.EOF {
			break
		}
		if err != nil && w.err == nil {
			w.err = err
		}
	}
	return read, w.err
}

// Close seals any buffered data and ends the stream. It returns nil only if the whole
// stream was written. If an earlier call failed, Close writes nothing and returns the
// same error, so readers will reject the stream as truncated. Later calls do nothing
// and return the same result. Close does not close the underlying writer.
func (w *Writer) Close() error {
	w.chunks.check()
	if w.closed {
		return w.result
	}
	w.closed, w.result = true, errPanicked // if dst panics
	if w.err == nil {
		w.submit(true)
		for w.err == nil && len(w.queue.jobs) > 0 {
			w.flush()
		}
	}
	w.queue.drain()
	w.result, w.err = w.err, errClosed
	return w.result
}

// Abort abandons the stream without writing anything more. The stream then has no valid
// final chunk, so no reader accepts it as complete. Close returns an error after Abort,
// and Abort does nothing after Close.
func (w *Writer) Abort() {
	w.chunks.check()
	if w.closed {
		return
	}
	w.closed, w.result = true, w.err
	if w.result == nil {
		w.result = errAborted
	}
	w.err = errAborted
	w.queue.drain()
}

// submit starts the next job and writes the chunks of finished jobs.
func (w *Writer) submit(final bool) {
	for w.err == nil && w.queue.full() {
		w.flush()
	}
	if w.err != nil {
		return
	}
	if w.err = w.sealer.startJob(final); w.err != nil {
		w.queue.drain()
		return
	}
	for w.err == nil && w.queue.ready() {
		w.flush()
	}
}

func (w *Writer) flush() {
	j := w.queue.waitOldest()
	defer func() { // dst may panic
		w.release()
		if w.err != nil {
			w.queue.drain() // stop all goroutines
		}
	}()
	if !w.begun {
		w.begun = true
		w.write(w.header)
	}
	if w.err == nil {
		w.write(j.sealed)
	}
}

func (w *Writer) write(p []byte) {
	w.err = errPanicked // if dst panics
	n, err := w.dst.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
}
