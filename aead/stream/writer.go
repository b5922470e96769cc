// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/rand"
	"errors"
	"io"
	"runtime"
)

var (
	// errClosed is the error of a Write after Close.
	errClosed = errors.New("stream: write after Close")

	// errPanicked is the error of a Writer or Reader that is used after a panic of
	// its underlying writer or reader, which has taken data or given some by then.
	errPanicked = errors.New("stream: the underlying reader or writer panicked before")
)

// Writer seals what is written to it. It implements [io.WriteCloser] and
// [io.ReaderFrom]. Its methods must not be called at the same time by several
// goroutines.
type Writer struct {
	dst    io.Writer
	header [headerSize]byte
	begun  bool // the header is written
	chunks chunks
	queue  queue
	batch  int    // bytes of plaintext in a job
	index  uint64 // of the next job's first chunk
	err    error  // of dst, or errClosed

	closed   bool
	closeErr error
}

var (
	_ io.WriteCloser = (*Writer)(nil)
	_ io.ReaderFrom  = (*Writer)(nil)
)

// NewWriter returns a Writer that seals to dst under a key of 32 bytes. Any other
// length is an error. Nothing is written to dst before enough has come together,
// or Close is called.
//
// Close writes the stream's end, and without it the stream does not open as a
// whole: always call Close, and look at its error. It does not close dst.
func NewWriter(dst io.Writer, key []byte) (*Writer, error) {
	var salt [saltSize]byte
	rand.Read(salt[:])
	return newWriter(dst, key, &salt, defaultChunkLog2, runtime.GOMAXPROCS(0))
}

func newWriter(dst io.Writer, key []byte, salt *[saltSize]byte, chunkLog2, goroutines int) (*Writer, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	w := &Writer{dst: dst, header: newHeader(chunkLog2, salt)}
	var err error
	if w.chunks, err = newChunks(key, &w.header); err != nil {
		return nil, err
	}
	n := batchChunks(w.chunks.size, 2*jobCount(goroutines))
	w.batch = n * w.chunks.size
	w.queue = newQueue(&w.chunks, goroutines, w.batch+n*w.chunks.stride(), (*job).seal)
	return w, nil
}

// Write seals p. It returns the error of the underlying writer as it is, possibly
// for data of an earlier Write; after an error, the stream cannot be continued.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	written := 0
	if len(p) > (2*len(w.queue.jobs)-1)*w.batch {
		written = w.writeLarge(p)
	}
	for written < len(p) && w.err == nil {
		j := w.queue.next()
		n := min(len(p)-written, w.batch-len(j.plain))
		if n == 0 {
			// The job is full, and p goes on: it does not end the stream.
			w.start(false)
			continue
		}
		w.reserve(j, n)
		j.plain = append(j.plain, p[written:written+n]...)
		written += n
	}
	return written, w.err
}

// writeLarge seals the beginning of p, which is many times as long as a job, and
// returns how much that is. It copies what completes the next job only: the others
// work on p itself, and so must be waited for, since p is the caller's again.
func (w *Writer) writeLarge(p []byte) int {
	j := w.queue.next()
	written := 0
	if len(j.plain) > 0 {
		written = w.batch - len(j.plain)
		w.reserve(j, written)
		j.plain = append(j.plain, p[:written]...)
		w.start(false)
	}
	for w.err == nil && len(p)-written > w.batch {
		j := w.queue.next()
		j.own, j.borrowed, j.plain = j.plain, true, p[written:written+w.batch]
		written += w.batch
		w.start(false)
	}
	for w.queue.n > 0 {
		w.flush()
	}
	return written
}

// ReadFrom seals all that src has until [io.EOF]. It returns how many bytes that
// were, and the error of src or of the underlying writer as it is. It does not
// end the stream.
func (w *Writer) ReadFrom(src io.Reader) (int64, error) {
	var read int64
	for w.err == nil {
		// One byte more than the job has, to know whether it ends the stream.
		j := w.queue.next()
		w.reserve(j, min(w.batch+1-len(j.plain), max(len(j.plain), 32<<10)))
		end := min(cap(j.plain), w.batch+1)
		w.err = errPanicked // until it returns: nobody knows what src had given by then
		n, err := readFull(src, j.plain[len(j.plain):end])
		w.err = nil
		j.plain = j.plain[:len(j.plain)+n]
		read += int64(n)
		if len(j.plain) > w.batch {
			more := j.plain[w.batch]
			j.plain = j.plain[:w.batch]
			if w.start(false) != nil {
				break
			}
			j = w.queue.next()
			w.reserve(j, 1)
			j.plain = append(j.plain, more)
		}
		if err == io.EOF {
			return read, nil
		}
		if err != nil {
			return read, err
		}
	}
	return read, w.err
}

// reserve makes room for n bytes more of plaintext. A short stream has no need of
// buffers for a long one.
func (w *Writer) reserve(j *job, n int) {
	if need := len(j.plain) + n; need > cap(j.plain) {
		plain := make([]byte, len(j.plain), min(max(need, 4*cap(j.plain), 4096), w.batch+1))
		copy(plain, j.plain)
		j.plain = plain
	}
}

// Close seals what is left, writes the stream's end, and returns the error of the
// underlying writer if there was one at any time. Called again, it does nothing
// and returns the same error. Without an error, all of the stream is written.
func (w *Writer) Close() error {
	if w.closed {
		return w.closeErr
	}
	w.closed, w.closeErr = true, errPanicked // until it returns
	if w.err == nil {
		w.start(true)
		for w.err == nil && w.queue.n > 0 {
			w.flush()
		}
	}
	w.closeErr, w.err = w.err, errClosed
	w.queue.drain()
	w.queue = queue{} // and with it the buffers
	return w.closeErr
}

// start starts the next job, which holds the last chunk or whole ones, and writes
// what is ready or must be, so that there is another next job.
func (w *Writer) start(last bool) error {
	j := w.queue.next()
	j.index, j.last = w.index, last
	w.index += uint64(len(j.plain) / w.chunks.size)
	w.queue.start()
	for w.err == nil && (w.queue.full() || w.queue.ready()) {
		w.flush()
	}
	return w.err
}

// flush writes the result of the oldest job.
func (w *Writer) flush() {
	j := w.queue.oldest()
	defer func() { // dst may panic
		if j.borrowed {
			j.plain, j.borrowed = j.own, false
		}
		j.plain = j.plain[:0]
		w.queue.release()
	}()
	if !w.begun {
		w.begun = true
		w.write(w.header[:])
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
