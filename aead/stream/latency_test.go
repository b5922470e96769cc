// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/mactest"
)

// A slowSource returns data in pieces and then blocks until it is released.
type slowSource struct {
	data  []byte
	piece int
	goOn  chan struct{}
	asked atomic.Int64 // number of bytes requested so far, and returned
	after []byte       // returned after goOn is closed
}

func (s *slowSource) Read(p []byte) (int, error) {
	if len(s.data) == 0 {
		<-s.goOn
		s.data, s.after = s.after, nil
		if len(s.data) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p[:min(len(p), s.piece)], s.data)
	s.data = s.data[n:]
	s.asked.Add(int64(n))
	return n, nil
}

// TestReaderLatency stops the source after any number of chunks, and within chunks. The
// plaintext that is authentic by then must be returned before the source continues.
func TestReaderLatency(t *testing.T) { eachKind(t, smallKinds, testReaderLatency) }

func testReaderLatency(t *testing.T, k *kind) {
	const chunks = 30
	plaintext := mactest.Random(chunks<<10-100, 1)
	file := k.refSeal(t, plaintext)
	counts := []int{0, 1, 2, 5, 9, 17, 29}
	if testing.Short() {
		counts = []int{0, 2, 9}
	}
	for _, g := range []int{1, 2, 5} {
		for _, run := range []int{1, 7, 100} {
			for _, count := range counts {
				for _, more := range []int{0, 1, k.tag/2 - 1, k.tag/2 + 1, k.tag, 500} {
					for _, piece := range []int{1 << 20, k.stride(), 700} {
						what := fmt.Sprintf("%d goroutines, %d chunks and %d bytes in pieces of %d", g, count, more, piece)
						at := k.header + count*k.stride() + more
						src := &slowSource{data: file[:at], piece: piece, goOn: make(chan struct{}), after: file[at:]}
						r, err := k.newReader(src, g)
						if err != nil {
							t.Fatal(err)
						}
						r.maxJobChunks = run
						checkLatency(t, what, r, src, plaintext, count<<10)
					}
				}
			}
		}
	}
}

// checkLatency reads until early bytes have been returned, and only then lets the
// source continue.
func checkLatency(t *testing.T, what string, r io.Reader, src *slowSource, plaintext []byte, early int) {
	t.Helper()
	var got atomic.Int64
	came, ended := make(chan struct{}), make(chan error, 1)
	var out bytes.Buffer
	if early == 0 {
		close(came)
	}
	go func() {
		p := make([]byte, 3000)
		for {
			n, err := r.Read(p)
			out.Write(p[:n])
			if before := got.Add(int64(n)) - int64(n); before < int64(early) && before+int64(n) >= int64(early) {
				close(came)
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	select {
	case <-came:
	case err := <-ended:
		t.Fatalf("%s: the reader ended before the source continued: %v", what, err)
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: got %d bytes before the source continued, want %d", what, got.Load(), early)
	}
	close(src.goOn)
	if err := <-ended; err != io.EOF || !bytes.Equal(out.Bytes(), plaintext) {
		t.Fatalf("%s: got %d bytes, error %v, want the plaintext and io.EOF", what, out.Len(), err)
	}
}

// TestReaderAsksLittle limits the number of bytes that a Reader reads before it returns
// the first chunk, and checks that a short stream ends without another read.
func TestReaderAsksLittle(t *testing.T) { eachKind(t, largeKinds, testReaderAsksLittle) }

func testReaderAsksLittle(t *testing.T, k *kind) {
	file := k.refSeal(t, make([]byte, 1<<20))
	for _, g := range goroutines {
		src := &slowSource{data: file, piece: 1 << 30}
		r, err := k.newReader(src, g)
		if err != nil {
			t.Fatal(err)
		}
		if n := src.asked.Load(); n != int64(k.header) {
			t.Errorf("%d goroutines: NewReader read %d bytes, want the %d bytes of the header", g, n, k.header)
		}
		if _, err := r.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if n := src.asked.Load(); n != int64(k.header+k.stride()) {
			t.Errorf("%d goroutines: reading the first byte read %d bytes, want %d", g, n, k.header+k.stride())
		}
	}
}
