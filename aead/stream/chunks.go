// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"

	"github.com/unimac/unimac/aead/internal/batch"
)

// chunks seals and opens runs of consecutive chunks of one stream.
type chunks struct {
	*format
	aead batch.AEAD
	base [maxNonceSize]byte // of the nonces
	size int                // of the plaintext of a whole chunk, in bytes

	// damaged is set if the end of the stream is not authentic. In this case, a chunk
	// that was sealed as the last one opens even if other chunks follow it.
	damaged bool
}

// newChunks returns the chunks of a stream with the given secrets. Whole chunks have
// size bytes of plaintext.
func (f *format) newChunks(s secrets, size int) (chunks, error) {
	a, err := f.newAEAD(s)
	return chunks{format: f, aead: a, base: s.base, size: size}, err
}

// stride returns the size in bytes of a whole sealed chunk.
func (c *chunks) stride() int { return c.size + c.tagSize }

// mayBeEmpty reports whether a chunk with this index may be empty if it is the last
// chunk of a stream.
func (c *chunks) mayBeEmpty(index uint64) bool { return index == 0 || c.shortEnd }

// A messageBatch contains the chunks to pass to the AEAD in one call. It is a field of
// a job or a slot, because the arguments of an interface's methods escape to the heap.
type messageBatch struct {
	n      int // messages in use
	msgs   [batch.MaxLanes]batch.Message
	nonces [batch.MaxLanes][maxNonceSize]byte
}

// add appends a chunk to b, which must not be full.
func (c *chunks) add(b *messageBatch, index uint64, last bool, in, out []byte) {
	c.setNonce(b, b.n, index, last)
	b.msgs[b.n].In, b.msgs[b.n].Out = in, out
	b.n++
}

// setNonce sets the nonce of message i of b.
func (c *chunks) setNonce(b *messageBatch, i int, index uint64, last bool) {
	b.nonces[i] = c.base
	nonce := b.nonces[i][:c.nonceSize]
	c.place(nonce, index, last)
	b.msgs[i].Nonce = nonce
}

// full reports whether b has no room for another chunk.
func (b *messageBatch) full() bool { return b.n == len(b.msgs) }

// reset removes all chunks and drops their references.
func (b *messageBatch) reset() {
	clear(b.msgs[:b.n])
	b.n = 0
}

// seal seals n bytes of plaintext as consecutive chunks, writes them to buf, and
// returns the part of buf that contains them. The plaintext is src. If src is nil, the
// plaintext of each chunk must already be in buf at the offset of that chunk. The first
// chunk gets the given index. If last is true, the last chunk ends the stream and may
// be shorter. All other chunks must be whole.
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

// A place describes where in the stream a run of chunks is.
type place int

const (
	// inside means that other chunks follow the run, so the run does not contain the
	// last chunk of the stream.
	inside place = iota

	// atEnd means that no data follows the run, so the last chunk of the run must be
	// the last chunk of the stream.
	atEnd

	// unknown means that data may follow the run, so any whole chunk may have been
	// sealed as the last chunk of the stream.
	unknown
)

// A result is the result of opening a run of chunks.
type result struct {
	opened int   // authentic chunks
	ended  bool  // the last authentic chunk was sealed as the last one of the stream
	err    error // of the chunk after the authentic ones
}

// open opens the chunks in src, the first of which must have the given index. It writes
// the plaintext of chunk i of the run to dst[i*step:]. To open in place, pass src as
// dst and the stride as step. Otherwise, step must be the plaintext size of a whole
// chunk. If open rejects a chunk, the parts of dst for that chunk and the next chunk
// may be unchanged or contain zeros.
//
// If the run is at the end of the data but its last chunk was not sealed as the last
// one of the stream, the error is errUnexpectedEnd. If a chunk was sealed as the last
// one but other chunks follow it, the error is errAfterEnd. With errAfterEnd, unless
// damaged is set, the chunk sealed as the last one counts as rejected although dst
// contains its plaintext.
func (c *chunks) open(dst, src []byte, step int, index uint64, at place, b *messageBatch) (r result) {
	for len(src) > 0 && r.err == nil {
		size := min(len(src), c.stride())
		chunk, isEnd := src[:size], size == len(src)
		src = src[size:]
		// Only the last chunk of the stream may be shorter.
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

// add appends the result of the next batch to r.
func (r *result) add(more result) {
	r.opened += more.opened
	r.ended, r.err = more.ended, more.err
}

// openBatch opens the chunks in b. If isEnd is true, the run ends with the last chunk
// of b. If isLast is true, that chunk has the nonce of the stream's last chunk.
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
	// The current nonce assumes either that the chunk was sealed as the last one or
	// that it was not. If the opposite is possible as well, try the other nonce, too.
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

// check panics if c has no AEAD. This happens if a program uses a Reader, Writer or
// similar value that was not returned by a constructor.
func (c *chunks) check() {
	if c.aead == nil {
		panic("stream: use of a value that no constructor returned")
	}
}
