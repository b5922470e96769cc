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

// A readFault describes the behavior of one call of an underlying reader, which may
// read from data. The call that caused it ends as end says, with err; if err is nil, it
// continues as if there were no fault.
type readFault struct {
	name string
	do   func(p []byte, data *[]byte) (int, error)
	end  ending
	err  error
}

// takeSome behaves like a correct reader with a small buffer.
func takeSome(p []byte, data *[]byte) int {
	n := copy(p[:min(len(p), 7)], *data)
	*data = (*data)[n:]
	return n
}

var readFaults = []readFault{
	{"error", func(p []byte, _ *[]byte) (int, error) { return 0, errBroken }, returned, errBroken},
	{"partial read and error", func(p []byte, data *[]byte) (int, error) { return takeSome(p, data), errBroken }, returned, errBroken},
	{"io.ErrUnexpectedEOF", func(p []byte, _ *[]byte) (int, error) { return 0, io.ErrUnexpectedEOF }, returned, io.ErrUnexpectedEOF},
	{"error that wraps io.EOF", func(p []byte, _ *[]byte) (int, error) { return 0, errWrapsEOF }, returned, errWrapsEOF},
	{"partial read and ErrTruncated", func(p []byte, data *[]byte) (int, error) { return takeSome(p, data), ErrTruncated }, returned, ErrTruncated},
	{"io.EOF", func(p []byte, _ *[]byte) (int, error) { return 0, io.EOF }, returned, io.EOF},
	{"partial read and io.EOF", func(p []byte, data *[]byte) (int, error) { return takeSome(p, data), io.EOF }, returned, io.EOF},
	{"empty read", func(p []byte, _ *[]byte) (int, error) { return 0, nil }, returned, nil},
	{"partial read and garbage in the rest of the buffer", func(p []byte, data *[]byte) (int, error) {
		n := takeSome(p, data)
		copy(p[n:], bytes.Repeat([]byte{0xa5}, len(p)))
		return n, nil
	}, returned, nil},
	{"negative count", func(p []byte, _ *[]byte) (int, error) { return -1, nil }, panicked, nil},
	{"count too large", func(p []byte, _ *[]byte) (int, error) { return len(p) + 1, nil }, panicked, nil},
	{"count too large and error", func(p []byte, _ *[]byte) (int, error) { return len(p) + 1, errBroken }, panicked, nil},
	{"panic", func(p []byte, _ *[]byte) (int, error) { panic(errBroken) }, panicked, nil},
	{"panic after a partial read", func(p []byte, data *[]byte) (int, error) { takeSome(p, data); panic(errBroken) }, panicked, nil},
	{"runtime.Goexit", func(p []byte, _ *[]byte) (int, error) { runtime.Goexit(); return 0, nil }, exited, nil},
}

var errWrapsEOF = fmt.Errorf("wrapped: %w", io.EOF)

// A faultyReader returns data in pieces. One of its calls has a fault, and later calls
// work again.
type faultyReader struct {
	data  []byte
	piece int
	fault *readFault
	at    int // number of the call with the fault, from 0
	calls int
}

func (r *faultyReader) Read(p []byte) (int, error) {
	r.calls++
	if r.calls == r.at+1 {
		return r.fault.do(p, &r.data)
	}
	n := copy(p[:min(len(p), r.piece)], r.data)
	r.data = r.data[n:]
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A collector is a writer without faults.
type collector struct{ got []byte }

func (c *collector) Write(p []byte) (int, error) {
	c.got = append(c.got, p...)
	return len(p), nil
}

// TestReaderFaults injects faults into each call of the underlying reader. The output must
// always be a prefix of the plaintext, and must be complete only if the fault has no
// effect. An error must be returned unchanged, also by the next call, which must not
// call the underlying reader again.
func TestReaderFaults(t *testing.T) { eachKind(t, smallKinds, testReaderFaults) }

func testReaderFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(5000, 3)
	file := k.refSeal(t, plaintext)
	methods := map[string]func(r *Reader, c *collector) error{
		"Read":    func(r *Reader, c *collector) error { _, err := io.Copy(c, struct{ io.Reader }{r}); return err },
		"OneByte": func(r *Reader, c *collector) error { _, err := io.Copy(c, iotest.OneByteReader(r)); return err },
		"WriteTo": func(r *Reader, c *collector) error { _, err := r.WriteTo(c); return err },
	}
	pieces := []int{400, k.stride(), 1 << 20}
	if testing.Short() {
		pieces = pieces[1:2]
	}
	for method, read := range methods {
		for _, g := range goroutines {
			for _, piece := range pieces {
				for i := range readFaults {
					fault := &readFaults[i]
					for at := 0; ; at++ {
						what := fmt.Sprintf("%s, %d goroutines, pieces of %d, call %d: %s", method, g, piece, at, fault.name)
						src := &faultyReader{data: file, piece: piece, fault: fault, at: at}
						c := new(collector)
						k.checkReaderFault(t, what, src, c, g, plaintext, read)
						if src.calls <= at {
							break // the fault comes after the end
						}
					}
				}
			}
		}
	}
	checkGoroutines(t, before)
}

