// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestWholeChunks uses streams that end with whole, authentic chunks. In a format whose
// last chunk must be incomplete, the end is missing.
func TestWholeChunks(t *testing.T) {
	for _, k := range smallKinds[1:] {
		header, c := k.newChunks(t)
		for count := range 20 {
			plaintext := mactest.Random(count<<10, uint64(count))
			file := append(bytes.Clone(header), sealRun(&c, plaintext, 0, true)...)
			whole := file[:len(file)-k.tag]
			k.eachOpener(file, func(how string, got []byte, err error) {
				if err != nil || !bytes.Equal(got, plaintext) {
					t.Errorf("%s: %d whole chunks and an empty one: %s: got %d bytes, error %v, want the plaintext", k.name, count, how, len(got), err)
				}
			})
			k.checkBad(t, fmt.Sprintf("%s: %d chunks", k.name, count), whole, plaintext, ErrTruncated)
			for _, run := range []int{1, 2, 3, 8} {
				r, err := k.newReader(bytes.NewReader(whole), 3)
				if err != nil {
					t.Fatal(err)
				}
				r.maxJobChunks = run
				if got, err := io.ReadAll(r); !errors.Is(err, ErrTruncated) || !bytes.Equal(got, plaintext) {
					t.Errorf("%s: %d whole chunks, %d per job: got %d bytes, error %v, want the plaintext and %v", k.name, count, run, len(got), err, ErrTruncated)
				}
			}
			if count == 0 {
				continue
			}
			whole[len(whole)-1] ^= 1
			k.checkBad(t, fmt.Sprintf("%s: %d chunks, the last changed", k.name, count), whole, plaintext, ErrAuth)
		}
	}
}

// TestAfterEnd appends data to a complete stream, including chunks that someone with
// the key sealed for this position.
func TestAfterEnd(t *testing.T) { eachKind(t, smallKinds, testAfterEnd) }

func testAfterEnd(t *testing.T, k *kind) {
	header, c := k.newChunks(t)
	for _, n := range []int{0, 1, 1000, 1024, 1025, 2048, 8 << 10, 8<<10 + 1} {
		plaintext := mactest.Random(n, uint64(n))
		file := append(bytes.Clone(header), sealRun(&c, plaintext, 0, true)...)
		index := uint64(c.chunkCount(int64(n), int64(c.size)))
		for _, next := range []uint64{0, index - 1, index, index + 1} {
			for _, more := range []int{0, 1, 1000, 1024, 3000} {
				// TestEmptyLastChunk tests single empty chunks.
				if more == 0 && !k.shortEnd() {
					continue
				}
				tail := sealRun(&c, mactest.Random(more, 2), next, true)
				k.checkBad(t, fmt.Sprintf("%d bytes, then %d sealed for chunk %d", n, more, next), append(bytes.Clone(file), tail...), plaintext, ErrAuth)
			}
		}
	}
}

// TestSizes passes a ReaderAt every size around the correct one. No other size may be
// accepted.
func TestSizes(t *testing.T) { eachKind(t, smallKinds, testSizes) }

func testSizes(t *testing.T, k *kind) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 3 << 10} {
		plaintext := mactest.Random(n, uint64(n))
		file := k.refSeal(t, plaintext)
		src := append(bytes.Clone(file), make([]byte, 2*k.stride())...)
		for size := range len(src) {
			if testing.Short() && size%7 != 0 && (size-k.header)%k.stride() > k.tag && size != len(file) {
				continue
			}
			r, err := k.newReaderAt(bytes.NewReader(src), int64(size), 1)
			switch {
			case size == len(file):
				if err != nil || r.Size() != int64(n) {
					t.Errorf("%d bytes: NewReaderAt with the correct size: error %v, want nil and Size = %d", n, err, n)
				}
			case err == nil:
				t.Errorf("%d bytes: NewReaderAt accepted size %d instead of %d, with Size = %d", n, size, len(file), r.Size())
			case !slices.Contains([]error{ErrFormat, ErrTruncated, ErrAuth, ErrKey}, errorKind(err)):
				t.Errorf("%d bytes, size %d: got error %v, want an error of this package", n, size, err)
			}
		}
	}
}

// TestFromEnd seeks from the end and reads at the end of streams whose last chunk is
// whole, incomplete or empty.
func TestFromEnd(t *testing.T) { eachKind(t, smallKinds, testFromEnd) }

func testFromEnd(t *testing.T, k *kind) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 2048, 9 << 10} {
		plaintext := mactest.Random(n, uint64(n))
		file := k.refSeal(t, plaintext)
		for _, g := range goroutines {
			r, err := k.newReaderAt(bytes.NewReader(file), int64(len(file)), g)
			if err != nil {
				t.Fatal(err)
			}
			s := r.NewReader()
			for _, back := range []int{0, 1, 2, 1023, 1024, 1025, 2048, n} {
				if back > n {
					continue
				}
				pos, err := s.Seek(int64(-back), io.SeekEnd)
				if err != nil || pos != int64(n-back) {
					t.Fatalf("Seek to %d bytes before the end = %d, %v, want %d", back, pos, err, n-back)
				}
				if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, plaintext[n-back:]) {
					t.Errorf("reading the last %d bytes of %d: got %d bytes, error %v", back, n, len(got), err)
				}
				p := make([]byte, back)
				if m, err := r.ReadAt(p, int64(n-back)); m != back || err != nil && err != io.EOF || !bytes.Equal(p, plaintext[n-back:]) {
					t.Errorf("ReadAt of the last %d bytes of %d = %d, %v, want %d and nil or io.EOF", back, n, m, err, back)
				}
				p = make([]byte, back+5)
				if m, err := r.ReadAt(p, int64(n-back)); m != back || err != io.EOF || !bytes.Equal(p[:m], plaintext[n-back:]) {
					t.Errorf("ReadAt beyond the last %d bytes of %d = %d, %v, want %d, io.EOF", back, n, m, err, back)
				}
			}
		}
	}
}

