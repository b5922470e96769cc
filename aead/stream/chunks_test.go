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
	"sync"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// eachImplementation runs f with every implementation that this module has for the
// format.
func (k *kind) eachImplementation(t *testing.T, f func(t *testing.T)) {
	packages := []string{"blake2b", "chacha20"}
	switch {
	case strings.HasPrefix(k.name, "Chunked"):
		packages = []string{"chacha20poly1305", "chacha20"}
	case k.shortEnd():
		f(t) // the format uses crypto/cipher
		return
	}
	for _, pkg := range packages {
		t.Run(pkg, func(t *testing.T) { mactest.Implementations(t, pkg, f) })
	}
}

// TestLanes compares runs with chunks sealed one by one, for every number of chunks up
// to more than twice the number of lanes, with a whole and with an incomplete last
// chunk. Unless in whole mode, it tries a third of them.
func TestLanes(t *testing.T) { eachKind(t, smallKinds, testLanes) }

func testLanes(t *testing.T, k *kind) {
	k.eachImplementation(t, func(t *testing.T) {
		for count := range 21 {
			if !mactest.Whole() && count%3 != 0 {
				continue
			}
			for _, more := range []int{-1000, -1, 0, 1} {
				plaintext := mactest.Random(max(0, count<<10+more), uint64(count))
				want := k.refSeal(t, plaintext)
				for _, g := range goroutines {
					if got := k.seal(t, g, 1<<30, plaintext); !bytes.Equal(got, want) {
						t.Fatalf("%d bytes, %d goroutines: got wrong file", len(plaintext), g)
					}
				}
				k.eachOpener(want, func(how string, got []byte, err error) {
					if err != nil || !bytes.Equal(got, plaintext) {
						t.Fatalf("%d bytes: %s: got %d bytes, error %v, want the plaintext", len(plaintext), how, len(got), err)
					}
				})
			}
		}
	})
}

// TestChunksOpen changes the chunk at each position in runs of every length (every
// third length unless in whole mode) and truncates runs, in place and out of place.
func TestChunksOpen(t *testing.T) { eachKind(t, smallKinds, testChunksOpen) }

