// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// A kind of stream is a format with chunks of one size, and what tests seal such streams
// with.
type kind struct {
	name string
	o    Options // Format and ChunkSize
	key  []byte
	salt [saltSize]byte

	size   int // of a whole chunk's plaintext
	header int
	tag    int
}

func newKind(f Format, chunkSize int) *kind {
	of := formats[f]
	return &kind{
		name:   f.String(),
		o:      Options{Format: f, ChunkSize: chunkSize},
		key:    testKey[:of.keySize],
		salt:   testSalt,
		size:   chunkSize,
		header: of.headerSize(),
		tag:    of.tagSize,
	}
}

// smaller adds a format that is f with chunks of 1 KiB, which leave tests time to look at
// each byte.
func smaller(f Format) Format {
	const size = 1 << 10
	of := *formats[f]
	of.name += " in chunks of 1 KiB"
	of.minChunkSize, of.defaultChunkSize, of.maxChunkSize = size, size, size
	of.parseHead = func([]byte) (int, error) { return size, nil }
	formats = append(formats, &of)
	return Format(len(formats) - 1)
}

// Each suite runs with one of these.
var (
	largeKinds = []*kind{
		newKind(UnimacV2, DefaultChunkSize),
		newKind(Cobblestone128, chunkedSize),
		newKind(Cobblestone256, chunkedSize),
		newKind(ChunkedChaCha20Poly1305, chunkedSize),
		newKind(ChunkedAEGIS256X2, chunkedSize),
	}
	smallKinds = []*kind{
		newKind(UnimacV2, MinChunkSize),
		newKind(smaller(Cobblestone128), MinChunkSize),
		newKind(smaller(Cobblestone256), MinChunkSize),
		newKind(smaller(ChunkedChaCha20Poly1305), MinChunkSize),
		newKind(smaller(ChunkedAEGIS256X2), MinChunkSize),
	}
)

// v2 is what this project's own format is tested with.
var v2 = smallKinds[0]

func eachKind(t *testing.T, kinds []*kind, test func(t *testing.T, k *kind)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { test(t, k) })
	}
}

// stride is the size of a whole chunk in the stream.
func (k *kind) stride() int { return k.size + k.tag }

// shortEnd says what the rule for the end is.
func (k *kind) shortEnd() bool { return k.o.Format != UnimacV2 }

