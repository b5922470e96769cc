// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"crypto/subtle"
	"hash"

	"github.com/unimac/unimac/internal/umac"
)

// MAC computes the tag of a message that comes in pieces. It implements
// [hash.Hash] and [hash.Cloner]. Its methods must not be called at the same
// time by several goroutines; several MACs may share a [Key].
type MAC struct {
	key   *Key
	pad   umac.KeptPad
	state umac.State           // of the chunks before this one
	n     int                  // bytes in chunk
	chunk [umac.ChunkSize]byte // the message's unfinished chunk
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// New32 returns a MAC with a tag of 4 bytes for one message, under a key of 16,
// 24 or 32 bytes and a nonce of 1 to 16 bytes. Any other length is an error.
//
// For more than one message under a key, call [NewKey] once.
func New32(key, nonce []byte) (*MAC, error) { return newMAC(key, nonce, Size32) }

// New64 is [New32] with a tag of 8 bytes.
func New64(key, nonce []byte) (*MAC, error) { return newMAC(key, nonce, Size64) }

// New96 is [New32] with a tag of 12 bytes.
func New96(key, nonce []byte) (*MAC, error) { return newMAC(key, nonce, Size96) }

// New128 is [New32] with a tag of 16 bytes.
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

// New returns a MAC for a message with the given nonce. It panics if the nonce
// has no byte or more than 16.
func (k *Key) New(nonce []byte) *MAC {
	// The compiler puts this function into its callers, and the MAC on the stack where it
	// stays with them.
	m := new(MAC)
	m.begin(k, nonce)
	return m
}

// begin makes m a new MAC.
func (m *MAC) begin(k *Key, nonce []byte) {
	k.mustBeMade()
	m.key = k
	m.pad.Set(umac.PadOf(nonce, k.key.Size()))
}

// ResetNonce starts the next message under the same key: it forgets what was
// written and takes a new nonce. It panics if the nonce has no byte or more
// than 16.
//
// With tags of 4 and 8 bytes, four or two nonces that differ in the last bits
// only, such as a counter's, share one AES block, which the MAC keeps.
func (m *MAC) ResetNonce(nonce []byte) {
	m.mustBeMade()
	m.pad.Set(umac.PadOf(nonce, m.key.key.Size()))
	m.Reset()
}

// Reset forgets what was written and keeps the nonce. Only the same message may
// follow, for example to compute its tag once more; for another message call
// [MAC.ResetNonce].
func (m *MAC) Reset() {
	m.mustBeMade()
	m.n = 0
	m.state.Reset()
}

// Size returns the length of the tag in bytes.
func (m *MAC) Size() int {
	m.mustBeMade()
	return m.key.key.Size()
}

// BlockSize returns 1024, the unit in which messages are hashed. Any size
// of Write works; whole blocks are the fastest.
func (m *MAC) BlockSize() int { return umac.ChunkSize }

// Write adds p to the message. It never returns an error.
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

// Sum appends the tag of what was written so far to b and returns the resulting
// slice. It changes nothing: the message may go on.
//
// A tag in the middle of a message counts as a message of its own under the
// nonce. Show it to nobody if another tag under the same nonce is to follow.
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

// Verify reports whether tag is the tag of what was written so far. It is false
// for a tag of another length. Its time does not depend on where tags differ.
func (m *MAC) Verify(tag []byte) bool {
	var want [Size128]byte
	return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1
}

// Clone returns a copy of the MAC, with the same key, nonce and message so far.
// The error is always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	m.mustBeMade()
	c := *m
	return &c, nil
}

// mustBeMade panics for the zero MAC.
func (m *MAC) mustBeMade() {
	if m.key == nil {
		panic("umac: MAC without a key, use Key.New")
	}
}
