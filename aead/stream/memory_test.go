// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha512"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// bound returns the documented memory limit.
func bound(size, goroutines int) int64 {
	n := (2 + 2*int64(goroutines)) * int64(max(size, 64<<10))
	if goroutines == 1 {
		return n + 200<<10
	}
	return n + 1<<20 + 8<<10
}

// TestMemoryBound checks that all jobs and slots with full buffers stay within the
// bound, for every chunk size and number of goroutines.
func TestMemoryBound(t *testing.T) {
	kinds := append(smallKinds, largeKinds...)
	for e := minChunkLog2; e <= maxChunkLog2; e++ {
		kinds = append(kinds, newKind(UnimacV2, 1<<e))
	}
	for _, k := range kinds {
		for g := 1; g <= 1024; g++ {
			_, c := k.newChunks(t)
			jobs := g + 1
			if g == 1 {
				jobs = 1
			}
			s := sealer{chunks: c, maxJobChunks: maxJobChunks(&c, g)}
			if n := int64(jobs) * int64(max(s.jobSize(), s.maxJobChunks*c.stride()+c.lookahead())); n > bound(c.size, g) {
				t.Errorf("%s, chunks of %d bytes, %d goroutines: jobs of %d bytes, want at most %d", k.name, c.size, g, n, bound(c.size, g))
			}
			wide := maxWideSlotChunks(&c, g)
			if n := int64(2+g+g*wide) * int64(c.stride()); n > bound(c.size, g) {
				t.Errorf("%s, chunks of %d bytes, %d goroutines: slots of %d bytes, want at most %d", k.name, c.size, g, n, bound(c.size, g))
			}
			if g > 64 {
				g += 50
			}
		}
	}
}

// bytesIn returns the total size of a queue's buffers.
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

// TestMemory measures the buffers of streams in use.
func TestMemory(t *testing.T) {
	for _, k := range append(largeKinds, v2, newKind(UnimacV2, 1<<20), newKind(UnimacV2, 1<<24)) {
		for _, g := range []int{1, 2, 5} {
			if !mactest.Whole() && (k.size == 1<<20 || g == 2) || testing.Short() && k.size > 1<<16 {
				continue
			}
			plaintext := mactest.Random(max(4<<20, 3*k.size), 1)
			check := func(what string, n int) {
				t.Helper()
				if int64(n) > bound(k.size, g) || n == 0 {
					t.Errorf("%s, %s in chunks of %d bytes, %d goroutines: %d bytes, want at most %d", what, k.name, k.size, g, n, bound(k.size, g))
				}
			}
			var file bytes.Buffer
			file.Grow(len(plaintext) + len(plaintext)/16)
			w, err := k.newWriter(&file, g)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytesIn(&w.queue); n > 0 {
				t.Errorf("a new Writer has buffers of %d bytes, want none", n)
			}
			w.Write(plaintext)
			check("Writer", bytesIn(&w.queue))
			if w.Close(); bytesIn(&w.queue) > 0 {
				t.Error("the Writer still has buffers after Close")
			}
			r, err := k.newReader(bytes.NewReader(file.Bytes()), g)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytesIn(&r.queue); n > 0 {
				t.Errorf("a new Reader has buffers of %d bytes, want none", n)
			}
			io.CopyN(io.Discard, r, int64(len(plaintext))-1)
			check("Reader", bytesIn(&r.queue))
			if io.Copy(io.Discard, r); bytesIn(&r.queue) > 0 {
				t.Error("the Reader still has buffers after the end of the stream")
			}
			at, err := k.newReaderAt(bytes.NewReader(file.Bytes()), int64(file.Len()), g)
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

// TestShortAllocations checks that a short stream needs few allocations, even on a
// machine with many processors.
func TestShortAllocations(t *testing.T) { eachKind(t, largeKinds, testShortAllocations) }

func testShortAllocations(t *testing.T, k *kind) {
	if mactest.RaceDetector {
		t.Skip("the race detector allocates")
	}
	plaintext := mactest.Random(100, 2)
	file := k.refSeal(t, plaintext)
	buf := make([]byte, 200)
	own := map[Format]float64{UnimacV2: 9, Cobblestone128: 8, Cobblestone256: 8, ChunkedChaCha20Poly1305: 11, ChunkedAEGIS256X2: 11}
	limit := own[k.o.Format] + derivationAllocations(t, k)
	for _, procs := range []int{1, 2, 64} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for name, f := range map[string]func() error{
				"Writer": func() error {
					w, err := k.o.NewWriter(io.Discard, k.key)
					if err != nil {
						return err
					}
					w.Write(plaintext)
					return w.Close()
				},
				"Reader": func() error {
					r, err := k.o.NewReader(bytes.NewReader(file), k.key)
					if err != nil {
						return err
					}
					if n, err := io.ReadFull(r, buf); n != 100 || err != io.ErrUnexpectedEOF {
						return fmt.Errorf("ReadFull = %d, %v, want 100, %v", n, err, io.ErrUnexpectedEOF)
					}
					return nil
				},
				"ReaderAt": func() error {
					r, err := k.o.NewReaderAt(bytes.NewReader(file), int64(len(file)), k.key)
					if err != nil {
						return err
					}
					_, err = r.ReadAt(buf[:100], 0)
					return err
				},
			} {
				// One additional allocation is the bytes.Reader.
				if n := testing.AllocsPerRun(10, func() {
					if err := f(); err != nil {
						t.Fatal(err)
					}
				}); n > limit {
					t.Errorf("%s: %v allocations, want at most %v", name, n, limit)
				}
			}
		})
	}
}

// derivationAllocations returns the number of allocations by crypto/hkdf and crypto/aes
// for a stream of one chunk, which depends on the platform.
func derivationAllocations(t *testing.T, k *kind) float64 {
	if !k.shortEnd() {
		return 0
	}
	info := strings.Repeat("i", 70)
	return k.chunkAllocations(t, 1) + testing.AllocsPerRun(10, func() {
		key, err := hkdf.Expand(sha512.New, k.key, info, len(k.key)+12+commitSize)
		if err != nil {
			t.Fatal(err)
		}
		k.gcm(t, key[:len(k.key)])
	})
}

// TestManyStreams uses many Writers and Readers at the same time, on a machine that
// would allow many goroutines for each.
func TestManyStreams(t *testing.T) { eachKind(t, largeKinds, testManyStreams) }

func testManyStreams(t *testing.T, k *kind) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	const size = 512_000_000 / 1000 // bytes per stream
	streams := 50
	if mactest.Whole() {
		streams = 1000
	}
	plaintext := make([]byte, 1<<20)
	file := k.refSeal(t, plaintext)
	o := k.with(1)
	var held []any
	for name, begin := range map[string]func() error{
		"Writer": func() error {
			w, err := o.NewWriter(io.Discard, k.key)
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
			r, err := o.NewReader(bytes.NewReader(file), k.key)
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
		t.Logf("%s: %d bytes per stream", name, n)
		if n > size {
			t.Errorf("%s: %d bytes per stream, want at most %d", name, n, size)
		}
		held = nil
	}
}
