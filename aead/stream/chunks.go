// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"github.com/unimac/unimac/aead"
)

const tagSize = aead.TagSize

// chunks seals and opens the chunks of one stream, in runs of consecutive ones.
type chunks struct {
	aead cipher.AEAD
	size int // of a whole chunk's plaintext in bytes
}

func newChunks(key []byte, header *[headerSize]byte) (chunks, error) {
	a, err := newFileAEAD(key, header)
	return chunks{a, 1 << header[len(magic)]}, err
}

// stride is the size of a whole chunk in the stream.
func (c *chunks) stride() int { return c.size + tagSize }

// A nonce belongs to whoever seals or opens, since an argument of an AEAD's
// methods escapes.
type nonce [aead.NonceSize]byte

// set makes n the nonce of a chunk: BE56(index) || final. There is no machine
// that gets to 2^56 chunks.
func (n *nonce) set(index uint64, final bool) {
	v := index << 8
	if final {
		v |= 1
	}
	binary.BigEndian.PutUint64(n[:], v)
}

// seal appends the chunks of src to dst, of which the first has the given index.
// All of them are whole, but for the one that ends the stream if last is true.
func (c *chunks) seal(dst, src []byte, index uint64, last bool, n *nonce) []byte {
	for {
		size := min(len(src), c.size)
		n.set(index, last && size == len(src))
		dst = c.aead.Seal(dst, n[:], src[:size], nil)
		src = src[size:]
		index++
		if len(src) == 0 {
			return dst
		}
	}
}

// open opens the chunks in buf, each in its place: the plaintext of one that
// begins at i is at i, too. The arguments are as for seal. It returns how many
// are authentic, and the error of the one behind them.
func (c *chunks) open(buf []byte, index uint64, last bool, n *nonce) (opened int, err error) {
	for len(buf) > 0 {
		size := min(len(buf), c.stride())
		err := c.openOne(buf[:0], buf[:size], index, last && size == len(buf), n)
		if err == errUnexpectedEnd {
			opened++
		}
		if err != nil {
			return opened, err
		}
		buf = buf[size:]
		index++
		opened++
	}
	return opened, nil
}

// openOne appends the plaintext of one chunk to dst. Its error is
// errUnexpectedEnd for a last chunk that was sealed as an earlier one; the
// plaintext is there, too. With any other error, nothing was written.
func (c *chunks) openOne(dst, sealed []byte, index uint64, last bool, n *nonce) error {
	n.set(index, last)
	if _, err := c.aead.Open(dst, n[:], sealed, nil); err == nil {
		return nil
	}
	if last && len(sealed) == c.stride() {
		n.set(index, false)
		if _, err := c.aead.Open(dst, n[:], sealed, nil); err == nil {
			return errUnexpectedEnd
		}
	}
	return fmt.Errorf("%w (chunk %d)", ErrAuth, index)
}
