// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"

	"github.com/unimac/unimac/aead/internal/batch"
)

// chunks seals and opens consecutive chunks of a stream.
type chunks struct {
	*format
	aead batch.AEAD
	base [maxNonceSize]byte // nonce base
	size int                // plaintext size of a whole chunk in bytes

	// damaged is set if [Options].Damaged is set and the end of the stream could not be
	// authenticated. In that case, a chunk that was sealed as the last one is accepted
	// even if other chunks follow it.
	damaged bool
}

func (f *format) newChunks(s secrets, size int) (chunks, error) {
	a, err := f.newAEAD(s)
	return chunks{format: f, aead: a, base: s.base, size: size}, err
}

// stride returns the size of a whole sealed chunk.
func (c *chunks) stride() int { return c.size + c.tagSize }

// mayBeEmpty reports whether the last chunk of a stream may be empty if it has the
// given index.
func (c *chunks) mayBeEmpty(index uint64) bool { return index == 0 || c.shortEnd }

// A messageBatch holds the chunks for one AEAD call. It is a field of longer-lived types
// so that calls do not allocate.
type messageBatch struct {
	n      int // messages in use
	msgs   [batch.MaxLanes]batch.Message
	nonces [batch.MaxLanes][maxNonceSize]byte
}

func (c *chunks) add(b *messageBatch, index uint64, last bool, in, out []byte) {
	c.setNonce(b, b.n, index, last)
	b.msgs[b.n].In, b.msgs[b.n].Out = in, out
	b.n++
}

func (c *chunks) setNonce(b *messageBatch, i int, index uint64, last bool) {
	b.nonces[i] = c.base
	nonce := b.nonces[i][:c.nonceSize]
	c.deriveNonce(nonce, index, last)
	b.msgs[i].Nonce = nonce
}

func (b *messageBatch) full() bool { return b.n == len(b.msgs) }

// reset removes all chunks and drops references to their memory.
func (b *messageBatch) reset() {
	clear(b.msgs[:b.n])
	b.n = 0
}

// seal encrypts n bytes of plaintext as consecutive chunks, numbered from index, and
// returns the part of buf that holds them. If src is nil, it works in place: each
// chunk's plaintext must already be in buf, at the position of the sealed chunk. If
// last is true, the stream ends here, so the last chunk may be shorter.
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

// A position states whether a sequence of chunks ends the stream.
type position int

const (
	// inside means that other chunks follow.
	inside position = iota

	// atEnd means that no data follows.
	atEnd

	// unknown means that more data may follow, so any chunk of full size may be the
	// stream's last one.
	unknown
)

// A result describes an attempt to open several consecutive chunks.
type result struct {
	opened int   // number of authentic chunks
	ended  bool  // the last authentic chunk was sealed as the last one of the stream
	err    error // error for the chunk after the authentic ones
}

// open opens the consecutive chunks in src, of which the first is chunk number index,
// and writes their plaintext to dst[0:], dst[step:], dst[2*step:] and so on. To open in
// place, pass src as dst and the stride as step. Otherwise, step must be the plaintext
// size of a whole chunk. When a chunk is rejected, its part of dst and the next chunk's
// part are left unchanged or filled with zeros.
//
// If the data ends before a chunk that was sealed as the last one, the error is
// errUnexpectedEnd. If other chunks follow such a chunk, the error is errAfterEnd, and
// the chunk counts as rejected unless damaged is set.
func (c *chunks) open(dst, src []byte, step int, index uint64, at position, b *messageBatch) (r result) {
	for len(src) > 0 && r.err == nil {
		size := min(len(src), c.stride())
		chunk, isEnd := src[:size], size == len(src)
		src = src[size:]
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

func (r *result) add(more result) {
	r.opened += more.opened
	r.ended, r.err = more.ended, more.err
}

// openBatch opens the chunks in b. The first chunk's number is index. isEnd states
// whether no chunks follow in the data passed to open. isLast states whether to open
// the last chunk in b with the nonce of a stream's last chunk.
func (c *chunks) openBatch(index uint64, at position, isEnd, isLast bool, b *messageBatch) result {
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
	// OpenAll has rejected chunk i and left it unchanged. The nonce depends on whether
	// a chunk is the stream's last one. If that is uncertain, try the other nonce.
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

// check panics if no constructor returned the value that holds c.
func (c *chunks) check() {
	if c.aead == nil {
		panic("stream: use of a value that no constructor returned")
	}
}
