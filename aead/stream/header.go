// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
)

// newHeader returns a new stream's header and the chunkCipher for its chunks.
func (o *Options) newHeader(key []byte) ([]byte, chunkCipher, error) {
	var salt [saltSize]byte
	rand.Read(salt[:])
	return o.newHeaderWithSalt(key, &salt)
}

func (o *Options) newHeaderWithSalt(key []byte, salt *[saltSize]byte) ([]byte, chunkCipher, error) {
	f, err := o.Format.find()
	if err != nil {
		return nil, chunkCipher{}, err
	}
	if err := f.checkKey(key); err != nil {
		return nil, chunkCipher{}, err
	}
	size, err := f.sealedChunkSize(o.ChunkSize)
	if err != nil {
		return nil, chunkCipher{}, err
	}
	head := f.newHead(size, salt)
	s, err := f.derive(key, head, o.AdditionalData)
	if err != nil {
		return nil, chunkCipher{}, err
	}
	c, err := f.newChunkCipher(s, size)
	return append(head, s.commitment[:]...), c, err
}

// openHeader verifies header and returns the chunkCipher for opening the chunks.
func (o *Options) openHeader(key, header []byte) (chunkCipher, error) {
	f, err := o.Format.find()
	if err != nil {
		return chunkCipher{}, err
	}
	size, err := f.parseHead(header[:min(len(header), f.headSize)])
	if err != nil {
		return chunkCipher{}, err
	}
	// Callers pass less than a header only if the stream ends there.
	if len(header) < f.headerSize() {
		return chunkCipher{}, fmt.Errorf("%w: %d bytes of the header", ErrTruncated, len(header))
	}
	s, err := f.derive(key, header[:f.headSize], o.AdditionalData)
	if err != nil {
		return chunkCipher{}, err
	}
	if subtle.ConstantTimeCompare(s.commitment[:], header[f.headSize:f.headerSize()]) != 1 {
		return chunkCipher{}, ErrKey
	}
	if o.ChunkSize != 0 && size > o.ChunkSize {
		return chunkCipher{}, fmt.Errorf("%w: chunks of %d bytes, want at most %d", ErrFormat, size, o.ChunkSize)
	}
	return f.newChunkCipher(s, size)
}

func (o *Options) readHeader(src io.Reader, key []byte) (chunkCipher, error) {
	f, err := o.checkOpened(key)
	if err != nil {
		return chunkCipher{}, err
	}
	header := make([]byte, f.headerSize())
	n, err := readFull(src, header)
	if err != nil && err != io.EOF {
		return chunkCipher{}, err
	}
	return o.openHeader(key, header[:n])
}
