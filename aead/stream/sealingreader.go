// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import "io"

// A SealingReader seals the plaintext from another reader, for APIs that take an
// [io.Reader]. For example, it can be the body of an HTTP request whose ContentLength
// is the [SealedSize] of the plaintext length. A SealingReader must not be used
// concurrently.
type SealingReader struct {
	sealer
	src        io.Reader
	unbuffered []byte // plaintext read from src but not yet in a job
	srcErr     error  // error from src; nil if more data may follow
	sawEnd     bool   // the last job was started

	begun       bool // the header was returned
	unreadInJob bool // unread belongs to the oldest job
	unread      []byte
	err         error // error to return after unread
}

var _ io.Reader = (*SealingReader)(nil)

// NewSealingReader returns a SealingReader that seals the plaintext from src with the
// default options. If the key is not 32 bytes long, NewSealingReader returns an error.
// The SealingReader reads ahead, so it may have read several more chunks from src than
// it has returned.
func NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	return Options{}.NewSealingReader(src, key)
}

// NewSealingReader is like the function [NewSealingReader] but uses the options in o.
func (o Options) NewSealingReader(src io.Reader, key []byte) (*SealingReader, error) {
	r := &SealingReader{src: src}
	if err := r.init(&o, key); err != nil {
		return nil, err
	}
	return r, nil
}

// Read reads up to len(p) bytes of the sealed stream into p and returns [io.EOF] after
// the last byte. Errors from the underlying reader are returned unchanged. After such
// an error, the sealed stream lacks a valid final chunk, so readers reject the stream
// as truncated.
func (r *SealingReader) Read(p []byte) (int, error) {
	r.chunks.check()
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.unread) == 0 && r.err == nil {
		r.refill()
	}
	if len(r.unread) == 0 {
		return 0, r.err
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

func (r *SealingReader) refill() {
	if !r.begun {
		r.begun, r.unread = true, r.header
		return
	}
	if r.unreadInJob {
		r.unreadInJob = false
		r.release()
	}
	for r.err == nil && !r.sawEnd && !r.queue.full() {
		r.startNextJob()
	}
	switch {
	case r.err != nil:
	case len(r.queue.jobs) == 0:
		r.err = io.EOF
	default:
		r.unreadInJob, r.unread = true, r.queue.waitOldest().sealed
		return
	}
	r.queue.drain()
}

func (r *SealingReader) startNextJob() {
	for {
		n := r.buffer(r.unbuffered)
		if r.unbuffered = r.unbuffered[n:]; len(r.unbuffered) > 0 {
			r.err = r.startJob(false)
			return
		}
		if r.srcErr == io.EOF {
			r.sawEnd = true
			r.err = r.startJob(true)
			return
		}
		if r.srcErr != nil {
			r.err = r.srcErr
			return
		}
		r.err = errPanicked // if src panics
		r.unbuffered, _, r.srcErr = r.readPlaintext(r.src)
		r.err = nil
	}
}
