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

// ReaderAt opens any part of a stream. It implements [io.ReaderAt]; as that
// demands, its methods may be called by several goroutines at once.
type ReaderAt struct {
	src    io.ReaderAt
	chunks chunks
	size   int64 // of the plaintext
	count  int64 // of the chunks

	goroutines int
	slots      slots
}

var _ io.ReaderAt = (*ReaderAt)(nil)

// NewReaderAt returns a ReaderAt for the stream of size bytes in src, under a key
// of 32 bytes. It reads the header and opens the last chunk, which tells that the
// size is right and the key, too. So its errors are that of a key of another
// length, [ErrFormat], [ErrTruncated], [ErrAuth], and those of src as they are.
func NewReaderAt(src io.ReaderAt, size int64, key []byte) (*ReaderAt, error) {
	return newReaderAt(src, size, key, runtime.GOMAXPROCS(0))
}

func newReaderAt(src io.ReaderAt, size int64, key []byte, goroutines int) (*ReaderAt, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if size < 0 {
		return nil, fmt.Errorf("stream: size of %d bytes", size)
	}
	var header [headerSize]byte
	n := int(min(size, int64(headerSize)))
	if err := readAt(src, header[:n], 0); err != nil {
		return nil, err
	}
	if err := checkHeader(header[:n]); err != nil {
		return nil, err
	}
	r := &ReaderAt{src: src, goroutines: goroutines}
	var err error
	if r.chunks, err = newChunks(key, &header); err != nil {
		return nil, err
	}
	body, stride := size-int64(headerSize), int64(r.chunks.stride())
	if body == 0 {
		return nil, errNoChunk
	}
	r.count = (body + stride - 1) / stride
	r.size = body - r.count*tagSize
	// Beside one for each goroutine, some for readers that take turns.
	r.slots.init(max(1, min(max(goroutines, 4), memory/r.chunks.stride())))
	if err := r.checkEnd(body % stride); err != nil {
		return nil, err
	}
	return r, nil
}

// checkEnd opens the last chunk, of which left bytes are there if it is not whole.
func (r *ReaderAt) checkEnd(left int64) error {
	last := r.count - 1
	s := r.slots.take(last)
	defer r.slots.put(s)
	if 0 < left && left < tagSize {
		// Not even a tag. If it was cut off, the chunk before it is authentic and
		// not the end.
		if last > 0 {
			if err := r.load(s, last-1); err != nil {
				return err
			}
			if err := r.chunks.openOne(s.buf[:0], s.buf, uint64(last-1), false, &s.nonce); err != nil {
				return err
			}
		}
		return errWithinTag
	}
	if err := r.open(s, last); err != nil {
		return err
	}
	if last > 0 && len(s.plain) == 0 {
		return errEmptyChunk
	}
	return nil
}

// Size returns the length of the plaintext in bytes. It is authentic.
func (r *ReaderAt) Size() int64 { return r.size }

// errNegative is the error for an offset that is none.
var errNegative = errors.New("stream: negative offset")

// ReadAt opens len(p) bytes from offset off on into p. If it returns fewer, the
// error says why: [io.EOF] at the end of the plaintext, [ErrAuth] for a chunk that
// was changed, [ErrTruncated] if src has become shorter, or an error of src as it
// is. The bytes of p behind those that ReadAt returns may hold anything.
func (r *ReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errNegative
	}
	if off >= r.size {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	var end error
	if left := r.size - off; int64(len(p)) > left {
		p, end = p[:left], io.EOF
	}
	if n, err := r.readChunks(p, off); err != nil {
		return n, err
	}
	return len(p), end
}

