// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// bound is what the package's documentation promises.
func bound(size, goroutines int) int64 {
	n := (2 + 2*int64(goroutines)) * int64(max(size, 64<<10))
	if goroutines == 1 {
		return n + 200<<10
	}
	return n + 1<<20 + 8<<10
}

// TestMemoryBound checks that all jobs and all slots, with full buffers, stay within
// the bound, for every size of chunk and number of goroutines.
func TestMemoryBound(t *testing.T) {
	for e := minChunkLog2; e <= maxChunkLog2; e++ {
		for g := 1; g <= 1024; g++ {
			_, c := newChunks(t, testKey, e, &testSalt)
			jobs := g + 1
			if g == 1 {
				jobs = 1
			}
			if n := int64(jobs) * int64(runChunks(&c, g)*c.stride()+probe); n > bound(c.size, g) {
				t.Errorf("chunks of 2^%d, %d goroutines: jobs of %d bytes, want at most %d", e, g, n, bound(c.size, g))
			}
			wide := slotChunks(&c, g)
			if n := int64(2+g+g*wide) * int64(c.stride()); n > bound(c.size, g) {
				t.Errorf("chunks of 2^%d, %d goroutines: slots of %d bytes, want at most %d", e, g, n, bound(c.size, g))
			}
			if g > 64 {
				g += 50
			}
		}
	}
}

// bytesIn is how many bytes a queue's buffers have.
func bytesIn(q *queue) (n int) {
	for _, jobs := range [][]*job{q.jobs, q.free, {q.spare}} {
		for _, j := range jobs {
			if j != nil {
				n += cap(j.buf)
			}
		}
	}
	return n
}

// TestMemory looks at buffers at work.
func TestMemory(t *testing.T) {
	for _, e := range []int{10, 16, 20, 24} {
		for _, g := range []int{1, 2, 5} {
			if testing.Short() && (e > 16 || g == 2) {
				continue
			}
			plaintext := mactest.Random(max(4<<20, 3<<e), 1)
			check := func(what string, n int) {
				t.Helper()
				if int64(n) > bound(1<<e, g) || n == 0 {
					t.Errorf("%s, chunks of 2^%d, %d goroutines: %d bytes, want at most %d", what, e, g, n, bound(1<<e, g))
				}
			}
			var file bytes.Buffer
			file.Grow(len(plaintext) + len(plaintext)/16)
			w, err := newWriter(&file, testKey, &testSalt, e, g)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytesIn(&w.queue); n > 0 {
				t.Errorf("a Writer at its beginning has %d bytes", n)
			}
			w.Write(plaintext)
			check("Writer", bytesIn(&w.queue))
			if w.Close(); bytesIn(&w.queue) > 0 {
				t.Error("a Writer keeps its buffers after Close")
			}
			r, err := newReader(bytes.NewReader(file.Bytes()), testKey, g)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytesIn(&r.queue); n > 0 {
				t.Errorf("a Reader at its beginning has %d bytes", n)
			}
			io.CopyN(io.Discard, r, int64(len(plaintext))-1)
			check("Reader", bytesIn(&r.queue))
			if io.Copy(io.Discard, r); bytesIn(&r.queue) > 0 {
				t.Error("a Reader keeps its buffers after the end")
			}
			at, err := newReaderAt(bytes.NewReader(file.Bytes()), int64(file.Len()), testKey, g)
			if err != nil {
				t.Fatal(err)
			}
			at.ReadAt(plaintext, 0)
			for off := int64(0); off < at.size; off += 1 << 19 {
				at.ReadAt(plaintext[:10], off)
			}
			n := 0
			for _, s := range at.slots.free {
				n += cap(s.buf)
			}
			check("ReaderAt", n)
		}
	}
}

// TestShortAllocations checks that a short stream takes few allocations, on however
// large a machine.
func TestShortAllocations(t *testing.T) {
	plaintext := mactest.Random(100, 2)
	file := refSeal(t, testKey, &testSalt, 16, plaintext)
	buf := make([]byte, 200)
	for _, procs := range []int{1, 2, 64} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for name, f := range map[string]func() error{
				"Writer": func() error {
					w, err := NewWriter(io.Discard, testKey)
					if err != nil {
						return err
					}
					w.Write(plaintext)
					return w.Close()
				},
				"Reader": func() error {
					r, err := NewReader(bytes.NewReader(file), testKey)
					if err != nil {
						return err
					}
					if n, err := io.ReadFull(r, buf); n != 100 || err != io.ErrUnexpectedEOF {
						return fmt.Errorf("%d bytes, %v", n, err)
					}
					return nil
				},
				"ReaderAt": func() error {
					r, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), testKey)
					if err != nil {
						return err
					}
					_, err = r.ReadAt(buf[:100], 0)
					return err
				},
			} {
				// One more of them is the bytes.Reader's.
				if n := testing.AllocsPerRun(10, func() {
					if err := f(); err != nil {
						t.Fatal(err)
					}
				}); n >= 10 {
					t.Errorf("%s: %v allocations", name, n)
				}
			}
		})
	}
}

// TestManyStreams has many Writers and Readers at work at once, on a machine that
// could give each many goroutines.
func TestManyStreams(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	const size = 512_000_000 / 1000 // bytes a stream
	streams := 1000
	if testing.Short() {
		streams = 20
	}
	plaintext := make([]byte, 1<<20)
	file := refSeal(t, testKey, &testSalt, 16, plaintext)
	o := Options{Concurrency: 1}
	var held []any
	for name, begin := range map[string]func() error{
		"Writer": func() error {
			w, err := o.NewWriter(io.Discard, testKey)
			if err != nil {
				return err
			}
			held = append(held, w)
			for at := 0; at < len(plaintext); at += 1000 {
				if _, err := w.Write(plaintext[at:min(at+1000, len(plaintext))]); err != nil {
					return err
				}
			}
			return nil
		},
		"Reader": func() error {
			r, err := o.NewReader(bytes.NewReader(file), testKey)
			if err != nil {
				return err
			}
			held = append(held, r)
			_, err = io.CopyN(io.Discard, r, 700_000)
			return err
		},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range streams {
			if err := begin(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		n := int(after.HeapAlloc-before.HeapAlloc) / streams
		t.Logf("%s: %d bytes each", name, n)
		if n > size {
			t.Errorf("%s: %d bytes each, want at most %d", name, n, size)
		}
		held = nil
	}
}
