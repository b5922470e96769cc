// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/unimac/unimac/internal/mactest"
)

func (k *kind) newSeeker(t *testing.T, file []byte, g int) io.ReadSeekCloser {
	t.Helper()
	at, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), g)
	if err != nil {
		t.Fatal(err)
	}
	return at.NewReader()
}

// TestSeeker runs the standard library's checks of an io.ReadSeeker, and random
// operations.
func TestSeeker(t *testing.T) { eachKind(t, smallKinds, testSeeker) }

func testSeeker(t *testing.T, k *kind) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, g := range goroutines {
		for _, n := range []int{0, 1, 1024, 2048, 50_001} {
			plaintext := mactest.Random(n, 1)
			file := k.refSeal(t, plaintext)
			s := k.newSeeker(t, file, g)
			if err := iotest.TestReader(s, plaintext); err != nil {
				t.Errorf("%d bytes, %d goroutines: %v", n, g, err)
			}
			for range 300 {
				off := int64(rng.IntN(n + 10))
				var to int64
				var err error
				switch pos, _ := s.Seek(0, io.SeekCurrent); rng.IntN(4) {
				case 0:
					to, err = s.Seek(off, io.SeekStart)
				case 1:
					to, err = s.Seek(off-pos, io.SeekCurrent)
				case 2:
					to, err = s.Seek(off-int64(n), io.SeekEnd)
				case 3: // seek to the current position
					to, err, off = pos, nil, pos
				}
				if to != off || err != nil {
					t.Fatalf("Seek = %d, %v, want %d, nil", to, err, off)
				}
				want := plaintext[min(int(off), n):]
				if rng.IntN(10) == 0 {
					var out bytes.Buffer
					if m, err := s.(io.WriterTo).WriteTo(&out); err != nil || m != int64(out.Len()) || !bytes.Equal(out.Bytes(), want) {
						t.Fatalf("WriteTo from %d = %d, %v, want %d, nil", off, m, err, len(want))
					}
					continue
				}
				p := make([]byte, rng.IntN(3000))
				m, err := io.ReadFull(s, p)
				if wantErr := len(want) < len(p); !bytes.HasPrefix(want, p[:m]) || m != min(len(p), len(want)) || (err != nil) != wantErr {
					t.Fatalf("Read of %d bytes at %d = %d, %v, want %d", len(p), off, m, err, min(len(p), len(want)))
				}
			}
		}
	}
}

// A changingSource contains one stream, and later another.
type changingSource struct{ *bytes.Reader }

// TestSeekerChanged replaces the stream by a shorter one, which someone with the key
// sealed with the same salt.
func TestSeekerChanged(t *testing.T) { eachKind(t, smallKinds, testSeekerChanged) }

func testSeekerChanged(t *testing.T, k *kind) {
	file := k.refSeal(t, make([]byte, 3000))
	source := &changingSource{bytes.NewReader(file)}
	at, err := k.newReaderAt(source, int64(len(file)), 1)
	if err != nil {
		t.Fatal(err)
	}
	source.Reader = bytes.NewReader(k.refSeal(t, make([]byte, 100)))
	for _, pos := range []int64{100, 101, 1023} {
		s := at.NewReader()
		if _, err := s.Seek(pos, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if n, err := s.Read(make([]byte, 10)); n != 0 || !errors.Is(err, ErrTruncated) {
				t.Errorf("Read at %d of the changed source = %d, %v, want 0, %v", pos, n, err, ErrTruncated)
			}
		}
	}
}

func TestSeekerErrors(t *testing.T) { eachKind(t, smallKinds, testSeekerErrors) }

func testSeekerErrors(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(30<<10, 2)
	file := k.refSeal(t, plaintext)
	file[k.header+20*k.stride()] ^= 1
	for _, g := range goroutines {
		s := k.newSeeker(t, file, g)
		for range 2 { // an error stays until Seek
			for range 2 {
				got, err := io.ReadAll(s)
				if errorKind(err) != ErrAuth || !strings.Contains(err.Error(), "chunk 20") || len(got) > 0 && !bytes.Equal(got, plaintext[:20<<10]) {
					t.Errorf("%d goroutines: got %d bytes, error %v, want the plaintext before chunk 20 or none, and %v", g, len(got), err, ErrAuth)
				}
			}
			s.Seek(0, io.SeekStart)
		}
		if to, err := s.Seek(21<<10, io.SeekStart); to != 21<<10 || err != nil {
			t.Fatalf("Seek past the damaged chunk = %d, %v, want %d, nil", to, err, 21<<10)
		}
		if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, plaintext[21<<10:]) {
			t.Errorf("reading after the damaged chunk: got %d bytes, error %v, want the plaintext", len(got), err)
		}
		for _, tt := range []struct {
			off    int64
			whence int
			want   error
		}{{-1, io.SeekStart, errNegative}, {-31 << 10, io.SeekEnd, errNegative}, {math.MaxInt64, io.SeekEnd, errNegative}, {0, 3, errWhence}, {0, -1, errWhence}} {
			if _, err := s.Seek(tt.off, tt.whence); err != tt.want {
				t.Errorf("Seek(%d, %d): got error %v, want %v", tt.off, tt.whence, err, tt.want)
			}
		}
		if to, err := s.Seek(math.MaxInt64, io.SeekStart); to != math.MaxInt64 || err != nil {
			t.Errorf("Seek to the largest offset = %d, %v, want it and nil", to, err)
		}
		if n, err := s.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("Read beyond the end = %d, %v, want 0, io.EOF", n, err)
		}
		s.Seek(0, io.SeekStart)
		s.Read(make([]byte, 3000))
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if n, err := s.Read(make([]byte, 1)); n != 0 || err != errReadClosed {
				t.Errorf("Read after Close = %d, %v, want 0, %v", n, err, errReadClosed)
			}
			if _, err := s.Seek(0, io.SeekStart); err != errReadClosed {
				t.Errorf("Seek after Close: got error %v, want %v", err, errReadClosed)
			}
		}
	}
	checkGoroutines(t, before)
}

