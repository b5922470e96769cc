// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/internal/batch"
)

const tagSize = aead.TagSize

// chunks seals and opens the chunks of one stream, in runs of consecutive ones.
type chunks struct {
	aead batch.AEAD
	size int // of a whole chunk's plaintext in bytes
}

func newChunks(key []byte, header *[headerSize]byte) (chunks, error) {
	a, err := newFileAEAD(key, header)
	if err != nil {
		return chunks{}, err
	}
	return chunks{a.(batch.AEAD), 1 << header[len(magic)]}, nil
}

// stride is the size of a whole chunk in the stream.
func (c *chunks) stride() int { return c.size + tagSize }

// count is the number of chunks that n bytes of plaintext make.
func (c *chunks) count(n int) int { return max(1, (n+c.size-1)/c.size) }

// lanes are the chunks that are handed to the AEAD together. They belong to whoever
// seals or opens, since the arguments of an AEAD's methods escape.
type lanes struct {
	n      int // as many are in use
	msgs   [batch.MaxLanes]batch.Message
	nonces [batch.MaxLanes][aead.NonceSize]byte
}

// add takes one more chunk, for which there must be room.
func (l *lanes) add(index uint64, final bool, in, out []byte) {
	l.setNonce(l.n, index, final)
	l.msgs[l.n].In, l.msgs[l.n].Out = in, out
	l.n++
}

// setNonce makes BE56(index) || final the nonce of message i. There is no machine
// that gets to 2^56 chunks.
func (l *lanes) setNonce(i int, index uint64, final bool) {
	v := index << 8
	if final {
		v |= 1
	}
	binary.BigEndian.PutUint64(l.nonces[i][:], v)
	l.msgs[i].Nonce = l.nonces[i][:]
}

// full reports whether there is no room.
func (l *lanes) full() bool { return l.n == len(l.msgs) }

// reset makes room and drops what the chunks referred to.
func (l *lanes) reset() {
	clear(l.msgs[:l.n])
	l.n = 0
}

// seal appends the chunks of src to dst, of which the first has the given index.
// All of them are whole, but for the one that ends the stream if last is true.
func (c *chunks) seal(dst, src []byte, index uint64, last bool, l *lanes) []byte {
	count, n := c.count(len(src)), len(dst)
	dst = slices.Grow(dst, len(src)+count*tagSize)[:n+len(src)+count*tagSize]
	out := dst[n:]
	for i := range count {
		size := min(len(src), c.size)
		l.add(index+uint64(i), last && i == count-1, src[:size], out[:size+tagSize])
		src, out = src[size:], out[size+tagSize:]
		if l.full() || i == count-1 {
			c.aead.SealAll(l.msgs[:l.n])
			l.reset()
		}
	}
	return dst
}

// open opens the chunks of src; the other arguments are as for seal. The plaintext
// of each begins step bytes behind that of the one before: in dst, where step is
// that of plaintexts, or in place, where dst is src and step that of chunks.
//
// It returns how many are authentic, and the error of the one behind them. That
// is errUnexpectedEnd behind a last chunk that was sealed as an earlier one. Where
// chunks are not authentic, nothing was written.
func (c *chunks) open(dst, src []byte, step int, index uint64, last bool, l *lanes) (opened int, err error) {
	for len(src) > 0 && err == nil {
		size := min(len(src), c.stride())
		isEnd := size == len(src)
		l.add(index+uint64(l.n), last && isEnd, src[:size], dst[:size-tagSize])
		src, dst = src[size:], dst[min(step, len(dst)):]
		if l.full() || isEnd {
			var n int
			n, err = c.openAll(index, last && isEnd, l)
			opened += n
			index += uint64(n)
		}
	}
	return opened, err
}

// openAll opens the chunks in l. It returns what open does.
func (c *chunks) openAll(index uint64, last bool, l *lanes) (opened int, err error) {
	defer l.reset()
	opened = c.aead.OpenAll(l.msgs[:l.n])
	if opened == l.n {
		return opened, nil
	}
	if i := l.n - 1; last && i == opened && len(l.msgs[i].In) == c.stride() {
		l.setNonce(i, index+uint64(i), false)
		if c.aead.OpenAll(l.msgs[i:l.n]) == 1 {
			return l.n, errUnexpectedEnd
		}
	}
	return opened, fmt.Errorf("%w (chunk %d)", ErrAuth, index+uint64(opened))
}
