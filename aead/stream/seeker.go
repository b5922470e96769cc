// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"errors"
	"io"
)

// A seeker reads a ReaderAt's plaintext from the offset set by Seek.
type seeker struct {
	keyHider
	readerAt  *ReaderAt
	reader    Reader
	pos       int64 // offset of the next Read
	readerPos int64 // offset of reader, or -1 if it must be reset
	closed    bool
}

var (
	_ io.ReadSeekCloser = (*seeker)(nil)
	_ io.WriterTo       = (*seeker)(nil)
)

var (
	errReadClosed = errors.New("stream: read after Close")
	errWhence     = errors.New("stream: invalid whence")
)

// NewReader returns a reader for the whole plaintext, for example for
// [net/http.ServeContent]. It also implements [io.WriterTo]. The reader reads ahead and
// is as fast as a [Reader]. It returns the same errors as a Reader and needs as much
// memory, in addition to that of the ReaderAt.
//
// After an error, Seek makes the reader usable again. With Options.Damaged, a program
// can therefore continue after a damaged chunk. Close releases the reader's memory and
// always returns nil. The ReaderAt remains usable. There may be any number of readers,
// but each must be used by only one goroutine at a time.
func (r *ReaderAt) NewReader() io.ReadSeekCloser {
	r.chunks.check()
	s := &seeker{readerAt: r, readerPos: -1}
	s.reader.chunks = r.chunks
	s.reader.begin(r.goroutines)
	return s
}

func (s *seeker) Read(p []byte) (int, error) {
	if err := s.seek(); err != nil || len(p) == 0 {
		return 0, err
	}
	n, err := s.reader.Read(p)
	s.pos += int64(n)
	s.readerPos = s.pos
	return n, err
}

func (s *seeker) WriteTo(dst io.Writer) (int64, error) {
	err := s.seek()
	var n int64
	if err == nil {
		n, err = s.reader.WriteTo(dst)
		s.pos += n
		s.readerPos = s.pos
		if err == nil {
			err = s.readerAt.endError()
		}
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// seek moves s.reader to the offset at which the next Read starts.
func (s *seeker) seek() error {
	switch {
	case s.closed:
		return errReadClosed
	case s.pos >= s.readerAt.size:
		return s.readerAt.endError()
	case s.pos == s.readerPos:
		return nil
	}
	if ahead := s.pos - s.readerPos; s.readerPos >= 0 && 0 < ahead && ahead < int64(len(s.reader.unread)) {
		s.reader.unread = s.reader.unread[ahead:]
		s.readerPos = s.pos
		return nil
	}
	s.readerPos = -1 // if the following fails
	size, stride := int64(s.readerAt.chunks.size), int64(s.readerAt.chunks.stride())
	index, from := s.pos/size, s.pos%size
	header := int64(s.readerAt.chunks.headerSize())
	s.reader.reset(io.NewSectionReader(s.readerAt.src, header+index*stride, s.readerAt.body-index*stride), uint64(index))
	if from > 0 {
		if !s.reader.awaitPlaintext() {
			return s.reader.err
		}
		if from >= int64(len(s.reader.unread)) {
			return errShorter // src now contains another stream with the same salt
		}
		s.reader.unread = s.reader.unread[from:]
	}
	s.readerPos = s.pos
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
		base = s.readerAt.size
	default:
		return 0, errWhence
	}
	if s.closed {
		return 0, errReadClosed
	}
	to := base + offset
	if to < 0 { // or the sum overflowed
		return 0, errNegative
	}
	if s.reader.err != nil || s.reader.srcErr != nil {
		s.readerPos = -1
	}
	s.pos = to
	return to, nil
}

func (s *seeker) Close() error {
	s.closed = true
	s.reader.queue.drain()
	s.reader.rewind(0)
	return nil
}
