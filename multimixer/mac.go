// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"crypto/subtle"
	"hash"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/multimixer"
)

// MAC computes the tag of a message written incrementally. It implements [hash.Hash]
// and [hash.Cloner]. A MAC must not be used concurrently by multiple goroutines, but
// several MACs may share a [Key].
type MAC struct {
	key    *Key
	prf    blake2b.State // contains the digests of the chunks before the current one
	chunk  chunk
	length uint64
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// New returns a MAC for one message.
func (k *Key) New() *MAC {
	k.mustBeMade()
	return &MAC{key: k, prf: k.prf}
}

// Reset discards the message so that the MAC can process another one.
func (m *MAC) Reset() {
	m.mustBeMade()
	m.prf = m.key.prf
	m.chunk.sum, m.chunk.n, m.chunk.buffered = multimixer.Sum{}, 0, 0
	m.length = 0
}

// Size returns the tag size in bytes.
func (m *MAC) Size() int {
	m.mustBeMade()
	return m.key.size
}

// BlockSize returns 32, the block size of Multimixer-128. Writes can be any length, but
// multiples of 32 bytes are fastest.
func (m *MAC) BlockSize() int { return BlockSize }

// Write appends p to the message. It never returns an error.
func (m *MAC) Write(p []byte) (int, error) {
	m.mustBeMade()
	written := len(p)
	m.length += uint64(written)
	for len(p) > 0 {
		if m.chunk.n == chunkSize {
			m.chunk.finish(m.key, &m.prf)
			m.chunk.sum, m.chunk.n, m.chunk.buffered = multimixer.Sum{}, 0, 0
		}
		n := min(len(p), chunkSize-m.chunk.n)
		m.chunk.update(m.key, p[:n])
		p = p[n:]
	}
	return written, nil
}

// Sum appends the tag of the data written so far to b and returns the resulting slice.
// It does not change the MAC, so the caller may continue to write.
func (m *MAC) Sum(b []byte) []byte {
	m.mustBeMade()
	prf := m.prf
	m.chunk.finish(m.key, &prf)
	return appendTag(b, &prf, m.length)
}

// Verify reports whether tag is the tag of the data written so far. It returns false if
// tag has the wrong length, and it compares tags in constant time.
func (m *MAC) Verify(tag []byte) bool {
	var want [maxSize]byte
	return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1
}

// Clone returns an independent copy of the MAC with the same key and data. The error is
// always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	m.mustBeMade()
	c := *m
	return &c, nil
}

func (m *MAC) mustBeMade() {
	if m.key == nil {
		panic("multimixer: MAC without a key, use Key.New")
	}
}
