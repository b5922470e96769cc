// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/mactest"
)

// An ending says how a call ended.
type ending int

const (
	returned ending = iota
	panicked        // with errBroken or impossibleCount
	exited          // by runtime.Goexit
)

func (e ending) String() string { return [...]string{"returned", "panicked", "exited"}[e] }

const impossibleCount = "stream: the underlying reader returned an impossible count"

// endOf runs f in a new goroutine and returns how it ended. It fails the test if f does
// not end, or panics with any other value.
func endOf(t *testing.T, f func()) ending {
	t.Helper()
	var value any
	end := exited
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if value = recover(); value != nil {
				end = panicked
			}
		}()
		f()
		end = returned
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Minute): // an emulator on a loaded machine may need one of these minutes
		stacks := make([]byte, 1<<16)
		t.Fatalf("the call did not end within 5 minutes\n%s", stacks[:runtime.Stack(stacks, true)])
	}
	if value != nil && value != any(errBroken) && value != any(impossibleCount) {
		t.Fatalf("got panic %v, want %v or %q", value, errBroken, impossibleCount)
	}
	return end
}

// faultGoroutines returns the numbers of goroutines for the slower tests.
func faultGoroutines() []int {
	if testing.Short() {
		return goroutines[:2]
	}
	return goroutines
}

// A writeFault describes the behavior of one call of an underlying writer, how the call
// that caused it ends, and with which error.
type writeFault struct {
	name string
	do   func(p []byte, dst *bytes.Buffer) (int, error)
	end  ending
	err  error
}

var writeFaults = []writeFault{
	{"no bytes and error", func(p []byte, _ *bytes.Buffer) (int, error) { return 0, errBroken }, returned, errBroken},
	{"partial write and error", func(p []byte, dst *bytes.Buffer) (int, error) {
		n, _ := dst.Write(p[:len(p)/2])
		return n, errBroken
	}, returned, errBroken},
	{"full write and error", func(p []byte, dst *bytes.Buffer) (int, error) {
		n, _ := dst.Write(p)
		return n, errBroken
	}, returned, errBroken},
	{"no bytes", func(p []byte, _ *bytes.Buffer) (int, error) { return 0, nil }, returned, io.ErrShortWrite},
	{"one byte", func(p []byte, dst *bytes.Buffer) (int, error) { return dst.Write(p[:1]) }, returned, io.ErrShortWrite},
	{"all but one byte", func(p []byte, dst *bytes.Buffer) (int, error) { return dst.Write(p[:len(p)-1]) }, returned, io.ErrShortWrite},
	{"count too large", func(p []byte, _ *bytes.Buffer) (int, error) { return len(p) + 1, nil }, returned, io.ErrShortWrite},
	{"negative count", func(p []byte, _ *bytes.Buffer) (int, error) { return -1, nil }, returned, io.ErrShortWrite},
	{"negative count and error", func(p []byte, _ *bytes.Buffer) (int, error) { return -1, errBroken }, returned, errBroken},
	{"io.EOF", func(p []byte, _ *bytes.Buffer) (int, error) { return 0, io.EOF }, returned, io.EOF},
	{"full write and io.EOF", func(p []byte, dst *bytes.Buffer) (int, error) {
		n, _ := dst.Write(p)
		return n, io.EOF
	}, returned, io.EOF},
	{"panic", func(p []byte, _ *bytes.Buffer) (int, error) { panic(errBroken) }, panicked, errPanicked},
	{"panic after a full write", func(p []byte, dst *bytes.Buffer) (int, error) {
		dst.Write(p)
		panic(errBroken)
	}, panicked, errPanicked},
	{"runtime.Goexit", func(p []byte, _ *bytes.Buffer) (int, error) { runtime.Goexit(); return 0, nil }, exited, errPanicked},
}

// A faultyWriter has a fault in one of its calls. Later calls work again.
type faultyWriter struct {
	fault *writeFault
	at    int // number of the call with the fault, from 0
	calls int
	buf   bytes.Buffer
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	w.calls++
	if w.calls == w.at+1 {
		return w.fault.do(p, &w.buf)
	}
	return w.buf.Write(p)
}

// TestWriterFaults injects faults into each call of the underlying writer. The call that
// caused it must report the fault, Close and all later calls must report it again, and
// nothing more may be written, so that no stream has a gap.
func TestWriterFaults(t *testing.T) { eachKind(t, largeKinds, testWriterFaults) }

func testWriterFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(3<<19+100, 1)
	want := k.refSeal(t, plaintext)
	methods := map[string]func(w *Writer, p []byte) error{
		"Write": func(w *Writer, p []byte) error {
			n, err := w.Write(p)
			if n < 0 || n > len(p) || err == nil && n != len(p) {
				return fmt.Errorf("Write of %d bytes = %d, %w", len(p), n, err)
			}
			return err
		},
		"ReadFrom": func(w *Writer, p []byte) error {
			n, err := w.ReadFrom(bytes.NewReader(p))
			if n < 0 || n > int64(len(p)) || err == nil && n != int64(len(p)) {
				return fmt.Errorf("ReadFrom of %d bytes = %d, %w", len(p), n, err)
			}
			return err
		},
	}
	output := make([]byte, 0, len(want))
	for round, g := range faultGoroutines() {
		for method, write := range methods {
			for i := range writeFaults {
				if !mactest.Whole() && (i+round)%2 == len(method)%2 {
					continue // try each fault with each method, and with each number of goroutines
				}
				fault := &writeFaults[i]
				for at := 0; ; at++ {
					what := fmt.Sprintf("%s, %d goroutines, call %d: %s", method, g, at, fault.name)
					dst := &faultyWriter{fault: fault, at: at, buf: *bytes.NewBuffer(output)}
					w, err := k.newWriter(dst, g)
					if err != nil {
						t.Fatal(err)
					}
					end := returned
					for rest := plaintext; len(rest) > 0 && err == nil && end == returned; {
						p := rest[:min(300_000, len(rest))]
						end = endOf(t, func() { err = write(w, p) })
						rest = rest[len(p):]
					}
					if err == nil && end == returned {
						end = endOf(t, func() { err = w.Close() })
					}
					if dst.calls <= at {
						// The fault is after the end.
						if at < 4 || end != returned || err != nil || !bytes.Equal(dst.buf.Bytes(), want) {
							t.Errorf("%s: without the fault, %d calls of the writer: got %v, error %v, want at least 4 calls and a complete file", what, dst.calls, end, err)
						}
						break
					}
					if end != fault.end || end == returned && err != fault.err {
						t.Fatalf("%s: call %v with error %v, want it %v with %v", what, end, err, fault.end, fault.err)
					}
					written := dst.buf.Len()
					for range 2 {
						end = endOf(t, func() {
							if err := write(w, plaintext); err != fault.err && err != errClosed {
								t.Errorf("%s: next call: got error %v, want %v or %v", what, err, fault.err, errClosed)
							}
							if err := w.Close(); err != fault.err {
								t.Errorf("%s: Close: got error %v, want %v", what, err, fault.err)
							}
						})
						if end != returned {
							t.Fatalf("%s: later calls %v, want them %v", what, end, returned)
						}
					}
					if dst.calls != at+1 || dst.buf.Len() != written || !bytes.HasPrefix(want, dst.buf.Bytes()) {
						t.Fatalf("%s: the destination received %d calls and %d bytes, want %d calls and the first %d bytes of the stream", what, dst.calls, dst.buf.Len(), at+1, written)
					}
				}
			}
		}
	}
	checkGoroutines(t, before)
}

// TestReadFromFaults injects faults into each call of the reader passed to ReadFrom. After
// an error or a panic, the stream must not be completed, even if Close is called.
func TestReadFromFaults(t *testing.T) { eachKind(t, largeKinds, testReadFromFaults) }

func testReadFromFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(1<<20+100, 2)
	for _, g := range faultGoroutines() {
		for i := range readFaults {
			fault := &readFaults[i]
			for at := range 6 {
				what := fmt.Sprintf("%d goroutines, call %d: %s", g, at, fault.name)
				var file bytes.Buffer
				w, err := k.newWriter(&file, g)
				if err != nil {
					t.Fatal(err)
				}
				src := &faultyReader{data: plaintext, piece: 300_000, fault: fault, at: at}
				var n int64
				end := endOf(t, func() { n, err = w.ReadFrom(src) })
				if src.calls <= at {
					t.Fatalf("%s: ReadFrom read %d times, want at least %d", what, src.calls, at+1)
				}
				if end != fault.end || end == returned && err != fault.err && !(err == nil && fault.err == io.EOF) {
					t.Fatalf("%s: ReadFrom %v with error %v, want it %v with %v", what, end, err, fault.end, fault.err)
				}
				read := plaintext[:len(plaintext)-len(src.data)]
				var closeErr error
				if end := endOf(t, func() { closeErr = w.Close() }); end != returned {
					t.Fatalf("%s: Close %v, want it %v", what, end, returned)
				}
				got, err := k.open(file.Bytes(), g)
				wantErr := fault.err
				switch {
				case fault.end != returned:
					wantErr = errPanicked
				case wantErr == io.EOF:
					wantErr = nil
				}
				if fault.end == returned && n != int64(len(read)) {
					t.Fatalf("%s: ReadFrom = %d, want the %d bytes read", what, n, len(read))
				}
				switch {
				case closeErr != wantErr:
					t.Fatalf("%s: Close: got error %v, want %v", what, closeErr, wantErr)
				case wantErr == nil && (err != nil || !bytes.Equal(got, read)):
					t.Fatalf("%s: the stream opens to %d bytes, error %v, want the %d bytes read", what, len(got), err, len(read))
				case wantErr != nil && (errorKind(err) != ErrTruncated || !bytes.HasPrefix(plaintext, got)):
					t.Fatalf("%s: after a failure, the stream opens to %d bytes, error %v, want a prefix and %v", what, len(got), err, ErrTruncated)
				}
			}
		}
	}
	checkGoroutines(t, before)
}

// TestWriterUnwinding closes a Writer while a panic unwinds the stack, as deferred
// calls do.
func TestWriterUnwinding(t *testing.T) { eachKind(t, largeKinds, testWriterUnwinding) }

func testWriterUnwinding(t *testing.T, k *kind) {
	for _, g := range goroutines {
		dst := &faultyWriter{fault: &writeFault{do: func([]byte, *bytes.Buffer) (int, error) { panic(errBroken) }}, at: 1}
		var closeErr error
		end := endOf(t, func() {
			w, err := k.newWriter(dst, g)
			if err != nil {
				panic(err)
			}
			defer func() { closeErr = w.Close() }()
			for range 10 {
				w.Write(make([]byte, 1<<20))
			}
		})
		if end != panicked || !errors.Is(closeErr, errPanicked) {
			t.Errorf("%d goroutines: call %v and Close error %v, want it %v and %v", g, end, closeErr, panicked, errPanicked)
		}
	}
}
