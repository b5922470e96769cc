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

// newSealingReader returns a SealingReader with a salt that is not random.
func newSealingReader(tb testing.TB, src io.Reader, e, goroutines int) *SealingReader {
	tb.Helper()
	r := &SealingReader{src: src}
	header, c := newChunks(tb, testKey, e, &testSalt)
	r.header, r.chunks = [headerSize]byte(header), c
	r.begin(goroutines)
	return r
}

func TestSealingReader(t *testing.T) {
	for _, e := range []int{10, 16} {
		for _, n := range []int{0, 1, 1024, 1025, 65536, 1 << 19, 1<<20 + 7} {
			plaintext := mactest.Random(n, 1)
			want := refSeal2(t, e, plaintext)
			for _, g := range goroutines {
				for i, kind := range []func(io.Reader) io.Reader{
					func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader,
				} {
					got, err := io.ReadAll(newSealingReader(t, kind(bytes.NewReader(plaintext)), e, g))
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("chunks of 2^%d, %d bytes, %d goroutines, reader %d: %d bytes, %v", e, n, g, i, len(got), err)
					}
				}
			}
			if n < 100_000 {
				if err := iotest.TestReader(newSealingReader(t, bytes.NewReader(plaintext), e, 2), want); err != nil {
					t.Error(err)
				}
			}
		}
	}
	// By what is exported alone.
	plaintext := mactest.Random(100_000, 2)
	o := Options{AdditionalData: []byte("data"), ChunkSize: 4096}
	r, err := o.NewSealingReader(bytes.NewReader(plaintext), testKey)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(r)
	if err != nil || int64(len(file)) != o.SealedSize(int64(len(plaintext))) {
		t.Errorf("%d bytes, %v", len(file), err)
	}
	if got, err := openWith(testKey, file, o); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for n := range 40 {
		if r, err := NewSealingReader(bytes.NewReader(nil), make([]byte, n)); (err == nil) != (n == 32) || (r == nil) != (err != nil) {
			t.Errorf("key of %d bytes: %v", n, err)
		}
		if w, err := NewOpeningWriter(io.Discard, make([]byte, n)); (err == nil) != (n == 32) || (w == nil) != (err != nil) {
			t.Errorf("OpeningWriter, key of %d bytes: %v", n, err)
		}
	}
}

// refSeal2 is refSeal for more chunks than that counts.
func refSeal2(tb testing.TB, e int, plaintext []byte) []byte {
	tb.Helper()
	if len(plaintext)>>e < 255 {
		return refSeal(tb, testKey, &testSalt, e, plaintext)
	}
	header, c := newChunks(tb, testKey, e, &testSalt)
	return append(header, sealRun(&c, plaintext, 0, true)...)
}

// TestSealingReaderFaults has a fault in each call of the source. A stream is complete
// only without a fault that matters, and an error stays.
func TestSealingReaderFaults(t *testing.T) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(1<<20+100, 3)
	want := refSeal(t, testKey, &testSalt, 16, plaintext)
	for _, g := range goroutines {
		for i := range readFaults {
			fault := &readFaults[i]
			for at := range 6 {
				what := fmt.Sprintf("%d goroutines, call %d: %s", g, at, fault.name)
				src := &faultyReader{data: plaintext, piece: 300_000, fault: fault, at: at}
				r := newSealingReader(t, src, 16, g)
				var got []byte
				var err error
				end := endOf(t, func() { got, err = io.ReadAll(r) })
				read := plaintext[:len(plaintext)-len(src.data)]
				switch {
				case end != fault.end:
					t.Fatalf("%s: ended %d, want %d", what, end, fault.end)
				case fault.end == returned && fault.err == io.EOF:
					want := refSeal(t, testKey, &testSalt, 16, read)
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s: %d bytes, %v", what, len(got), err)
					}
				case fault.end == returned && fault.err == nil:
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s: %d bytes, %v", what, len(got), err)
					}
				case fault.end == returned && (err != fault.err || !bytes.HasPrefix(want, got)):
					t.Fatalf("%s: %d bytes, %v", what, len(got), err)
				}
				if fault.end != returned {
					if _, err := io.ReadAll(r); err != errPanicked {
						t.Fatalf("%s: afterwards %v", what, err)
					}
				} else if fault.err != nil && fault.err != io.EOF {
					if n, err := r.Read(make([]byte, 1)); n != 0 || err != fault.err {
						t.Fatalf("%s: again %d, %v", what, n, err)
					}
				}
			}
		}
	}
	checkGoroutines(t, before)
}

// TestOpeningWriterFaults has a fault in each call of the destination. The call that
// led there reports it, and so do Write and Close from then on.
func TestOpeningWriterFaults(t *testing.T) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(1<<20+100, 4)
	file := refSeal(t, testKey, &testSalt, 16, plaintext)
	for _, g := range goroutines {
		for i := range writeFaults {
			fault := &writeFaults[i]
			for at := range 17 { // chunks
				if testing.Short() && at%5 != 0 {
					continue
				}
				what := fmt.Sprintf("%d goroutines, call %d: %s", g, at, fault.name)
				dst := &faultyWriter{fault: fault, at: at}
				w, err := Options{Concurrency: g}.NewOpeningWriter(dst, testKey)
				if err != nil {
					t.Fatal(err)
				}
				end := endOf(t, func() {
					if _, err = w.Write(file); err == nil {
						err = w.Close()
					}
				})
				if end != fault.end || end == returned && err != fault.err {
					t.Fatalf("%s: ended %d with %v, want %d with %v", what, end, err, fault.end, fault.err)
				}
				if _, err := w.Write(file); err != fault.err && err != errClosed {
					t.Fatalf("%s: Write again: %v", what, err)
				}
				if err := w.Close(); err != fault.err {
					t.Fatalf("%s: Close: %v", what, err)
				}
				if dst.calls != at+1 || !bytes.HasPrefix(plaintext, dst.buf.Bytes()) {
					t.Fatalf("%s: %d calls, or what is not authentic", what, dst.calls)
				}
			}
		}
	}
	checkGoroutines(t, before)
}
