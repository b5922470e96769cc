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

// Writer seals the data written to it. It implements [io.WriteCloser] and
// [io.ReaderFrom]. Its methods must not be called concurrently.
type Writer struct {
	sealer
	dst    io.Writer
	begun  bool  // the header was written
	err    error // error of dst or of a source, or errClosed, or errAborted
	closed bool
	result error // result of Close
}

var (
	_ io.WriteCloser = (*Writer)(nil)
	_ io.ReaderFrom  = (*Writer)(nil)
)

// NewWriter returns a Writer that seals to dst. It uses the default options and a key
// of 32 bytes, and returns an error for a key of any other length. The Writer writes
// nothing to dst until several chunks are full or Close is called.
//
// Close writes the end of the stream. Call it after all data was written, and check its
// error. Never call it after a failure, because the stream would look complete. Call
// [Writer.Abort] instead. A deferred Abort does nothing after Close.
func NewWriter(dst io.Writer, key []byte) (*Writer, error) { return Options{}.NewWriter(dst, key) }

// NewWriter returns a Writer like the function [NewWriter], but with the options o.
func (o Options) NewWriter(dst io.Writer, key []byte) (*Writer, error) {
	w := &Writer{dst: dst}
	if err := w.init(&o, key); err != nil {
		return nil, err
	}
	return w, nil
}

// Write seals p. It returns errors of the underlying writer unchanged, possibly for
// data of an earlier Write. After an error, the stream cannot be continued.
func (w *Writer) Write(p []byte) (int, error) {
	w.chunks.check()
	written := 0
	for w.err == nil {
		written += w.put(p[written:])
		if written == len(p) {
			break
		}
		w.start(false)
	}
	return written, w.err
}

// ReadFrom seals the data from src until [io.EOF] and returns its length. It returns
// errors of src and of the underlying writer unchanged. It does not end the stream.
// After an error, even of src, the stream cannot be continued: Close returns the error
// and does not write the end.
func (w *Writer) ReadFrom(src io.Reader) (int64, error) {
	w.chunks.check()
	var read int64
	for w.err == nil {
		w.err = errPanicked // in case src panics
		outside, n, err := w.read(src)
		w.err = nil
		read += int64(n)
		if len(outside) > 0 {
			w.Write(outside)
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

// Close seals buffered data, writes the final chunk and returns the first error
// encountered. If it returns nil, the whole stream was written. After an error, Close
// writes nothing, so readers reject the stream as truncated. Later calls do nothing and
// return the same result. Close does not close the underlying writer.
func (w *Writer) Close() error {
	w.chunks.check()
	if w.closed {
		return w.result
	}
	w.closed, w.result = true, errPanicked // in case dst panics
	if w.err == nil {
		w.start(true)
		for w.err == nil && len(w.queue.jobs) > 0 {
			w.flush()
		}
	}
	w.queue.drain()
	w.result, w.err = w.err, errClosed
	return w.result
}

// Abort abandons the stream: nothing more is written, so the stream has no end and
// readers reject it. Close then returns an error. After Close, Abort does nothing.
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

// start starts the next job, which contains complete chunks or the stream's last chunk.
// It writes the results that are ready, and waits for the oldest if there would be no
// next job otherwise.
func (w *Writer) start(last bool) {
	for w.err == nil && w.queue.full() {
		w.flush()
	}
	if w.err != nil {
		return
	}
	if w.err = w.sealer.start(last); w.err != nil {
		w.queue.drain()
		return
	}
	for w.err == nil && w.queue.ready() {
		w.flush()
	}
}

// flush writes the result of the oldest job.
func (w *Writer) flush() {
	j := w.queue.oldest()
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
	w.err = errPanicked // in case dst panics
	n, err := w.dst.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
}
