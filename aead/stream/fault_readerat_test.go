// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// A readAtFault describes the behavior of an underlying io.ReaderAt at one position.
// good fills the buffer correctly. The call that caused it ends as end says, with an
// error err for the first bad chunk, or without an error if err is nil.
type readAtFault struct {
	name string
	do   func(p []byte, good func(p []byte)) (int, error)
	end  ending
	err  error
}

var readAtFaults = []readAtFault{
	{"error", func(p []byte, _ func([]byte)) (int, error) { return 0, errBroken }, returned, errBroken},
	{"partial read and error", func(p []byte, good func([]byte)) (int, error) { good(p[:len(p)-1]); return len(p) - 1, errBroken }, returned, errBroken},
	// io.ReaderAt may return an error together with all the data. The data is
	// authentic.
	{"full read and error", func(p []byte, good func([]byte)) (int, error) { good(p); return len(p), errBroken }, returned, nil},
	{"full read and io.EOF", func(p []byte, good func([]byte)) (int, error) { good(p); return len(p), io.EOF }, returned, nil},
	{"empty read", func(p []byte, _ func([]byte)) (int, error) { return 0, nil }, returned, io.ErrUnexpectedEOF},
	{"partial read", func(p []byte, good func([]byte)) (int, error) { good(p[:len(p)/2]); return len(p) / 2, nil }, returned, io.ErrUnexpectedEOF},
	{"io.EOF", func(p []byte, _ func([]byte)) (int, error) { return 0, io.EOF }, returned, ErrTruncated},
	{"partial read and io.EOF", func(p []byte, good func([]byte)) (int, error) { good(p[:1]); return 1, io.EOF }, returned, ErrTruncated},
	{"error that wraps io.EOF", func(p []byte, _ func([]byte)) (int, error) { return 0, errWrapsEOF }, returned, errWrapsEOF},
	{"negative count", func(p []byte, good func([]byte)) (int, error) { good(p); return -1, nil }, returned, io.ErrUnexpectedEOF},
	{"negative count and error", func(p []byte, good func([]byte)) (int, error) { good(p); return -1, errBroken }, returned, errBroken},
	{"count too large", func(p []byte, good func([]byte)) (int, error) { good(p); return len(p) + 1, nil }, returned, nil},
	{"garbage", func(p []byte, _ func([]byte)) (int, error) { copy(p, mactest.Random(len(p), 9)); return len(p), nil }, returned, ErrAuth},
	{"garbage and count too large", func(p []byte, _ func([]byte)) (int, error) { clear(p); return 2 * len(p), nil }, returned, ErrAuth},
	{"panic", func(p []byte, _ func([]byte)) (int, error) { panic(errBroken) }, panicked, nil},
	{"panic after a full read", func(p []byte, good func([]byte)) (int, error) { good(p); panic(errBroken) }, panicked, nil},
	{"runtime.Goexit", func(p []byte, _ func([]byte)) (int, error) { runtime.Goexit(); return 0, nil }, exited, nil},
}

// A faultyReaderAt has a fault at one position, a limited number of times.
type faultyReaderAt struct {
	file  []byte
	fault *readAtFault
	off   int64 // position of the fault
	times atomic.Int64
}

func (r *faultyReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if before := r.off - off; 0 <= before && before < int64(len(p)) && r.times.Add(-1) >= 0 {
		copy(p[:before], r.file[off:])
		n, err := r.fault.do(p[before:], func(p []byte) { copy(p, r.file[r.off:]) })
		if n >= 0 {
			n += int(before)
		}
		return n, err
	}
	copy(p, r.file[off:])
	return len(p), nil
}

// TestReaderAtFaults injects a fault at each chunk, in turn for each goroutine that may
// encounter it. Everything before the chunk must be returned, and the ReaderAt must
// remain usable: if slots were lost, it would block after some rounds.
func TestReaderAtFaults(t *testing.T) { eachKind(t, smallKinds, testReaderAtFaults) }

func testReaderAtFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	const chunks, rounds = 6, 6
	plaintext := mactest.Random(chunks<<10-100, 5)
	file := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for i := range readAtFaults {
			fault := &readAtFaults[i]
			for chunk := range chunks {
				what := fmt.Sprintf("%d goroutines, chunk %d: %s", g, chunk, fault.name)
				src := &faultyReaderAt{file: file, fault: fault, off: int64(k.header + chunk*k.stride())}
				r, err := k.newReaderAt(src, int64(len(file)), g)
				if err != nil {
					t.Fatal(err)
				}
				for round := range rounds {
					off := []int{0, 500}[round%2]
					from := min(off, chunk<<10)
					p := make([]byte, len(plaintext)-from)
					// This test does not concern the last chunk, which stays in a slot.
					endOf(t, func() {
						for c := range chunks - 1 {
							r.ReadAt(p[:1], int64(c<<10))
						}
					})
					src.times.Store(1)
					var n int
					end := endOf(t, func() { n, err = r.ReadAt(p, int64(from)) })
					if src.times.Swap(0) > 0 {
						if r.goroutines > 1 || chunk == chunks-1 || fault.end != returned {
							continue // the chunk was still in a slot
						}
						t.Fatalf("%s: the source was not read", what)
					}
					// The plaintext before the fault must be returned, and more if the
					// fault left further chunks intact.
					least := len(p)
					if fault.err != nil {
						least = chunk<<10 - from
					}
					if strings.HasPrefix(fault.name, "negative count") {
						least = 0 // a negative count does not say how much was read
					}
					switch {
					case end != fault.end:
						t.Fatalf("%s: ReadAt %v, want it %v", what, end, fault.end)
					case end == returned && (n < least || !bytes.HasPrefix(plaintext[from:], p[:n]) || !sameFault(err, fault.err)):
						t.Fatalf("%s: ReadAt = %d, %v, want at least %d, %v", what, n, err, least, fault.err)
					}
					clear(p)
					if end := endOf(t, func() { n, err = r.ReadAt(p, int64(from)) }); end != returned || err != nil || !bytes.Equal(p[:n], plaintext[from:]) {
						t.Fatalf("%s: next ReadAt %v with %d bytes, error %v, want the plaintext", what, end, n, err)
					}
				}
			}
		}
	}
	checkGoroutines(t, before)
}

// sameFault reports whether err is the expected error or, for errors of this package,
// wraps it.
func sameFault(err, want error) bool {
	if want == ErrTruncated || want == ErrAuth {
		return err != nil && errorKind(err) == want
	}
	return err == want
}

// TestNewReaderAtFaults injects faults at the header, at the last chunk, and at the
// preceding chunk, which is read if the stream is truncated within the last tag.
func TestNewReaderAtFaults(t *testing.T) { eachKind(t, smallKinds, testNewReaderAtFaults) }

func testNewReaderAtFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	whole := k.refSeal(t, mactest.Random(2<<10-100, 6))
	for i := range readAtFaults {
		fault := &readAtFaults[i]
		for _, tt := range []struct {
			off, size int
			good      error
		}{{0, len(whole), nil}, {k.header + k.stride(), len(whole), nil}, {k.header, k.header + k.stride() + 5, ErrTruncated}} {
			what := fmt.Sprintf("at %d: %s", tt.off, fault.name)
			src := &faultyReaderAt{file: whole[:tt.size], fault: fault, off: int64(tt.off)}
			src.times.Store(1)
			want := fault.err
			switch {
			case want == nil:
				want = tt.good
			case want == ErrAuth && tt.off == 0:
				want = k.foreign()
			}
			var r *ReaderAt
			var err error
			end := endOf(t, func() { r, err = k.newReaderAt(src, int64(tt.size), 3) })
			if end != fault.end || end == returned && !sameFault(err, want) && (err == nil || want == nil || errorKind(err) != want) || (r == nil) != (err != nil || end != returned) {
				t.Errorf("%s: NewReaderAt %v with error %v, want it %v with %v", what, end, err, fault.end, want)
			}
		}
	}
	checkGoroutines(t, before)
}

// TestReaderAtPanicsApart lets the underlying reader panic, or end the goroutine, in
// one goroutine of ReadAt, which may be the caller's, or in all of them.
func TestReaderAtPanicsApart(t *testing.T) { eachKind(t, smallKinds, testReaderAtPanicsApart) }

func testReaderAtPanicsApart(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(8<<10, 7)
	file := k.refSeal(t, plaintext)
	for _, tt := range []struct {
		name string
		do   func()
		end  ending
	}{{"panic", func() { panic(errBroken) }, panicked}, {"Goexit", runtime.Goexit, exited}} {
		for round := range 20 {
			all := round%2 == 0
			var armed atomic.Bool
			var asked atomic.Int64
			held := make(chan struct{})
			src := readerAtFunc(func(p []byte, off int64) (int, error) {
				if armed.Load() {
					// Unless all calls have the fault, it occurs in the second call
					// while the first one waits, and therefore in another goroutine.
					switch i := asked.Add(1); {
					case all:
						tt.do()
					case i == 1:
						<-held
					case i == 2:
						defer close(held)
						tt.do()
					}
				}
				return copy(p, file[off:]), nil
			})
			r, err := k.newReaderAt(src, int64(len(file)), 4)
			if err != nil {
				t.Fatal(err)
			}
			armed.Store(true)
			var n int
			if end := endOf(t, func() { n, err = r.ReadAt(make([]byte, 7<<10), 0) }); end != tt.end {
				t.Errorf("%s, in all calls %t: ReadAt %v with %d bytes, error %v, want it %v", tt.name, all, end, n, err, tt.end)
			}
			armed.Store(false)
			p := make([]byte, len(plaintext))
			if end := endOf(t, func() { n, err = r.ReadAt(p, 0) }); end != returned || err != nil || !bytes.Equal(p, plaintext) {
				t.Errorf("%s, in all calls %t: next ReadAt %v with %d bytes, error %v, want the plaintext", tt.name, all, end, n, err)
			}
		}
	}
	checkGoroutines(t, before)
}

type readerAtFunc func(p []byte, off int64) (int, error)

func (f readerAtFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }
