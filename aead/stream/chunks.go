// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"encoding/binary"
	"fmt"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/internal/batch"
)

const tagSize = aead.TagSize

// chunks seals and opens the chunks of one stream, in runs of consecutive ones.
type chunks struct {
	aead batch.AEAD
	size int // of a whole chunk's plaintext in bytes
}

// stride is the size of a whole chunk in the stream.
func (c *chunks) stride() int { return c.size + tagSize }

// count is the number of chunks that n bytes of plaintext make.
func (c *chunks) count(n int) int { return max(1, (n+c.size-1)/c.size) }

// A messageBatch is the chunks that are handed to the AEAD together. It belongs to
// the job or the slot that works on them, since the arguments of an AEAD's methods
// escape.
type messageBatch struct {
	n      int // as many are in use
	msgs   [batch.MaxLanes]batch.Message
	nonces [batch.MaxLanes][aead.NonceSize]byte
}

// add adds one more chunk, for which there must be room.
func (b *messageBatch) add(index uint64, final bool, in, out []byte) {
	b.setNonce(b.n, index, final)
	b.msgs[b.n].In, b.msgs[b.n].Out = in, out
	b.n++
}

// setNonce makes the nonce of message i.
func (b *messageBatch) setNonce(i int, index uint64, final bool) {
	b.nonces[i] = chunkNonce(index, final)
	b.msgs[i].Nonce = b.nonces[i][:]
}

// chunkNonce is BE56(index) || final. No machine gets to 2^56 chunks.
func chunkNonce(index uint64, final bool) (nonce [aead.NonceSize]byte) {
	v := index << 8
	if final {
		v |= 1
	}
	binary.BigEndian.PutUint64(nonce[:], v)
	return nonce
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
	count := c.count(n)
	sealed := buf[:n+count*tagSize]
	rest := sealed
	for i := range count {
		isLast := i == count-1
		chunk := rest[:min(len(rest), c.stride())]
		plain := chunk[:len(chunk)-tagSize]
		if src != nil {
			plain = src[i*c.size:][:len(plain)]
		}
		b.add(index+uint64(i), last && isLast, plain, chunk)
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
// Where chunks are not authentic, nothing is written.
//
// The error is errUnexpectedEnd after a run at the end whose last chunk was sealed
// as an earlier one, and errAfterEnd if more chunks follow the stream's last.
func (c *chunks) open(dst, src []byte, step int, index uint64, at place, b *messageBatch) (r result) {
	for len(src) > 0 && r.err == nil {
		size := min(len(src), c.stride())
		chunk, isEnd := src[:size], size == len(src)
		src = src[size:]
		// Only the stream's last chunk is not whole.
		b.add(index+uint64(b.n), isEnd && (at == atEnd || size < c.stride()), chunk, dst[:size-tagSize])
		dst = dst[min(step, len(dst)):]
		if b.full() || isEnd {
			n := b.n
			r.add(c.openBatch(index, at, isEnd, b))
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

// openBatch opens the chunks in b. If isEnd is true, the last is that of the run.
func (c *chunks) openBatch(index uint64, at place, isEnd bool, b *messageBatch) result {
	defer b.reset()
	last := b.n - 1
	isFinal := func(i int) bool { return b.nonces[i][aead.NonceSize-1] == 1 }
	opened := c.aead.OpenAll(b.msgs[:b.n])
	if opened == b.n {
		return result{opened: opened, ended: isFinal(last)}
	}
	// The other kind of chunk is worth a look at, where there may be one.
	i := opened
	if len(b.msgs[i].In) == c.stride() && (at == unknown || at == atEnd) {
		final := !isFinal(i)
		b.setNonce(i, index+uint64(i), final)
		if c.aead.OpenAll(b.msgs[i:i+1]) == 1 {
			switch {
			case !final:
				return result{opened: i + 1, err: errUnexpectedEnd}
			case i == last && isEnd:
				return result{opened: i + 1, ended: true}
			default:
				return result{opened: i + 1, ended: true, err: errAfterEnd}
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
