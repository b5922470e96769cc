// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"crypto/subtle"
	"hash"

	"github.com/unimac/unimac/internal/blake2b"
)

// MAC computes the tag of a list of inputs that come in pieces: Write adds to
// the current input, Next ends it. It implements [hash.Hash] and [hash.Cloner].
// Its methods must not be called at the same time by several goroutines; several
// MACs may share a [Key].
type MAC struct {
	key     *Key
	cascade cascade
	begun   bool // the current input, by a Write
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// New returns a MAC for a list of inputs.
func (k *Key) New() *MAC {
	k.mustBeMade()
	return &MAC{key: k, cascade: cascade{t: k.chain}}
}

// Reset forgets what was written: the next list may begin.
func (m *MAC) Reset() {
	m.mustBeMade()
	m.cascade.t = m.key.chain
	m.cascade.later = false
	m.begun = false
}

// Size returns the length of the tag in bytes.
func (m *MAC) Size() int {
	m.mustBeMade()
	return m.key.size
}

// BlockSize returns 128, BLAKE2b's. Any size of Write works; whole
// blocks are the fastest.
func (m *MAC) BlockSize() int { return blake2b.BlockSize }

// Write adds p to the current input, which begins with the first Write, even of no
// bytes. It never returns an error.
func (m *MAC) Write(p []byte) (int, error) {
	m.mustBeMade()
	if !m.begun {
		m.cascade.begin(m.key)
		m.begun = true
	}
	m.cascade.input.Write(p)
	return len(p), nil
}

// Next ends the current input. If no input has begun, it adds an empty one.
// The next Write begins the next input.
//
// Call Next after every input, the last one included, if inputs come from
// [io.Copy] or anything else that calls no Write for an empty source. Without it,
// an empty input would be missing from the list.
func (m *MAC) Next() {
	m.mustBeMade()
	if !m.begun {
		m.cascade.begin(m.key)
	}
	m.cascade.end()
	m.begun = false
}

// Sum appends the tag of what was written so far to b and returns the resulting
// slice. The current input counts if it has begun. So a Next right before Sum makes
// no difference if there was a Write since the last one, and adds an empty input
// otherwise. Sum changes nothing: the current input may go on.
func (m *MAC) Sum(b []byte) []byte {
	m.mustBeMade()
	if !m.begun {
		return m.cascade.appendTag(b, m.key)
	}
	c := cascade{}
	m.cascade.input.Sum(c.t[:0])
	return c.appendTag(b, m.key)
}

// Verify reports whether tag is the tag that Sum computes. It is false for a tag
// of another length. Its time does not depend on where tags differ.
func (m *MAC) Verify(tag []byte) bool {
	var want [maxSize]byte
	return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1
}

// Clone returns a copy of the MAC, with the same key and inputs so far. The
// error is always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	m.mustBeMade()
	c := *m
	return &c, nil
}

// mustBeMade panics for the zero MAC.
func (m *MAC) mustBeMade() {
	if m.key == nil {
		panic("multimac: MAC without a key, use Key.New")
	}
}
