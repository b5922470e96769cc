// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// eachImplementation runs f with every implementation of BLAKE2b and of ChaCha20.
func eachImplementation(t *testing.T, f func(t *testing.T)) {
	for _, pkg := range []string{"blake2b", "chacha20"} {
		t.Run(pkg, func(t *testing.T) { mactest.Implementations(t, pkg, f) })
	}
}

// TestLanes compares with chunks that are sealed one by one, for all numbers of
// chunks up to more than twice the lanes, the last one whole and not.
func TestLanes(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for count := range 21 {
			for _, more := range []int{-1000, -1, 0, 1} {
				plaintext := mactest.Random(max(0, count<<10+more), uint64(count))
				want := refSeal(t, testKey, &testSalt, 10, plaintext)
				for _, g := range goroutines {
					if got := seal(t, testKey, &testSalt, 10, g, 1<<30, plaintext); !bytes.Equal(got, want) {
						t.Fatalf("%d bytes, %d goroutines: wrong file", len(plaintext), g)
					}
					for name, open := range openers {
						if got, err := open(testKey, want, g); err != nil || !bytes.Equal(got, plaintext) {
							t.Fatalf("%d bytes, %d goroutines: %s gives %d bytes, %v", len(plaintext), g, name, len(got), err)
						}
					}
				}
			}
		}
	})
}

// TestChunksOpen changes the chunk at every place of runs of every length, and
// cuts the end off, in place and apart.
func TestChunksOpen(t *testing.T) {
	const index = 1000 // of the first chunk
	eachImplementation(t, func(t *testing.T) {
		header := newHeader(10, &testSalt)
		c, err := newChunks(testKey, &header)
		if err != nil {
			t.Fatal(err)
		}
		for count := 1; count <= 20; count++ {
			plaintext := mactest.Random(count<<10-count%3*100, uint64(count))
			for _, last := range []bool{true, false} {
				if !last && len(plaintext)%1024 != 0 {
					continue
				}
				var l lanes
				sealed := c.seal(nil, plaintext, index, last, &l)
				check := func(bad int, asLast bool, wantOpened int, want error) {
					t.Helper()
					src := bytes.Clone(sealed)
					if bad < count {
						src[bad*1056+200] ^= 4
					}
					out := make([]byte, len(plaintext))
					opened, err := c.open(out, bytes.Clone(src), 1024, index, asLast, &l)
					if opened != wantOpened || !errors.Is(err, want) {
						t.Fatalf("%d chunks, %d changed: %d open, %v, want %d, %v", count, bad, opened, err, wantOpened, want)
					}
					if want == ErrAuth && !strings.HasSuffix(err.Error(), fmt.Sprintf("(chunk %d)", index+bad)) {
						t.Fatalf("%d chunks, %d changed: %v", count, bad, err)
					}
					n := min(opened<<10, len(plaintext))
					if !bytes.Equal(out[:n], plaintext[:n]) || !bytes.Equal(out[n:], make([]byte, len(out)-n)) {
						t.Fatalf("%d chunks, %d changed: wrong plaintext", count, bad)
					}
					inPlace := bytes.Clone(src)
					again, err2 := c.open(inPlace, inPlace, 1056, index, asLast, &l)
					if again != opened || fmt.Sprint(err2) != fmt.Sprint(err) {
						t.Fatalf("%d chunks, %d changed: in place %d open, %v, want %d, %v", count, bad, again, err2, opened, err)
					}
					for i := range opened {
						if p := plaintext[i<<10 : min((i+1)<<10, len(plaintext))]; !bytes.Equal(inPlace[i*1056:][:len(p)], p) {
							t.Fatalf("%d chunks, %d changed: wrong plaintext in place", count, bad)
						}
					}
					if behind := min(opened*1056, len(src)); !bytes.Equal(inPlace[behind:], src[behind:]) {
						t.Fatalf("%d chunks, %d changed: what does not open was written to", count, bad)
					}
					if l.n != 0 || l.msgs[0].In != nil {
						t.Fatal("the lanes keep what they worked on")
					}
				}
				for bad := range count {
					check(bad, last, bad, ErrAuth)
				}
				check(count, last, count, nil)
				if !last {
					check(count, true, count, errUnexpectedEnd)
					check(0, true, 0, ErrAuth)
					check(count-1, true, count-1, ErrAuth)
				}
			}
		}
	})
}

