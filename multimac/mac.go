// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"crypto/subtle"
	"hash"

	"github.com/unimac/unimac/internal/blake2b"
)

// MAC computes the tag of a list of inputs written incrementally. [MAC.Write] appends
// to the current input and [MAC.Next] ends it. MAC implements [hash.Hash] and
// [hash.Cloner]. A MAC must not be used concurrently by multiple goroutines, but
// several MACs may share a [Key].
type MAC struct {
	key     *Key
	cascade cascade
	begun   bool // whether an input is in progress
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// New returns a MAC for one list of inputs.
func (k *Key) New() *MAC {
	k.mustBeMade()
	return &MAC{key: k, cascade: cascade{t: k.key1}}
}

// Reset discards the list so that the MAC can process another one.
func (m *MAC) Reset() {
	m.mustBeMade()
	m.cascade.t = m.key.key1
	m.cascade.rekey = false
	m.begun = false
}

// Size returns the tag size in bytes.
func (m *MAC) Size() int {
	m.mustBeMade()
	return m.key.size
}

// BlockSize returns 128, the block size of BLAKE2b. Writes can be any length, but
// multiples of 128 bytes are fastest.
func (m *MAC) BlockSize() int { return blake2b.BlockSize }

// Write appends p to the current input. It starts a new input if none is in progress,
// even if p is empty. It never returns an error.
func (m *MAC) Write(p []byte) (int, error) {
	m.mustBeMade()
	if !m.begun {
		m.cascade.begin(m.key)
		m.begun = true
	}
	m.cascade.input.Write(p)
	return len(p), nil
}

// Next ends the current input. If no input is in progress, Next adds an empty input to
// the list. The next call to Write starts a new input.
//
// If the inputs come from [io.Copy], call Next after every input, including the last.
// Otherwise, an empty last input would be missing from the list, because io.Copy does
// not call Write for an empty source.
func (m *MAC) Next() {
	m.mustBeMade()
	if !m.begun {
		m.cascade.begin(m.key)
	}
	m.cascade.end()
	m.begun = false
}

// Sum appends the tag of the data written so far to b and returns the resulting slice.
// If an input is in progress, Sum treats it as the last input of the list. Otherwise,
// the list consists of the inputs that Next has ended. Sum does not change the MAC, so
// the caller may continue the current input.
func (m *MAC) Sum(b []byte) []byte {
	m.mustBeMade()
	if !m.begun {
		return m.cascade.appendTag(b, m.key)
	}
	c := cascade{}
	m.cascade.input.Sum(c.t[:0])
	return c.appendTag(b, m.key)
}

// Verify reports whether tag is the tag that [MAC.Sum] would append. It returns false
// if tag has the wrong length, and it compares tags in constant time.
func (m *MAC) Verify(tag []byte) bool {
	var want [maxSize]byte
	return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1
}

// Clone returns an independent copy of the MAC with the same key and list. The error is
// always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	m.mustBeMade()
	c := *m
	return &c, nil
}

func (m *MAC) mustBeMade() {
	if m.key == nil {
		panic("multimac: MAC without a key, use Key.New")
	}
}