func testChunksOpen(t *testing.T, k *kind) {
	const index = 1000 // of the run's first chunk
	k.eachImplementation(t, func(t *testing.T) {
		_, c := k.newChunks(t)
		step := 3
		if mactest.Whole() {
			step = 1
		}
		for whole := 1; whole <= 20; whole += step {
			for _, run := range []struct {
				missing int // number of bytes missing from the last chunk
				last    bool
			}{{0, false}, {0, true}, {100, true}} {
				plaintext, last := mactest.Random(whole<<10-run.missing, uint64(whole)), run.last
				count := whole
				if last {
					count = int(c.chunkCount(int64(len(plaintext)), 1024)) // an empty chunk may follow
				}
				var b messageBatch
				sealed := sealRun(&c, plaintext, index, last)
				check := func(bad int, at streamPos, wantOpened int, want error) {
					t.Helper()
					src := bytes.Clone(sealed)
					if bad < count {
						src[min(bad*k.stride()+200, len(src)-1)] ^= 4
					}
					out := make([]byte, len(plaintext))
					r := c.open(out, bytes.Clone(src), 1024, index, at, &b)
					opened, err := r.count, r.err
					if r.final != (err == nil && last) {
						t.Fatalf("%d chunks, chunk %d changed: ended = %t, want %t", count, bad, r.final, !r.final)
					}
					if opened != wantOpened || !errors.Is(err, want) {
						t.Fatalf("%d chunks, chunk %d changed: opened %d chunks, error %v, want %d chunks, error %v", count, bad, opened, err, wantOpened, want)
					}
					if want == ErrAuth && at != posMiddle && !strings.HasSuffix(err.Error(), fmt.Sprintf("(chunk %d)", index+bad)) {
						t.Fatalf("%d chunks, chunk %d changed: got error %v, want one that names chunk %d", count, bad, err, index+bad)
					}
					n := min(opened<<10, len(plaintext))
					if !bytes.Equal(out[:n], plaintext[:n]) || !bytes.Equal(out[n:], make([]byte, len(out)-n)) {
						t.Fatalf("%d chunks, chunk %d changed: got wrong output, want the plaintext before the chunk and then zeros", count, bad)
					}
					inPlace := bytes.Clone(src)
					if again := c.open(inPlace, inPlace, k.stride(), index, at, &b); again.count != opened || again.final != r.final || fmt.Sprint(again.err) != fmt.Sprint(err) {
						t.Fatalf("%d chunks, chunk %d changed: in place, got result %v, want %v", count, bad, again, r)
					}
					for i := range opened {
						if p := plaintext[i<<10 : min((i+1)<<10, len(plaintext))]; !bytes.Equal(inPlace[i*k.stride():][:len(p)], p) {
							t.Fatalf("%d chunks, chunk %d changed: got wrong plaintext in place", count, bad)
						}
					}
					after := min(opened*k.stride(), len(src))
					if k.shortEnd() && bad < count {
						// These AEADs leave zeros in the output of a chunk that fails
						// to open, and in the rest of its pair.
						refused := opened + 1
						if _, pairs := c.aead.(*pairAEAD); pairs && opened%2 == 0 {
							refused = min(opened+2, count)
						}
						for i := opened; i < refused; i++ {
							clear(src[i*k.stride() : min((i+1)*k.stride(), len(src))-k.tag])
						}
					}
					if !bytes.Equal(inPlace[after:], src[after:]) {
						t.Fatalf("%d chunks, chunk %d changed: bytes after the rejected chunk were changed in place", count, bad)
					}
					if b.n != 0 || b.msgs[0].In != nil {
						t.Fatal("the batch still refers to its messages after the call")
					}
				}
				at := posMiddle
				if last {
					at = posEnd
				}
				for bad := range count {
					check(bad, at, bad, ErrAuth)
					check(bad, posUnknown, bad, ErrAuth)
				}
				check(count, at, count, nil)
				check(count, posUnknown, count, nil)
				if !last {
					check(count, posEnd, count, errUnexpectedEnd)
					check(0, posEnd, 0, ErrAuth)
					check(count-1, posEnd, count-1, ErrAuth)
				} else if run.missing == 0 && !k.shortEnd() {
					check(count, posMiddle, count-1, ErrAuth)
				}
			}
		}
	})
}

// TestForgedChunk checks which chunk an error names, and the plaintext before this
// chunk, in streams of several jobs.
func TestForgedChunk(t *testing.T) { eachKind(t, largeKinds, testForgedChunk) }

func testForgedChunk(t *testing.T, k *kind) {
	const count = 19
	plaintext := mactest.Random(count*k.size-77, 1)
	file := k.refSeal(t, plaintext)
	for bad := range count {
		if testing.Short() && bad%5 != 4 {
			continue
		}
		file[k.header+bad*k.stride()+5] ^= 1
		k.eachOpener(file, func(how string, got []byte, err error) {
			if !errors.Is(err, ErrAuth) || !strings.Contains(err.Error(), fmt.Sprintf("(chunk %d)", bad)) {
				t.Errorf("%s: chunk %d changed: got error %v, want %v for this chunk", how, bad, err, ErrAuth)
			}
			if strings.HasPrefix(how, "ReaderAt") && bad == count-1 {
				return // the stream does not even begin
			}
			if !bytes.Equal(got, plaintext[:bad*k.size]) {
				t.Errorf("%s: chunk %d changed: got %d bytes, want the %d bytes before the chunk", how, bad, len(got), bad*k.size)
			}
		})
		file[k.header+bad*k.stride()+5] ^= 1
	}
}

