// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package stream encrypts and authenticates data of any length. It divides the data
// into chunks, and its readers return only authentic bytes. Start with [NewWriter] to
// encrypt and [NewReader] to decrypt.
//
//	to seal         to open
//	Writer          Reader          from beginning to end
//	                ReaderAt        any part; its NewReader method returns a seeker
//	SealingReader   OpeningWriter   for code that needs a Reader to seal, a Writer to open
//
// A key can seal any number of streams, and there are no nonces to manage. Additional
// data, such as a file name, is authenticated but not stored, so both sides must supply
// it. See [Options]. Check every error. If sealing fails, call [Writer.Abort] instead
// of Close, because Close would complete the stream.
//
//   - Never treat the plaintext as complete before a reader has returned [io.EOF].
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
// Key and tag sizes are in bytes. The chunk size is the size of a chunk's plaintext,
// and [Options] can change it for UnimacV2.
//
// UnimacV2, the default, is this project's own format. The file FORMAT.md next to this
// package specifies it, with known answers. Its tags commit to everything, including
// the plaintext (CMT-4), so even someone who has the key cannot construct two chunks
// with one tag. Use it if you need this property.
//
// The other formats have the layout of c2sp.org/chunked-encryption. The tags of their
// chunks do not commit, so anyone who has the key can change a chunk and keep its tag.
// Use Cobblestone128 if other programs must open the streams, or if AES is mandatory;
// pyca/cryptography and filippo.io/cobblestone support it. Use Cobblestone256 if keys
// must have 256 bits. For speed, use ChunkedChaCha20Poly1305 on processors without AES
// instructions, and ChunkedAEGIS256X2 on processors with them. These two formats are
// defined only by this package, and few other programs open them. The specification
// names only the Cobblestones, and claims security only for an AEAD "based on a block
// cipher".
//
// The header of every format commits to the key and the additional data, so no stream
// opens under two keys. With a wrong key, a reader returns [ErrKey] before it opens any
// chunk. Readers reject chunks that are missing, repeated, reordered or from another
// stream, and streams that end early or continue after their end. They cannot tell
// whether a stream is the newest version of the data. The length of the plaintext is
// not hidden. Each stream contains 24 random bytes of salt. Among 2^64 streams under
// one key, two have the same salt with probability 2^-65.
//
// Since only UnimacV2 begins with a magic string, a reader must know the format. In the
// other formats, data that is not a stream causes ErrKey, or [ErrTruncated] if the data
// is shorter than a header.
//
// A UnimacV2 stream of n bytes of plaintext in chunks of c bytes has 64 + n + 32·max(1,
// ceil(n / c)) bytes. In the other formats, n is at most 2^52 - 1, and the stream has
// 56 + n + 16·(floor(n / 16384) + 1) bytes, because the last chunk is shorter than the
// others and may be empty. [SealedSize] returns these sizes.
//
// # FIPS 140
//
// AES-GCM is implemented by crypto/cipher. With GODEBUG=fips140=on, all formats work.
// With GODEBUG=fips140=only, the constructors return the error from
// [crypto/cipher.NewGCM], chacha20poly1305.New or aegis.New, except for UnimacV2, which
// does not check the mode.
//
// # Latency
//
// A chunk can be opened only when all of it has arrived. A Writer has no Flush method:
// it writes chunks when several are full, and in Close. A Reader returns authentic
// bytes as soon as it has any. It reads ahead only while its source fills its buffers,
// so with a slow source it is at most one chunk behind. A program that writes a request
// to a stream and waits for the reply before it writes more would therefore block
// forever; seal such messages with package aead.
//
// # Goroutines and memory
//
// Several chunks are sealed or opened at a time, in the lanes of vector instructions if
// the processor has them, and in as many goroutines as [Options] allows. No goroutine
// runs after Close or an error. Only a Writer must be closed or aborted; all other
// values may be abandoned.
//
// With chunks of c bytes and n goroutines, the buffers of a Writer, Reader or other
// value take at most (2 + 2n) × max(c, 64 KiB) + 1032 KiB. With one goroutine, the last
// term is 200 KiB instead of 1032 KiB. Buffers are allocated when first needed, so a
// short stream takes little memory.
//
// If an underlying reader or writer panics, the panic reaches the caller in the
// caller's goroutine. If the caller recovers, a Writer then returns only errors, a
// Reader returns an error after the plaintext of the data that it had already read, and
// a ReaderAt is unchanged. Methods also panic if an underlying reader returns a count
// that is negative or too large. If a writer returns such a count, the error is
// [io.ErrShortWrite].
//
// Use the constructors. The methods of zero values panic, even Read and Write of zero
// bytes. Only the zero value of Options is valid.
package stream

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/unimac/unimac/aead"
)

const (
	// KeySize is UnimacV2's key size in bytes. For other formats, see [Format.KeySize].
	KeySize = aead.KeySize

	// MinChunkSize is UnimacV2's smallest chunk size, in plaintext bytes.
	MinChunkSize = 1 << 10

	// DefaultChunkSize is the size of UnimacV2's chunks if Options.ChunkSize is 0.
	DefaultChunkSize = 1 << 16

	// MaxChunkSize is UnimacV2's largest chunk size.
	MaxChunkSize = 1 << 24
)