// gcm returns the standard library's AEAD for chunks, or nil if it is not that.
func (k *kind) gcm(tb testing.TB, key []byte) cipher.AEAD {
	tb.Helper()
	if k.o.Format != Cobblestone128 && k.o.Format != Cobblestone256 {
		return nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		tb.Fatal(err)
	}
	a, err := cipher.NewGCM(block)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// chunkAllocations returns how often the standard library allocates for some bytes of a
// stream: never but with AES-GCM on some platforms, as ppc64le.
func (k *kind) chunkAllocations(tb testing.TB, size int) float64 {
	tb.Helper()
	a := k.gcm(tb, k.key)
	if a == nil {
		return 0
	}
	nonce, plaintext, sealed := make([]byte, a.NonceSize()), make([]byte, k.size), make([]byte, k.stride())
	once := testing.AllocsPerRun(10, func() { a.Seal(sealed[:0], nonce, plaintext, nil) }) // as often as Open
	return once * float64((size+k.size-1)/k.size)
}

// with returns the options with a number of goroutines.
func (k *kind) with(goroutines int) Options {
	o := k.o
	o.Concurrency = goroutines
	return o
}

// foreign is the error for a header that is not this key's, or none at all.
func (k *kind) foreign() error {
	if k.shortEnd() {
		return ErrKey // there is no magic string
	}
	return ErrFormat
}

// refSeal is the definition.
func (k *kind) refSeal(tb testing.TB, plaintext []byte) []byte {
	tb.Helper()
	return k.refSealWith(tb, &k.salt, nil, plaintext)
}

// newWriter returns a Writer with a salt that is not random.
func (k *kind) newWriter(dst io.Writer, goroutines int) (*Writer, error) {
	return newWriterWith(dst, k.key, &k.salt, k.with(goroutines))
}

func newWriterWith(dst io.Writer, key []byte, salt *[saltSize]byte, o Options) (*Writer, error) {
	w := &Writer{dst: dst}
	var err error
	if w.header, w.chunks, err = o.newHeaderWithSalt(key, salt); err != nil {
		return nil, err
	}
	w.begin(o.Concurrency)
	return w, nil
}

func (k *kind) newReader(src io.Reader, goroutines int) (*Reader, error) {
	return k.with(goroutines).NewReader(src, k.key)
}

func (k *kind) newReaderAt(src io.ReaderAt, size int64, goroutines int) (*ReaderAt, error) {
	return k.with(goroutines).NewReaderAt(src, size, k.key)
}

// newChunks returns the chunks of a stream.
func (k *kind) newChunks(tb testing.TB) ([]byte, chunks) {
	tb.Helper()
	header, c, err := k.o.newHeaderWithSalt(k.key, &k.salt)
	if err != nil {
		tb.Fatal(err)
	}
	return header, c
}

// seal seals in pieces.
func (k *kind) seal(tb testing.TB, goroutines, piece int, plaintext []byte) []byte {
	tb.Helper()
	return sealWith(tb, k.key, &k.salt, k.with(goroutines), piece, plaintext)
}

func sealWith(tb testing.TB, key []byte, salt *[saltSize]byte, o Options, piece int, plaintext []byte) []byte {
	tb.Helper()
	var file bytes.Buffer
	w, err := newWriterWith(&file, key, salt, o)
	if err != nil {
		tb.Fatal(err)
	}
	for rest := plaintext; len(rest) > 0; {
		n := min(piece, len(rest))
		scratch := bytes.Clone(rest[:n])
		if m, err := w.Write(scratch); m != n || err != nil {
			tb.Fatalf("Write of %d bytes = %d, %v", n, m, err)
		}
		clear(scratch) // it is the caller's again
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

// open opens with a Reader. What it returns with an error is what came before.
func (k *kind) open(file []byte, goroutines int) ([]byte, error) {
	return openWith(k.key, file, k.with(goroutines))
}

func openWith(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReader(bytes.NewReader(file), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// openAtWith opens with a ReaderAt.
func openAtWith(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		return nil, err
	}
	p := make([]byte, r.Size())
	n, err := r.ReadAt(p, 0)
	return p[:n], err
}

// openSeeker opens with a ReaderAt's reader.
func openSeeker(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r.NewReader())
}

// openWriter opens with an OpeningWriter, which it gives pieces.
func openWriter(key, file []byte, o Options) ([]byte, error) {
	var out bytes.Buffer
	w, err := o.NewOpeningWriter(&out, key)
	if err != nil {
		return nil, err
	}
	for piece := 1; len(file) > 0; piece = 3*piece%100_000 + 1 {
		n := min(piece, len(file))
		if m, err := w.Write(bytes.Clone(file[:n])); err != nil {
			return out.Bytes(), errors.Join(err, w.Close())
		} else if m != n {
			return out.Bytes(), fmt.Errorf("Write of %d bytes = %d", n, m)
		}
		file = file[n:]
	}
	err = w.Close()
	return out.Bytes(), err
}

// openers are the ways to open a file.
var openers = map[string]func(key, file []byte, o Options) ([]byte, error){
	"Reader": openWith, "ReaderAt": openAtWith, "ReaderAt.NewReader": openSeeker, "OpeningWriter": openWriter,
}

// eachOpener opens a file in all ways, with several numbers of goroutines.
func eachOpener(key, file []byte, o Options, f func(how string, got []byte, err error)) {
	for name, open := range openers {
		for _, o.Concurrency = range goroutines {
			got, err := open(key, file, o)
			f(fmt.Sprintf("%s, %d goroutines", name, o.Concurrency), got, err)
		}
	}
}

func (k *kind) eachOpener(file []byte, f func(how string, got []byte, err error)) {
	eachOpener(k.key, file, k.o, f)
}

// checkBad opens a file that must not open with an error of the given kind, and
// checks that what was handed out before is a prefix of the plaintext.
func (k *kind) checkBad(t *testing.T, what string, file, plaintext []byte, want error) {
	t.Helper()
	k.eachOpener(file, func(how string, got []byte, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: %s opens it", what, how)
		} else if errorKind(err) != want {
			t.Errorf("%s: %s: error %v, want %v", what, how, err, want)
		}
		if !bytes.HasPrefix(plaintext, got) {
			t.Errorf("%s: %s handed out what is not authentic", what, how)
		}
	})
}

// withKey returns the kind with another key.
func (k kind) withKey(seed uint64) *kind {
	k.key = mactest.Random(len(k.key), seed)
	return &k
}
