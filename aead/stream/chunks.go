// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"

	"github.com/unimac/unimac/aead/internal/batch"
)

// chunks seals and opens consecutive chunks of a stream.
type chunkCipher struct {
	*format
	aead batch.AEAD
	base [maxNonceSize]byte // nonce base
	size int                // plaintext size of a whole chunk in bytes

	// damaged is set if [Options].Damaged is set and the end of the stream could not be
	// authenticated. In that case, a chunk that was sealed as the last one is accepted
	// even if other chunks follow it.
	endDamaged bool
}

func (f *format) newChunkCipher(s secrets, size int) (chunkCipher, error) {
	a, err := f.newAEAD(s)
	return chunkCipher{format: f, aead: a, base: s.base, size: size}, err
}

// stride returns the size of a whole sealed chunk.
func (c *chunkCipher) stride() int { return c.size + c.tagSize }

// mayBeEmpty reports whether the last chunk of a stream may be empty if it has the
// given index.
func (c *chunkCipher) mayBeEmpty(index uint64) bool { return index == 0 || c.shortEnd }

// A messageBatch holds the chunks for one AEAD call. It is a field of longer-lived types
// so that calls do not allocate.
type messageBatch struct {
	n      int // messages in use
	msgs   [batch.MaxLanes]batch.Message
	nonces [batch.MaxLanes][maxNonceSize]byte
}

func (c *chunkCipher) add(b *messageBatch, index uint64, final bool, in, out []byte) {
	c.setNonce(b, b.n, index, final)
	b.msgs[b.n].In, b.msgs[b.n].Out = in, out
	b.n++
}

func (c *chunkCipher) setNonce(b *messageBatch, i int, index uint64, final bool) {
	b.nonces[i] = c.base
	nonce := b.nonces[i][:c.nonceSize]
	c.deriveNonce(nonce, index, final)
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
func (c *chunkCipher) seal(buf, src []byte, n int, index uint64, final bool, b *messageBatch) []byte {
	count := n / c.size
	if final {
		count = int(c.chunkCount(int64(n), int64(c.size)))
	}
	sealed := buf[:n+count*c.tagSize]
	rest := sealed
	for i := range count {
		atEnd := i == count-1
		chunk := rest[:min(len(rest), c.stride())]
		plain := chunk[:len(chunk)-c.tagSize]
		if src != nil {
			plain = src[i*c.size:][:len(plain)]
		}
		c.add(b, index+uint64(i), final && atEnd, plain, chunk)
		rest = rest[len(chunk):]
		if b.full() || atEnd {
			c.aead.SealAll(b.msgs[:b.n])
			b.reset()
		}
	}
	return sealed
}

// A position states whether a sequence of chunks ends the stream.
type streamPos int

const (
	// inside means that other chunks follow.
	posMiddle streamPos = iota

	// atEnd means that no data follows.
	posEnd

	// unknown means that more data may follow, so any chunk of full size may be the
	// stream's last one.
	posUnknown
)

// A result describes an attempt to open several consecutive chunks.
type openResult struct {
	count int   // number of authentic chunks
	final bool  // the last authentic chunk was sealed as the last one of the stream
	err   error // error for the chunk after the authentic ones
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
func (c *chunkCipher) open(dst, src []byte, step int, index uint64, pos streamPos, b *messageBatch) (r openResult) {
	for len(src) > 0 && r.err == nil {
		size := min(len(src), c.stride())
		chunk, isEnd := src[:size], size == len(src)
		src = src[size:]
		final := isEnd && (size < c.stride() || pos == posEnd && !c.shortEnd)
		c.add(b, index+uint64(b.n), final, chunk, dst[:size-c.tagSize])
		dst = dst[min(step, len(dst)):]
		if b.full() || isEnd {
			n := b.n
			r.add(c.openBatch(index, pos, isEnd, final, b))
			index += uint64(n)
		}
	}
	return r
}

func (r *openResult) add(next openResult) {
	r.count += next.count
	r.final, r.err = next.final, next.err
}

// openBatch opens the chunks in b. The first chunk's number is index. isEnd states
// whether no chunks follow in the data passed to open. isLast states whether to open
// the last chunk in b with the nonce of a stream's last chunk.
func (c *chunkCipher) openBatch(index uint64, pos streamPos, isEnd, final bool, b *messageBatch) openResult {
	defer b.reset()
	allowed := b.n
	if left := c.maxChunks - index; uint64(b.n) > left {
		allowed = int(left)
	}
	opened := c.aead.OpenAll(b.msgs[:allowed])
	switch {
	case opened == b.n && isEnd && pos == posEnd && !final:
		return openResult{count: opened, err: errUnexpectedEnd}
	case opened == b.n:
		return openResult{count: opened, final: final}
	case opened == allowed:
		return openResult{count: opened, err: errTooManyChunks}
	}
	// OpenAll has rejected chunk i and left it unchanged. The nonce depends on whether
	// a chunk is the stream's last one. If that is uncertain, try the other nonce.
	i := opened
	if !c.shortEnd && pos != posMiddle && len(b.msgs[i].In) == c.stride() {
		asFinal := final && i == b.n-1
		c.setNonce(b, i, index+uint64(i), !asFinal)
		if c.aead.OpenAll(b.msgs[i:i+1]) == 1 {
			switch {
			case asFinal:
				return openResult{count: i + 1, err: errUnexpectedEnd}
			case i == b.n-1 && isEnd:
				return openResult{count: i + 1, final: true}
			case c.endDamaged:
				return openResult{count: i + 1, final: true, err: errAfterEnd}
			default:
				return openResult{count: i, final: true, err: errAfterEnd}
			}
		}
	}
	return openResult{count: opened, err: fmt.Errorf("%w (chunk %d)", ErrAuth, index+uint64(i))}
}

// check panics if no constructor returned the value that holds c.
func (c *chunkCipher) check() {
	if c.aead == nil {
		panic("stream: use of a value that no constructor returned")
	}
}
