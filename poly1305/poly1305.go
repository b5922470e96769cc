// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 implements Poly1305, the one-time message authentication code of RFC
// 8439, section 2.5. It is a drop-in replacement for the deprecated package
// golang.org/x/crypto/poly1305: only the import path needs to change. In addition,
// [MAC] implements [hash.Hash].
//
// [Sum] and [Verify] process whole messages, and [MAC] processes a stream. Messages can
// be any length. If an attacker has seen the tag of one message, a forgery attempt
// succeeds with a probability of at most 2^-103 for each 16 bytes begun of the longer
// of the two messages. After a genuine message of 1 MiB, this is 2^-87, even for a
// 16-byte forgery.
//
// # Rules for the caller
//
//   - Never use a key for two messages. From the tags of two different messages under
//     one key, an attacker can compute the tags of others. Each message needs a new key
//     of 32 unpredictable bytes, usually a cipher's output for a nonce, as in
//     ChaCha20-Poly1305. Both sides derive this key; it is not transmitted. If your
//     program has no such keys, use an AEAD, or package umac, whose keys are
//     long-lived.
//   - Never use a tag as a commitment. Anyone who has the key can find other messages
//     with the same tag.
//
// The zero value of [MAC] has no key: its methods Sum and Verify panic.
//
// # Constant time
//
// The running time does not depend on the key, the message or the tag. It does depend
// on lengths.
package poly1305

import (
	"crypto/subtle"

	"github.com/unimac/unimac/internal/poly1305"
)

const (
	// KeySize is the key size in bytes. Never use the same key for more than one
	// message.
	KeySize = 32

	// TagSize is the tag size in bytes.
	TagSize = 16
)

// Sum stores the tag of m in out. Never use the same key for more than one message:
// anyone who sees the tags of two messages can forge tags of other messages.
func Sum(out *[TagSize]byte, m []byte, key *[KeySize]byte) {
	poly1305.Sum(out, m, key)
}

// Verify reports whether mac is the tag of m. It compares tags in constant time.
func Verify(mac *[TagSize]byte, m []byte, key *[KeySize]byte) bool {
	var want [TagSize]byte
	Sum(&want, m, key)
	return subtle.ConstantTimeCompare(want[:], mac[:]) == 1
}
