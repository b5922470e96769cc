// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// ReaderAt opens arbitrary parts of a stream. It implements [io.ReaderAt], so its
// methods may be called concurrently.
//
// It caches the plaintext of the chunks that it opened last, up to 2 + 2n chunks with n
// goroutines, so that small reads at nearby offsets open a chunk only once. The cache
// is part of the memory that the package documentation states. For sequential reads,
// [ReaderAt.NewReader] is faster.
type ReaderAt struct {
	hidden
	src    io.ReaderAt
	chunks chunks
	size   int64 // size of the plaintext
	count  int64 // number of chunks
	body   int64 // size of the chunks in the stream
	end    error // error if the end of the stream is not authentic; nil without Options.Damaged

	goroutines int
	run        int64 // maximum number of chunks per call to the AEAD
	slots      slots
}

var _ io.ReaderAt = (*ReaderAt)(nil)

// NewReaderAt returns a ReaderAt for the stream in the first size bytes of src. It uses
// the default options and a key of 32 bytes. NewReaderAt reads the header and opens the
// last chunk, which proves that the size is correct. Therefore it returns an error for
// a key of any other length, [ErrFormat], [ErrTruncated], [ErrKey], [ErrAuth], and
// errors of src unchanged.
func NewReaderAt(src io.ReaderAt, size int64, key []byte) (*ReaderAt, error) {
	return Options{}.NewReaderAt(src, size, key)
}

// NewReaderAt returns a ReaderAt like the function [NewReaderAt], but with the options
// o.
func (o Options) NewReaderAt(src io.ReaderAt, size int64, key []byte) (*ReaderAt, error) {
	goroutines, err := o.goroutines()
	if err != nil {
		return nil, err
	}
	f, err := o.checkOpened(key)
	if err != nil {
		return nil, err
	}
	if size < 0 {
		return nil, fmt.Errorf("stream: size of %d bytes", size)
	}
	header := make([]byte, min(size, int64(f.headerSize())))
	if _, err := readAt(src, header, 0); err != nil {
		return nil, err
	}
	c, err := o.openHeader(key, header)
	if err != nil {
		return nil, err
	}
	body, stride := size-int64(len(header)), int64(c.stride())
	r := &ReaderAt{src: src, chunks: c, body: body, goroutines: goroutines}
	r.count = body / stride
	if body%stride > 0 {
		r.count++
	}
	if uint64(r.count) > c.maxChunks {
		return nil, errTooManyChunks
	}
	r.slots.init(2+2*goroutines, goroutines)
	r.run = int64(slotChunks(&c, goroutines))
	err = r.checkEnd(body % stride)
	if err != nil && !o.Damaged {
		return nil, err
	}
	r.end, r.chunks.damaged = err, err != nil
	if left := body % stride; left < int64(c.tagSize) && left > 0 {
		r.body -= left // the chunk has no plaintext
		r.count--
	}
	r.size = r.body - r.count*int64(c.tagSize)
	return r, nil
}

// checkEnd opens the last chunk. If it is incomplete, left is its size.
func (r *ReaderAt) checkEnd(left int64) error {
	last := r.count - 1
	if last < 0 {
		return errNoChunk
	}
	s := r.slots.take(last)
	defer r.slots.put(s)
	if 0 < left && left < int64(r.chunks.tagSize) {
		// The last chunk is shorter than a tag. If it was truncated, the chunk before
		// it is authentic and not the stream's last.
		if last > 0 {
			if err := r.open(s, last-1); err != nil {
				return err
			}
		}
		return errWithinTag
	}
	if err := r.open(s, last); err != nil {
		return err
	}
	if len(s.plain) == 0 && !r.chunks.mayBeEmpty(uint64(last)) {
		return errEmptyChunk
	}
	return nil
}

// Size returns the length of the plaintext in bytes. The length is authentic, unless
// [Options].Damaged is set and the end of the stream is missing or damaged. In that
// case, Size returns the length that the size of the stream implies, and ReadAt at this
// offset returns an error other than [io.EOF].
func (r *ReaderAt) Size() int64 {
	r.chunks.check()
	return r.size
}

