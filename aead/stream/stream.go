// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package stream encrypts and authenticates data of any length, such as files and
// the bodies of requests, in chunks. It never hands out a byte that is not
// authentic.
//
//	seals               opens
//	Writer              Reader          from the beginning to the end
//	                    ReaderAt        any part; its NewReader seeks
//	SealingReader       OpeningWriter   where the other side wants it the other way round
//
// A key has 32 bytes and serves for any number of streams: there is no nonce to
// take care of. Additional data (see [Options]) is what both sides know and the
// stream belongs to, such as the name of a file; it is authenticated and not
// stored. After a failure call [Writer.Abort], not Close: what Close ends is a
// complete stream. Look at the errors of all: a stream that was not read up to
// [io.EOF] may be any beginning of what was sealed.
//
//   - Never use what was read as the whole before io.EOF has come.
//   - Never use one key here and for something else.
//
// # Format
//
// The format, unimac stream v2, is this project's own. The file FORMAT.md next to
// this package specifies it, with known answers.
//
//	head    = "unimac2" || e || salt                    7 + 1 + 24 = 32 bytes
//	derived = BLAKE2b(key, "unimac stream v2" || head || AD || LE64(len(AD)))
//	header  = head || derived[32:64]                    64 bytes
//	fileKey = derived[0:32]
//	chunk i = ChaCha20-BLAKE2b(fileKey, nonce = BE56(i) || final, plaintext i)
//	file    = header || chunk 0 || chunk 1 || …
//
// The salt is random. Each chunk has 2^e bytes of plaintext, e from 10 to 24, and
// a tag of 32 bytes; the last one has fewer or as many, and is empty only where
// the whole plaintext is. The byte final is 1 for the last chunk and 0 for all
// others. So n bytes become 64 + n + 32·max(1, ceil(n / 2^e)): see [SealedSize].
//
// The nonce holds a chunk's place, and whether it is the last one: chunks that are
// missing, too many, exchanged or from another file do not open, nor does a file
// that ends early or goes on after its end. The header commits to the key, the
// additional data, the size of chunks and the salt: a wrong key is [ErrKey] before
// any chunk is read, and nobody can make a file of which a part opens under one key
// and another part under another.
//
// The length of the plaintext is not hidden, and nothing tells whether a file is
// the newest under its name. With 24 random bytes of salt, no two files are likely to
// share a fileKey: for 2^64 files of one key the chance is 2^-65.
//
// # Latency
//
// A chunk is the unit: nothing of it opens before all of it has come. A Writer has
// no Flush, and passes chunks on when several are full or at Close. A Reader hands
// out what is authentic at once: it goes on reading while it has something to hand
// out only if its source gave all that it was asked for. So it lags one chunk at most
// where the source is slow. A protocol of requests and replies within one stream
// would wait for ever: seal its messages with package aead.
//
// # Goroutines and memory
//
// Chunks are worked on several at once in the processor's vectors, where it has
// any, and by as many goroutines as [Options] allows. They end with the work that
// they have, and none runs after Close or after an error, so nothing needs to be
// released: anything but a Writer can be abandoned.
//
// With chunks of c bytes and n goroutines, each Writer, Reader, ReaderAt and every
// other type here takes at most (2 + 2n) × max(c, 64 KiB) bytes of buffers and
// 1 MiB more, or 200 KiB more if n is 1. Buffers are allocated when they are first
// needed: a short stream takes little.
//
// A panic of an underlying reader or writer gets to the caller of the method that
// used it, in the caller's goroutine. A caller that recovers from it finds a Writer
// that only returns errors, a Reader that returns one after what it had read
// before, and a ReaderAt as it was. The methods panic, too, if an underlying reader
// returns a count that is negative or too large; of a writer, such a count is
// [io.ErrShortWrite].
//
// The types here come from their constructors. Methods of zero values panic, except
// those of Options.
package stream

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"

	"github.com/unimac/unimac/aead"
)

const (
	// KeySize is the size in bytes of every key.
	KeySize = aead.KeySize

	// MinChunkSize is the smallest size in bytes of the plaintext in a chunk.
	MinChunkSize = 1 << 10

	// DefaultChunkSize is that size where Options say nothing.
	DefaultChunkSize = 1 << 16

	// MaxChunkSize is the largest.
	MaxChunkSize = 1 << 24
)

var (
	// ErrFormat is the error for data that is no unimac stream: its header is not
	// one, or what follows it is nothing that a Writer makes.
	ErrFormat = errors.New("stream: not in the format unimac stream v2")

	// ErrTruncated is the error for a stream that ends too early, where that is
	// certain: all there is is authentic, and its end is missing. A stream cut off
	// within a chunk gives ErrAuth if a tag's length is left of that chunk: it
	// cannot be told from a changed one.
	ErrTruncated = errors.New("stream: truncated")

	// ErrAuth is the error for a chunk that is not authentic at its place: the
	// stream was changed. [ErrKey] is an ErrAuth, too.
	ErrAuth = errors.New("stream: authentication failed")

	// ErrKey is the error for a header that does not belong to the key and the
	// additional data: one of the two is not what the stream was sealed with, or the
	// header was changed. No chunk was read.
	ErrKey = fmt.Errorf("%w: wrong key or additional data", ErrAuth)
)

