// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package stream encrypts and authenticates data of any length in chunks, such as files and the
// bodies of requests. It only returns authentic bytes. Begin with [NewWriter] and [NewReader].
//
//	seals               opens
//	Writer              Reader          from the beginning to the end
//	                    ReaderAt        any part; its NewReader seeks
//	SealingReader       OpeningWriter   for code that needs a Reader to seal, a Writer to open
//
// A key can seal any number of streams; there are no nonces to manage. Additional data (see
// [Options]) is known to both sides, such as the name of a file. It is authenticated and not
// stored. After a failure, call [Writer.Abort] instead of Close, because Close completes the
// stream. Check every error: before [io.EOF], a reader may have seen only the beginning of the
// plaintext.
//
//   - Never treat the plaintext as complete before io.EOF.
//   - Never use a key for another purpose, or for two formats.
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
// The columns contain the lengths of keys, chunks and tags in bytes.
//
// UnimacV2 is the default. It is this project's own format. Its tags commit to everything,
// including the plaintext (CMT-4): even someone who has the key cannot construct two chunks with
// one tag. Use it if you need this property.
//
// The other formats have the layout of c2sp.org/chunked-encryption. Their header commits to the key
// and the additional data. The tags of their chunks do not commit, so anyone who has the key can
// change a chunk and keep its tag. Use Cobblestone128 if other programs must open the streams, or
// if AES is mandatory; pyca/cryptography and filippo.io/cobblestone support it. Use Cobblestone256
// if keys must have 256 bits. For speed, use ChunkedChaCha20Poly1305 on processors without AES
// instructions, and ChunkedAEGIS256X2 on processors with them.
//
// The specification only names the two Cobblestones. It takes AEADs from IANA's registry and claims
// security for an AEAD "based on a block cipher", which neither ChaCha20-Poly1305 nor AEGIS is.
// Therefore, these two formats are the choice of this package, and few other programs open them.
//
// The header of every format commits to the key and the additional data: a wrong key causes
// [ErrKey] before any chunk is read, and no stream opens under two keys. Readers of every format
// reject chunks that are missing, repeated, exchanged or from another stream, and streams that end
// early or continue after their end. The length of the plaintext is not hidden, and a reader cannot
// tell whether a stream is the newest under its name. Each stream contains 24 random bytes of salt.
// Among 2^64 streams under one key, two have the same salt with probability 2^-65.
//
// A reader must know the format, because only UnimacV2 begins with a magic string. In the other
// formats, data that is not a stream causes ErrKey, or ErrTruncated if it is shorter than a header.
//
// The file FORMAT.md next to this package specifies UnimacV2, with known answers, and refers to the
// specification of the other formats.
//
//	head    = "unimac2" || e || salt                    7 + 1 + 24 = 32 bytes
//	derived = BLAKE2b(key, "unimac stream v2" || head || AD || LE64(len(AD)))
//	header  = head || derived[32:64]                    64 bytes
//	fileKey = derived[0:32]
//	chunk i = ChaCha20-BLAKE2b(fileKey, nonce = BE56(i) || final, plaintext i)
//	stream  = header || chunk 0 || chunk 1 || …
//
// A chunk contains 2^e bytes of plaintext, where e is 10 to 24. The last chunk may contain fewer, and
// is empty only if the plaintext is empty. The byte final is 1 for the last chunk and 0 for all
// others. A stream of n bytes of plaintext has 64 + n + 32·max(1, ceil(n / 2^e)) bytes. In the
// other formats:
//
//	derived = HKDF-Expand-SHA-512(key, "c2sp.org/chunked-encryption@v1+" || AEAD's name || 00 || salt || AD)
//	stream  = salt || derived[-32:] || chunk 0 || chunk 1 || …
//	chunk i = AEAD(derived[:len(key)], nonce = derived[len(key):][:12] XOR BE96(i), plaintext i)
//
// Nonces of AEGIS-256X2 have 32 bytes instead of 12; i is also in their last bytes. The last chunk
// is shorter than the others, so it is empty if the length is a multiple of 16384. A stream of n
// bytes of plaintext, at most 2^52 - 1, has 56 + n + 16·(floor(n / 16384) + 1) bytes. See
// [SealedSize].
//
// # FIPS 140
//
// AES-GCM is that of crypto/cipher. With GODEBUG=fips140=on, all formats work. With
// GODEBUG=fips140=only, the constructors return the error of [crypto/cipher.NewGCM] for the
// Cobblestones, of chacha20poly1305.New for ChunkedChaCha20Poly1305, and of aegis.New for
// ChunkedAEGIS256X2. UnimacV2 does not check the mode.
//
// # Latency
//
// A chunk opens only when all of it has arrived. A Writer has no Flush method: it writes chunks when
// several are full, and in Close. A Reader returns authentic bytes as soon as it has any. It reads
// ahead only while its source fills its buffers, so with a slow source it is at most one chunk
// behind. Requests and replies within one stream would therefore block forever; seal such messages
// with package aead.
//
// # Goroutines and memory
//
// Several chunks are sealed or opened at the same time, in the lanes of vector instructions if the
// processor has them, and in up to as many goroutines as [Options] allows. Goroutines end when their
// work is done, and none runs after Close or an error. Therefore, only a Writer must be closed or
// aborted; all other values may be abandoned.
//
// With chunks of c bytes and n goroutines, the buffers of a Writer, Reader, ReaderAt or other type
// of this package take at most (2 + 2n) × max(c, 64 KiB) + 1 MiB bytes; if n is 1, 200 KiB replace
// the 1 MiB. Buffers are allocated when they are first needed, so a short stream takes little.
//
// If an underlying reader or writer panics, the panic reaches the caller of the method that called
// it, in the caller's goroutine. After the caller recovers, a Writer only returns errors, a Reader
// returns an error after the plaintext that it had read before, and a ReaderAt is unchanged. Methods
// also panic if an underlying reader returns a count that is negative or too large. If a writer
// returns such a count, the error is [io.ErrShortWrite].
//
// Use the constructors. The methods of a zero Writer, Reader or other type except Options panic, even
// Read and Write of zero bytes. The zero value of Options is valid.
package stream

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/unimac/unimac/aead"
)

