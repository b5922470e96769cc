// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// SealingReader reads as the stream that the plaintext of another reader becomes.
// It is for those who ask for a reader: the body of an HTTP request, for example,
// whose ContentLength is the plaintext's [SealedSize]. Its methods must not be
// called at the same time by several goroutines.
type SealingReader struct {
	sealer
	src     io.Reader
	outside []byte // what was read and is in no job yet
	end     error  // of src; nil if it goes on
	last    bool   // the last job was started

	begun   bool // the header was handed out
	current bool // rest is the oldest job's
	rest    []byte
	err     error // what comes after rest
}

var _ io.Reader = (*SealingReader)(nil)

// NewSealingReader returns a SealingReader of src under a key of 32 bytes, with the
// default options. A key of another length is an error. It reads src when it is
// read itself, and several chunks ahead.
func NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	return Options{}.NewSealingReader(src, key)
}

// NewSealingReader returns a SealingReader as the function [NewSealingReader] does, but with these options.
func (o Options) NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	r := &SealingReader{src: src}
	if err := r.init(&o, key); err != nil {
		return nil, err
	}
	return r, nil
}

// Read reads up to len(p) bytes of the stream. It returns [io.EOF] after the
// last byte, and errors of src unchanged: then the stream has no end.
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

// more makes rest what comes next, or sets err.
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

// fill fills the next job and starts it.
func (r *SealingReader) fill() {
	for {
		n := r.put(r.outside)
		if r.outside = r.outside[n:]; len(r.outside) > 0 {
			r.err = r.start(false)
			return
		}
		if r.end == io.EOF {
			r.last = true
			r.err = r.start(true)
			return
		}
		if r.end != nil {
			r.err = r.end
			return
		}
		r.err = errPanicked // until it returns
		r.outside, _, r.end = r.read(r.src)
		r.err = nil
	}
}
