// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package stream encrypts and authenticates data of any length, such as files, in
// chunks: [Writer] seals, [Reader] opens from the beginning to the end, and
// [ReaderAt] opens any part. It never hands out a byte that is not authentic.
//
// A key has 32 bytes and serves for any number of streams. There is no nonce to
// take care of. Close a Writer, and look at the errors of all: a stream that was not
// read up to [io.EOF] may be any beginning of what was sealed.
//
// # Format
//
// The format, unimac stream v1, is this project's own:
//
//	header  = "unimac1" || e || salt                 7 + 1 + 24 = 32 bytes
//	fileKey = BLAKE2b(key, "unimac stream v1" || header)      32 bytes
//	chunk i = ChaCha20-BLAKE2b(fileKey, nonce = BE56(i) || final, plaintext i)
//	file    = header || chunk 0 || chunk 1 || …
//
// The salt is random. Each chunk has 2^e bytes of plaintext, e from 10 to 24, and
// a tag of 32 bytes; the last one has fewer or as many, and is empty only where
// the whole plaintext is. A Writer makes chunks of 64 KiB, e = 16. The byte final
// is 1 for the last chunk and 0 for all others. So n bytes become
// 32 + n + 32·max(1, ceil(n / 2^e)).
//
// The nonce holds a chunk's place, and whether it is the last one: chunks that are
// missing, too many, exchanged or from another file do not open, nor does a file
// that ends early or goes on after its end. The tags commit to the key
// (see package aead): a file opens under one key only.
//
// The length of the plaintext is not hidden, and nothing tells whether a file is
// the newest under its name. With 24 random bytes of salt, no two files are likely to
// share a fileKey.
//
// # Goroutines and memory
//
// Chunks are worked on by as many goroutines as GOMAXPROCS says. Memory stays
// below 32 MiB for each Writer, Reader or ReaderAt, whatever a header demands.
// Nothing needs to be released: goroutines end with the work they have.
//
// A panic of an underlying reader or writer gets to the caller of the method that
// used it, in the caller's goroutine. Whoever recovers from it finds a Writer
// that only returns errors, a Reader that returns one after what it had read
// before, and a ReaderAt as it was. A Writer's or Reader's methods panic, too,
// if an underlying reader returns a count that is negative or too large; of a
// writer, such a count is [io.ErrShortWrite].
package stream

import (
	"crypto/cipher"
	"errors"
	"fmt"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/internal/blake2b"
)

var (
	// ErrFormat is the error for data that is no unimac stream: its header is not
	// one, or it is followed by what no Writer makes.
	ErrFormat = errors.New("stream: not in the format unimac stream v1")

	// ErrTruncated is the error for a stream that ends too early, where that is
	// certain: all there is is authentic, and its end is missing. A stream cut off
	// within a chunk gives ErrAuth if a tag's length is left of that chunk: it
	// cannot be told from a changed one.
	ErrTruncated = errors.New("stream: truncated")

	// ErrAuth is the error for a chunk that is not authentic at its place: the key
	// is another one, or the stream was changed.
	ErrAuth = errors.New("stream: authentication failed: wrong key or changed data")
)

// The errors for streams whose chunks are authentic and do not end as they should.
var (
	errNoChunk       = fmt.Errorf("%w after the header", ErrTruncated)
	errWithinTag     = fmt.Errorf("%w within a tag", ErrTruncated)
	errUnexpectedEnd = fmt.Errorf("%w at the end of a chunk", ErrTruncated)
	errEmptyChunk    = fmt.Errorf("%w: an empty chunk after others", ErrFormat)
)

const (
	magic      = "unimac1"
	saltSize   = 24
	headerSize = len(magic) + 1 + saltSize

	minChunkLog2, maxChunkLog2 = 10, 24
	defaultChunkLog2           = 16
)

// newHeader returns the header of a stream.
func newHeader(chunkLog2 int, salt *[saltSize]byte) (header [headerSize]byte) {
	copy(header[:], magic)
	header[len(magic)] = byte(chunkLog2)
	copy(header[len(magic)+1:], salt[:])
	return header
}

// checkHeader returns the error of a header, or of the beginning of one if the
// stream ends there.
func checkHeader(header []byte) error {
	n := min(len(header), len(magic))
	if string(header[:n]) != magic[:n] {
		return ErrFormat
	}
	if len(header) > n {
		if e := header[n]; e < minChunkLog2 || e > maxChunkLog2 {
			return fmt.Errorf("%w: chunks of 2^%d bytes, want 2^%d to 2^%d", ErrFormat, e, minChunkLog2, maxChunkLog2)
		}
	}
	if len(header) < headerSize {
		return fmt.Errorf("%w: %d bytes of the header", ErrTruncated, len(header))
	}
	return nil
}

// checkKey returns the error of a key of the wrong length.
func checkKey(key []byte) error {
	if len(key) != aead.KeySize {
		return fmt.Errorf("stream: key of %d bytes, want %d", len(key), aead.KeySize)
	}
	return nil
}

// newFileAEAD returns the AEAD of the chunks behind a header.
func newFileAEAD(key []byte, header *[headerSize]byte) (cipher.AEAD, error) {
	kdf := blake2b.New(aead.KeySize, key)
	kdf.Write([]byte("unimac stream v1"))
	kdf.Write(header[:])
	var fileKey [aead.KeySize]byte
	return aead.New(kdf.Sum(fileKey[:0]))
}