func (k *kind) checkReaderFault(t *testing.T, what string, src *faultyReader, c *collector, g int, plaintext []byte, read func(*Reader, *collector) error) {
	t.Helper()
	var r *Reader
	var err error
	end := endOf(t, func() {
		if r, err = k.newReader(src, g); err == nil {
			err = read(r, c)
		}
	})
	fault, calls := src.fault, src.calls
	happened := calls > src.at
	wantEnd := returned
	if happened {
		wantEnd = fault.end
	}
	whole := bytes.Equal(c.got, plaintext)
	switch {
	case end != wantEnd || !bytes.HasPrefix(plaintext, c.got):
		t.Fatalf("%s: call %v with error %v, want it %v; it returned %d bytes, which must be a prefix of the plaintext", what, end, err, wantEnd, len(c.got))
	case end != returned:
	case !happened || fault.err == nil:
		if err != nil || !whole {
			t.Fatalf("%s: got %d bytes, error %v, want the complete plaintext", what, len(c.got), err)
		}
	case fault.err == io.EOF:
		// If the source ends too early, this is an error. If it ends after the stream,
		// it is not.
		if (err == nil) != whole || err != nil && errorKind(err) != ErrTruncated && errorKind(err) != ErrAuth {
			t.Fatalf("%s: got %d bytes, error %v, want all and nil, or less and %v or %v", what, len(c.got), err, ErrTruncated, ErrAuth)
		}
	case err != fault.err:
		t.Fatalf("%s: got error %v, want %v", what, err, fault.err)
	}
	if r == nil {
		return
	}
	// Later calls return the same error. After a panic, they return the plaintext read
	// before, and an error.
	for range 2 {
		var again error
		if end := endOf(t, func() { again = read(r, c) }); end != returned {
			t.Fatalf("%s: later call %v, want it %v", what, end, returned)
		}
		if wantEnd != returned {
			err = errPanicked
		}
		if again != err || !bytes.HasPrefix(plaintext, c.got) {
			t.Fatalf("%s: later call: got error %v, want %v and a prefix of the plaintext; got %d bytes", what, again, err, len(c.got))
		}
	}
	if src.calls != calls {
		t.Fatalf("%s: later calls read from the source %d times, want 0", what, src.calls-calls)
	}
}

// TestWriteToFaults injects faults into each call of the writer passed to WriteTo.
// Afterwards, the Reader must return the plaintext that the writer did not accept.
func TestWriteToFaults(t *testing.T) { eachKind(t, smallKinds, testWriteToFaults) }

func testWriteToFaults(t *testing.T, k *kind) {
	before := runtime.NumGoroutine()
	plaintext := mactest.Random(5000, 4)
	file := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for i := range writeFaults {
			fault := &writeFaults[i]
			for at := range 5 { // the number of chunks
				what := fmt.Sprintf("%d goroutines, call %d: %s", g, at, fault.name)
				r, err := k.newReader(bytes.NewReader(file), g)
				if err != nil {
					t.Fatal(err)
				}
				dst := &faultyWriter{fault: fault, at: at}
				var n int64
				end := endOf(t, func() { n, err = r.WriteTo(dst) })
				wantErr := fault.err
				if end != fault.end || end == returned && err != wantErr {
					t.Fatalf("%s: WriteTo %v with error %v, want it %v with %v", what, end, err, fault.end, wantErr)
				}
				var rest []byte
				endOf(t, func() { rest, err = io.ReadAll(r) })
				if err != nil || !bytes.HasSuffix(plaintext, rest) || !bytes.HasPrefix(plaintext, dst.buf.Bytes()) {
					t.Fatalf("%s: reading the rest: got %d bytes, error %v, want the end of the plaintext", what, len(rest), err)
				}
				// A call that panics counts as accepting nothing, and one that returns
				// too large a count as accepting everything.
				if end == returned && n+int64(len(rest)) != int64(len(plaintext)) || end != returned && len(rest) != len(plaintext)-at<<10 {
					t.Fatalf("%s: WriteTo = %d and %d bytes left, want them to add up to the plaintext", what, n, len(rest))
				}
			}
		}
	}
	checkGoroutines(t, before)
}
