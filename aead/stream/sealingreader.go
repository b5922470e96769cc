// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// SealingReader reads plaintext from another reader and returns the sealed stream. Use
// it for code that requires a reader, such as the body of an HTTP request whose
// ContentLength is the plaintext's [SealedSize]. Its methods must not be called
// concurrently.
type SealingReader struct {
	sealer
	src     io.Reader
	outside []byte // bytes that were read but are not in a job yet
	end     error  // error of src, or nil if it continues
	last    bool   // the last job was started

	begun   bool // the header was returned
	current bool // rest belongs to the oldest job
	rest    []byte
	err     error // result after rest
}

var _ io.Reader = (*SealingReader)(nil)

// NewSealingReader returns a SealingReader for src. It uses the default options and a
// key of 32 bytes, and returns an error for a key of any other length. The
// SealingReader reads src during its own Read, several chunks ahead.
func NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	return Options{}.NewSealingReader(src, key)
}

// NewSealingReader returns a SealingReader like the function [NewSealingReader], but
// with the options o.
func (o Options) NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	r := &SealingReader{src: src}
	if err := r.init(&o, key); err != nil {
		return nil, err
	}
	return r, nil
}

// Read reads up to len(p) bytes of the stream. It returns [io.EOF] after the last byte.
// If src returns an error, Read returns it unchanged, and the stream remains
// incomplete.
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

// more sets rest to the next bytes of the stream, or sets err.
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
		r.err = errPanicked // in case src panics
		r.outside, _, r.end = r.read(r.src)
		r.err = nil
	}
}
