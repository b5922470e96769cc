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

// A kind is a format with one chunk size, and the key and salt with which tests seal
// streams.
type kind struct {
	name string
	o    Options // sets Format and ChunkSize
	key  []byte
	salt [saltSize]byte

	size   int // plaintext size of a whole chunk
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

// smaller adds a format that is f with chunks of 1 KiB, so that tests can change each
// byte in reasonable time.
func smaller(f Format) Format {
	const size = 1 << 10
	of := *formats[f]
	of.name += " in chunks of 1 KiB"
	of.minChunkSize, of.defaultChunkSize, of.maxChunkSize = size, size, size
	of.parseHead = func([]byte) (int, error) { return size, nil }
	formats = append(formats, &of)
	return Format(len(formats) - 1)
}

// Each test uses one of these lists.
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

// v2 is used by tests of this project's own format.
var v2 = smallKinds[0]

func eachKind(t *testing.T, kinds []*kind, test func(t *testing.T, k *kind)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { test(t, k) })
	}
}

// stride returns the size of a whole chunk in the stream.
func (k *kind) stride() int { return k.size + k.tag }

// shortEnd reports whether the last chunk is the only one that is incomplete.
func (k *kind) shortEnd() bool { return k.o.Format != UnimacV2 }

// gcm returns the AEAD of a format that uses AES-GCM from the standard library, and nil
// for other formats.
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

// chunkAllocations returns the number of allocations by the standard library for size
// bytes of a stream. It is 0 except for AES-GCM on some platforms, such as ppc64le.
func (k *kind) chunkAllocations(tb testing.TB, size int) float64 {
	tb.Helper()
	a := k.gcm(tb, k.key)
	if a == nil {
		return 0
	}
	nonce, plaintext, sealed := make([]byte, a.NonceSize()), make([]byte, k.size), make([]byte, k.stride())
	once := testing.AllocsPerRun(10, func() { a.Seal(sealed[:0], nonce, plaintext, nil) }) // Open allocates as often
	return once * float64((size+k.size-1)/k.size)
}

// with returns the options with the given number of goroutines.
func (k *kind) with(goroutines int) Options {
	o := k.o
	o.Concurrency = goroutines
	return o
}

// foreign returns the error for a header of another key, or for bytes that are not a
// header.
func (k *kind) foreign() error {
	if k.shortEnd() {
		return ErrKey // there is no magic string
	}
	return ErrFormat
}

// refSeal seals with the reference.
func (k *kind) refSeal(tb testing.TB, plaintext []byte) []byte {
	tb.Helper()
	return k.refSealWith(tb, &k.salt, nil, plaintext)
}

// newWriter returns a Writer with the fixed salt.
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

// newChunks returns the header and the chunks of a stream.
func (k *kind) newChunks(tb testing.TB) ([]byte, chunkCipher) {
	tb.Helper()
	header, c, err := k.o.newHeaderWithSalt(k.key, &k.salt)
	if err != nil {
		tb.Fatal(err)
	}
	return header, c
}

// seal seals plaintext in pieces.
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
		clear(scratch) // the caller may overwrite the slice after Write
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

// open opens with a Reader. If it returns an error, it also returns the plaintext
// before the error.
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

// openSeeker opens with the io.ReadSeeker of a ReaderAt.
func openSeeker(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r.NewReader())
}

// openWriter opens with an OpeningWriter, to which it writes pieces.
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

// openers contains the functions that open a file, by name.
var openers = map[string]func(key, file []byte, o Options) ([]byte, error){
	"Reader": openWith, "ReaderAt": openAtWith, "ReaderAt.NewReader": openSeeker, "OpeningWriter": openWriter,
}

// eachOpener opens a file with all openers and several numbers of goroutines.
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

// checkBad opens a file that must fail to open with an error of the given kind, and
// checks that the plaintext returned before the error is a prefix of plaintext.
func (k *kind) checkBad(t *testing.T, what string, file, plaintext []byte, want error) {
	t.Helper()
	k.eachOpener(file, func(how string, got []byte, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: %s: got no error, want %v", what, how, want)
		} else if errorKind(err) != want {
			t.Errorf("%s: %s: got error %v, want %v", what, how, err, want)
		}
		if !bytes.HasPrefix(plaintext, got) {
			t.Errorf("%s: %s: the output is not a prefix of the plaintext", what, how)
		}
	})
}

// withKey returns the kind with another key.
func (k kind) withKey(seed uint64) *kind {
	k.key = mactest.Random(len(k.key), seed)
	return &k
}