// TestLargeWrite mixes writes that are copied with writes that are sealed directly from
// the caller's slice. After Write, no job may still read the slice.
func TestLargeWrite(t *testing.T) { eachKind(t, largeKinds, testLargeWrite) }

func testLargeWrite(t *testing.T, k *kind) {
	_, c := k.newChunks(t)
	once := maxJobChunks(&c, 1) * k.size // number of bytes that one goroutine seals at a time
	firsts, last := []int{0, once, 1<<19 + 1}, 4<<20
	if mactest.Whole() {
		firsts, last = []int{0, 1, 100_000, once - 1, once, once + 1, 1<<19 - 1, 1 << 19, 1<<19 + 1}, 8<<20
	}
	plaintext := mactest.Random(last+1<<20+12345, 1)
	want := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for _, first := range firsts {
			var file bytes.Buffer
			file.Grow(len(want))
			w, err := k.newWriter(&file, g)
			if err != nil {
				t.Fatal(err)
			}
			var inPlace sync.Map // first chunks of the jobs that read the caller's slice
			run := w.queue.run
			w.queue.run = func(j *job) {
				if j.src != nil {
					inPlace.Store(j.index, true)
				}
				run(j)
			}
			var left []uint64 // first chunks of the jobs that may continue after Write
			scratch := bytes.Clone(plaintext)
			for _, p := range [][]byte{scratch[:first], scratch[first:last], scratch[last : last+10], scratch[last+10:]} {
				if n, err := w.Write(p); n != len(p) || err != nil {
					t.Fatalf("Write of %d bytes = %d, %v", len(p), n, err)
				}
				for _, j := range w.queue.jobs {
					if j.async {
						left = append(left, j.index)
					}
				}
				for i := range p {
					p[i] = 0xee
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(file.Bytes(), want) {
				t.Errorf("%d goroutines, first write of %d bytes: got wrong file", g, first)
			}
			for _, index := range left {
				if _, ok := inPlace.Load(index); ok {
					t.Errorf("%d goroutines, first write of %d bytes: the job for chunk %d may read the caller's slice after Write has returned", g, first, index)
				}
			}
			for i, b := range scratch {
				if b != 0xee {
					t.Fatalf("%d goroutines: byte %d of the caller's slice is %#x after Write, want 0xee", g, i, b)
				}
			}
		}
		// The same holds if the underlying writer fails in the middle.
		w, err := k.newWriter(&failingWriter{n: 1 << 20, err: errBroken}, g)
		if err != nil {
			t.Fatal(err)
		}
		p := bytes.Clone(plaintext)
		if _, err := w.Write(p); err != errBroken {
			t.Errorf("%d goroutines: Write to a failing writer: got error %v, want %v", g, err, errBroken)
		}
		clear(p)
		if err := w.Close(); err != errBroken {
			t.Errorf("%d goroutines: Close after a failed Write: got error %v, want %v", g, err, errBroken)
		}
	}
}

// TestReadAllocations checks that reading with a Reader does not allocate, and that a
// ReaderAt allocates no buffers.
func TestReadAllocations(t *testing.T) { eachKind(t, largeKinds, testReadAllocations) }

func testReadAllocations(t *testing.T, k *kind) {
	if mactest.RaceDetector {
		t.Skip("the race detector allocates")
	}
	file := k.refSeal(t, make([]byte, 15<<20))
	for _, g := range []int{1, 2} {
		r, err := k.newReader(bytes.NewReader(file), g)
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
		want := k.chunkAllocations(t, len(p))
		if n := testing.AllocsPerRun(50, read); n > want {
			t.Errorf("%d goroutines: %v allocations per Read, want at most %v", g, n, want)
		}
		at, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), g)
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
		// A goroutine that starts late may need a buffer only then.
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%d goroutines: %d calls of ReadAt allocated %d bytes, want at most 1 MiB", g, runs, n)
		}
	}
}