// SealedRange returns the half-open range [from, to) of the sealed stream that ReadAt
// reads to open n bytes of plaintext at offset off. With it, a ReaderAt on a remote
// object can fetch the range in one request. The range does not extend beyond the end
// of the stream, and it excludes the header and the last chunk, which NewReaderAt
// reads. If off or n is negative, n is 0, or off is at least Size, ReadAt reads
// nothing, and SealedRange returns 0, 0.
func (r *ReaderAt) SealedRange(off, n int64) (from, to int64) {
	r.chunks.check()
	if off < 0 || n <= 0 || off >= r.size {
		return 0, 0
	}
	size, stride, header := int64(r.chunks.size), int64(r.chunks.stride()), int64(r.chunks.headerSize())
	last := (off + min(n, r.size-off) - 1) / size
	return header + off/size*stride, header + min((last+1)*stride, r.body)
}

// atEnd returns the error of a read at the end of the plaintext.
func (r *ReaderAt) atEnd() error {
	if r.end != nil {
		return r.end
	}
	return io.EOF
}

var errNegative = errors.New("stream: negative offset")

// ReadAt opens len(p) bytes at offset off into p. If it returns fewer bytes, the error
// states the reason: [io.EOF] at the end of the plaintext, [ErrAuth] for a modified
// chunk, [ErrTruncated] if src has become shorter, or an error of src unchanged. ReadAt
// decrypts complete chunks in p itself. After an error, the bytes of p beyond the
// returned count may contain anything, even rejected plaintext. Never use them.
func (r *ReaderAt) ReadAt(p []byte, off int64) (int, error) {
	r.chunks.check()
	if off < 0 {
		return 0, errNegative
	}
	if off >= r.size {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, r.atEnd()
	}
	var end error
	if left := r.size - off; int64(len(p)) > left {
		p, end = p[:left], r.atEnd()
	}
	size := int64(r.chunks.size)
	if from := off % size; from+int64(len(p)) <= size {
		// Small reads usually lie in one chunk.
		if len(p) > 0 {
			if err := r.readChunk(p, off/size, int(from)); err != nil {
				return 0, err
			}
		}
		return len(p), end
	}
	if n, err := r.readChunks(p, off); err != nil {
		return n, err
	}
	return len(p), end
}

// readChunks fills p from several chunks, using several goroutines. It returns the
// number of bytes before the first bad chunk.
func (r *ReaderAt) readChunks(p []byte, off int64) (int, error) {
	size := int64(r.chunks.size)
	first, after := off/size, (off+int64(len(p))-1)/size+1
	goroutines := min(int64(r.goroutines), after-first)
	run := min(r.run, (after-first+goroutines-1)/goroutines)
	var (
		mu     sync.Mutex
		bad    = after
		badErr error
		taken  atomic.Int64
	)
	// Goroutines take runs in order, so all runs before a bad one are processed, too.
	stop := func() { taken.Store(after - first) }
	work := func() {
		for {
			i := first + (taken.Add(1)-1)*run
			if i >= after {
				return
			}
			from, to := max(i*size, off), min((i+run)*size, off+int64(len(p)))
			if at, err := r.readRun(p[from-off:to-off:to-off], from); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if at < bad {
					bad, badErr = at, err
				}
				stop()
				return
			}
		}
	}
	together(goroutines, work, stop)
	if badErr != nil {
		return int(max(bad*size-off, 0)), badErr
	}
	return len(p), nil
}

// together calls work in n goroutines, including the caller's, and returns when all
// calls have returned. If a call panics or calls [runtime.Goexit], together calls stop,
// which ends the other calls soon, and panics or exits in the caller.
func together(n int64, work, stop func()) {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		fate func() // the panic or exit of another goroutine, to repeat in the caller
	)
	for range n - 1 {
		wg.Go(func() {
			returned := false
			defer func() {
				if returned {
					return
				}
				panicked := recover()
				stop()
				mu.Lock()
				defer mu.Unlock()
				fate = func() {
					if panicked == nil {
						runtime.Goexit()
					}
					panic(panicked)
				}
			}()
			work()
			returned = true
		})
	}
	func() {
		defer wg.Wait()
		defer stop()
		work()
	}()
	if fate != nil {
		fate()
	}
}

