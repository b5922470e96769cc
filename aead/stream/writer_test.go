// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/unimac/unimac/internal/mactest"
)

var errBroken = errors.New("broken")

// A failingWriter accepts n bytes and then fails, or returns a short count without an
// error.
type failingWriter struct {
	n   int
	err error
	buf bytes.Buffer
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) <= w.n {
		w.n -= len(p)
		return w.buf.Write(p)
	}
	n, _ := w.buf.Write(p[:w.n])
	w.n = 0
	return n, w.err
}

// TestFailingWriter lets the underlying writer fail after any number of bytes. Close,
// and possibly an earlier Write, must return its error.
func TestFailingWriter(t *testing.T) { eachKind(t, largeKinds, testFailingWriter) }

func testFailingWriter(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext, step := mactest.Random(3<<20+100, 1), 2
	if testing.Short() {
		step = 30
	}
	want := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for _, piece := range []int{100000, 4 << 20} {
			for _, fail := range []error{errBroken, nil} {
				for n := 0; n < len(want); n += 1 + n*step/3 {
					dst := &failingWriter{n: n, err: fail}
					w, err := k.newWriter(dst, g)
					if err != nil {
						t.Fatal(err)
					}
					wantErr := fail
					if fail == nil {
						wantErr = io.ErrShortWrite
					}
					failed := false
					for rest := plaintext; len(rest) > 0; {
						p := rest[:min(piece, len(rest))]
						m, err := w.Write(p)
						if err == nil && m != len(p) || err != nil && err != wantErr || failed && (m != 0 || err == nil) {
							t.Fatalf("writer fails after %d bytes: Write of %d bytes = %d, %v, want all bytes or %v (failed before: %t)", n, len(p), m, err, wantErr, failed)
						}
						failed = failed || err != nil
						rest = rest[len(p):]
					}
					for range 2 {
						if err := w.Close(); err != wantErr {
							t.Fatalf("writer fails after %d bytes: Close: got error %v, want %v", n, err, wantErr)
						}
					}
					if got := dst.buf.Bytes(); len(got) > n || !bytes.HasPrefix(want, got) {
						t.Fatalf("writer fails after %d bytes: got %d bytes that are not a prefix of the stream, or more", n, len(got))
					}
				}
			}
		}
	}
	checkGoroutines(t, before)
}

func TestClose(t *testing.T) { eachKind(t, largeKinds, testClose) }

func testClose(t *testing.T, k *kind) {
	for _, n := range []int{0, 100, 2 << 20} {
		var file bytes.Buffer
		w, err := k.newWriter(&file, 2)
		if err != nil {
			t.Fatal(err)
		}
		if file.Len() > 0 {
			t.Errorf("NewWriter wrote %d bytes, want 0", file.Len())
		}
		plaintext := mactest.Random(n, 2)
		w.Write(plaintext)
		for range 3 {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if m, err := w.Write([]byte("more")); m != 0 || err != errClosed {
				t.Errorf("Write after Close = %d, %v, want 0, %v", m, err, errClosed)
			}
			if m, err := w.Write(nil); m != 0 || err != errClosed {
				t.Errorf("empty Write after Close = %d, %v, want 0, %v", m, err, errClosed)
			}
			if m, err := w.ReadFrom(bytes.NewReader(plaintext)); m != 0 || err != errClosed {
				t.Errorf("ReadFrom after Close = %d, %v, want 0, %v", m, err, errClosed)
			}
		}
		if want := k.refSeal(t, plaintext); !bytes.Equal(file.Bytes(), want) {
			t.Errorf("%d bytes: repeated Close changed the file", n)
		}
	}
}

// TestReadFrom mixes Write and ReadFrom, with several kinds of readers.
func TestReadFrom(t *testing.T) { eachKind(t, largeKinds, testReadFrom) }

func testReadFrom(t *testing.T, k *kind) {
	kinds := []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r }, iotest.DataErrReader, iotest.HalfReader,
	}
	rng, rounds := rand.New(rand.NewPCG(1, 2)), 12
	if testing.Short() {
		rounds = 3
	}
	for _, n := range []int{0, 1, 65536, 1 << 19, 1<<19 + 1, 1 << 20, 2<<20 + 3} {
		plaintext := mactest.Random(n, 3)
		want := k.refSeal(t, plaintext)
		for _, g := range goroutines {
			for round := range rounds {
				var file bytes.Buffer
				w, err := k.newWriter(&file, g)
				if err != nil {
					t.Fatal(err)
				}
				for rest := plaintext; len(rest) > 0; {
					p := rest[:1+rng.IntN(len(rest))]
					if round == 0 {
						p = rest
					}
					if rng.IntN(3) == 0 {
						if m, err := w.Write(p); m != len(p) || err != nil {
							t.Fatalf("Write = %d, %v, want %d, nil", m, err, len(p))
						}
					} else if m, err := w.ReadFrom(kinds[round%3](bytes.NewReader(p))); m != int64(len(p)) || err != nil {
						t.Fatalf("ReadFrom = %d, %v, want %d, nil", m, err, len(p))
					}
					rest = rest[len(p):]
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(file.Bytes(), want) {
					t.Fatalf("%d bytes, %d goroutines: the file differs from the reference", n, g)
				}
			}
		}
	}
	// ReadFrom returns the reader's error, and so do later calls. The stream is never
	// completed.
	var file bytes.Buffer
	w, err := k.newWriter(&file, 2)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.ReadFrom(io.MultiReader(bytes.NewReader(make([]byte, 5000)), iotest.ErrReader(errBroken))); n != 5000 || err != errBroken {
		t.Errorf("ReadFrom a failing reader = %d, %v, want 5000, %v", n, err, errBroken)
	}
	if n, err := w.Write([]byte("more")); n != 0 || err != errBroken {
		t.Errorf("Write after a reader's error = %d, %v, want 0, %v", n, err, errBroken)
	}
	if err := w.Close(); err != errBroken {
		t.Errorf("Close after a reader's error: got error %v, want %v", err, errBroken)
	}
	if _, err := k.open(file.Bytes(), 1); errorKind(err) != ErrTruncated {
		t.Errorf("opening after a reader's error: got error %v, want %v", err, ErrTruncated)
	}
	// The same holds for the writer's error.
	w, err = k.newWriter(&failingWriter{n: 100, err: errBroken}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadFrom(bytes.NewReader(make([]byte, 4<<20))); err != errBroken {
		t.Errorf("ReadFrom to a failing writer: got error %v, want %v", err, errBroken)
	}
	if err := w.Close(); err != errBroken {
		t.Errorf("Close after a writer's error: got error %v, want %v", err, errBroken)
	}
}

// TestWriteAllocations checks that writing does not allocate.
func TestWriteAllocations(t *testing.T) { eachKind(t, largeKinds, testWriteAllocations) }

func testWriteAllocations(t *testing.T, k *kind) {
	if mactest.RaceDetector {
		t.Skip("the race detector allocates")
	}
	for _, g := range []int{1, 4} {
		w, err := k.newWriter(io.Discard, g)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 100000)
		for range 100 {
			w.Write(p)
		}
		want := k.chunkAllocations(t, len(p))
		if n := testing.AllocsPerRun(50, func() { w.Write(p) }); n > want {
			t.Errorf("%d goroutines: %v allocations per Write, want at most %v", g, n, want)
		}
	}
}
