// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"crypto/subtle"
	"hash"

	"github.com/unimac/unimac/internal/poly1305"
)

// MAC computes the tag of one message that comes in pieces. It implements
// [hash.Hash] and [hash.Cloner]. Its methods must not be called at the same
// time by several goroutines.
//
// A MAC is small, as one is made for each message. When many calls of Write show
// that its message is long, one of them allocates memory for what a vector
// kernel precomputes; nothing else allocates.
type MAC struct {
	state poly1305.State
	kept  poly1305.KeptTable
	pad   [TagSize]byte            // the second half of the key
	block [poly1305.BlockSize]byte // the message's unfinished block
	n     int                      // bytes in block
	keyed bool                     // by New: the zero value would have the tag 0 for every message
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// New returns a MAC for the one message that key is for. Another message needs
// another key, and so another MAC.
func New(key *[KeySize]byte) *MAC {
	m := &MAC{pad: [TagSize]byte(key[KeySize-TagSize:]), keyed: true}
	m.state.SetKey(key)
	return m
}

// Reset forgets what was written and keeps the key. As the key is for one
// message only, nothing but that message may follow, for example to compute its
// tag once more. For another message, call [New] with another key.
func (m *MAC) Reset() {
	m.state.Reset()
	m.n = 0
}

// Size returns 16, the length of the tag in bytes.
func (m *MAC) Size() int { return TagSize }

// BlockSize returns 16, the unit in which messages are hashed. Writes may have any length; a few long ones
// are faster than many short ones.
func (m *MAC) BlockSize() int { return poly1305.BlockSize }

// Write adds p to the message. It never returns an error.
//
// Unlike in golang.org/x/crypto/poly1305, which panics, a message may go on
// after Sum or Verify.
func (m *MAC) Write(p []byte) (int, error) {
	written := len(p)
	if m.n > 0 {
		n := copy(m.block[m.n:], p)
		m.n += n
		if m.n < poly1305.BlockSize {
			return written, nil
		}
		if poly1305.IsShort(poly1305.BlockSize) {
			m.state.BlocksShort(m.block[:])
		} else {
			m.state.Blocks(&m.kept, m.block[:])
		}
		m.n = 0
		p = p[n:]
	}
	if whole := len(p) &^ (poly1305.BlockSize - 1); whole > 0 {
		if poly1305.IsShort(whole) {
			m.state.BlocksShort(p[:whole])
		} else {
			m.state.Blocks(&m.kept, p[:whole])
		}
		p = p[whole:]
	}
	if len(p) > 0 {
		m.n = copy(m.block[:], p)
	}
	return written, nil
}

// Sum appends the tag of what was written so far to b and returns the resulting
// slice. It changes nothing: the message may go on.
//
// A tag in the middle of a message is the tag of a message of its own. Show it
// to nobody if another tag under the same key is to follow.
func (m *MAC) Sum(b []byte) []byte {
	var tag [TagSize]byte
	m.sum(&tag)
	return append(b, tag[:]...)
}

// Verify reports whether expected is the tag of what was written so far. It
// changes nothing, is false for a tag of another length than 16, and its time
// does not depend on where tags differ.
func (m *MAC) Verify(expected []byte) bool {
	var want [TagSize]byte
	m.sum(&want)
	return subtle.ConstantTimeCompare(want[:], expected) == 1
}

func (m *MAC) sum(tag *[TagSize]byte) {
	if !m.keyed {
		panic("poly1305: MAC without a key, use New")
	}
	m.state.Tag(tag, m.block[:m.n], &m.pad)
}

// Clone returns a copy of the MAC, with the same key and message so far. The
// error is always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	c := *m
	return &c, nil
}