// TestForgedChunk looks at which chunk an error names, and at what comes before,
// in streams of several jobs.
func TestForgedChunk(t *testing.T) {
	const count = 19
	plaintext := mactest.Random(count<<16-77, 1)
	file := refSeal(t, testKey, &testSalt, 16, plaintext)
	for bad := range count {
		if testing.Short() && bad%5 != 4 {
			continue
		}
		file[32+bad*(65536+32)+5] ^= 1
		for _, g := range goroutines {
			for name, open := range openers {
				got, err := open(testKey, file, g)
				if !errors.Is(err, ErrAuth) || !strings.HasSuffix(err.Error(), fmt.Sprintf("(chunk %d)", bad)) {
					t.Errorf("%s: chunk %d changed: %v", name, bad, err)
				}
				if name == "ReaderAt" && bad == count-1 {
					continue // it does not begin
				}
				if !bytes.Equal(got, plaintext[:bad<<16]) {
					t.Errorf("%s: chunk %d changed: %d bytes", name, bad, len(got))
				}
			}
		}
		file[32+bad*(65536+32)+5] ^= 1
	}
}

// TestLargeWrite mixes writes that are copied with ones that are worked on where
// they are. Those belong to the caller again afterwards: under the race detector,
// this test would notice a goroutine that still reads them.
func TestLargeWrite(t *testing.T) {
	plaintext := mactest.Random(9<<20+12345, 1)
	want := refSeal(t, testKey, &testSalt, 16, plaintext)
	for _, g := range goroutines {
		for _, first := range []int{0, 1, 100_000, 1<<19 - 1, 1 << 19, 1<<19 + 1} {
			var file bytes.Buffer
			w, err := newWriter(&file, testKey, &testSalt, 16, g)
			if err != nil {
				t.Fatal(err)
			}
			scratch := bytes.Clone(plaintext)
			for _, p := range [][]byte{scratch[:first], scratch[first : 8<<20], scratch[8<<20 : 8<<20+10], scratch[8<<20+10:]} {
				if n, err := w.Write(p); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
				for i := range p {
					p[i] = 0xee
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(file.Bytes(), want) {
				t.Errorf("%d goroutines, %d bytes first: wrong file", g, first)
			}
			for i, b := range scratch {
				if b != 0xee {
					t.Fatalf("%d goroutines: byte %d of what was written is changed", g, i)
				}
			}
		}
		// It does not, either, if the underlying writer fails in the middle.
		w, err := newWriter(&failingWriter{n: 1 << 20, err: errBroken}, testKey, &testSalt, 16, g)
		if err != nil {
			t.Fatal(err)
		}
		p := bytes.Clone(plaintext)
		if _, err := w.Write(p); err != errBroken {
			t.Errorf("%d goroutines: %v", g, err)
		}
		clear(p)
		if err := w.Close(); err != errBroken {
			t.Errorf("%d goroutines: Close: %v", g, err)
		}
	}
}

// TestReadAllocations checks that a Reader at work allocates nothing, and that a
// ReaderAt allocates no buffers.
func TestReadAllocations(t *testing.T) {
	file := refSeal(t, testKey, &testSalt, 16, make([]byte, 15<<20))
	for _, g := range []int{1, 2} {
		r, err := newReader(bytes.NewReader(file), testKey, g)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 100_000)
		read := func() {
			if _, err := io.ReadFull(r, p); err != nil {
				t.Fatal(err)
			}
		}
		for range 50 {
			read()
		}
		if n := testing.AllocsPerRun(50, read); n != 0 {
			t.Errorf("%d goroutines: %v allocations a Read", g, n)
		}
		at, err := newReaderAt(bytes.NewReader(file), int64(len(file)), testKey, g)
		if err != nil {
			t.Fatal(err)
		}
		p = make([]byte, 3<<20)
		for range 10 {
			at.ReadAt(p, 1)
		}
		const runs = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			at.ReadAt(p, 1)
		}
		runtime.ReadMemStats(&after)
		// A goroutine may come late, and only then need a buffer.
		if n := after.TotalAlloc - before.TotalAlloc; n > 2*batchSize {
			t.Errorf("%d goroutines: %d times ReadAt allocate %d bytes", g, runs, n)
		}
	}
}
