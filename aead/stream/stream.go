// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package stream encrypts and authenticates data of any length, such as files and
// the bodies of requests, in chunks. It only returns authentic bytes.
//
//	seals               opens
//	Writer              Reader          from the beginning to the end
//	                    ReaderAt        any part; its NewReader seeks
//	SealingReader       OpeningWriter   for code that wants a Reader to seal, a Writer to open
//
// A key serves for any number of streams: there is no nonce to take care of.
// Additional data (see [Options]) is what both sides know and the stream belongs to,
// such as the name of a file; it is authenticated and not stored. After a failure call
// [Writer.Abort], not Close: what Close ends is a complete stream. Check every error: a
// stream that was not read up to [io.EOF] may be any beginning of what was sealed.
//
//   - Never use what was read as the whole before io.EOF has come.
//   - Never use one key here and for something else, or for two formats.
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
// UnimacV2 is the default and this project's own format. Its tags commit to everything,
// including the text (CMT-4): not even someone who has the key can make two chunks with
// one tag. Take it if you need that.
//
// The other formats have the layout of c2sp.org/chunked-encryption. Their header commits to
// the key and the additional data; the tags of their chunks do not commit, so anyone who has
// the key can change a chunk and keep its tag.
// Take Cobblestone128 if other programs must open the streams or if AES is mandatory:
// pyca/cryptography and filippo.io/cobblestone have it. Take Cobblestone256 if keys must
// have 256 bits. Take ChunkedChaCha20Poly1305 for speed on processors without AES
// instructions, and ChunkedAEGIS256X2 on processors with them.
//
// The specification has names for the two Cobblestones alone. It takes the AEAD from IANA's
// registry, and says that it is secure with an AEAD "based on a block cipher". Neither
// ChaCha20-Poly1305 nor AEGIS is. So the formats with these are this package's choice, and few
// other programs open them.
//
// All five commit to the key and the additional data in the header: a wrong key is
// [ErrKey] before any chunk is read, and no stream opens under two keys. All five fail
// for chunks that are missing, repeated, exchanged or from another stream, and for a
// stream that ends early or goes on after its end. The length of the plaintext is not
// hidden, and nothing shows whether a stream is the newest under its name. Each stream
// has 24 random bytes of salt: among 2^64 streams of one key, two have the same with a
// chance of 2^-65.
//
// A reader must know the format. Only UnimacV2 begins with a magic string. In the other
// formats, data that is not a stream gives ErrKey, or ErrTruncated if it is shorter than a
// header.
//
// The file FORMAT.md next to this package specifies UnimacV2, with known answers, and
// says where the others are specified.
//
//	head    = "unimac2" || e || salt                    7 + 1 + 24 = 32 bytes
//	derived = BLAKE2b(key, "unimac stream v2" || head || AD || LE64(len(AD)))
//	header  = head || derived[32:64]                    64 bytes
//	fileKey = derived[0:32]
//	chunk i = ChaCha20-BLAKE2b(fileKey, nonce = BE56(i) || final, plaintext i)
//	stream  = header || chunk 0 || chunk 1 || …
//
// Each chunk has 2^e bytes of plaintext, e from 10 to 24; the last one has fewer or as
// many, and is empty only where the whole plaintext is. The byte final is 1 for the last
// chunk and 0 for all others. So n bytes become 64 + n + 32·max(1, ceil(n / 2^e)). In the
// other formats
//
//	derived = HKDF-Expand-SHA-512(key, "c2sp.org/chunked-encryption@v1+" || AEAD's name || 00 || salt || AD)
//	stream  = salt || derived[-32:] || chunk 0 || chunk 1 || …
//	chunk i = AEAD(derived[:len(key)], nonce = derived[len(key):][:12] XOR BE96(i), plaintext i)
//
// Nonces of AEGIS-256X2 have 32 bytes in place of 12, and i is in their last bytes, too. The
// last chunk has fewer bytes than the others, so it is empty where the length is a multiple of
// 16384: n bytes become 56 + n + 16·(n/16384 + 1), up to 2^52 - 1 bytes. See [SealedSize].
//
// # FIPS 140
//
// AES-GCM is crypto/cipher's. With GODEBUG=fips140=on all formats work. With
// GODEBUG=fips140=only, the constructors for the Cobblestones return the error of
// [crypto/cipher.NewGCM], and those for ChunkedChaCha20Poly1305 and ChunkedAEGIS256X2 the
// errors of chacha20poly1305.New and aegis.New; UnimacV2 does not check the mode.
//
// # Latency
//
// Nothing of a chunk opens before all of it has come. A Writer has no Flush: it
// passes chunks on when several are full, or at Close. A Reader returns authentic bytes
// as soon as it has some. It reads ahead of them only while its source delivers all that
// it is asked for, so with a slow source it lags at most one chunk. A protocol of
// requests and replies within one stream would wait for ever: seal its messages with
// package aead.
//
// # Goroutines and memory
//
// Several chunks are worked on at once in the processor's vectors, if it has any, and
// by as many goroutines as [Options] allows. The goroutines end with their work, and no
// goroutine runs after Close or after an error. So nothing needs to be released, and
// you may abandon anything except a Writer.
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
// Use the constructors: the methods of a zero Writer, Reader or other such value panic, even
// Read and Write of no bytes. The zero value of Options is valid.
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
	// formats see [Format.KeySize].
	KeySize = aead.KeySize

	// MinChunkSize is the smallest size in bytes of the plaintext in a chunk of
	// UnimacV2.
	MinChunkSize = 1 << 10

	// DefaultChunkSize is the size of a chunk of UnimacV2 if Options say nothing.
	DefaultChunkSize = 1 << 16

	// MaxChunkSize is the largest size of a chunk of UnimacV2.
	MaxChunkSize = 1 << 24
)

