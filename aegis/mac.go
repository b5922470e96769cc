// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"crypto/subtle"
	"errors"
	"hash"
	"strconv"

	kernel "github.com/unimac/unimac/internal/aegis"
	"github.com/unimac/unimac/internal/alias"
)

// bufferSize is how many bytes wait for more before they are absorbed, a multiple of every rate:
// Sum of a short message is one call of a kernel.
const bufferSize = 512

// MAC computes AEGISMAC (RFC 10032, section 8) of a message that comes in pieces. It implements
// [hash.Hash] and [hash.Cloner]. Its methods must not be called at the same time by several
// goroutines. A message has at most 2^61 - 1 bytes.
type MAC struct{ *mac }

// mac is reached by a pointer, so that no verb of fmt prints it.
type mac struct {
	keyed  *kernel.State // after Init; it does not change, and clones share it
	size   int
	rate   int
	length uint64

	state  kernel.State // of what was absorbed, unless that is nothing
	begun  bool
	waits  int // bytes in buffer
	buffer [bufferSize]byte
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// NewMAC returns a MAC with tags of 16 or 32 bytes, under a key of [Variant.KeySize] bytes. The
// nonce has [Variant.NonceSize] bytes; nil stands for zeros. Any other length is an error, as are
// a value that is no variant and FIPS 140-only mode.
//
// Unlike an AEAD, a MAC may serve for any number of messages under one key and nonce: call
// [MAC.Reset] between them. Nonces separate uses of one key. Tags of different variants and sizes
// are unrelated. For tags of 16 bytes, a forgery succeeds with a chance of 2^-128 per attempt,
// and two of 2^64 messages have equal tags.
//
// Never use a key for both a MAC and an AEAD.
func NewMAC(v Variant, key, nonce []byte, size int) (*MAC, error) {
	if err := check(v, key, size); err != nil {
		return nil, err
	}
	var zeros [32]byte
	if nonce == nil {
		nonce = zeros[:v.NonceSize()]
	}
	if len(nonce) != v.NonceSize() {
		return nil, errors.New("aegis: nonce of " + strconv.Itoa(len(nonce)) + " bytes, want " + strconv.Itoa(v.NonceSize()) + " for " + v.String() + ", or nil")
	}
	m := &mac{keyed: new(kernel.State), size: size, rate: kernel.Variant(v).Rate()}
	m.keyed.Init(kernel.Variant(v), key, nonce)
	return &MAC{m}, nil
}

// Size returns the length of the tag in bytes.
func (m *MAC) Size() int {
	m.mustBeMade()
	return m.size
}

// BlockSize returns how many bytes are absorbed at once: 16, 32, 64 or 128. Any size of Write
// works; long ones are the fastest.
func (m *MAC) BlockSize() int {
	m.mustBeMade()
	return m.rate
}

// Reset forgets what was written: the next message under the same key and nonce may begin.
func (m *MAC) Reset() {
	m.mustBeMade()
	m.length, m.begun, m.waits = 0, false, 0
}

// Write adds p to the message. It never returns an error.
func (m *MAC) Write(p []byte) (int, error) {
	m.mustBeMade()
	written := len(p)
	m.length += uint64(written)
	if written <= bufferSize-m.waits {
		m.waits += copy(m.buffer[m.waits:], p)
		return written, nil
	}
	if m.waits > 0 {
		end := (m.waits + m.rate - 1) / m.rate * m.rate
		p = p[copy(m.buffer[m.waits:end], p):]
		m.absorb(m.buffer[:end])
	}
	whole := len(p) / m.rate * m.rate
	m.absorb(p[:whole])
	m.waits = copy(m.buffer[:], p[whole:])
	return written, nil
}

// absorb takes whole pieces.
func (m *mac) absorb(p []byte) {
	m.state.AbsorbAfter(m.now(), p)
	m.begun = m.begun || len(p) > 0
}

// now returns the state after what was absorbed.
func (m *mac) now() *kernel.State {
	if m.begun {
		return &m.state
	}
	return m.keyed
}

// Sum appends the tag of what was written so far to b and returns the resulting slice. It changes
// nothing: the message may go on.
func (m *MAC) Sum(b []byte) []byte {
	m.mustBeMade()
	all, tag := alias.Extend(b, m.size)
	m.sum(tag)
	return all
}

func (m *mac) sum(tag []byte) {
	m.now().MAC(tag, m.buffer[:m.waits], m.length)
}

// Verify reports whether tag is the tag of what was written so far. It is false for a tag of
// another length. Its time does not depend on where tags differ.
func (m *MAC) Verify(tag []byte) bool {
	m.mustBeMade()
	var want [kernel.TagSize256]byte
	m.sum(want[:m.size])
	return subtle.ConstantTimeCompare(want[:m.size], tag) == 1
}

// Clone returns a copy of the MAC, with the same key, nonce and message so far. The error is
// always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	m.mustBeMade()
	c := *m.mac
	return &MAC{&c}, nil
}

// mustBeMade panics for the zero MAC.
func (m *MAC) mustBeMade() {
	if m.mac == nil {
		panic("aegis: MAC without a key, use NewMAC")
	}
}
