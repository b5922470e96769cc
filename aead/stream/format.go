// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/fips140"
	"fmt"
	"math"

	"github.com/unimac/unimac/aead/internal/batch"
)

// A Format is the layout of a stream and the AEAD of its chunks.
type Format int

const (
	// UnimacV2 is unimac stream v2, this project's own format.
	UnimacV2 Format = iota

	// Cobblestone128 is Cobblestone-128 of c2sp.org/chunked-encryption, with AES-128-GCM.
	Cobblestone128

	// Cobblestone256 is Cobblestone-256 of c2sp.org/chunked-encryption, with AES-256-GCM.
	Cobblestone256

	// ChunkedChaCha20Poly1305 is the layout of c2sp.org/chunked-encryption with
	// ChaCha20-Poly1305. That text has names for the Cobblestones alone: this choice is ours.
	ChunkedChaCha20Poly1305

	// ChunkedAEGIS256X2 is the same layout with AEGIS-256X2, which is our choice, too.
	ChunkedAEGIS256X2
)

// formats describes each Format.
var formats = []*format{
	UnimacV2:                unimacV2,
	Cobblestone128:          newChunkedFormat("Cobblestone128", "AEAD_AES_128_GCM", 16, 12, newGCM),
	Cobblestone256:          newChunkedFormat("Cobblestone256", "AEAD_AES_256_GCM", 32, 12, newGCM),
	ChunkedChaCha20Poly1305: newChunkedFormat("ChunkedChaCha20Poly1305", "AEAD_CHACHA20_POLY1305", 32, 12, newChaCha20Poly1305),
	ChunkedAEGIS256X2:       newChunkedFormat("ChunkedAEGIS256X2", "AEAD_AEGIS256X2", 32, 32, newAEGIS256X2),
}

const (
	saltSize   = 24 // random bytes in every head
	commitSize = 32 // what follows the head in every header

	maxKeySize   = 32
	maxNonceSize = 32
)

// A format is what the sealers and openers of all formats need to know of one. Its
// header is a head, from which everything else follows, and a commitment. Chunks
// follow.
type format struct {
	name      string
	keySize   int
	headSize  int
	nonceSize int
	tagSize   int
	maxChunks uint64

	// The sizes of the plaintext in a whole chunk.
	minChunkSize, defaultChunkSize, maxChunkSize int

	// newHead returns the head of a stream with chunks of that size.
	newHead func(chunkSize int, salt *[saltSize]byte) []byte

	// parseHead returns the size of chunks that a head has, or an error if no head
	// begins like that. The end of the head may be missing.
	parseHead func(head []byte) (chunkSize int, err error)

	// derive returns what the key of the stream, its head and the additional data
	// determine.
	derive func(key, head, additionalData []byte) (secrets, error)

	// newAEAD returns the AEAD of the chunks.
	newAEAD func(s secrets) (batch.AEAD, error)

	// place makes the nonce of the chunk at a place out of the base of all nonces.
	place func(nonce []byte, index uint64, last bool)

	// shortEnd says that the stream's last chunk is the one that is not whole, and
	// may be empty. Otherwise its nonce says that it is the last: it may be whole,
	// and is empty only if the stream is.
	shortEnd bool
}

// secrets are what a key, a head and additional data determine.
type secrets struct {
	key        [maxKeySize]byte // of the AEAD; only the first keySize bytes count
	keySize    int
	base       [maxNonceSize]byte // of the nonces
	commitment [commitSize]byte
}

func (f *format) headerSize() int { return f.headSize + commitSize }

// count returns the number of chunks of that size that n bytes of plaintext make.
func (f *format) count(n, size int64) int64 {
	whole := n / size
	if n > whole*size || whole == 0 || f.shortEnd {
		return whole + 1
	}
	return whole
}

// find returns the format of a Format.
func (f Format) find() (*format, error) {
	if f < 0 || int(f) >= len(formats) {
		return nil, fmt.Errorf("stream: unknown format %d", int(f))
	}
	return formats[f], nil
}

// String returns the name of the format, which is also the name of the constant.
func (f Format) String() string {
	found, err := f.find()
	if err != nil {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return found.name
}

// KeySize returns the size in bytes of the keys for streams in the format. It is 0 for
// a value that is no format.
func (f Format) KeySize() int {
	found, err := f.find()
	if err != nil {
		return 0
	}
	return found.keySize
}

// checkKey returns the error of a key of the wrong length, or of an AEAD that FIPS
// 140-only mode forbids.
func (f *format) checkKey(key []byte) error {
	if len(key) != f.keySize {
		return fmt.Errorf("stream: key of %d bytes, want %d", len(key), f.keySize)
	}
	if fips140.Enforced() {
		// Constructors say so before any data has come.
		if _, err := f.newAEAD(secrets{keySize: f.keySize}); err != nil {
			return err
		}
	}
	return nil
}

// sealedChunkSize returns the size of chunks for a stream to be sealed.
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

// checkLargestChunk returns the error of a limit for the chunks of a stream to be
// opened.
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

// sealedSize returns the size of the stream that n bytes become, or -1 if there is no
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