// The errors for streams whose chunks are authentic and do not end as they should.
var (
	errNoChunk       = fmt.Errorf("%w after the header", ErrTruncated)
	errWithinTag     = fmt.Errorf("%w within a tag", ErrTruncated)
	errUnexpectedEnd = fmt.Errorf("%w at the end of a chunk", ErrTruncated)
	errShorter       = fmt.Errorf("%w: shorter than its size says", ErrTruncated)
	errEmptyChunk    = fmt.Errorf("%w: an empty chunk after others", ErrFormat)
	errAfterEnd      = fmt.Errorf("%w: something follows the last chunk", ErrAuth)
)

// errPanicked is the error of a Writer or Reader that is used after a panic of its
// underlying writer or reader, which has taken data or given some by then.
var errPanicked = errors.New("stream: the underlying reader or writer panicked before")

// Options are what streams may differ in. The zero value holds the defaults, with
// which NewWriter, NewReader and so on, the functions, work.
type Options struct {
	// AdditionalData is authenticated with the whole stream and not stored in it:
	// who opens it must have the same. It has any length and may be nil. It is not
	// used any more when the constructor has returned, except by an OpeningWriter,
	// which keeps a copy.
	AdditionalData []byte

	// ChunkSize is how many bytes of plaintext a chunk has, if the stream is to be
	// sealed: a power of two from MinChunkSize to MaxChunkSize, or 0 for
	// DefaultChunkSize. If it is to be opened, the header says that, and ChunkSize is
	// the largest that is taken, or 0 for all; larger ones are an ErrFormat.
	ChunkSize int

	// Concurrency is how many goroutines seal or open at a time, or 0 for as many
	// as GOMAXPROCS says. With 1, it is the caller's and no other. Memory is
	// proportional to it.
	Concurrency int
}

// goroutines returns Concurrency, or its default.
func (o *Options) goroutines() (int, error) {
	switch {
	case o.Concurrency < 0:
		return 0, fmt.Errorf("stream: concurrency of %d, want at least 1, or 0 for GOMAXPROCS", o.Concurrency)
	case o.Concurrency == 0:
		return runtime.GOMAXPROCS(0), nil
	}
	return min(o.Concurrency, maxConcurrency), nil
}

// maxConcurrency is more than any machine has a use for.
const maxConcurrency = 1 << 12

// sealedChunkLog2 returns e for a stream to be sealed.
func (o *Options) sealedChunkLog2() (int, error) {
	switch n := o.ChunkSize; {
	case n == 0:
		return bits.TrailingZeros(DefaultChunkSize), nil
	case n < MinChunkSize || n > MaxChunkSize || n&(n-1) != 0:
		return 0, fmt.Errorf("stream: chunks of %d bytes, want a power of two from %d to %d", n, MinChunkSize, MaxChunkSize)
	}
	return bits.TrailingZeros(uint(o.ChunkSize)), nil
}

// checkOpened returns the error of options for a stream to be opened.
func (o *Options) checkOpened(key []byte) error {
	if o.ChunkSize != 0 && o.ChunkSize < MinChunkSize {
		return fmt.Errorf("stream: chunks of at most %d bytes, want at least %d, or 0 for all", o.ChunkSize, MinChunkSize)
	}
	return checkKey(key)
}

// checkKey returns the error of a key of the wrong length.
func checkKey(key []byte) error {
	if len(key) != KeySize {
		return fmt.Errorf("stream: key of %d bytes, want %d", len(key), KeySize)
	}
	return nil
}

// SealedSize returns the size in bytes of the stream that n bytes of plaintext
// become with the default options. It returns -1 if n is negative, as for a length
// that is not known, and if the size exceeds an int64.
func SealedSize(n int64) int64 { return Options{}.SealedSize(n) }

// SealedSize is the function [SealedSize] with these options. It also returns -1 if
// their ChunkSize is none.
func (o Options) SealedSize(n int64) int64 {
	e, err := o.sealedChunkLog2()
	if err != nil || n < 0 {
		return -1
	}
	count := max(1, n>>e)
	if n > count<<e {
		count++
	}
	if n > math.MaxInt64-headerSize-count*tagSize {
		return -1
	}
	return headerSize + n + count*tagSize
}

// readFull is [io.ReadFull] with other errors: io.EOF after fewer bytes means the
// end of src, and every other error is one of src. With an error it may have filled
// buf.
func readFull(src io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = readSome(src, buf[n:])
		n += m
	}
	if n == len(buf) && err == io.EOF {
		err = nil // it will come again
	}
	return n, err
}

// readSome reads at least one byte into buf, which must not be empty, or returns an
// error. It panics if src returns an impossible count.
func readSome(src io.Reader, buf []byte) (n int, err error) {
	for range 100 {
		n, err = src.Read(buf)
		if n < 0 || n > len(buf) {
			panic("stream: the underlying reader returned an impossible count")
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