var (
	// ErrFormat is returned if a stream is malformed, for example because its header is
	// invalid, its chunks are larger than Options.ChunkSize, or it has too many chunks.
	ErrFormat = errors.New("stream: invalid format")

	// ErrTruncated is returned if a stream ends too early. It wraps
	// [io.ErrUnexpectedEOF].
	//
	// If the stream ends within the header, the key hasn't been checked, so it may be
	// wrong as well. If the stream ends within a chunk, the error is usually [ErrAuth]
	// instead, because readers can't tell a partial chunk from a modified one. It is
	// ErrTruncated only if the partial chunk is shorter than a tag.
	ErrTruncated error = truncated{}

	// ErrAuth is returned if a stream is not authentic, for example because a chunk was
	// modified or moved, or because data follows the final chunk. [ErrKey] wraps
	// ErrAuth.
	ErrAuth = errors.New("stream: authentication failed")

	// ErrKey is returned if the key or the additional data is wrong, or if the header
	// was modified. Readers can't distinguish these causes. For a format without a
	// magic string, ErrKey can also mean that the input is not a stream at all. Readers
	// return ErrKey before they decrypt any chunk. If the input is shorter than a
	// header, the error is [ErrTruncated] instead.
	ErrKey = fmt.Errorf("%w: wrong key or additional data", ErrAuth)
)

type truncated struct{}

func (truncated) Error() string { return "stream: truncated" }

func (truncated) Unwrap() error { return io.ErrUnexpectedEOF }

var (
	errNoChunk       = fmt.Errorf("%w after the header", ErrTruncated)
	errWithinTag     = fmt.Errorf("%w within a tag", ErrTruncated)
	errUnexpectedEnd = fmt.Errorf("%w at the end of a chunk", ErrTruncated)
	errShorter       = fmt.Errorf("%w: shorter than its size says", ErrTruncated)
	errEmptyChunk    = fmt.Errorf("%w: an empty chunk after others", ErrFormat)
	errAfterEnd      = fmt.Errorf("%w: something follows the last chunk", ErrAuth)
	errTooManyChunks = fmt.Errorf("%w: more chunks than a stream has", ErrFormat)
)

var errTooLong = errors.New("stream: plaintext too long for the format")

// errPanicked is returned after an underlying reader or writer has panicked.
var errPanicked = errors.New("stream: the underlying reader or writer panicked before")

// Options configures a stream. The zero value selects the defaults. Functions that take
// no Options, such as [NewWriter], also use the defaults. Constructors return an error
// if an option is invalid.
type Options struct {
	// AdditionalData is authenticated with the stream but not stored in it, so readers
	// must supply the same bytes. It can have any length, including zero. The caller
	// may change it after the constructor returns. The specification
	// c2sp.org/chunked-encryption calls it the context.
	AdditionalData []byte

	// ChunkSize is the plaintext size of a chunk in bytes. For formats other than
	// UnimacV2, it must be 0 or 1 << 14.
	//
	// For sealing in the UnimacV2 format, it must be a power of two from MinChunkSize
	// to MaxChunkSize, or 0 for DefaultChunkSize. For opening that format, it is the
	// largest chunk size to accept. It must then be at least MinChunkSize, or 0 for no
	// limit. If the header specifies larger chunks, the error is ErrFormat.
	ChunkSize int

	// Concurrency is the maximum number of goroutines that process chunks at the same
	// time. Zero means GOMAXPROCS. If Concurrency is 1, all work is done in the
	// caller's goroutine. Memory use grows with Concurrency.
	Concurrency int

	// Format is the format of the stream. The package documentation compares the
	// formats.
	Format Format

	// Damaged lets NewReaderAt accept a stream whose end is damaged. The end may be
	// missing, changed or followed by other bytes, but the header must be intact.
	// ReadAt then returns the plaintext of every chunk that is authentic at its
	// position. For all other chunks, it returns ErrAuth, ErrTruncated or an error from
	// the source.
	//
	// If the end is not authentic, Size is not authentic either. Reads at the end then
	// return the error that NewReaderAt would return without Damaged, instead of
	// io.EOF. If other bytes follow the final chunk of a UnimacV2 stream, that chunk
	// can be opened only if it is full, because the length of a shorter chunk is not
	// known. All other constructors ignore Damaged.
	Damaged bool
}

func (o *Options) goroutines() (int, error) {
	switch {
	case o.Concurrency < 0:
		return 0, fmt.Errorf("stream: concurrency of %d, want at least 1, or 0 for GOMAXPROCS", o.Concurrency)
	case o.Concurrency == 0:
		return runtime.GOMAXPROCS(0), nil
	}
	return min(o.Concurrency, maxConcurrency), nil
}

const maxConcurrency = 1 << 12

// checkOpened checks the key and options for opening and returns the format.
func (o *Options) checkOpened(key []byte) (*format, error) {
	f, err := o.Format.find()
	if err != nil {
		return nil, err
	}
	if err := f.checkMaxChunkSize(o.ChunkSize); err != nil {
		return nil, err
	}
	return f, f.checkKey(key)
}

// SealedSize returns the size in bytes of a stream that contains n bytes of plaintext
// and uses the default options. If n is negative or the stream would be too long,
// SealedSize returns -1.
func SealedSize(n int64) int64 { return Options{}.SealedSize(n) }

// SealedSize is like the function [SealedSize] but uses the options in o, and also
// returns -1 if o.Format or o.ChunkSize is invalid.
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

// readFull is like [io.ReadFull] but returns io.EOF instead of io.ErrUnexpectedEOF.
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

// readSome reads at least one byte or returns an error.
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
