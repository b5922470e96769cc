// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/unimac/unimac/internal/mactest"
)

// TestReader runs the standard library's checks of an io.Reader.
func TestReader(t *testing.T) { eachKind(t, smallKinds, testReader) }

func testReader(t *testing.T, k *kind) {
	for _, g := range goroutines {
		for _, n := range []int{0, 1, 1024, 10000} {
			plaintext := mactest.Random(n, 1)
			file := k.refSeal(t, plaintext)
			for _, kind := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
			} {
				r, err := k.newReader(kind(bytes.NewReader(file)), g)
				if err != nil {
					t.Fatal(err)
				}
				if err := iotest.TestReader(r, plaintext); err != nil {
					t.Errorf("%d bytes, %d goroutines: %v", n, g, err)
				}
			}
		}
	}
}

// TestBrokenReader lets the underlying reader fail after any number of bytes, even with
// errors that resemble the end of the data.
func TestBrokenReader(t *testing.T) { eachKind(t, smallKinds, testBrokenReader) }

func testBrokenReader(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext, step := mactest.Random(5000, 2), 8 // stops at every chunk boundary
	if mactest.Whole() {
		step = 1
	}
	file := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for _, broken := range []error{errBroken, io.ErrUnexpectedEOF, ErrAuth} {
			for n := 0; n <= len(file); n += step {
				r, err := k.newReader(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken)), g)
				if n < k.header {
					if r != nil || err != broken {
						t.Fatalf("source fails after %d bytes: NewReader: got error %v, want %v", n, err, broken)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(r)
				// Expect the plaintext of all whole chunks that were read.
				want := plaintext[:(n-k.header)/k.stride()<<10]
				if err != broken || !bytes.Equal(got, want) {
					t.Fatalf("source fails after %d bytes: got %d bytes, error %v, want %d bytes, error %v", n, len(got), err, len(want), broken)
				}
				if m, err := r.Read(make([]byte, 1)); m != 0 || err != broken {
					t.Fatalf("Read after the error = %d, %v, want 0, %v", m, err, broken)
				}
			}
		}
	}
	// This reader never makes progress.
	r, err := k.newReader(io.MultiReader(bytes.NewReader(file[:100]), idle{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); err != io.ErrNoProgress {
		t.Errorf("source that returns no bytes: got error %v, want %v", err, io.ErrNoProgress)
	}
	checkGoroutines(t, before)
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestWriteTo(t *testing.T) { eachKind(t, largeKinds, testWriteTo) }

func testWriteTo(t *testing.T, k *kind) {
	plaintext := mactest.Random(3<<20+7, 3)
	file := k.refSeal(t, plaintext)
	newTestReader := func(g int) *Reader {
		r, err := k.newReader(bytes.NewReader(file), g)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, g := range goroutines {
		var out bytes.Buffer
		r := newTestReader(g)
		if n, err := io.CopyN(&out, r, 70000); n != 70000 || err != nil {
			t.Fatalf("CopyN = %d, %v, want 70000, nil", n, err)
		}
		if n, err := r.WriteTo(&out); n != int64(len(plaintext))-70000 || err != nil || !bytes.Equal(out.Bytes(), plaintext) {
			t.Errorf("WriteTo = %d, %v, want the remaining plaintext", n, err)
		}
		if n, err := r.WriteTo(&out); n != 0 || err != nil {
			t.Errorf("WriteTo at the end = %d, %v, want 0, nil", n, err)
		}
		dst := &failingWriter{n: 1 << 20, err: errBroken}
		if n, err := newTestReader(g).WriteTo(dst); n != 1<<20 || err != errBroken {
			t.Errorf("WriteTo a failing writer = %d, %v, want %d, %v", n, err, 1<<20, errBroken)
		}
		dst = &failingWriter{n: 100}
		r = newTestReader(g)
		if n, err := r.WriteTo(dst); n != 100 || err != io.ErrShortWrite {
			t.Errorf("WriteTo a short writer = %d, %v, want 100, %v", n, err, io.ErrShortWrite)
		}
		// The plaintext that the writer did not accept is still available.
		if rest, err := io.ReadAll(r); err != nil || !bytes.Equal(rest, plaintext[100:]) {
			t.Errorf("reading after a short write: got %d bytes, error %v, want the remaining plaintext", len(rest), err)
		}
	}
}

// TestAbandoned abandons Writers and Readers before the end. Their goroutines must end.
func TestAbandoned(t *testing.T) { eachKind(t, largeKinds, testAbandoned) }

func testAbandoned(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	file := k.refSeal(t, make([]byte, 8<<20))
	for range 10 {
		w, err := k.newWriter(io.Discard, 8)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(make([]byte, 3<<20))
		r, err := k.newReader(bytes.NewReader(file), 8)
		if err != nil {
			t.Fatal(err)
		}
		io.CopyN(io.Discard, r, 2<<20)
	}
	checkGoroutines(t, before)
}

// TestLittleAhead checks that reading the first byte requires only its chunk.
func TestLittleAhead(t *testing.T) { eachKind(t, largeKinds, testLittleAhead) }

func testLittleAhead(t *testing.T, k *kind) {
	file := k.refSeal(t, make([]byte, 8<<20))
	src := bytes.NewReader(file)
	r, err := k.newReader(src, 8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if n := len(file) - src.Len(); n != k.header+k.stride() {
		t.Errorf("reading the first byte read %d bytes, want %d", n, k.header+k.stride())
	}
}

func TestReaderAt(t *testing.T) { eachKind(t, smallKinds, testReaderAt) }

func testReaderAt(t *testing.T, k *kind) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, g := range goroutines {
		for _, n := range []int{0, 1, 1023, 1024, 1025, 4096, 50001} {
			plaintext := mactest.Random(n, 4)
			file := k.refSeal(t, plaintext)
			r, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), g)
			if err != nil {
				t.Fatal(err)
			}
			if r.Size() != int64(n) {
				t.Errorf("Size = %d, want %d", r.Size(), n)
			}
			check := func(off, length int) {
				p := make([]byte, length)
				m, err := r.ReadAt(p, int64(off))
				want := plaintext[min(off, n):min(off+length, n)]
				if wantErr := len(want) < length; m != len(want) || !bytes.Equal(p[:m], want) ||
					wantErr && err != io.EOF || !wantErr && err != nil {
					t.Errorf("ReadAt of %d bytes at %d of %d = %d, %v, want %d", length, off, n, m, err, len(want))
				}
			}
			for range 300 {
				check(rng.IntN(n+10), rng.IntN(n+10))
			}
			for _, off := range []int{0, 1, 1023, 1024, 1025, n - 1, n, n + 1} {
				for _, length := range []int{0, 1, 1024, 1025, 2048, 3000, n} {
					check(max(off, 0), length)
				}
			}
			if m, err := r.ReadAt(make([]byte, 1), -1); m != 0 || err != errNegative {
				t.Errorf("ReadAt at -1 = %d, %v, want 0, %v", m, err, errNegative)
			}
			if err := iotest.TestReader(io.NewSectionReader(r, 0, r.Size()), plaintext); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestReaderAtDamage checks that the intact chunks of a damaged file can be read, and
// tests the result of reads that extend into a damaged one.
func TestReaderAtDamage(t *testing.T) { eachKind(t, smallKinds, testReaderAtDamage) }

func testReaderAtDamage(t *testing.T, k *kind) {
	plaintext := mactest.Random(20000, 5)
	for _, g := range goroutines {
		for bad := range 19 {
			file := k.refSeal(t, plaintext)
			file[k.header+bad*k.stride()+1000] ^= 1
			file[k.header+18*k.stride()+1000] ^= 1 // a second damaged chunk, after the first
			if bad == 18 {
				file[k.header+18*k.stride()+1000] ^= 2
			}
			r, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), g)
			if err != nil {
				t.Fatal(err)
			}
			for off := 0; off < 18<<10; off += 700 {
				p := make([]byte, len(plaintext)-off)
				want := plaintext[off:max(off, bad<<10)]
				if off >= (bad+1)<<10 {
					want = plaintext[off : 18<<10]
				}
				if n, err := r.ReadAt(p, int64(off)); n != len(want) || errorKind(err) != ErrAuth || !bytes.Equal(p[:n], want) {
					t.Fatalf("chunk %d damaged: ReadAt at %d = %d, %v, want %d, %v", bad, off, n, err, len(want), ErrAuth)
				}
			}
		}
	}
}

// A shrinking source is an io.ReaderAt that ends, or fails, at some position.
type shrinking struct {
	file []byte
	end  *int
	err  error
}

func (s shrinking) ReadAt(p []byte, off int64) (int, error) {
	if n := copy(p, s.file[min(int(off), *s.end):*s.end]); n < len(p) {
		return n, s.err
	}
	return len(p), nil
}

func TestReaderAtSource(t *testing.T) { eachKind(t, smallKinds, testReaderAtSource) }

func testReaderAtSource(t *testing.T, k *kind) {
	file := k.refSeal(t, mactest.Random(5000, 6))
	for _, g := range goroutines {
		for _, tt := range []struct{ src, want error }{{errBroken, errBroken}, {io.EOF, ErrTruncated}, {nil, io.ErrUnexpectedEOF}} {
			matches := func(err error) bool {
				return err == tt.want || tt.want == ErrTruncated && errorKind(err) == ErrTruncated
			}
			for _, n := range []int{0, 20, k.header, 1000, len(file) - 1} {
				if _, err := k.newReaderAt(shrinking{file, &n, tt.src}, int64(len(file)), g); !matches(err) {
					t.Errorf("source of %d bytes, want %d: NewReaderAt: got error %v, want %v", n, len(file), err, tt.want)
				}
			}
			end := len(file)
			r, err := k.newReaderAt(shrinking{file, &end, tt.src}, int64(len(file)), g)
			if err != nil {
				t.Fatal(err)
			}
			end = k.header + 2*k.stride() + 7
			for _, length := range []int{4096, 5000} { // the second length includes the stream's end
				if n, err := r.ReadAt(make([]byte, length), 0); n != 2048 || !matches(err) {
					t.Errorf("ReadAt from a shrinking source = %d, %v, want 2048, %v", n, err, tt.want)
				}
			}
		}
	}
	if _, err := NewReaderAt(bytes.NewReader(nil), -1, testKey); err == nil || !strings.Contains(err.Error(), "size of -1 bytes") {
		t.Errorf("NewReaderAt with size -1: got error %v, want one that names the size", err)
	}
}

// A twoFailures source fails on chunks 1 and 2. One of the two failures is delayed
// until both chunks are requested.
type twoFailures struct {
	io.ReaderAt
	k     *kind
	armed atomic.Bool
	late  int64
	both  sync.WaitGroup
}

func (f *twoFailures) ReadAt(p []byte, off int64) (int, error) {
	header, stride := int64(f.k.header), int64(f.k.stride())
	first, last := (off-header)/stride, (off-header+int64(len(p))-1)/stride
	i := max(first, 1)
	if !f.armed.Load() || i > 2 || i > last {
		return f.ReaderAt.ReadAt(p, off)
	}
	f.both.Done()
	f.both.Wait()
	if i == f.late {
		time.Sleep(20 * time.Millisecond) // so that the other error is reported first
	}
	n, _ := f.ReaderAt.ReadAt(p[:header+i*stride-off], off)
	return n, map[int64]error{1: errBroken, 2: io.ErrNoProgress}[i]
}

// TestReaderAtFirstError checks that ReadAt returns the error of the first bad chunk,
// whichever goroutine is faster.
func TestReaderAtFirstError(t *testing.T) { eachKind(t, smallKinds, testReaderAtFirstError) }

func testReaderAtFirstError(t *testing.T, k *kind) {
	file := k.refSeal(t, make([]byte, 4096))
	for _, late := range []int64{1, 2} {
		src := &twoFailures{ReaderAt: bytes.NewReader(file), k: k, late: late}
		r, err := k.newReaderAt(src, int64(len(file)), 3)
		if err != nil {
			t.Fatal(err)
		}
		src.armed.Store(true)
		src.both.Add(2)
		if n, err := r.ReadAt(make([]byte, 4096), 0); n != 1024 || err != errBroken {
			t.Errorf("failure at chunk %d delayed: ReadAt = %d, %v, want 1024, %v", late, n, err, errBroken)
		}
	}
}

func TestReaderAtConcurrent(t *testing.T) { eachKind(t, smallKinds, testReaderAtConcurrent) }

func testReaderAtConcurrent(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(200000, 7)
	file := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		r, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), g)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for seed := range uint64(8) {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(seed, 1))
				p := make([]byte, 6000)
				for range 100 {
					off, n := rng.IntN(len(plaintext)-len(p)), rng.IntN(len(p))
					if m, err := r.ReadAt(p[:n], int64(off)); m != n || err != nil || !bytes.Equal(p[:n], plaintext[off:off+n]) {
						t.Errorf("ReadAt of %d bytes at %d = %d, %v, want %d and the plaintext", n, off, m, err, n)
					}
				}
			})
		}
		wg.Wait()
	}
	checkGoroutines(t, before)
}
