// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"

	"github.com/unimac/unimac/aead/internal/batch"
)

// chunks seals and opens the chunks of one stream, in runs of consecutive ones.
type chunks struct {
	*format
	aead batch.AEAD
	base [maxNonceSize]byte // what nonces are made of
	size int                // of a whole chunk's plaintext in bytes

	// damaged reports that the stream's end is not authentic. Then the chunk that was sealed
	// as the last is opened wherever it is, even if others follow.
	damaged bool
}

// newChunks returns what seals and opens the chunks of a stream in the format.
func (f *format) newChunks(s secrets, size int) (chunks, error) {
	a, err := f.newAEAD(s)
	return chunks{format: f, aead: a, base: s.base, size: size}, err
}

// stride is the size of a whole chunk in the stream.
func (c *chunks) stride() int { return c.size + c.tagSize }

// mayBeEmpty reports whether the stream's last chunk may be empty if it has that index.
func (c *chunks) mayBeEmpty(index uint64) bool { return index == 0 || c.shortEnd }

// A messageBatch is the chunks that are handed to the AEAD together. It belongs to
// the job or the slot that works on them, since the arguments of an AEAD's methods
// escape.
type messageBatch struct {
	n      int // as many are in use
	msgs   [batch.MaxLanes]batch.Message
	nonces [batch.MaxLanes][maxNonceSize]byte
}

// add adds one more chunk to b, which must have room for it.
func (c *chunks) add(b *messageBatch, index uint64, last bool, in, out []byte) {
	c.setNonce(b, b.n, index, last)
	b.msgs[b.n].In, b.msgs[b.n].Out = in, out
	b.n++
}

// setNonce makes the nonce of message i.
func (c *chunks) setNonce(b *messageBatch, i int, index uint64, last bool) {
	b.nonces[i] = c.base
	nonce := b.nonces[i][:c.nonceSize]
	c.place(nonce, index, last)
	b.msgs[i].Nonce = nonce
}

// full reports whether there is no room.
func (b *messageBatch) full() bool { return b.n == len(b.msgs) }

// reset makes room and drops what the chunks referred to.
func (b *messageBatch) reset() {
	clear(b.msgs[:b.n])
	b.n = 0
}

// seal seals n bytes of plaintext and returns the chunks, which are in buf. The plaintext
// is src or, where that is nil, in place: each chunk's is followed by room for its tag. The
// first chunk has the given index. All of them are whole, except for the one that ends the
// stream if last is true.
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

// A place says what is known of where a run of chunks is in the stream.
type place int

const (
	// inside is for a run that others follow: no chunk of it is the last.
	inside place = iota

	// atEnd is for a run that the data ends with: its last chunk must be the
	// stream's last.
	atEnd

	// unknown is for a run after which the data may go on or not: any whole chunk
	// may turn out to be the stream's last, if it was sealed as that.
	unknown
)

// A result is what comes of opening a run of chunks.
type result struct {
	opened int   // how many chunks are authentic
	ended  bool  // the last of these is the stream's last
	err    error // of the chunk after those
}

// open opens the chunks of src, of which the first has the given index. The
// plaintext of each begins step bytes after that of the one before: in dst, where
// step is the size of plaintexts, or in place, where dst is src and step the stride.
// In the place of a chunk that is refused, and of the one after it, dst may be unchanged
// or have zeros.
//
// The error is errUnexpectedEnd after a run at the end whose last chunk is an earlier
// one of the stream, and errAfterEnd if more chunks follow the stream's last, which is
// refused then, although dst has its plaintext.
func (c *chunks) open(dst, src []byte, step int, index uint64, at place, b *messageBatch) (r result) {
	for len(src) > 0 && r.err == nil {
		size := min(len(src), c.stride())
		chunk, isEnd := src[:size], size == len(src)
		src = src[size:]
		// Only the stream's last chunk is not whole.
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

// add adds the result of a batch.
func (r *result) add(more result) {
	r.opened += more.opened
	r.ended, r.err = more.ended, more.err
}

// openBatch opens the chunks in b. If isEnd is true, the last of them is the last of the
// run; if isLast is true, it has the nonce of the stream's last.
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
	// If it may be the other kind of chunk, earlier or last, that is tried, too.
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

// check panics if there is no AEAD: the value that has these chunks does not come
// from its constructor.
func (c *chunks) check() {
	if c.aead == nil {
		panic("stream: a zero value, which no constructor made")
	}
}
