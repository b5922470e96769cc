// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// A SealingReader reads plaintext from another reader and seals it; its Read method
// returns the sealed stream. It is useful where an API takes an [io.Reader], such as an
// HTTP request body. For an HTTP request, set ContentLength to the [SealedSize] of the
// plaintext length. A SealingReader must not be used concurrently.
type SealingReader struct {
	sealer
	src        io.Reader
	unbuffered []byte // plaintext that was read but is not in a job yet
	end        error  // error from src; nil if more data may follow
	last       bool   // the last job was started

	begun   bool // the header was returned
	current bool // rest belongs to the oldest job
	rest    []byte
	err     error // error to return after rest
}

var _ io.Reader = (*SealingReader)(nil)

// NewSealingReader returns a SealingReader that seals src under a 32-byte key, with the
// default options. It returns an error if the key is not 32 bytes long. Read may read
// src several chunks ahead of the data that it returns.
func NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	return Options{}.NewSealingReader(src, key)
}

// NewSealingReader is like the function [NewSealingReader], but uses the options o.
func (o Options) NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	r := &SealingReader{src: src}
	if err := r.init(&o, key); err != nil {
		return nil, err
	}
	return r, nil
}

// Read reads up to len(p) bytes of the stream into p. It returns [io.EOF] after the
// last byte. Errors from the underlying reader are returned unchanged. After such an
// error, the stream has no valid final chunk, so readers reject it as truncated.
func (r *SealingReader) Read(p []byte) (int, error) {
	r.chunks.check()
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.rest) == 0 && r.err == nil {
		r.more()
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *SealingReader) more() {
	if !r.begun {
		r.begun, r.rest = true, r.header
		return
	}
	if r.current {
		r.current = false
		r.release()
	}
	for r.err == nil && !r.last && !r.queue.full() {
		r.fill()
	}
	switch {
	case r.err != nil:
	case len(r.queue.jobs) == 0:
		r.err = io.EOF
	default:
		r.current, r.rest = true, r.queue.oldest().sealed
		return
	}
	r.queue.drain()
}

func (r *SealingReader) fill() {
	for {
		n := r.buffer(r.unbuffered)
		if r.unbuffered = r.unbuffered[n:]; len(r.unbuffered) > 0 {
			r.err = r.startJob(false)
			return
		}
		if r.end == io.EOF {
			r.last = true
			r.err = r.startJob(true)
			return
		}
		if r.end != nil {
			r.err = r.end
			return
		}
		r.err = errPanicked // if src panics
		r.unbuffered, _, r.end = r.read(r.src)
		r.err = nil
	}
}
