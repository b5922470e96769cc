// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/blake2b"
)

const (
	magic        = "unimac2"
	magicV1      = "unimac1"
	saltSize     = 24
	headSize     = 7 + 1 + saltSize // magic, e and salt
	commitSize   = 32
	headerSize   = headSize + commitSize
	minChunkLog2 = 10
	maxChunkLog2 = 24
)

// A head is a header's first half: magic, e and salt.
type head [headSize]byte

func newHead(chunkLog2 int, salt *[saltSize]byte) (h head) {
	copy(h[:], magic)
	h[len(magic)] = byte(chunkLog2)
	copy(h[len(magic)+1:], salt[:])
	return h
}

// derive returns the key of a stream's chunks, and the header's second half, which
// commits to the key, the head and the additional data.
func (h *head) derive(key, additionalData []byte) (fileKey [aead.KeySize]byte, commitment [commitSize]byte) {
	kdf := blake2b.New(aead.KeySize+commitSize, key)
	kdf.Write([]byte("unimac stream v2"))
	kdf.Write(h[:])
	kdf.Write(additionalData)
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(additionalData)))
	kdf.Write(length[:])
	var derived [aead.KeySize + commitSize]byte
	kdf.Sum(derived[:0])
	copy(fileKey[:], derived[:])
	copy(commitment[:], derived[aead.KeySize:])
	return fileKey, commitment
}

// chunks returns what seals and opens the stream's chunks under fileKey.
func (h *head) chunks(fileKey *[aead.KeySize]byte) (chunks, error) {
	a, err := aead.New(fileKey[:])
	if err != nil {
		return chunks{}, err
	}
	return chunks{a.(batch.AEAD), 1 << h[len(magic)]}, nil
}

// newHeader returns a header with a random salt, and what seals the stream's chunks.
func (o *Options) newHeader(key []byte) ([headerSize]byte, chunks, error) {
	var salt [saltSize]byte
	rand.Read(salt[:])
	return o.newHeaderWithSalt(key, &salt)
}

func (o *Options) newHeaderWithSalt(key []byte, salt *[saltSize]byte) (header [headerSize]byte, c chunks, err error) {
	if err := checkKey(key); err != nil {
		return header, c, err
	}
	e, err := o.sealedChunkLog2()
	if err != nil {
		return header, c, err
	}
	h := newHead(e, salt)
	fileKey, commitment := h.derive(key, o.AdditionalData)
	copy(header[:], h[:])
	copy(header[headSize:], commitment[:])
	c, err = h.chunks(&fileKey)
	return header, c, err
}

// openHeader returns what opens the chunks after a header, of which fewer than
// headerSize bytes are there if the stream ends.
func (o *Options) openHeader(key, header []byte) (chunks, error) {
	n := min(len(header), len(magic))
	switch string(header[:n]) {
	case magic[:n]:
	case magicV1:
		return chunks{}, fmt.Errorf("%w: version 1, which was never released", ErrFormat)
	default:
		return chunks{}, ErrFormat
	}
	if len(header) > n {
		if e := header[n]; e < minChunkLog2 || e > maxChunkLog2 {
			return chunks{}, fmt.Errorf("%w: chunks of 2^%d bytes, want 2^%d to 2^%d", ErrFormat, e, minChunkLog2, maxChunkLog2)
		}
	}
	if len(header) < headerSize {
		return chunks{}, fmt.Errorf("%w: %d bytes of the header", ErrTruncated, len(header))
	}
	h := head(header)
	fileKey, commitment := h.derive(key, o.AdditionalData)
	if subtle.ConstantTimeCompare(commitment[:], header[headSize:headerSize]) != 1 {
		return chunks{}, ErrKey
	}
	if size := 1 << h[len(magic)]; o.ChunkSize != 0 && size > o.ChunkSize {
		return chunks{}, fmt.Errorf("%w: chunks of %d bytes, want at most %d", ErrFormat, size, o.ChunkSize)
	}
	return h.chunks(&fileKey)
}

// readHeader is openHeader for the header that src begins with.
func (o *Options) readHeader(src io.Reader, key []byte) (chunks, error) {
	if err := o.checkOpened(key); err != nil {
		return chunks{}, err
	}
	header := make([]byte, headerSize)
	n, err := readFull(src, header)
	if err != nil && err != io.EOF {
		return chunks{}, err
	}
	return o.openHeader(key, header[:n])
}
