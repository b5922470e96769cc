// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
)

// newHeader returns a header with a random salt, and a chunks that seals the rest of
// the stream.
func (o *Options) newHeader(key []byte) ([]byte, chunks, error) {
	var salt [saltSize]byte
	rand.Read(salt[:])
	return o.newHeaderWithSalt(key, &salt)
}

func (o *Options) newHeaderWithSalt(key []byte, salt *[saltSize]byte) ([]byte, chunks, error) {
	f, err := o.Format.find()
	if err != nil {
		return nil, chunks{}, err
	}
	if err := f.checkKey(key); err != nil {
		return nil, chunks{}, err
	}
	size, err := f.sealedChunkSize(o.ChunkSize)
	if err != nil {
		return nil, chunks{}, err
	}
	head := f.newHead(size, salt)
	s, err := f.derive(key, head, o.AdditionalData)
	if err != nil {
		return nil, chunks{}, err
	}
	c, err := f.newChunks(s, size)
	return append(head, s.commitment[:]...), c, err
}

// openHeader verifies header and returns a chunks that opens the rest of the stream. If
// the stream is shorter than a header, the caller must pass the whole stream.
func (o *Options) openHeader(key, header []byte) (chunks, error) {
	f, err := o.Format.find()
	if err != nil {
		return chunks{}, err
	}
	size, err := f.parseHead(header[:min(len(header), f.headSize)])
	if err != nil {
		return chunks{}, err
	}
	if len(header) < f.headerSize() {
		return chunks{}, fmt.Errorf("%w: %d bytes of the header", ErrTruncated, len(header))
	}
	s, err := f.derive(key, header[:f.headSize], o.AdditionalData)
	if err != nil {
		return chunks{}, err
	}
	if subtle.ConstantTimeCompare(s.commitment[:], header[f.headSize:f.headerSize()]) != 1 {
		return chunks{}, ErrKey
	}
	if o.ChunkSize != 0 && size > o.ChunkSize {
		return chunks{}, fmt.Errorf("%w: chunks of %d bytes, want at most %d", ErrFormat, size, o.ChunkSize)
	}
	return f.newChunks(s, size)
}

func (o *Options) readHeader(src io.Reader, key []byte) (chunks, error) {
	f, err := o.checkOpened(key)
	if err != nil {
		return chunks{}, err
	}
	header := make([]byte, f.headerSize())
	n, err := readFull(src, header)
	if err != nil && err != io.EOF {
		return chunks{}, err
	}
	return o.openHeader(key, header[:n])
}