const (
	// KeySize is the size in bytes of the keys of UnimacV2, the default format. For other
	// formats, see [Format.KeySize].
	KeySize = aead.KeySize

	// MinChunkSize is UnimacV2's smallest chunk size, in plaintext bytes.
	MinChunkSize = 1 << 10

	// DefaultChunkSize is UnimacV2's chunk size, in plaintext bytes, if
	// Options.ChunkSize is 0.
	DefaultChunkSize = 1 << 16

	// MaxChunkSize is the largest size of a chunk of UnimacV2.
	MaxChunkSize = 1 << 24
)

var (
	// ErrFormat is returned for data that is not a stream in the format, because the
	// header is invalid or because no Writer produces such data after the header.
	ErrFormat = errors.New("stream: invalid format")

	// ErrTruncated is returned for a stream that certainly ends too early. Such a
	// stream ends either within the header, whose bytes are then not verified, or after
	// authentic chunks none of which was sealed as the last one, possibly followed by
	// less than a tag. If a stream ends within a chunk after at least as many bytes as
	// a tag has, the error is ErrAuth instead, because the chunk may also have been
	// changed. ErrTruncated wraps [io.ErrUnexpectedEOF].
	ErrTruncated error = truncated{}

	// ErrAuth is returned for a chunk that is not authentic at its position, which
	// means that the stream was changed. [ErrKey] wraps ErrAuth.
	ErrAuth = errors.New("stream: authentication failed")

	// ErrKey is returned if the header does not belong to the key and the additional
	// data, before any chunk is read. Either the stream was sealed with another key or
	// other additional data, or the header was changed. In a format without a magic
	// string, the data may not be a stream at all. If the data is shorter than a
	// header, the error is [ErrTruncated] instead.
	ErrKey = fmt.Errorf("%w: wrong key or additional data", ErrAuth)
)

// truncated is the type of ErrTruncated.
type truncated struct{}

func (truncated) Error() string { return "stream: truncated" }

func (truncated) Unwrap() error { return io.ErrUnexpectedEOF }

