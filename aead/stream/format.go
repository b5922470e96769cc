// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/fips140"
	"fmt"
	"math"

	"github.com/unimac/unimac/aead/internal/batch"
)

// A Format selects a stream's layout and the AEAD for its chunks.
type Format int

const (
	// UnimacV2 is unimac stream v2, this project's own format.
	UnimacV2 Format = iota

	// Cobblestone128 is Cobblestone-128 of c2sp.org/chunked-encryption, with
	// AES-128-GCM.
	Cobblestone128

	// Cobblestone256 is Cobblestone-256 of c2sp.org/chunked-encryption, with
	// AES-256-GCM.
	Cobblestone256

	// ChunkedChaCha20Poly1305 is c2sp.org/chunked-encryption with ChaCha20-Poly1305.
	// This combination is defined only by this package.
	ChunkedChaCha20Poly1305

	// ChunkedAEGIS256X2 is c2sp.org/chunked-encryption with AEGIS-256X2. This
	// combination is defined only by this package.
	ChunkedAEGIS256X2
)

var formats = []*format{
	UnimacV2:                unimacV2,
	Cobblestone128:          newChunkedFormat("Cobblestone128", "AEAD_AES_128_GCM", 16, 12, newGCM),
	Cobblestone256:          newChunkedFormat("Cobblestone256", "AEAD_AES_256_GCM", 32, 12, newGCM),
	ChunkedChaCha20Poly1305: newChunkedFormat("ChunkedChaCha20Poly1305", "AEAD_CHACHA20_POLY1305", 32, 12, newChaCha20Poly1305),
	ChunkedAEGIS256X2:       newChunkedFormat("ChunkedAEGIS256X2", "AEAD_AEGIS256X2", 32, 32, newAEGIS256X2),
}

const (
	saltSize   = 24 // random bytes in every head
	commitSize = 32 // size of the commitment in a header

	maxKeySize   = 32
	maxNonceSize = 32
)

// format describes how streams of a given Format are laid out and sealed.
type format struct {
	name      string
	keySize   int
	headSize  int
	nonceSize int
	tagSize   int
	maxChunks uint64

	minChunkSize, defaultChunkSize, maxChunkSize int

	// newHead returns the head of a new stream.
	newHead func(chunkSize int, salt *[saltSize]byte) []byte

	// parseHead returns head's chunk size; a truncated head is not an error.
	parseHead func(head []byte) (chunkSize int, err error)

	derive func(key, head, additionalData []byte) (secrets, error)

	newAEAD func(s secrets) (batch.AEAD, error)

	// deriveNonce turns the nonce base in nonce into the nonce of a chunk.
	deriveNonce func(nonce []byte, index uint64, final bool)

	// shortEnd reports whether readers recognize the last chunk by its shorter length.
	shortEnd bool
}

type secrets struct {
	key        [maxKeySize]byte // AEAD key; only the first keySize bytes are used
	keySize    int
	base       [maxNonceSize]byte // nonce base
	commitment [commitSize]byte
}

// headerSize returns the size of a head and the commitment after it.
func (f *format) headerSize() int { return f.headSize + commitSize }

// chunkCount returns the number of size-byte chunks needed for n bytes of plaintext.
func (f *format) chunkCount(n, size int64) int64 {
	whole := n / size
	if n > whole*size || whole == 0 || f.shortEnd {
		return whole + 1
	}
	return whole
}

func (f Format) find() (*format, error) {
	if f < 0 || int(f) >= len(formats) {
		return nil, fmt.Errorf("stream: unknown format %d", int(f))
	}
	return formats[f], nil
}

// String returns the name of the constant, for example "Cobblestone128".
func (f Format) String() string {
	found, err := f.find()
	if err != nil {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return found.name
}

// KeySize returns the key size in bytes, or 0 for unknown formats.
func (f Format) KeySize() int {
	found, err := f.find()
	if err != nil {
		return 0
	}
	return found.keySize
}

// checkKey checks key's length and whether FIPS 140-only mode allows the format.
func (f *format) checkKey(key []byte) error {
	if len(key) != f.keySize {
		return fmt.Errorf("stream: key of %d bytes, want %d", len(key), f.keySize)
	}
	if fips140.Enforced() {
		// Report the error before any data arrives.
		if _, err := f.newAEAD(secrets{keySize: f.keySize}); err != nil {
			return err
		}
	}
	return nil
}

// sealedChunkSize returns the chunk size for sealing if Options.ChunkSize is n.
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

// checkMaxChunkSize checks that n is a valid Options.ChunkSize for opening.
func (f *format) checkMaxChunkSize(n int) error {
	if f.minChunkSize == f.maxChunkSize {
		_, err := f.sealedChunkSize(n)
		return err
	}
	if n != 0 && n < f.minChunkSize {
		return fmt.Errorf("stream: chunks of at most %d bytes, want at least %d, or 0 for all", n, f.minChunkSize)
	}
	return nil
}

// sealedSize returns the size of a stream with n bytes of plaintext, or -1 if n is
// negative or too large.
func (f *format) sealedSize(n, chunkSize int64) int64 {
	if n < 0 {
		return -1
	}
	count := f.chunkCount(n, chunkSize)
	added := int64(f.headerSize()) + count*int64(f.tagSize)
	if uint64(count) > f.maxChunks || n > math.MaxInt64-added {
		return -1
	}
	return n + added
}
