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

// bufferSize is the size of a MAC's buffer in bytes. It is a multiple of every
// variant's rate, and large enough that Sum needs only one kernel call for a short
// message.
const bufferSize = 512

// MAC computes AEGISMAC (RFC 10032, section 8) of a message written incrementally. The
// message must be shorter than 2^61 bytes. MAC implements [hash.Hash] and
// [hash.Cloner]. A MAC must not be used concurrently by multiple goroutines.
//
// Assigning a MAC does not copy its state: both values refer to the same message. Use
// [MAC.Clone] to obtain an independent copy.
type MAC struct{ *mac }

// mac holds the state of a MAC. A MAC contains only a pointer to it, so package fmt
// prints an address instead of the secrets.
type mac struct {
	initial *kernel.State // state after Init; shared with clones because it does not change
	size    int
	rate    int
	length  uint64

	state    kernel.State // state after the absorbed bytes; valid if begun
	begun    bool
	buffered int // number of bytes in buffer
	buffer   [bufferSize]byte
}

var (
	_ hash.Hash   = (*MAC)(nil)
	_ hash.Cloner = (*MAC)(nil)
)

// NewMAC returns a MAC whose tags are size bytes long, which must be 16 or 32. The key
// must be v.KeySize() bytes long and the nonce v.NonceSize() bytes long; a nil nonce
// stands for zeros. NewMAC returns an error if a length is wrong, if v is not a valid
// Variant, or if FIPS 140-only mode is enabled.
//
// Unlike an AEAD, a MAC can authenticate any number of messages under one key and
// nonce: call [MAC.Reset] between them. Different nonces separate different uses of a
// key. Tags of different variants and sizes are unrelated. With 16-byte tags, a forgery
// attempt succeeds with a probability of 2^-128, and two of 2^64 messages are expected
// to have equal tags.
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
	m := &mac{initial: new(kernel.State), size: size, rate: kernel.Variant(v).Rate()}
	m.initial.Init(kernel.Variant(v), key, nonce)
	return &MAC{m}, nil
}

// Size returns the tag size in bytes.
func (m *MAC) Size() int {
	m.mustBeMade()
	return m.size
}

// BlockSize returns the number of bytes that the variant absorbs at a time: 16, 32, 64
// or 128. Writes can be any length, but long writes are fastest.
func (m *MAC) BlockSize() int {
	m.mustBeMade()
	return m.rate
}

// Reset discards the message so that the MAC can process another one under the same key
// and nonce.
func (m *MAC) Reset() {
	m.mustBeMade()
	m.length, m.begun, m.buffered = 0, false, 0
}

// Write appends p to the message. It never returns an error.
func (m *MAC) Write(p []byte) (int, error) {
	m.mustBeMade()
	written := len(p)
	m.length += uint64(written)
	if written <= bufferSize-m.buffered {
		m.buffered += copy(m.buffer[m.buffered:], p)
		return written, nil
	}
	if m.buffered > 0 {
		end := (m.buffered + m.rate - 1) / m.rate * m.rate
		p = p[copy(m.buffer[m.buffered:end], p):]
		m.absorb(m.buffer[:end])
	}
	whole := len(p) / m.rate * m.rate
	m.absorb(p[:whole])
	m.buffered = copy(m.buffer[:], p[whole:])
	return written, nil
}

func (m *mac) absorb(p []byte) {
	m.state.AbsorbAfter(m.current(), p)
	m.begun = m.begun || len(p) > 0
}

// current returns the state after the bytes absorbed so far.
func (m *mac) current() *kernel.State {
	if m.begun {
		return &m.state
	}
	return m.initial
}

// Sum appends the tag of the data written so far to b and returns the resulting slice.
// It does not change the MAC, so the caller may continue to write.
func (m *MAC) Sum(b []byte) []byte {
	m.mustBeMade()
	ret, tag := alias.Extend(b, m.size)
	m.sum(tag)
	return ret
}

func (m *mac) sum(tag []byte) {
	m.current().MAC(tag, m.buffer[:m.buffered], m.length)
}

// Verify reports whether tag is the tag of the data written so far. It returns false if
// tag has the wrong length, and it compares tags in constant time.
func (m *MAC) Verify(tag []byte) bool {
	m.mustBeMade()
	var want [Size256]byte
	m.sum(want[:m.size])
	return subtle.ConstantTimeCompare(want[:m.size], tag) == 1
}

// Clone returns an independent copy of the MAC with the same key, nonce and data. The
// error is always nil.
func (m *MAC) Clone() (hash.Cloner, error) {
	m.mustBeMade()
	c := *m.mac
	return &MAC{&c}, nil
}

func (m *MAC) mustBeMade() {
	if m.mac == nil {
		panic("aegis: MAC without a key, use NewMAC")
	}
}