// Errors for streams whose chunks are authentic but whose end is wrong.
var (
	errNoChunk       = fmt.Errorf("%w after the header", ErrTruncated)
	errWithinTag     = fmt.Errorf("%w within a tag", ErrTruncated)
	errUnexpectedEnd = fmt.Errorf("%w at the end of a chunk", ErrTruncated)
	errShorter       = fmt.Errorf("%w: shorter than its size says", ErrTruncated)
	errEmptyChunk    = fmt.Errorf("%w: an empty chunk after others", ErrFormat)
	errAfterEnd      = fmt.Errorf("%w: something follows the last chunk", ErrAuth)
	errTooManyChunks = fmt.Errorf("%w: more chunks than a stream has", ErrFormat)
)

// errTooLong is the error for plaintext that is too long for the format.
var errTooLong = errors.New("stream: plaintext too long for the format")

// errPanicked is returned by a Writer or Reader after its underlying writer or reader
// panicked. The call that panicked may have processed some data.
var errPanicked = errors.New("stream: the underlying reader or writer panicked before")

// Options configure a stream. The functions NewWriter, NewReader and so on use the zero value, which
// selects the defaults.
type Options struct {
	// AdditionalData is authenticated together with the stream, but not stored in it,
	// so a reader must supply the same AdditionalData. It may have any length and may
	// be nil. The specification of the Cobblestones calls it the context. The caller
	// may change it after the constructor returns.
	AdditionalData []byte

	// ChunkSize is the plaintext size of a chunk in bytes. To seal UnimacV2, it must be
	// a power of two from MinChunkSize to MaxChunkSize, or 0 for DefaultChunkSize. To
	// open UnimacV2, whose header specifies the chunk size, ChunkSize is an upper
	// limit: a stream with larger chunks causes ErrFormat, and 0 allows all sizes. For
	// the other formats, ChunkSize must be 0 or 1 << 14.
	ChunkSize int

	// Concurrency is the maximum number of goroutines that seal or open concurrently. 0
	// means GOMAXPROCS. With 1, all work is done in the caller's goroutine. Memory use
	// is proportional to Concurrency.
	Concurrency int

	// Format is the format of the stream to seal or open. The default is UnimacV2. Only
	// the tags of UnimacV2 commit to the plaintext, so that nobody can construct two
	// streams that differ in only one chunk. UnimacV2 also takes constant time on every
	// processor. Cobblestone256 is faster on processors with AES instructions, and
	// other programs can open it.
	Format Format

	// Damaged lets NewReaderAt also accept a stream whose end is missing, damaged or
	// followed by other bytes. The header must be intact. ReadAt returns the plaintext
	// of every chunk that is authentic at its position. For all other chunks, it
	// returns ErrAuth, ErrTruncated or an error of the source. If the end is not
	// authentic, Size is not authentic either, and reads at the end return the error
	// that NewReaderAt would return without Damaged, instead of io.EOF. If other bytes
	// follow the last chunk of UnimacV2, that chunk opens only if it is whole, because
	// the length of a shorter chunk is unknown. All other constructors ignore Damaged.
	Damaged bool
}

// goroutines returns the number of goroutines for o.Concurrency.
func (o *Options) goroutines() (int, error) {
	switch {
	case o.Concurrency < 0:
		return 0, fmt.Errorf("stream: concurrency of %d, want at least 1, or 0 for GOMAXPROCS", o.Concurrency)
	case o.Concurrency == 0:
		return runtime.GOMAXPROCS(0), nil
	}
	return min(o.Concurrency, maxConcurrency), nil
}

// maxConcurrency is more than any machine can use.
const maxConcurrency = 1 << 12

// checkOpened returns the format of a stream to open, or an error if the options or the key are
// invalid.
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

// SealedSize returns the size in bytes of a stream with n bytes of plaintext and the
// default options. It returns -1 if the stream would be too long, or if n is negative,
// which means an unknown length in some APIs.
func SealedSize(n int64) int64 { return Options{}.SealedSize(n) }

// SealedSize is like the function [SealedSize], but uses the options o. It also returns -1 if Format
// or ChunkSize is invalid.
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
// is full. It returns all other errors of src unchanged.
func readFull(src io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = readSome(src, buf[n:])
		n += m
	}
	if n == len(buf) && err == io.EOF {
		err = nil // the next Read returns it again
	}
	return n, err
}

// readSome reads at least one byte into buf, which must not be empty, or returns an
// error. If src returns a count that is negative or exceeds len(buf), readSome panics.
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
