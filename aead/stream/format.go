// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/fips140"
	"fmt"
	"math"

	"github.com/unimac/unimac/aead/internal/batch"
)

// A Format determines the layout of a stream and the AEAD of its chunks.
type Format int

const (
	// UnimacV2 is unimac stream v2, a format of this project.
	UnimacV2 Format = iota

	// Cobblestone128 is Cobblestone-128 of c2sp.org/chunked-encryption, with AES-128-GCM.
	Cobblestone128

	// Cobblestone256 is Cobblestone-256 of c2sp.org/chunked-encryption, with AES-256-GCM.
	Cobblestone256

	// ChunkedChaCha20Poly1305 is the layout of c2sp.org/chunked-encryption with
	// ChaCha20-Poly1305. The specification does not name this combination.
	ChunkedChaCha20Poly1305

	// ChunkedAEGIS256X2 is the same layout with AEGIS-256X2, a combination that the
	// specification does not name either.
	ChunkedAEGIS256X2
)

// formats contains the description of each Format.
var formats = []*format{
	UnimacV2:                unimacV2,
	Cobblestone128:          newChunkedFormat("Cobblestone128", "AEAD_AES_128_GCM", 16, 12, newGCM),
	Cobblestone256:          newChunkedFormat("Cobblestone256", "AEAD_AES_256_GCM", 32, 12, newGCM),
	ChunkedChaCha20Poly1305: newChunkedFormat("ChunkedChaCha20Poly1305", "AEAD_CHACHA20_POLY1305", 32, 12, newChaCha20Poly1305),
	ChunkedAEGIS256X2:       newChunkedFormat("ChunkedAEGIS256X2", "AEAD_AEGIS256X2", 32, 32, newAEGIS256X2),
}

const (
	saltSize   = 24 // size of the random salt in a head
	commitSize = 32 // size of the commitment after the head

	maxKeySize   = 32
	maxNonceSize = 32
)

// A format describes a Format for sealers and openers. A stream consists of a header
// and chunks. The header consists of a head, which determines everything else, and a
// commitment.
type format struct {
	name      string
	keySize   int
	headSize  int
	nonceSize int
	tagSize   int
	maxChunks uint64

	// The plaintext size of a complete chunk in bytes.
	minChunkSize, defaultChunkSize, maxChunkSize int

	// newHead returns the head of a stream with chunks of chunkSize bytes.
	newHead func(chunkSize int, salt *[saltSize]byte) []byte

	// parseHead returns the chunk size in a head, or an error if the head is invalid.
	// The end of the head may be missing.
	parseHead func(head []byte) (chunkSize int, err error)

	// derive returns the secrets for the key, the head and the additional data of a
	// stream.
	derive func(key, head, additionalData []byte) (secrets, error)

	// newAEAD returns the AEAD for the chunks.
	newAEAD func(s secrets) (batch.AEAD, error)

	// place sets nonce, which contains the base of the nonces, to the nonce of a chunk.
	place func(nonce []byte, index uint64, last bool)

	// shortEnd means that the stream's last chunk is always incomplete and may be
	// empty. Otherwise the nonce marks the last chunk, which may be complete and is
	// empty only if the stream is.
	shortEnd bool
}

// secrets contains the values that a key, a head and additional data determine.
type secrets struct {
	key        [maxKeySize]byte // key of the AEAD, in the first keySize bytes
	keySize    int
	base       [maxNonceSize]byte // base of the nonces
	commitment [commitSize]byte
}

func (f *format) headerSize() int { return f.headSize + commitSize }

// count returns the number of chunks of the given size for n bytes of plaintext.
func (f *format) count(n, size int64) int64 {
	whole := n / size
	if n > whole*size || whole == 0 || f.shortEnd {
		return whole + 1
	}
	return whole
}

// find returns the description of f.
func (f Format) find() (*format, error) {
	if f < 0 || int(f) >= len(formats) {
		return nil, fmt.Errorf("stream: unknown format %d", int(f))
	}
	return formats[f], nil
}

// String returns the name of the constant.
func (f Format) String() string {
	found, err := f.find()
	if err != nil {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return found.name
}

// KeySize returns the key size of the format in bytes. If f is not a valid format,
// KeySize returns 0.
func (f Format) KeySize() int {
	found, err := f.find()
	if err != nil {
		return 0
	}
	return found.keySize
}

// checkKey returns an error if the key has the wrong length, or if FIPS 140-only mode
// forbids the AEAD.
func (f *format) checkKey(key []byte) error {
	if len(key) != f.keySize {
		return fmt.Errorf("stream: key of %d bytes, want %d", len(key), f.keySize)
	}
	if fips140.Enforced() {
		// Constructors must return this error before data arrives.
		if _, err := f.newAEAD(secrets{keySize: f.keySize}); err != nil {
			return err
		}
	}
	return nil
}

// sealedChunkSize returns the chunk size for sealing a stream.
func (f *format) sealedChunkSize(n int) (int, error) {
	switch {
	case n == 0:
		return f.defaultChunkSize, nil
	case n >= f.minChunkSize && n <= f.maxChunkSize && n&(n-1) == 0:
		return n, nil
	case f.minChunkSize == f.maxChunkSize:
		return 0, fmt.Errorf("stream: chunks of %d bytes, want %d, or 0", n, f.maxChunkSize)
	}
	return 0, fmt.Errorf("stream: chunks of %d bytes, want a power of two from %d to %d", n, f.minChunkSize, f.maxChunkSize)
}

// checkLargestChunk returns an error if n is not a valid limit for the chunk size of a
// stream to open.
func (f *format) checkLargestChunk(n int) error {
	if f.minChunkSize == f.maxChunkSize {
		_, err := f.sealedChunkSize(n)
		return err
	}
	if n != 0 && n < f.minChunkSize {
		return fmt.Errorf("stream: chunks of at most %d bytes, want at least %d, or 0 for all", n, f.minChunkSize)
	}
	return nil
}

// sealedSize returns the size of a stream of n plaintext bytes, or -1 if there is no
// such stream.
func (f *format) sealedSize(n, chunkSize int64) int64 {
	if n < 0 {
		return -1
	}
	count := f.count(n, chunkSize)
	more := int64(f.headerSize()) + count*int64(f.tagSize)
	if uint64(count) > f.maxChunks || n > math.MaxInt64-more {
		return -1
	}
	return n + more
}
