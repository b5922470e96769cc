// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"

	"github.com/unimac/unimac/aead/internal/batch"
)

// chunks seals and opens the chunks of one stream, in runs of consecutive chunks.
type chunks struct {
	*format
	aead batch.AEAD
	base [maxNonceSize]byte // base of the nonces
	size int                // plaintext bytes in a complete chunk

	// damaged reports that the end of the stream is not authentic. If it is set, a
	// chunk that was sealed as the last one is accepted even if other chunks follow.
	damaged bool
}

// newChunks returns the chunks of a stream in the format.
func (f *format) newChunks(s secrets, size int) (chunks, error) {
	a, err := f.newAEAD(s)
	return chunks{format: f, aead: a, base: s.base, size: size}, err
}

// stride returns the size of a complete chunk in the stream.
func (c *chunks) stride() int { return c.size + c.tagSize }

// mayBeEmpty reports whether the chunk with the given index may be empty if it is the
// stream's last.
func (c *chunks) mayBeEmpty(index uint64) bool { return index == 0 || c.shortEnd }

// A messageBatch contains the chunks that are passed to the AEAD in one call. It
// belongs to the job or the slot that processes them, because the arguments of an
// AEAD's methods escape.
type messageBatch struct {
	n      int // number of messages in use
	msgs   [batch.MaxLanes]batch.Message
	nonces [batch.MaxLanes][maxNonceSize]byte
}

// add adds a chunk to b, which must not be full.
func (c *chunks) add(b *messageBatch, index uint64, last bool, in, out []byte) {
	c.setNonce(b, b.n, index, last)
	b.msgs[b.n].In, b.msgs[b.n].Out = in, out
	b.n++
}

// setNonce sets the nonce of message i.
func (c *chunks) setNonce(b *messageBatch, i int, index uint64, last bool) {
	b.nonces[i] = c.base
	nonce := b.nonces[i][:c.nonceSize]
	c.place(nonce, index, last)
	b.msgs[i].Nonce = nonce
}

// full reports whether b cannot take another chunk.
func (b *messageBatch) full() bool { return b.n == len(b.msgs) }

// reset empties b and drops its references.
func (b *messageBatch) reset() {
	clear(b.msgs[:b.n])
	b.n = 0
}

// seal seals n bytes of plaintext in buf and returns the sealed chunks, which start
// with the given index. If src is nil, the plaintext is in buf, where space for a tag
// follows the plaintext of each chunk. Otherwise the plaintext is src. All chunks are
// complete, except possibly the last chunk if last is true.
func (c *chunks) seal(buf, src []byte, n int, index uint64, last bool, b *messageBatch) []byte {
	count := n / c.size
	if last {
		count = int(c.count(int64(n), int64(c.size)))
	}
	sealed := buf[:n+count*c.tagSize]
	rest := sealed
	for i := range count {
		isLast := i == count-1
		chunk := rest[:min(len(rest), c.stride())]
		plain := chunk[:len(chunk)-c.tagSize]
		if src != nil {
			plain = src[i*c.size:][:len(plain)]
		}
		c.add(b, index+uint64(i), last && isLast, plain, chunk)
		rest = rest[len(chunk):]
		if b.full() || isLast {
			c.aead.SealAll(b.msgs[:b.n])
			b.reset()
		}
	}
	return sealed
}

// A place describes the position of a run of chunks in the stream.
type place int

const (
	// inside means that other chunks follow the run, so that it does not contain the
	// last chunk.
	inside place = iota

	// atEnd means that the data ends after the run, so that its last chunk must be the
	// stream's last.
	atEnd

	// unknown means that the data may or may not end after the run. Every complete
	// chunk may be the stream's last, if it was sealed as the last.
	unknown
)

// A result is the result of opening a run of chunks.
type result struct {
	opened int   // number of authentic chunks
	ended  bool  // the last authentic chunk is the stream's last
	err    error // error of the chunk after the authentic ones
}

// open opens the chunks of src, which start with the given index. If dst is src, it
// opens them in place, and step must be the stride. Otherwise it writes their plaintext
// to consecutive positions of dst, and step must be the plaintext size of a chunk. The
// output of a rejected chunk, and of the chunk after it, may be unchanged or contain
// zeros.
//
// If a run at the end does not contain the stream's last chunk, the error is
// errUnexpectedEnd. If chunks follow the stream's last chunk, the error is errAfterEnd;
// the last chunk counts as rejected, although dst contains its plaintext.
func (c *chunks) open(dst, src []byte, step int, index uint64, at place, b *messageBatch) (r result) {
	for len(src) > 0 && r.err == nil {
		size := min(len(src), c.stride())
		chunk, isEnd := src[:size], size == len(src)
		src = src[size:]
		// Only the stream's last chunk may be incomplete.
		last := isEnd && (size < c.stride() || at == atEnd && !c.shortEnd)
		c.add(b, index+uint64(b.n), last, chunk, dst[:size-c.tagSize])
		dst = dst[min(step, len(dst)):]
		if b.full() || isEnd {
			n := b.n
			r.add(c.openBatch(index, at, isEnd, last, b))
			index += uint64(n)
		}
	}
	return r
}

// add adds the result of the next batch to r.
func (r *result) add(more result) {
	r.opened += more.opened
	r.ended, r.err = more.ended, more.err
}

// openBatch opens the chunks in b. isEnd reports that the batch is the run's last, and
// isLast that its last chunk has the nonce of the stream's last chunk.
func (c *chunks) openBatch(index uint64, at place, isEnd, isLast bool, b *messageBatch) result {
	defer b.reset()
	allowed := b.n
	if left := c.maxChunks - index; uint64(b.n) > left {
		allowed = int(left)
	}
	opened := c.aead.OpenAll(b.msgs[:allowed])
	switch {
	case opened == b.n && isEnd && at == atEnd && !isLast:
		return result{opened: opened, err: errUnexpectedEnd}
	case opened == b.n:
		return result{opened: opened, ended: isLast}
	case opened == allowed:
		return result{opened: opened, err: errTooManyChunks}
	}
	// If the chunk may be an earlier chunk or the last one, try the other nonce, too.
	i := opened
	if !c.shortEnd && at != inside && len(b.msgs[i].In) == c.stride() {
		wasLast := isLast && i == b.n-1
		c.setNonce(b, i, index+uint64(i), !wasLast)
		if c.aead.OpenAll(b.msgs[i:i+1]) == 1 {
			switch {
			case wasLast:
				return result{opened: i + 1, err: errUnexpectedEnd}
			case i == b.n-1 && isEnd:
				return result{opened: i + 1, ended: true}
			case c.damaged:
				return result{opened: i + 1, ended: true, err: errAfterEnd}
			default:
				return result{opened: i, ended: true, err: errAfterEnd}
			}
		}
	}
	return result{opened: opened, err: fmt.Errorf("%w (chunk %d)", ErrAuth, index+uint64(i))}
}

// check panics if c has no AEAD, because the value that contains c was not created by
// its constructor.
func (c *chunks) check() {
	if c.aead == nil {
		panic("stream: a zero value, which no constructor made")
	}
}
