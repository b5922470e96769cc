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

// Writer seals what is written to it. It implements [io.WriteCloser] and
// [io.ReaderFrom]. Its methods must not be called at the same time by several
// goroutines.
type Writer struct {
	sealer
	dst    io.Writer
	begun  bool  // the header is written
	err    error // of dst or of a source, or errClosed, or errAborted
	closed bool
	result error // of Close
}

var (
	_ io.WriteCloser = (*Writer)(nil)
	_ io.ReaderFrom  = (*Writer)(nil)
)

// NewWriter returns a Writer that seals to dst under a key of 32 bytes, with the
// default options. A key of another length is an error. Nothing is written to dst
// before several chunks are full, or Close is called.
//
// Close writes the stream's end. Call it when all was written, and look at its
// error. Never call it after a failure: the stream would look complete. Call
// [Writer.Abort] then; deferred, it does nothing after Close.
func NewWriter(dst io.Writer, key []byte) (*Writer, error) { return Options{}.NewWriter(dst, key) }

// NewWriter returns a Writer as the function [NewWriter] does, but with these options.
func (o Options) NewWriter(dst io.Writer, key []byte) (*Writer, error) {
	w := &Writer{dst: dst}
	if err := w.init(&o, key); err != nil {
		return nil, err
	}
	return w, nil
}

// Write seals p. It returns the error of the underlying writer as it is, possibly
// for data of an earlier Write; after an error, the stream cannot be continued.
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

// ReadFrom seals all that src has until [io.EOF]. It returns how many bytes that
// were, and the error of src or of the underlying writer as it is. It does not
// end the stream. After an error, of src too, the stream cannot be continued: Close
// returns it and writes no end.
func (w *Writer) ReadFrom(src io.Reader) (int64, error) {
	w.chunks.check()
	var read int64
	for w.err == nil {
		w.err = errPanicked // until it returns: nobody knows what src had given by then
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

// Close seals what is left, writes the stream's end, and returns the first error that
// there was. After an error, it writes nothing, and the stream has no end. Called
// again, it does nothing and returns the same. It does not close the underlying
// writer. Without an error, all of the stream is written.
func (w *Writer) Close() error {
	w.chunks.check()
	if w.closed {
		return w.result
	}
	w.closed, w.result = true, errPanicked // until it returns
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

// Abort gives the stream up: nothing more is written, so it has no end and never
// opens as a whole. Close returns an error then. After Close, Abort does nothing.
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

// start starts the next job, which holds whole chunks or the stream's last, and
// writes what is ready or must be, so that there is another next job.
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
			w.queue.drain() // no goroutine goes on
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
	w.err = errPanicked // until it returns
	n, err := w.dst.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	w.err = err
}
