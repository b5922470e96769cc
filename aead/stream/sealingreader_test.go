// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/unimac/unimac/internal/mactest"
)

// newSealingReader returns a SealingReader with the fixed salt.
func (k *kind) newSealingReader(tb testing.TB, src io.Reader, goroutines int) *SealingReader {
	tb.Helper()
	r := &SealingReader{src: src}
	r.header, r.chunks = k.newChunks(tb)
	r.begin(goroutines)
	return r
}

func TestSealingReader(t *testing.T) {
	eachKind(t, append(smallKinds, largeKinds...), testSealingReader)
}

func testSealingReader(t *testing.T, k *kind) {
	for _, n := range []int{0, 1, 1024, 1025, 65536, 1 << 19, 1<<20 + 7} {
		plaintext := mactest.Random(n, 1)
		want := k.refSeal(t, plaintext)
		for _, g := range goroutines {
			for i, kind := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader,
			} {
				got, err := io.ReadAll(k.newSealingReader(t, kind(bytes.NewReader(plaintext)), g))
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes, %d goroutines, reader %d: got %d bytes, error %v, want a stream of %d bytes", n, g, i, len(got), err, len(want))
				}
			}
		}
		if n < 100_000 {
			if err := iotest.TestReader(k.newSealingReader(t, bytes.NewReader(plaintext), 2), want); err != nil {
				t.Error(err)
			}
		}
	}
	// Use only exported functions.
	plaintext := mactest.Random(100_000, 2)
	o := k.o
	o.AdditionalData = []byte("data")
	r, err := o.NewSealingReader(bytes.NewReader(plaintext), k.key)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(r)
	if err != nil || int64(len(file)) != o.SealedSize(int64(len(plaintext))) {
		t.Errorf("got a stream of %d bytes, error %v, want %d bytes", len(file), err, o.SealedSize(int64(len(plaintext))))
	}
	if got, err := openWith(k.key, file, o); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("the stream opens to %d bytes, error %v, want the plaintext", len(got), err)
	}
	for n := range 40 {
		if r, err := k.o.NewSealingReader(bytes.NewReader(nil), make([]byte, n)); (err == nil) != (n == len(k.key)) || (r == nil) != (err != nil) {
			t.Errorf("NewSealingReader with a key of %d bytes: got error %v, want nil only for %d bytes", n, err, len(k.key))
		}
		if w, err := k.o.NewOpeningWriter(io.Discard, make([]byte, n)); (err == nil) != (n == len(k.key)) || (w == nil) != (err != nil) {
			t.Errorf("NewOpeningWriter with a key of %d bytes: got error %v, want nil only for %d bytes", n, err, len(k.key))
		}
	}
}

// TestSealingReaderFaults injects faults into each call of the source. A stream must be
// complete only if the fault has no effect, and later calls must return the same error.
func TestSealingReaderFaults(t *testing.T) { eachKind(t, largeKinds, testSealingReaderFaults) }

func testSealingReaderFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(1<<20+100, 3)
	want := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for i := range readFaults {
			fault := &readFaults[i]
			for at := range 6 {
				what := fmt.Sprintf("%d goroutines, call %d: %s", g, at, fault.name)
				src := &faultyReader{data: plaintext, piece: 300_000, fault: fault, at: at}
				r := k.newSealingReader(t, src, g)
				var got []byte
				var err error
				end := endOf(t, func() { got, err = io.ReadAll(r) })
				read := plaintext[:len(plaintext)-len(src.data)]
				switch {
				case end != fault.end:
					t.Fatalf("%s: call %v, want it %v", what, end, fault.end)
				case fault.end == returned && fault.err == io.EOF:
					want := k.refSeal(t, read)
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s: got %d bytes, error %v, want a stream of the bytes read", what, len(got), err)
					}
				case fault.end == returned && fault.err == nil:
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s: got %d bytes, error %v, want a stream of %d bytes", what, len(got), err, len(want))
					}
				case fault.end == returned && (err != fault.err || !bytes.HasPrefix(want, got)):
					t.Fatalf("%s: got %d bytes, error %v, want a prefix of the stream and %v", what, len(got), err, fault.err)
				}
				if fault.end != returned {
					if _, err := io.ReadAll(r); err != errPanicked {
						t.Fatalf("%s: later call: got error %v, want %v", what, err, errPanicked)
					}
				} else if fault.err != nil && fault.err != io.EOF {
					if n, err := r.Read(make([]byte, 1)); n != 0 || err != fault.err {
						t.Fatalf("%s: later Read = %d, %v, want 0, %v", what, n, err, fault.err)
					}
				}
			}
		}
	}
	checkGoroutines(t, before)
}

// TestOpeningWriterFaults injects faults into each call of the destination. The call that
// caused it must report the fault, and so must later calls of Write and Close.
func TestOpeningWriterFaults(t *testing.T) { eachKind(t, largeKinds, testOpeningWriterFaults) }

func testOpeningWriterFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(1<<20+100, 4)
	file := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for i := range writeFaults {
			fault := &writeFaults[i]
			for at := range 17 { // the number of chunks
				if testing.Short() && at%5 != 0 {
					continue
				}
				what := fmt.Sprintf("%d goroutines, call %d: %s", g, at, fault.name)
				dst := &faultyWriter{fault: fault, at: at}
				w, err := k.with(g).NewOpeningWriter(dst, k.key)
				if err != nil {
					t.Fatal(err)
				}
				end := endOf(t, func() {
					if _, err = w.Write(file); err == nil {
						err = w.Close()
					}
				})
				if end != fault.end || end == returned && err != fault.err {
					t.Fatalf("%s: call %v with error %v, want it %v with %v", what, end, err, fault.end, fault.err)
				}
				if _, err := w.Write(file); err != fault.err && err != errClosed {
					t.Fatalf("%s: later Write: got error %v, want %v or %v", what, err, fault.err, errClosed)
				}
				if err := w.Close(); err != fault.err {
					t.Fatalf("%s: Close: got error %v, want %v", what, err, fault.err)
				}
				if dst.calls != at+1 || !bytes.HasPrefix(plaintext, dst.buf.Bytes()) {
					t.Fatalf("%s: the destination received %d calls, want %d, and a prefix of the plaintext", what, dst.calls, at+1)
				}
			}
		}
	}
	checkGoroutines(t, before)
}
