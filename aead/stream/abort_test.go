// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/mactest"
)

// TestAbort calls Abort at every point. What has been written must not open as a
// complete stream, nothing more may be written, and Close must return an error.
func TestAbort(t *testing.T) { eachKind(t, largeKinds, testAbort) }

func testAbort(t *testing.T, k *kind) {
	plaintext := mactest.Random(3<<20, 1)
	want := k.refSeal(t, plaintext)
	for _, g := range goroutines {
		for _, n := range []int{0, 1, 65536, 1 << 20, 3 << 20} {
			var file bytes.Buffer
			w, err := k.newWriter(&file, g)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(plaintext[:n])
			written := file.Len()
			for range 2 {
				w.Abort()
				if m, err := w.Write([]byte("more")); m != 0 || err != errAborted {
					t.Errorf("Write after Abort = %d, %v, want 0, %v", m, err, errAborted)
				}
				if m, err := w.ReadFrom(bytes.NewReader(plaintext)); m != 0 || err != errAborted {
					t.Errorf("ReadFrom after Abort = %d, %v, want 0, %v", m, err, errAborted)
				}
				if err := w.Close(); err != errAborted {
					t.Errorf("Close after Abort: got error %v, want %v", err, errAborted)
				}
			}
			if file.Len() != written || !bytes.HasPrefix(want, file.Bytes()) {
				t.Errorf("%d bytes: the file has %d bytes after Abort, want the %d bytes written before", n, file.Len(), written)
			}
			if got, err := k.open(file.Bytes(), g); errorKind(err) != ErrTruncated || !bytes.HasPrefix(plaintext, got) {
				t.Errorf("%d bytes: opening an aborted stream: got %d bytes, error %v, want a prefix of the plaintext and %v", n, len(got), err, ErrTruncated)
			}
		}
	}
	// After Close, Abort does nothing.
	var file bytes.Buffer
	w, err := k.newWriter(&file, 2)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(plaintext)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if err := w.Close(); err != nil || !bytes.Equal(file.Bytes(), want) {
		t.Errorf("Close after Close and Abort: got error %v and a file of %d bytes, want nil and %d bytes", err, file.Len(), len(want))
	}
	// After an error, Abort keeps the error.
	w, err = k.newWriter(&failingWriter{err: errBroken}, 2)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(plaintext)
	w.Abort()
	if err := w.Close(); err != errBroken {
		t.Errorf("Close after an error and Abort: got error %v, want %v", err, errBroken)
	}
}

// A lazyAEAD sleeps after each call, longer each time, so that the tests notice a call
// that nobody waits for. Opening the same chunk again takes no time.
type lazyAEAD struct {
	batch.AEAD
	running, calls atomic.Int64
}

func (a *lazyAEAD) call(msgs []batch.Message) (done func()) {
	a.running.Add(1)
	calls := a.calls.Add(1)
	if len(msgs) == 1 {
		calls = 0
	}
	unit := 2 * time.Millisecond
	if mactest.Whole() {
		unit = 5 * time.Millisecond
	}
	return func() {
		time.Sleep(time.Duration(min(calls, 8)) * unit)
		a.running.Add(-1)
	}
}

func (a *lazyAEAD) SealAll(msgs []batch.Message) {
	defer a.call(msgs)()
	a.AEAD.SealAll(msgs)
}

func (a *lazyAEAD) OpenAll(msgs []batch.Message) int {
	defer a.call(msgs)()
	return a.AEAD.OpenAll(msgs)
}

// TestNothingRuns checks that no chunk is being processed after a Writer or a Reader
// has ended: because of the end of the data, an error, a panic, or Abort.
func TestNothingRuns(t *testing.T) { eachKind(t, largeKinds, testNothingRuns) }

func testNothingRuns(t *testing.T, k *kind) {
	t.Parallel()
	plaintext := mactest.Random(4<<20, 2)
	file := k.refSeal(t, plaintext)
	forged := bytes.Clone(file)
	forged[k.header+12*k.stride()] ^= 1
	const g = 4
	check := func(what string, c *chunkCipher, f func()) {
		t.Helper()
		lazy := &lazyAEAD{AEAD: c.aead}
		c.aead = lazy
		f()
		if n := lazy.running.Load(); n != 0 {
			t.Errorf("%s: %d calls still running, want 0", what, n)
		}
	}
	panics := &writeFault{do: func([]byte, *bytes.Buffer) (int, error) { panic(errBroken) }}
	for what, dst := range map[string]io.Writer{
		"Close": io.Discard, "Abort": io.Discard,
		"writer error": &failingWriter{n: len(file) / 4, err: errBroken},
		"writer panic": &faultyWriter{fault: panics, at: 3},
	} {
		w, err := k.newWriter(dst, g)
		if err != nil {
			t.Fatal(err)
		}
		check(what, &w.chunks, func() {
			endOf(t, func() { w.Write(plaintext) })
			switch what {
			case "Close":
				w.Close()
			case "Abort":
				w.Abort()
			}
		})
	}
	for what, src := range map[string]io.Reader{
		"end of the stream": bytes.NewReader(file),
		"forged chunk":      bytes.NewReader(forged),
		"truncated stream":  bytes.NewReader(file[:len(file)-100]),
		"reader error":      io.MultiReader(bytes.NewReader(file[:len(file)/4*3]), iotest.ErrReader(errBroken)),
	} {
		r, err := k.newReader(src, g)
		if err != nil {
			t.Fatal(err)
		}
		check(what, &r.chunks, func() { io.Copy(io.Discard, r) })
	}
	for what, src := range map[string][]byte{"the end of an OpeningWriter": file, "a forged chunk in an OpeningWriter": forged} {
		w, err := k.with(g).NewOpeningWriter(io.Discard, k.key)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(src[:k.header])
		check(what, &w.chunks, func() {
			_, err := w.Write(src[k.header:])
			if err == nil {
				w.Close()
			}
		})
	}
}

// TestCallersSlice lets the destination panic during a large Write, and then changes
// the slice passed to Write. The race detector reports a goroutine that still reads the
// slice.
func TestCallersSlice(t *testing.T) { eachKind(t, largeKinds, testCallersSlice) }

func testCallersSlice(t *testing.T, k *kind) {
	panics := &writeFault{do: func([]byte, *bytes.Buffer) (int, error) { panic(errBroken) }}
	for at := range 5 {
		w, err := k.newWriter(&faultyWriter{fault: panics, at: at}, 4)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 8<<20)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("Write to a destination that panics: got no panic")
				}
				for i := range p {
					p[i] = 1
				}
			}()
			w.Write(p)
		}()
		runtime.Gosched()
	}
}
