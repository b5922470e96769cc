// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/unimac/unimac/aead"
)

// refSeal is the definition, without additional data.
func refSeal(tb testing.TB, key []byte, salt *[saltSize]byte, e int, plaintext []byte) []byte {
	tb.Helper()
	return refSealWith(tb, key, salt, e, nil, plaintext)
}

// refSealWith is the definition.
func refSealWith(tb testing.TB, key []byte, salt *[saltSize]byte, e int, data, plaintext []byte) []byte {
	tb.Helper()
	file := append([]byte("unimac2"), byte(e))
	file = append(file, salt[:]...)
	kdf, err := blake2b.New(64, key)
	if err != nil {
		tb.Fatal(err)
	}
	kdf.Write([]byte("unimac stream v2"))
	kdf.Write(file)
	kdf.Write(data)
	kdf.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	derived := kdf.Sum(nil)
	file = append(file, derived[32:]...)
	a, err := aead.New(derived[:32])
	if err != nil {
		tb.Fatal(err)
	}
	for i := byte(0); ; i++ {
		n := min(len(plaintext), 1<<e)
		nonce := []byte{0, 0, 0, 0, 0, 0, i, 0}
		if n == len(plaintext) {
			nonce[7] = 1
		}
		file = a.Seal(file, nonce, plaintext[:n], nil)
		plaintext = plaintext[n:]
		if len(plaintext) == 0 {
			return file
		}
		if i == 255 {
			tb.Fatal("too many chunks for the reference")
		}
	}
}

// newWriter returns a Writer with a salt that is not random.
func newWriter(dst io.Writer, key []byte, salt *[saltSize]byte, e, goroutines int) (*Writer, error) {
	return newWriterWith(dst, key, salt, Options{ChunkSize: 1 << e, Concurrency: goroutines})
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

func newReader(src io.Reader, key []byte, goroutines int) (*Reader, error) {
	return Options{Concurrency: goroutines}.NewReader(src, key)
}

func newReaderAt(src io.ReaderAt, size int64, key []byte, goroutines int) (*ReaderAt, error) {
	return Options{Concurrency: goroutines}.NewReaderAt(src, size, key)
}

// newChunks returns the chunks of a stream.
func newChunks(tb testing.TB, key []byte, e int, salt *[saltSize]byte) ([]byte, chunks) {
	tb.Helper()
	header, c, err := (&Options{ChunkSize: 1 << e}).newHeaderWithSalt(key, salt)
	if err != nil {
		tb.Fatal(err)
	}
	return header[:], c
}

// seal seals in pieces.
func seal(tb testing.TB, key []byte, salt *[saltSize]byte, e, goroutines, piece int, plaintext []byte) []byte {
	tb.Helper()
	return sealWith(tb, key, salt, Options{ChunkSize: 1 << e, Concurrency: goroutines}, piece, plaintext)
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
func open(key, file []byte, goroutines int) ([]byte, error) {
	return openWith(key, file, Options{Concurrency: goroutines})
}

func openWith(key, file []byte, o Options) ([]byte, error) {
	r, err := o.NewReader(bytes.NewReader(file), key)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// openAt opens with a ReaderAt.
func openAt(key, file []byte, goroutines int) ([]byte, error) {
	return openAtWith(key, file, Options{Concurrency: goroutines})
}

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