// readRun fills p, which lies in at most r.run chunks. With an error, it returns the
// index of the bad chunk.
func (r *ReaderAt) readRun(p []byte, off int64) (bad int64, err error) {
	size := r.chunks.size
	for len(p) > 0 {
		i, from := off/int64(size), int(off%int64(size))
		whole := 0
		if from == 0 {
			whole = len(p) / size
			if off+int64(len(p)) == r.size && len(p)%size > 0 {
				whole++ // the stream's last chunk
			}
		}
		n := min(len(p), whole*size)
		if whole > 1 {
			bad, err = r.readWhole(p[:n], i, whole)
		} else {
			n = min(len(p), size-from)
			bad, err = i, r.readChunk(p[:n], i, from)
		}
		if err != nil {
			return bad, err
		}
		p = p[n:]
		off += int64(n)
	}
	return 0, nil
}

// readWhole opens n complete chunks, starting at chunk i, into p. It returns the same
// results as readRun.
func (r *ReaderAt) readWhole(p []byte, i int64, n int) (bad int64, err error) {
	s := r.slots.takeWide()
	defer r.slots.put(s)
	loadErr := r.load(s, i, n)
	result := r.chunks.open(p, s.buf, r.chunks.size, uint64(i), r.place(s, i), &s.batch)
	if result.err == nil {
		result.err = loadErr
	}
	return i + int64(result.opened), result.err
}

// place returns the place of the chunks in s, which start at chunk i.
func (r *ReaderAt) place(s *slot, i int64) place {
	if r.end != nil {
		return unknown
	}
	if i*int64(r.chunks.stride())+int64(len(s.buf)) == r.body {
		return atEnd
	}
	return inside
}

// readChunk copies the plaintext of chunk i, starting at offset from, to p.
func (r *ReaderAt) readChunk(p []byte, i int64, from int) error {
	s := r.slots.take(i)
	defer r.slots.put(s)
	if s.index != i && len(p) == r.chunks.size {
		// p receives the whole chunk, so decrypt it directly.
		if err := r.load(s, i, 1); err != nil {
			return err
		}
		return r.chunks.open(p, s.buf, len(p), uint64(i), r.place(s, i), &s.batch).err
	}
	if s.index != i {
		if err := r.open(s, i); err != nil {
			return err
		}
	}
	copy(p, s.plain[from:])
	return nil
}

// load reads n chunks, starting at chunk i, into the slot and invalidates its
// plaintext. After an error, the slot contains the chunks that were read completely.
func (r *ReaderAt) load(s *slot, i int64, n int) error {
	s.index, s.plain = noChunk, nil
	stride := r.chunks.stride()
	at := i * int64(stride)
	size := int(min(int64(n*stride), r.body-at))
	if cap(s.buf) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	n, err := readAt(r.src, s.buf, int64(r.chunks.headerSize())+at)
	if err != nil {
		s.buf = s.buf[:max(n, 0)/stride*stride]
	}
	return err
}

// open opens chunk i in the slot.
func (r *ReaderAt) open(s *slot, i int64) error {
	if err := r.load(s, i, 1); err != nil {
		return err
	}
	if err := r.chunks.open(s.buf, s.buf, len(s.buf), uint64(i), r.place(s, i), &s.batch).err; err != nil {
		return err
	}
	s.index, s.plain = i, s.buf[:len(s.buf)-r.chunks.tagSize]
	return nil
}

// readAt fills buf. If src ends before, it is shorter than its stated size.
func readAt(src io.ReaderAt, buf []byte, off int64) (n int, err error) {
	n, err = src.ReadAt(buf, off)
	switch {
	case n >= len(buf):
		err = nil
	case err == io.EOF:
		err = errShorter
	case err == nil:
		err = io.ErrUnexpectedEOF // violates io.ReaderAt's contract
	}
	return n, err
}