// TestSeekerFaults lets the source fail, panic, or end early. Afterwards, Seek must
// make the reader usable again.
func TestSeekerFaults(t *testing.T) { eachKind(t, smallKinds, testSeekerFaults) }

func testSeekerFaults(t *testing.T, k *kind) {
	plaintext := mactest.Random(6<<10-100, 3)
	file := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for i := range readAtFaults {
			fault := &readAtFaults[i]
			for chunk := range 6 {
				what := fmt.Sprintf("%d goroutines, chunk %d: %s", g, chunk, fault.name)
				src := &faultyReaderAt{file: file, fault: fault, off: int64(k.header + chunk*k.stride())}
				at, err := k.newReaderAt(src, int64(len(file)), g)
				if err != nil {
					t.Fatal(err)
				}
				s := at.NewReader()
				src.times.Store(1)
				var got []byte
				endOf(t, func() { got, err = io.ReadAll(s) })
				if !bytes.HasPrefix(plaintext, got) || err == nil && len(got) > 0 && len(got) < len(plaintext) {
					t.Fatalf("%s: got %d bytes, error %v, want the plaintext, or a prefix and an error", what, len(got), err)
				}
				src.times.Store(0)
				s.Seek(0, io.SeekStart)
				if got, err = io.ReadAll(s); err != nil || !bytes.Equal(got, plaintext) {
					t.Fatalf("%s: after Seek: got %d bytes, error %v, want the plaintext", what, len(got), err)
				}
			}
		}
	}
}

// TestServeContent serves ranges over HTTP.
func TestServeContent(t *testing.T) { eachKind(t, smallKinds, testServeContent) }

func testServeContent(t *testing.T, k *kind) {
	plaintext := mactest.Random(300_000, 4)
	file := k.refSeal(t, plaintext)
	at, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), 2)
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		content := at.NewReader()
		defer content.Close()
		http.ServeContent(w, req, "data.bin", time.Time{}, content)
	})
	for _, tt := range []struct {
		header   string
		status   int
		from, to int
	}{
		{"", http.StatusOK, 0, 300_000},
		{"bytes=0-0", http.StatusPartialContent, 0, 1},
		{"bytes=4095-4096", http.StatusPartialContent, 4095, 4097},
		{"bytes=100000-199999", http.StatusPartialContent, 100_000, 200_000},
		{"bytes=-5", http.StatusPartialContent, 299_995, 300_000},
		{"bytes=299999-", http.StatusPartialContent, 299_999, 300_000},
		{"bytes=300000-", http.StatusRequestedRangeNotSatisfiable, 0, 0},
	} {
		req := httptest.NewRequest("GET", "/data.bin", nil)
		if tt.header != "" {
			req.Header.Set("Range", tt.header)
		}
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, req)
		if rec.Code != tt.status {
			t.Errorf("Range %q: got status %d, want %d", tt.header, rec.Code, tt.status)
		}
		if tt.to > 0 && !bytes.Equal(rec.Body.Bytes(), plaintext[tt.from:tt.to]) {
			t.Errorf("Range %q: got %d bytes, want %d bytes of plaintext", tt.header, rec.Body.Len(), tt.to-tt.from)
		}
	}
}

// TestCached checks that reading within a chunk that has been opened before neither
// reads from the source nor allocates, and that continuing does not allocate either.
func TestCached(t *testing.T) { eachKind(t, largeKinds, testCached) }

func testCached(t *testing.T, k *kind) {
	plaintext := mactest.Random(4<<20, 5)
	file := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		asked := 0
		src := readerAtFunc(func(p []byte, off int64) (int, error) { asked++; return copy(p, file[off:]), nil })
		at, err := k.newReaderAt(src, int64(len(file)), g)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 1000)
		at.ReadAt(p, 3<<16)
		at.ReadAt(p, 5<<16)
		asked = 0
		if n := testing.AllocsPerRun(100, func() {
			if n, err := at.ReadAt(p, 3<<16+500); n != len(p) || err != nil || p[0] != plaintext[3<<16+500] {
				t.Errorf("ReadAt in an opened chunk = %d, %v, want %d, nil", n, err, len(p))
			}
		}); n != 0 {
			t.Errorf("%d goroutines: ReadAt in an opened chunk: %v allocations, want 0", g, n)
		}
		if asked > 0 {
			t.Errorf("%d goroutines: ReadAt in an opened chunk reads from the source", g)
		}
		s := at.NewReader()
		io.CopyN(io.Discard, s, 2<<20)
		if n := testing.AllocsPerRun(1000, func() { io.ReadFull(s, p) }); n != 0 {
			t.Errorf("%d goroutines: Read after NewReader: %v allocations, want 0", g, n)
		}
	}
}
