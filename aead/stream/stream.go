// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package stream encrypts and authenticates data of any length, such as files and
// the bodies of requests, in chunks. It only returns authentic bytes.
//
//	seals               opens
//	Writer              Reader          from the beginning to the end
//	                    ReaderAt        any part; its NewReader seeks
//	SealingReader       OpeningWriter   for code that needs a Reader to seal, a Writer to open
//
// One key may seal any number of streams, as every stream has its own random salt.
// Additional data (see [Options]), such as a file name, is authenticated with the stream
// but not stored in it. Check every error: until a Reader returns [io.EOF], the plaintext
// may be truncated. After a failure while sealing, call [Writer.Abort] instead of Close,
// because Close completes the stream.
//
//   - Never treat the plaintext as complete before Read returns io.EOF.
//   - Never use one key for streams and for another purpose, or for two formats.
//
// # Formats
//
//	                          key   chunk    tag   AEAD
//	UnimacV2                   32   64 KiB    32   ChaCha20-BLAKE2b
//	Cobblestone128             16   16 KiB    16   AES-128-GCM
//	Cobblestone256             32   16 KiB    16   AES-256-GCM
//	ChunkedChaCha20Poly1305    32   16 KiB    16   ChaCha20-Poly1305
//	ChunkedAEGIS256X2          32   16 KiB    16   AEGIS-256X2
//
// UnimacV2 is the default and a format of this project. Its tags commit to key, additional
// data and text (CMT-4): not even someone who knows the key can create two chunks with the
// same tag. Use it if you need this property.
//
// The other formats have the layout of c2sp.org/chunked-encryption. Their headers commit to
// the key and the additional data. The tags of their chunks do not commit, so someone who
// knows the key can change a chunk and keep its tag. Use Cobblestone128 if other programs
// must open the streams, such as pyca/cryptography and filippo.io/cobblestone, or if AES is
// mandatory. Use Cobblestone256 if keys must have 256 bits. Use ChunkedChaCha20Poly1305 for
// speed on processors without AES instructions, and ChunkedAEGIS256X2 for speed on
// processors with them.
//
// The specification names the two Cobblestones only. It allows every AEAD in IANA's registry
// and states security for AEADs "based on a block cipher", which ChaCha20-Poly1305 and AEGIS
// are not. Few other programs open the two formats with these AEADs.
//
// All five formats commit to the key and the additional data in the header: a wrong key
// returns [ErrKey] before any chunk is read, and no stream opens under two keys. All five
// reject streams with missing, repeated, reordered or foreign chunks, truncated streams, and
// streams with data after their end. They do not hide the length of the plaintext, and they
// do not show whether a stream is the latest version of a file. Each stream has a random
// salt of 24 bytes: among 2^64 streams with one key, two have the same salt with a
// probability of 2^-65.
//
// A reader must know the format. Only UnimacV2 begins with a magic string. In the other
// formats, data that is not a stream returns ErrKey, or ErrTruncated if it is shorter than a
// header.
//
// The file FORMAT.md in this package's folder specifies UnimacV2, with test vectors, and
// refers to the specifications of the others.
//
//	head    = "unimac2" || e || salt                    7 + 1 + 24 = 32 bytes
//	derived = BLAKE2b(key, "unimac stream v2" || head || AD || LE64(len(AD)))
//	header  = head || derived[32:64]                    64 bytes
//	fileKey = derived[0:32]
//	chunk i = ChaCha20-BLAKE2b(fileKey, nonce = BE56(i) || final, plaintext i)
//	stream  = header || chunk 0 || chunk 1 || …
//
// Each chunk contains 2^e bytes of plaintext, where e is from 10 to 24. The last chunk may
// contain fewer, and is empty only if the whole plaintext is empty. The byte final is 1 for
// the last chunk and 0 for all others. Thus the size of a stream of n plaintext bytes is
// 64 + n + 32·max(1, ceil(n / 2^e)). The other formats are
//
//	derived = HKDF-Expand-SHA-512(key, "c2sp.org/chunked-encryption@v1+" || AEAD's name || 00 || salt || AD)
//	stream  = salt || derived[-32:] || chunk 0 || chunk 1 || …
//	chunk i = AEAD(derived[:len(key)], nonce = derived[len(key):][:12] XOR BE96(i), plaintext i)
//
// For AEGIS-256X2, nonces have 32 bytes instead of 12, and i is in their last bytes, too. The
// last chunk is always shorter than the others; it is empty if the length is a multiple of
// 16384. The size of a stream of n plaintext bytes is 56 + n + 16·(n/16384 + 1), and n may be
// up to 2^52 - 1. See [SealedSize].
//
// # FIPS 140
//
// AES-GCM is implemented by crypto/cipher. With GODEBUG=fips140=on, all formats work. With
// GODEBUG=fips140=only, the constructors return the error of [crypto/cipher.NewGCM] for the
// Cobblestones, and the errors of chacha20poly1305.New and aegis.New for the other chunked
// formats. UnimacV2 does not check the mode.
//
// # Latency
//
// A chunk can only be opened when it is complete. A Writer has no Flush: it writes chunks when
// several are full, or in Close. A Reader returns authentic bytes as soon as it has some, and
// reads ahead only while its source returns all requested bytes, so behind a slow source it
// lags by at most one chunk. A protocol of requests and replies within one stream would
// deadlock; seal its messages with package aead instead.
//
// # Goroutines and memory
//
// Each kernel call works on several chunks, and [Options] limits the number of goroutines.
// Goroutines end with their work: none is left after Close or after an error. Therefore
// nothing needs to be released, and every value except a Writer may be abandoned.
//
// With chunks of c bytes and n goroutines, each Writer, Reader, ReaderAt or other value uses
// at most (2 + 2n) × max(c, 64 KiB) bytes of buffers plus 1 MiB, or plus 200 KiB if n is 1.
// Buffers are allocated when they are first needed, so a short stream uses little.
//
// A panic of an underlying reader or writer propagates to the caller of the method, in the
// caller's goroutine. If the caller recovers, a Writer then only returns errors, a Reader
// returns an error after the bytes that it had read before, and a ReaderAt remains usable.
// The methods panic if an underlying reader returns a negative or too large count. For a
// writer, such a count returns [io.ErrShortWrite].
//
// Use the constructors: every method of a zero Writer, Reader or other value panics. The zero
// value of Options is valid.
package stream

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/unimac/unimac/aead"
)

