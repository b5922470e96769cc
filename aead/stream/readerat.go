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

// A ReaderAt reads plaintext at any offset of a stream. It implements [io.ReaderAt] and
// may be used concurrently.
//
// A ReaderAt caches plaintext, so successive small reads within one chunk decrypt the
// chunk only once. With n goroutines, the cache holds up to 2 + 2n chunks, which count
// toward the memory limit in the package documentation. To read a long part
// sequentially, use [ReaderAt.NewReader], which is faster.
type ReaderAt struct {
	keyHider
	src    io.ReaderAt
	chunks chunkCipher
	size   int64 // size of the plaintext
	count  int64 // number of chunks
	body   int64 // size of the sealed chunks
	endErr error // why the stream's end is not authentic; nil without Options.Damaged

	goroutines   int
	maxRunChunks int64 // maximum number of chunks per call to readWhole
	slots        slotPool
}

var _ io.ReaderAt = (*ReaderAt)(nil)

// NewReaderAt returns a ReaderAt for the size-byte stream in src. It uses a 32-byte key
// and the default options. It reads the header and decrypts the last chunk, because
// that chunk authenticates the size. If the key is not 32 bytes long, NewReaderAt
// returns an error. If the stream is invalid, too short or not authentic, the error
// wraps [ErrFormat], [ErrTruncated], [ErrKey] or [ErrAuth]. If src fails, NewReaderAt
// returns its error unchanged.
func NewReaderAt(src io.ReaderAt, size int64, key []byte) (*ReaderAt, error) {
	return Options{}.NewReaderAt(src, size, key)
}

// NewReaderAt is like the function [NewReaderAt] but uses the options in o.
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
	r.maxRunChunks = int64(maxWideSlotChunks(&c, goroutines))
	err = r.checkEnd(body % stride)
	if err != nil && !o.Damaged {
		return nil, err
	}
	r.endErr, r.chunks.endDamaged = err, err != nil
	if left := body % stride; left < int64(c.tagSize) && left > 0 {
		r.body -= left // part of a tag
		r.count--
	}
	r.size = r.body - r.count*int64(c.tagSize)
	return r, nil
}

// checkEnd authenticates the end of the stream by decrypting the last chunk.
func (r *ReaderAt) checkEnd(partialSize int64) error {
	last := r.count - 1
	if last < 0 {
		return errNoChunk
	}
	s := r.slots.acquire(last)
	defer r.slots.release(s)
	// If the last chunk is not full, partialSize is its size; otherwise, it is 0.
	if 0 < partialSize && partialSize < int64(r.chunks.tagSize) {
		// The stream ends with a fragment shorter than a tag. If the chunk before this
		// fragment is authentic and not final, the stream was truncated.
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

// Size returns the length of the plaintext in bytes.
//
// If Options.Damaged is set and the end of the stream is missing or damaged, Size
// returns an estimate based on the length of the sealed data. The estimate is not
// authenticated, and reading at the estimated end returns an error other than [io.EOF].
func (r *ReaderAt) Size() int64 {
	r.chunks.check()
	return r.size
}

// SealedRange returns the range of sealed bytes that ReadAt needs. To open n bytes of
// plaintext at offset off, ReadAt reads the stream from offset from up to, but not
// including, offset to. A program can use this range to fetch the bytes from an object
// store in one request. The range never extends beyond the end of the stream. If off is
// negative or at least Size, or if n is not positive, SealedRange returns 0, 0.
// NewReaderAt also reads the header and the last chunk.
func (r *ReaderAt) SealedRange(off, n int64) (from, to int64) {
	r.chunks.check()
	if off < 0 || n <= 0 || off >= r.size {
		return 0, 0
	}
	size, stride, header := int64(r.chunks.size), int64(r.chunks.stride()), int64(r.chunks.headerSize())
	last := (off + min(n, r.size-off) - 1) / size
	return header + off/size*stride, header + min((last+1)*stride, r.body)
}

func (r *ReaderAt) endError() error {
	if r.endErr != nil {
		return r.endErr
	}
	return io.EOF
}

var errNegative = errors.New("stream: negative offset")

// ReadAt reads len(p) bytes of plaintext into p, starting at offset off. At the end of
// the plaintext, it returns [io.EOF]. If a chunk was changed, the error wraps
// [ErrAuth]. If src has become shorter, the error wraps [ErrTruncated]. Errors from src
// are returned unchanged. After an error, only the returned number of bytes in p is
// valid. Never use the rest of p, which may contain plaintext that is not authentic.
func (r *ReaderAt) ReadAt(p []byte, off int64) (int, error) {
	r.chunks.check()
	if off < 0 {
		return 0, errNegative
	}
	if off >= r.size {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, r.endError()
	}
	var end error
	if left := r.size - off; int64(len(p)) > left {
		p, end = p[:left], r.endError()
	}
	size := int64(r.chunks.size)
	if from := off % size; from+int64(len(p)) <= size {
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

// readChunks is like ReadAt for several chunks, which it opens in parallel.
func (r *ReaderAt) readChunks(p []byte, off int64) (int, error) {
	size := int64(r.chunks.size)
	first, after := off/size, (off+int64(len(p))-1)/size+1
	goroutines := min(int64(r.goroutines), after-first)
	run := min(r.maxRunChunks, (after-first+goroutines-1)/goroutines)
	var (
		mu     sync.Mutex
		bad    = after
		badErr error
		taken  atomic.Int64
	)
	// stop prevents goroutines from taking more chunks. Chunks are taken in order, so
	// every chunk before a failed one is still processed.
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
	runParallel(goroutines, work, stop)
	if badErr != nil {
		return int(max(bad*size-off, 0)), badErr
	}
	return len(p), nil
}

// runParallel calls work in n goroutines and repeats their panics in the caller's.
func runParallel(n int64, work, stop func()) {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		repeat func() // repeats the panic or Goexit of another goroutine
	)
	for range n - 1 {
		wg.Go(func() {
			returned := false
			defer func() {
				if returned {
					return
				}
				panicked := recover()
				stop() // must make the other calls return soon
				mu.Lock()
				defer mu.Unlock()
				repeat = func() {
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
	if repeat != nil {
		repeat()
	}
}

// readRun is like ReadAt but returns the index of a failed chunk.
func (r *ReaderAt) readRun(p []byte, off int64) (bad int64, err error) {
	size := r.chunks.size
	for len(p) > 0 {
		i, from := off/int64(size), int(off%int64(size))
		whole := 0
		if from == 0 {
			whole = len(p) / size
			if off+int64(len(p)) == r.size && len(p)%size > 0 {
				whole++ // the last chunk of the stream
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

// readWhole opens n whole chunks into p, starting with chunk i.
func (r *ReaderAt) readWhole(p []byte, i int64, n int) (bad int64, err error) {
	s := r.slots.acquireWide()
	defer r.slots.release(s)
	loadErr := r.load(s, i, n)
	result := r.chunks.open(p, s.buf, r.chunks.size, uint64(i), r.slotPos(s, i), &s.batch)
	if result.err == nil {
		result.err = loadErr
	}
	return i + int64(result.count), result.err
}

// slotPos reports whether more chunks follow those in s.
func (r *ReaderAt) slotPos(s *slot, i int64) streamPos {
	if r.endErr != nil {
		return posUnknown
	}
	if i*int64(r.chunks.stride())+int64(len(s.buf)) == r.body {
		return posEnd
	}
	return posMiddle
}

// readChunk copies plaintext of chunk i, starting at offset from, to p.
func (r *ReaderAt) readChunk(p []byte, i int64, from int) error {
	s := r.slots.acquire(i)
	defer r.slots.release(s)
	if s.index != i && len(p) == r.chunks.size {
		if err := r.load(s, i, 1); err != nil {
			return err
		}
		return r.chunks.open(p, s.buf, len(p), uint64(i), r.slotPos(s, i), &s.batch).err
	}
	if s.index != i {
		if err := r.open(s, i); err != nil {
			return err
		}
	}
	copy(p, s.plain[from:])
	return nil
}

// load reads n chunks into s, starting with chunk i.
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
		s.buf = s.buf[:max(n, 0)/stride*stride] // keep only complete chunks
	}
	return err
}

func (r *ReaderAt) open(s *slot, i int64) error {
	if err := r.load(s, i, 1); err != nil {
		return err
	}
	if err := r.chunks.open(s.buf, s.buf, len(s.buf), uint64(i), r.slotPos(s, i), &s.batch).err; err != nil {
		return err
	}
	s.index, s.plain = i, s.buf[:len(s.buf)-r.chunks.tagSize]
	return nil
}

// readAt fills buf from src, or returns errShorter if src ends early.
func readAt(src io.ReaderAt, buf []byte, off int64) (n int, err error) {
	n, err = src.ReadAt(buf, off)
	switch {
	case n >= len(buf):
		err = nil
	case err == io.EOF:
		err = errShorter
	case err == nil:
		err = io.ErrUnexpectedEOF // src violates the rules of io.ReaderAt
	}
	return n, err
}