// readChunks opens all of p, by several goroutines if it is from several chunks.
// It returns how many bytes before the first bad chunk there are.
func (r *ReaderAt) readChunks(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	size := int64(r.chunks.size)
	first, behind := off/size, (off+int64(len(p))-1)/size+1
	var (
		mu     sync.Mutex
		bad    = behind
		badErr error
		taken  atomic.Int64
	)
	// Chunks are taken in order, so all before a bad one are worked on, too.
	stop := func() { taken.Store(behind - first) }
	work := func() {
		for {
			i := first + taken.Add(1) - 1
			if i >= behind {
				return
			}
			from, to := max(i*size, off), min((i+1)*size, off+int64(len(p)))
			if err := r.readChunk(p[from-off:to-off:to-off], i, int(from-i*size)); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if i < bad {
					bad, badErr = i, err
				}
				stop()
				return
			}
		}
	}
	together(min(int64(r.goroutines), int64(r.slots.count), behind-first), work, stop)
	if badErr != nil {
		return int(max(bad*size-off, 0)), badErr
	}
	return len(p), nil
}

// together runs work in n goroutines, of which the caller's is one, and returns
// when all are done. A panic of work, or a [runtime.Goexit], calls stop, which
// makes the others end soon, and gets to the caller wherever it comes from.
func together(n int64, work, stop func()) {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		fate func() // of another goroutine, for the caller to share
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

// readChunk copies chunk i's plaintext from the given place on to p.
func (r *ReaderAt) readChunk(p []byte, i int64, from int) error {
	s := r.slots.take(i)
	defer r.slots.put(s)
	if s.index != i {
		if len(p) == r.chunks.size {
			// All of it: it need not go through the slot.
			if err := r.load(s, i); err != nil {
				return err
			}
			return r.chunks.openOne(p[:0], s.buf, uint64(i), i == r.count-1, &s.nonce)
		}
		if err := r.open(s, i); err != nil {
			return err
		}
	}
	copy(p, s.plain[from:])
	return nil
}

// load reads chunk i into the slot, which then holds no plaintext.
func (r *ReaderAt) load(s *slot, i int64) error {
	s.index, s.plain = -1, nil
	at, stride := i*int64(r.chunks.stride()), int64(r.chunks.stride())
	n := int(min(stride, r.size+r.count*tagSize-at))
	if cap(s.buf) < n {
		s.buf = make([]byte, n)
	}
	s.buf = s.buf[:n]
	return readAt(r.src, s.buf, int64(headerSize)+at)
}

// open opens chunk i in the slot.
func (r *ReaderAt) open(s *slot, i int64) error {
	if err := r.load(s, i); err != nil {
		return err
	}
	if err := r.chunks.openOne(s.buf[:0], s.buf, uint64(i), i == r.count-1, &s.nonce); err != nil {
		return err
	}
	s.index, s.plain = i, s.buf[:len(s.buf)-tagSize]
	return nil
}

// readAt fills buf. A source that ends before is shorter than its size was.
func readAt(src io.ReaderAt, buf []byte, off int64) error {
	if n, err := src.ReadAt(buf, off); n < len(buf) {
		if err == io.EOF {
			return fmt.Errorf("%w: shorter than its size says", ErrTruncated)
		}
		if err == nil {
			err = io.ErrUnexpectedEOF // against io.ReaderAt's rules
		}
		return err
	}
	return nil
}

// A slot is a buffer for a chunk, and keeps the last one that it opened.
type slot struct {
	index int64 // of the chunk in plain, or -1
	plain []byte
	buf   []byte
	nonce nonce
}

// slots hands out slots and so bounds memory.
type slots struct {
	mu    sync.Mutex
	freed sync.Cond
	free  []*slot // the least recently used first
	count int
}

func (s *slots) init(count int) {
	s.freed.L = &s.mu
	s.count = count
	for range count {
		s.free = append(s.free, &slot{index: -1})
	}
}

// take waits for a free slot, preferably the one that holds chunk i.
func (s *slots) take(i int64) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.free) == 0 {
		s.freed.Wait()
	}
	at := 0
	for j, slot := range s.free {
		if slot.index == i {
			at = j
		}
	}
	slot := s.free[at]
	s.free = append(s.free[:at], s.free[at+1:]...)
	return slot
}

func (s *slots) put(slot *slot) {
	s.mu.Lock()
	s.free = append(s.free, slot)
	s.mu.Unlock()
	s.freed.Signal()
}