const (
	// KeySize is the key size in bytes of UnimacV2, the default format.
	// [Format.KeySize] returns the key size of any format.
	KeySize = aead.KeySize

	// MinChunkSize is the smallest plaintext size, in bytes, of a chunk of UnimacV2.
	MinChunkSize = 1 << 10

	// DefaultChunkSize is the plaintext size of a chunk of UnimacV2 unless
	// Options.ChunkSize is set.
	DefaultChunkSize = 1 << 16

	// MaxChunkSize is the largest plaintext size of a chunk of UnimacV2.
	MaxChunkSize = 1 << 24
)

var (
	// ErrFormat is the error for data that is not a stream in the format: the header is
	// invalid, or no Writer writes such data after the header.
	ErrFormat = errors.New("stream: invalid format")

	// ErrTruncated is the error for a stream that certainly ends too early. Either it
	// ends within the header, which is then not verified, or its complete chunks are
	// authentic, the last of them is not the stream's last, and less than a tag
	// follows. A stream that was cut within a chunk returns ErrAuth if at least a tag's
	// length of the chunk is left, because such a chunk cannot be distinguished from a
	// modified one. ErrTruncated matches [io.ErrUnexpectedEOF], too.
	ErrTruncated error = truncated{}

	// ErrAuth is the error for a chunk that is not authentic at its position: the
	// stream was modified. [ErrKey] matches ErrAuth, too.
	ErrAuth = errors.New("stream: authentication failed")

	// ErrKey is the error for a header that does not match the key and the additional
	// data: one of them differs from the value used for sealing, or the header was
	// modified. In a format without a magic string, the data may not be a stream at
	// all. Data that is shorter than a header returns [ErrTruncated] instead. No chunk
	// was read.
	ErrKey = fmt.Errorf("%w: wrong key or additional data", ErrAuth)
)

// truncated is the type of ErrTruncated.
type truncated struct{}

func (truncated) Error() string { return "stream: truncated" }

func (truncated) Unwrap() error { return io.ErrUnexpectedEOF }

// The errors for streams whose chunks are authentic but that do not end correctly.
var (
	errNoChunk       = fmt.Errorf("%w after the header", ErrTruncated)
	errWithinTag     = fmt.Errorf("%w within a tag", ErrTruncated)
	errUnexpectedEnd = fmt.Errorf("%w at the end of a chunk", ErrTruncated)
	errShorter       = fmt.Errorf("%w: shorter than its size says", ErrTruncated)
	errEmptyChunk    = fmt.Errorf("%w: an empty chunk after others", ErrFormat)
	errAfterEnd      = fmt.Errorf("%w: something follows the last chunk", ErrAuth)
	errTooManyChunks = fmt.Errorf("%w: more chunks than a stream has", ErrFormat)
)

