// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"crypto/subtle"
	"hash"

	"github.com/unimac/unimac/internal/umac"
)

// MAC computes the tag of a message written incrementally. It implements [hash.Hash]
// and [hash.Cloner]. A MAC must not be used concurrently by multiple goroutines, but
// several MACs may share a [Key].
type MAC struct {
	key   *Key
	pad   umac.CachedPad
	state umac.State           // covers the chunks before the current one
	n     int                  // number of bytes in chunk
	chunk [umac.ChunkSize]byte // the incomplete last chunk of the message
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// New32 returns a MAC that computes the 4-byte tag of one message. It returns an error
// unless the key is 16, 24 or 32 bytes long and the nonce is 1 to 16 bytes long. To
// authenticate several messages under one key, call [NewKey] once and then [Key.New] or
// [Key.Sum] for each message.
func New32(key, nonce []byte) (*MAC, error) { return newMAC(key, nonce, Size32) }

// New64 is like [New32], but with an 8-byte tag.
func New64(key, nonce []byte) (*MAC, error) { return newMAC(key, nonce, Size64) }

// New96 is like [New32], but with a 12-byte tag.
func New96(key, nonce []byte) (*MAC, error) { return newMAC(key, nonce, Size96) }

// New128 is like [New32], but with a 16-byte tag.
func New128(key, nonce []byte) (*MAC, error) { return newMAC(key, nonce, Size128) }

func newMAC(key, nonce []byte, size int) (*MAC, error) {
	if err := umac.CheckNonce(nonce); err != nil {
		return nil, err
	}
	k, err := NewKey(key, size)
	if err != nil {
		return nil, err
	}
	return k.New(nonce), nil
}

// New returns a MAC for one message under the given nonce. It panics if the nonce is
// not 1 to 16 bytes long. Never reuse a nonce with the same key.
func (k *Key) New(nonce []byte) *MAC {
	// Keep New small enough to inline so that a MAC that does not escape stays on the
	// caller's stack.
	m := new(MAC)
	m.begin(k, nonce)
	return m
}

func (m *MAC) begin(k *Key, nonce []byte) {
	k.mustBeMade()
	m.key = k
	m.pad.Set(umac.PadOf(nonce, k.key.Size()))
}

// ResetNonce discards the current message and starts the next one, under the same key
// and a new nonce. It panics if the nonce is not 1 to 16 bytes long.
//
// The MAC caches one encrypted AES block, so tags are cheaper if the nonces count up.
// Four nonces that differ only in their last two bits share a block with 4-byte tags,
// and two nonces that differ only in their last bit share a block with 8-byte tags.
func (m *MAC) ResetNonce(nonce []byte) {
	m.mustBeMade()
	m.pad.Set(umac.PadOf(nonce, m.key.key.Size()))
	m.Reset()
}

// Reset discards the data written so far but keeps the nonce. Use it only to write the
// same message again, because two different messages must never share a nonce. To start
// a different message, use [MAC.ResetNonce].
func (m *MAC) Reset() {
	m.mustBeMade()
	m.n = 0
	m.state.Reset()
}

// Size returns the tag size in bytes.
func (m *MAC) Size() int {
	m.mustBeMade()
	return m.key.key.Size()
}

// BlockSize returns 1024, the chunk size of UMAC. Writes can be any length, but
// multiples of 1024 bytes are fastest.
func (m *MAC) BlockSize() int { return umac.ChunkSize }

// Write appends p to the message. It never returns an error.
func (m *MAC) Write(p []byte) (int, error) {
	m.mustBeMade()
	written := len(p)
	if m.n > 0 {
		n := copy(m.chunk[m.n:], p)
		m.n += n
		if m.n < umac.ChunkSize {
			return written, nil
		}
		m.state.Update(&m.key.key, m.chunk[:])
		m.n = 0
		p = p[n:]
	}
	if whole := len(p) / umac.ChunkSize * umac.ChunkSize; whole > 0 {
		m.state.Update(&m.key.key, p[:whole])
		p = p[whole:]
	}
	m.n = copy(m.chunk[:], p)
	return written, nil
}

// Sum appends the tag of the data written so far to b and returns the resulting slice.
// It does not change the MAC, so the caller may continue to write.
//
// Do not disclose the result until the whole message has been written. The tag of an
// incomplete message is the tag of a different message under the same nonce, and an
// attacker who knows two tags for one nonce can forge messages.
func (m *MAC) Sum(b []byte) []byte {
	m.mustBeMade()
	b, tag := grow(b, m.key.key.Size())
	if m.state.Begun() {
		m.state.Sum(tag, &m.key.key, &m.pad, m.chunk[:m.n])
	} else {
		m.key.key.Sum(tag, m.pad.Pad, &m.pad, m.chunk[:m.n])
	}
	return b
}

// Verify reports whether tag is the tag of the data written so far. It returns false if
// tag has the wrong length, and it compares tags in constant time.
func (m *MAC) Verify(tag []byte) bool {
	var want [Size128]byte
	return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1
}

// Clone returns an independent copy of the MAC with the same key, nonce and data. The
// error is always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	m.mustBeMade()
	c := *m
	return &c, nil
}

func (m *MAC) mustBeMade() {
	if m.key == nil {
		panic("umac: MAC without a key, use Key.New")
	}
}
