// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"crypto/subtle"
	"hash"

	"github.com/unimac/unimac/internal/poly1305"
)

// MAC computes the tag of one message written incrementally. It implements [hash.Hash]
// and [hash.Cloner]. A MAC must not be used concurrently by multiple goroutines.
//
// MACs are kept small because every message needs a new one. If a message turns out to
// be long, Write allocates a table of precomputed values for a vector kernel.
type MAC struct {
	state  poly1305.State
	table  poly1305.KeptTable
	pad    [TagSize]byte            // second half of the key
	block  [poly1305.BlockSize]byte // the incomplete last block of the message
	n      int                      // number of bytes in block
	hasKey bool                     // set by New; with a zero key, the tag of every message would be 0
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// New returns a MAC for one message under key. Never use the same key for more than one
// message.
func New(key *[KeySize]byte) *MAC {
	m := &MAC{pad: [TagSize]byte(key[KeySize-TagSize:]), hasKey: true}
	m.state.SetKey(key)
	return m
}

// Reset discards the message but keeps the key. After Reset, write only the same
// message again, because the key must not be used for two different messages. For a
// different message, call [New] with another key.
func (m *MAC) Reset() {
	m.state.Reset()
	m.n = 0
}

// Size returns 16, the tag size in bytes.
func (m *MAC) Size() int { return TagSize }

// BlockSize returns 16, the block size of Poly1305. Writes can be any length, but a few
// long writes are faster than many short ones.
func (m *MAC) BlockSize() int { return poly1305.BlockSize }

// Write appends p to the message. It never returns an error and, unlike Write in
// golang.org/x/crypto/poly1305, does not panic after Sum or Verify.
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
			m.state.Blocks(&m.table, m.block[:])
		}
		m.n = 0
		p = p[n:]
	}
	if whole := len(p) &^ (poly1305.BlockSize - 1); whole > 0 {
		if poly1305.IsShort(whole) {
			m.state.BlocksShort(p[:whole])
		} else {
			m.state.Blocks(&m.table, p[:whole])
		}
		p = p[whole:]
	}
	if len(p) > 0 {
		m.n = copy(m.block[:], p)
	}
	return written, nil
}

// Sum appends the tag of the data written so far to b and returns the resulting slice.
// It does not change the MAC, so the caller may continue to write.
//
// If the message is not complete, the result is the tag of a different, shorter message
// under the same key. Never reveal two tags computed under one key, because an attacker
// could use them to forge tags.
func (m *MAC) Sum(b []byte) []byte {
	var tag [TagSize]byte
	m.sum(&tag)
	return append(b, tag[:]...)
}

// Verify reports whether expected is the tag of the data written so far. It returns
// false if expected is not 16 bytes long. It compares tags in constant time and does
// not change the MAC.
func (m *MAC) Verify(expected []byte) bool {
	var want [TagSize]byte
	m.sum(&want)
	return subtle.ConstantTimeCompare(want[:], expected) == 1
}

func (m *MAC) sum(tag *[TagSize]byte) {
	if !m.hasKey {
		panic("poly1305: MAC without a key, use New")
	}
	m.state.Tag(tag, m.block[:m.n], &m.pad)
}

// Clone returns an independent copy of the MAC with the same key and data. The error is
// always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	c := *m
	return &c, nil
}