// errTooLong is the error for plaintext that is too long for a stream.
var errTooLong = errors.New("stream: plaintext too long for the format")

// errPanicked is the error of later calls after the underlying reader or writer
// panicked, because it is unknown how much data it had returned or consumed.
var errPanicked = errors.New("stream: the underlying reader or writer panicked before")

// Options configure a stream. The zero value selects the defaults, which the package's
// functions use.
type Options struct {
	// AdditionalData is authenticated with the whole stream but not stored in it.
	// Opening the stream requires the same data. It has any length and may be nil. The
	// Cobblestone specification calls it the context. It may be changed after the
	// constructor has returned; an OpeningWriter keeps a copy.
	AdditionalData []byte

	// ChunkSize is the plaintext size of a chunk in bytes. For UnimacV2, it must be a
	// power of two from MinChunkSize to MaxChunkSize, or 0 for DefaultChunkSize. For
	// opening, where the header contains the size, ChunkSize is a limit: larger chunks
	// return ErrFormat, and 0 means no limit. For the other formats, it must be 0 or 1
	// << 14.
	ChunkSize int

	// Concurrency is the maximum number of goroutines that seal or open at a time, or 0
	// for GOMAXPROCS. With 1, all work is done in the caller's goroutine. The memory
	// used is proportional to Concurrency.
	Concurrency int

	// Format is the format of the stream for sealing and for opening. The default is
	// UnimacV2. Cobblestone256 is faster on processors with AES instructions, and other
	// programs open it. But only the tags of UnimacV2 commit to the text, so that no
	// two streams differ in a single chunk, and only UnimacV2 runs in constant time on
	// every processor.
	Format Format

	// Damaged makes NewReaderAt accept a stream whose end is missing, damaged or
	// followed by other bytes. ReadAt returns the plaintext of every chunk that is
	// authentic at its position. For the others, it returns ErrAuth, ErrTruncated or an
	// error of the source. The header must be complete. If the end is not authentic,
	// Size is not authentic either, and reads at the end return the error that
	// NewReaderAt would return without Damaged, instead of io.EOF. Other constructors
	// ignore Damaged.
	Damaged bool
}

// goroutines returns Concurrency or its default.
func (o *Options) goroutines() (int, error) {
	switch {
	case o.Concurrency < 0:
		return 0, fmt.Errorf("stream: concurrency of %d, want at least 1, or 0 for GOMAXPROCS", o.Concurrency)
	case o.Concurrency == 0:
		return runtime.GOMAXPROCS(0), nil
	}
	return min(o.Concurrency, maxConcurrency), nil
}

// maxConcurrency exceeds the useful number of goroutines on any machine.
const maxConcurrency = 1 << 12

// checkOpened returns the format for opening a stream, or an error if the options or
// the key are invalid.
func (o *Options) checkOpened(key []byte) (*format, error) {
	f, err := o.Format.find()
	if err != nil {
		return nil, err
	}
	if err := f.checkLargestChunk(o.ChunkSize); err != nil {
		return nil, err
	}
	return f, f.checkKey(key)
}

// SealedSize returns the size in bytes of a stream of n plaintext bytes with the
// default options. It returns -1 if n is negative, as some APIs use -1 for an unknown
// length, and if the plaintext or the stream would be too long.
func SealedSize(n int64) int64 { return Options{}.SealedSize(n) }

// SealedSize returns the size of a stream with the options o. It also returns -1 if
// their Format or ChunkSize is invalid.
func (o Options) SealedSize(n int64) int64 {
	f, err := o.Format.find()
	if err != nil {
		return -1
	}
	chunkSize, err := f.sealedChunkSize(o.ChunkSize)
	if err != nil {
		return -1
	}
	return f.sealedSize(n, int64(chunkSize))
}

// readFull is like [io.ReadFull], except that it returns io.EOF if src ends before buf
// is full, and errors of src unchanged. It may have filled buf when it returns an
// error.
func readFull(src io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = readSome(src, buf[n:])
		n += m
	}
	if n == len(buf) && err == io.EOF {
		err = nil // the next read returns it again
	}
	return n, err
}

// readSome reads at least one byte into buf, which must not be empty, or returns an
// error. It panics if src returns an invalid count.
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
