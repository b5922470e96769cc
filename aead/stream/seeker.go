// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"errors"
	"io"
)

// A seeker is a Reader of a part of a stream, which begins again where Seek says.
type seeker struct {
	hidden
	at     *ReaderAt
	reader Reader
	pos    int64 // where the next Read begins
	next   int64 // where the reader is, or -1 if it is not to be used
	closed bool
}

var (
	_ io.ReadSeekCloser = (*seeker)(nil)
	_ io.WriterTo       = (*seeker)(nil)
)

var (
	errReadClosed = errors.New("stream: read after Close")
	errWhence     = errors.New("stream: invalid whence")
)

// NewReader returns a reader of the plaintext from its beginning on, for
// [net/http.ServeContent], for example. It reads ahead and is as fast as a [Reader],
// has its errors, and takes as much memory in addition. Close releases that and
// always returns nil; the ReaderAt stays of use. After an error, Seek begins again. Any
// number of readers may be in use, each by one goroutine at a time. They implement
// [io.WriterTo], too.
func (r *ReaderAt) NewReader() io.ReadSeekCloser {
	r.chunks.check()
	s := &seeker{at: r, next: -1}
	s.reader.chunks = r.chunks
	s.reader.begin(r.goroutines)
	return s
}

// Read implements [io.Reader].
func (s *seeker) Read(p []byte) (int, error) {
	if err := s.seek(); err != nil || len(p) == 0 {
		return 0, err
	}
	n, err := s.reader.Read(p)
	s.pos += int64(n)
	s.next = s.pos
	return n, err
}

// WriteTo implements [io.WriterTo].
func (s *seeker) WriteTo(dst io.Writer) (int64, error) {
	err := s.seek()
	var n int64
	if err == nil {
		n, err = s.reader.WriteTo(dst)
		s.pos += n
		s.next = s.pos
		if err == nil {
			err = s.at.atEnd()
		}
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// seek lets the reader go on at pos. It returns io.EOF at the plaintext's end.
func (s *seeker) seek() error {
	switch {
	case s.closed:
		return errReadClosed
	case s.pos >= s.at.size:
		return s.at.atEnd()
	case s.pos == s.next:
		return nil
	}
	// Within the chunk that is being read, there is nothing to open.
	if ahead := s.pos - s.next; s.next >= 0 && 0 < ahead && ahead < int64(len(s.reader.rest)) {
		s.reader.rest = s.reader.rest[ahead:]
		s.next = s.pos
		return nil
	}
	s.next = -1 // unless the following succeeds
	size, stride := int64(s.at.chunks.size), int64(s.at.chunks.stride())
	index, from := s.pos/size, s.pos%size
	header := int64(s.at.chunks.headerSize())
	s.reader.from(io.NewSectionReader(s.at.src, header+index*stride, s.at.body-index*stride), uint64(index))
	if from > 0 {
		if !s.reader.more() {
			return s.reader.err
		}
		if from >= int64(len(s.reader.rest)) {
			return errShorter // another stream by now, sealed with the same salt
		}
		s.reader.rest = s.reader.rest[from:]
	}
	s.next = s.pos
	return nil
}

// Seek implements [io.Seeker]. It reads nothing.
func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	var base int64
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		base = s.pos
	case io.SeekEnd:
		base = s.at.size
	default:
		return 0, errWhence
	}
	if s.closed {
		return 0, errReadClosed
	}
	to := base + offset
	if to < 0 { // or beyond an int64
		return 0, errNegative
	}
	if s.reader.err != nil || s.reader.srcErr != nil {
		s.next = -1
	}
	s.pos = to
	return to, nil
}

// Close implements [io.Closer].
func (s *seeker) Close() error {
	s.closed = true
	s.reader.queue.drain()
	s.reader.rewind(0)
	return nil
}