var (
	// ErrFormat is the error for data that is not a stream in the format: the header
	// is invalid, or no Writer makes what follows the header.
	ErrFormat = errors.New("stream: invalid format")

	// ErrTruncated is the error for a stream that ends too early, where that is
	// certain: within the header, whose bytes were not verified then, or after chunks that are
	// all authentic, the last of which is not the stream's last. Less than a tag may follow
	// these. A stream cut off within a chunk gives ErrAuth if a tag's length is left of that
	// chunk, because it looks like a changed chunk. ErrTruncated is an [io.ErrUnexpectedEOF],
	// too.
	ErrTruncated error = truncated{}

	// ErrAuth is the error for a chunk that is not authentic at its place: the
	// stream was changed. [ErrKey] is an ErrAuth, too.
	ErrAuth = errors.New("stream: authentication failed")

	// ErrKey is the error for a header that does not belong to the key and the
	// additional data: one of the two is not what the stream was sealed with, or the
	// header was changed. In a format without a magic string, there may be no stream at
	// all. It needs a whole header: data that is shorter is [ErrTruncated]. No chunk was read.
	ErrKey = fmt.Errorf("%w: wrong key or additional data", ErrAuth)
)

// truncated is the type of ErrTruncated.
type truncated struct{}

func (truncated) Error() string { return "stream: truncated" }

func (truncated) Unwrap() error { return io.ErrUnexpectedEOF }

// The errors for streams whose chunks are authentic and do not end as they should.
var (
	errNoChunk       = fmt.Errorf("%w after the header", ErrTruncated)
	errWithinTag     = fmt.Errorf("%w within a tag", ErrTruncated)
	errUnexpectedEnd = fmt.Errorf("%w at the end of a chunk", ErrTruncated)
	errShorter       = fmt.Errorf("%w: shorter than its size says", ErrTruncated)
	errEmptyChunk    = fmt.Errorf("%w: an empty chunk after others", ErrFormat)
	errAfterEnd      = fmt.Errorf("%w: something follows the last chunk", ErrAuth)
	errTooManyChunks = fmt.Errorf("%w: more chunks than a stream has", ErrFormat)
)

// errTooLong is the error for plaintext of which no stream can be made.
var errTooLong = errors.New("stream: plaintext too long for the format")

// errPanicked is the error of a Writer or Reader that is used after a panic of its
// underlying writer or reader, which has taken data or given some by then.
var errPanicked = errors.New("stream: the underlying reader or writer panicked before")

// Options configure a stream. The zero value has the defaults, which the functions NewWriter,
// NewReader and so on use.
type Options struct {
	// AdditionalData is authenticated with the whole stream and not stored in it:
	// to open the stream you need the same. It has any length and may be nil. The
	// specification of the Cobblestones calls it the context. You may change it after the
	// constructor has returned; an OpeningWriter keeps a copy.
	AdditionalData []byte

	// ChunkSize is how many bytes of plaintext a chunk has. For UnimacV2 it is a power
	// of two from MinChunkSize to MaxChunkSize, or 0 for DefaultChunkSize; if a stream
	// is to be opened, its header has the size, and ChunkSize is a limit: larger chunks
	// are an ErrFormat, and 0 allows all. For the other formats it is 0 or 1 << 14.
	ChunkSize int

	// Concurrency is how many goroutines seal or open at a time, or 0 for as many
	// as GOMAXPROCS says. With 1, all work is done in the caller's goroutine. Memory is
	// proportional to it.
	Concurrency int

	// Format is the format of the stream, to be sealed or to be opened. The default is
	// UnimacV2 and not Cobblestone256, although that is faster on processors with AES
	// instructions and other programs open it: only the tags of UnimacV2 commit to the text, so
	// that nobody can make two streams that differ in one chunk alone, and it takes constant
	// time on every processor.
	Format Format

	// Damaged lets NewReaderAt also accept a stream whose end is missing or damaged, or
	// followed by other bytes. ReadAt returns the plaintext of every chunk that is authentic
	// at its place, and fails for the others with ErrAuth, ErrTruncated or an error of the
	// source. The header must be whole. If the end is not authentic, neither is the Size,
	// and reads at the end fail with the error that NewReaderAt would return without
	// Damaged, in place of io.EOF. All other constructors ignore Damaged.
	Damaged bool
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

// checkOpened returns the format of a stream to be opened, or the error of the options
// or the key.
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

// SealedSize returns the size in bytes of a stream of n bytes of plaintext with the default
// options. It returns -1 if n is negative, which some APIs use for an unknown length, and if the
// plaintext or the stream would be too long.
func SealedSize(n int64) int64 { return Options{}.SealedSize(n) }

// SealedSize returns the size of a stream with these options. It also returns -1 if
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