// TestMaxChunks tests the end of the longest possible stream.
func TestMaxChunks(t *testing.T) {
	const maxChunks = 1 << 38
	for _, k := range largeKinds[1:] {
		for back := range uint64(12) {
			// count chunks are left: the last one ends the stream, and the others may
			// be whole.
			for count := range uint64(14) {
				w, err := k.newWriter(io.Discard, 1+int(back%3))
				if err != nil {
					t.Fatal(err)
				}
				w.index = maxChunks - back
				w.Write(make([]byte, count*uint64(k.size)))
				err = w.Close()
				if fits := count+1 <= back; fits && err != nil || !fits && err != errTooLong {
					t.Errorf("%s: Writer: %d whole chunks, %d positions left: got error %v, want %v unless the chunks fit", k.name, count, back, err, errTooLong)
				}
				r := k.newSealingReader(t, bytes.NewReader(make([]byte, count*uint64(k.size))), 2)
				r.index = maxChunks - back
				_, err = io.Copy(io.Discard, r)
				if fits := count+1 <= back; fits && err != nil || !fits && err != errTooLong {
					t.Errorf("%s: SealingReader: %d whole chunks, %d positions left: got error %v, want %v unless the chunks fit", k.name, count, back, err, errTooLong)
				}
			}
			k.openLast(t, maxChunks, back)
		}
		size := int64(k.header) + maxChunks*int64(k.stride())
		if _, err := k.newReaderAt(endless{k.refSeal(t, nil)}, size, 1); !errors.Is(err, ErrAuth) {
			t.Errorf("%s: NewReaderAt with the largest size: got error %v, want %v", k.name, err, ErrAuth)
		}
		for _, size := range []int64{size + 1, size + int64(k.tag), math.MaxInt64} {
			if _, err := k.newReaderAt(endless{k.refSeal(t, nil)}, size, 1); !errors.Is(err, errTooManyChunks) {
				t.Errorf("%s: NewReaderAt with size %d: got error %v, want %v", k.name, size, err, errTooManyChunks)
			}
		}
	}
}

// openLast opens a run of 12 chunks that begins back chunks before the last possible
// position.
func (k *kind) openLast(t *testing.T, maxChunks, back uint64) {
	t.Helper()
	_, c := k.newChunks(t)
	plaintext := mactest.Random(12*k.size, 1)
	run := sealRun(&c, plaintext, maxChunks-back, false)
	var b messageBatch
	r := c.open(make([]byte, len(plaintext)), run, k.size, maxChunks-back, posUnknown, &b)
	if back < 12 && (r.err != errTooManyChunks || r.count != int(back)) {
		t.Errorf("%s: %d positions left: opened %d chunks, error %v, want %d, %v", k.name, back, r.count, r.err, back, errTooManyChunks)
	}
	var o opener
	o.chunks = c
	o.begin(1)
	o.index = maxChunks - back
	j := o.queue.nextJob()
	j.buf = run
	o.startJob(len(run), true, true)
	o.takeOldest()
	n := 0
	for o.nextChunk() {
		n += len(o.unread)
	}
	if back < 12 && (o.err != errTooManyChunks || n != int(back)*k.size) {
		t.Errorf("%s: %d positions left: opener returned %d bytes, error %v, want %d, %v", k.name, back, n, o.err, int(back)*k.size, errTooManyChunks)
	}
}

// An endless source returns a file followed by endless zeros.
type endless struct{ file []byte }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(e.file)) {
		copy(p, e.file[off:])
	}
	return len(p), nil
}

// TestTrailing appends data after the last chunk, which may be whole or incomplete,
// also at a position where the next job would begin.
func TestTrailing(t *testing.T) { eachKind(t, smallKinds, testTrailing) }

func testTrailing(t *testing.T, k *kind) {
	for _, n := range []int{0, 1, 1023, 1024, 2048, 8192, 9000, 200 << 10} {
		plaintext := mactest.Random(n, 15)
		file := k.refSeal(t, plaintext)
		for _, more := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, k.stride()} {
			k.checkBad(t, fmt.Sprintf("%d bytes and %d more", n, more),
				append(bytes.Clone(file), mactest.Random(more, 16)...), plaintext, ErrAuth)
		}
		k.checkBad(t, fmt.Sprintf("%d bytes twice", n), append(bytes.Clone(file), file[k.header:]...), plaintext, ErrAuth)
	}
}

// TestOpeningWriterKeepsData changes the additional data and the key after
// NewOpeningWriter has returned and before the header is written.
func TestOpeningWriterKeepsData(t *testing.T) { eachKind(t, smallKinds, testOpeningWriterKeepsData) }

func testOpeningWriterKeepsData(t *testing.T, k *kind) {
	data, plaintext, key := []byte("additional data"), mactest.Random(100, 17), bytes.Clone(k.key)
	file := k.refSealWith(t, &k.salt, data, plaintext)
	var opened bytes.Buffer
	o := k.o
	o.AdditionalData = data
	w, err := o.NewOpeningWriter(&opened, key)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	clear(key)
	_, err = w.Write(file)
	if closeErr := w.Close(); err != nil || closeErr != nil || !bytes.Equal(opened.Bytes(), plaintext) {
		t.Errorf("got %d bytes, Write error %v, Close error %v, want the plaintext of %d bytes", opened.Len(), err, closeErr, len(plaintext))
	}
}
