// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"fmt"

	"github.com/unimac/unimac/aead/internal/batch"
)

// chunkCipher seals and opens the chunks of a stream.
type chunkCipher struct {
	*format
	aead batch.AEAD
	base [maxNonceSize]byte // nonce base
	size int                // plaintext size of a whole chunk in bytes

	// endDamaged is true if the end of the stream is damaged and Options.Damaged is
	// set. In that case, a chunk marked as final may be followed by other chunks.
	endDamaged bool
}

func (f *format) newChunkCipher(s secrets, size int) (chunkCipher, error) {
	a, err := f.newAEAD(s)
	return chunkCipher{format: f, aead: a, base: s.base, size: size}, err
}

// stride returns the size of a whole sealed chunk.
func (c *chunkCipher) stride() int { return c.size + c.tagSize }

// mayBeEmpty reports whether a final chunk with the given index may be empty.
func (c *chunkCipher) mayBeEmpty(index uint64) bool { return index == 0 || c.shortEnd }

// messageBatch holds the arguments of one AEAD call, for reuse without allocation.
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

// reset empties b and drops its references to chunk buffers.
func (b *messageBatch) reset() {
	clear(b.msgs[:b.n])
	b.n = 0
}

// seal encrypts n bytes of plaintext into chunks in buf and returns the chunks.
func (c *chunkCipher) seal(buf, src []byte, n int, index uint64, final bool, b *messageBatch) []byte {
	count := n / c.size // n must be a multiple of c.size unless final is set
	if final {
		count = int(c.chunkCount(int64(n), int64(c.size)))
	}
	sealed := buf[:n+count*c.tagSize]
	rest := sealed
	for i := range count {
		atEnd := i == count-1
		chunk := rest[:min(len(rest), c.stride())]
		plain := chunk[:len(chunk)-c.tagSize]
		// Without src, the plaintext is already in chunk.
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

// streamPos tells whether more chunks follow in the stream.
type streamPos int

const (
	// posMiddle means that more chunks follow.
	posMiddle streamPos = iota

	// posEnd means that no data follows.
	posEnd

	// posUnknown means that more chunks may follow.
	posUnknown
)

// openResult is the result of opening several consecutive chunks.
type openResult struct {
	count int   // number of authentic chunks
	final bool  // the stream's final chunk was found
	err   error // error after the authentic chunks
}

// open decrypts the chunks in src, numbered from index, and writes their plaintext to
// dst. If a chunk fails authentication, its part of dst and the next chunk's part are
// left unchanged or filled with zeros.
func (c *chunkCipher) open(dst, src []byte, step int, index uint64, pos streamPos, b *messageBatch) (r openResult) {
	for len(src) > 0 && r.err == nil {
		size := min(len(src), c.stride())
		chunk, isEnd := src[:size], size == len(src)
		src = src[size:]
		final := isEnd && (size < c.stride() || pos == posEnd && !c.shortEnd)
		c.add(b, index+uint64(b.n), final, chunk, dst[:size-c.tagSize])
		// In place, step is the stride; otherwise, it is the chunk size.
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

// openBatch opens the chunks in b, starting with the given index.
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
	// Try the opposite assumption about whether chunk i is the final one.
	i := opened
	if !c.shortEnd && pos != posMiddle && len(b.msgs[i].In) == c.stride() {
		asFinal := final && i == b.n-1
		c.setNonce(b, i, index+uint64(i), !asFinal)
		// UnimacV2's OpenAll has left the rejected chunk unchanged.
		if c.aead.OpenAll(b.msgs[i:i+1]) == 1 {
			switch {
			case asFinal:
				return openResult{count: i + 1, err: errUnexpectedEnd}
			case i == b.n-1 && isEnd:
				return openResult{count: i + 1, final: true}
			case c.endDamaged:
				// Other chunks follow this final chunk, which is still authentic.
				return openResult{count: i + 1, final: true, err: errAfterEnd}
			default:
				return openResult{count: i, final: true, err: errAfterEnd}
			}
		}
	}
	return openResult{count: opened, err: fmt.Errorf("%w (chunk %d)", ErrAuth, index+uint64(i))}
}

// check panics if c is the zero value.
func (c *chunkCipher) check() {
	if c.aead == nil {
		panic("stream: use of a value that no constructor returned")
	}
}
