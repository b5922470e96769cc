// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 implements Poly1305, the one-time message authentication
// code of RFC 8439, section 2.5. Its names mean what they mean in the deprecated
// package golang.org/x/crypto/poly1305, so that changing the import path is the
// whole migration; beyond that, its [MAC] is a [hash.Hash].
//
// [Sum] and [Verify] work on whole messages, [MAC] on streams. Messages may have
// any length. An attacker who has seen the tag of one message and tries a forgery
// succeeds with a chance of at most 2^-103 for each 16 bytes begun of the longer of
// the two. After a genuine message of a MiB that is 2^-87, even for a forgery of 16
// bytes.
//
// # Rules for the caller
//
//   - Never use a key for two messages. Two tags of different messages under one
//     key tell an attacker how to forge tags of others. Each message needs a new
//     key of 32 unpredictable bytes, usually the output of a cipher for a nonce, as
//     ChaCha20-Poly1305 makes it. Both sides derive the same key; it is not sent.
//     A program that has no such keys wants an AEAD, or package umac, whose keys
//     live long and which takes a nonce for each message.
//   - Never take a tag for a commitment. Anyone who has the key can find other
//     messages with the same tag.
//
// The zero value of [MAC] has no key: its methods Sum and Verify panic.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, the key, the message or a
// tag. Lengths are no secret.
package poly1305

import (
	"crypto/subtle"

	"github.com/unimac/unimac/internal/poly1305"
)

const (
	// KeySize is the size in bytes of a key. A key is for one message only.
	KeySize = 32

	// TagSize is the size in bytes of a tag.
	TagSize = 16
)

// Sum stores the tag of m in out. Never use a key for two messages: anyone who sees
// two tags under one key can forge more.
func Sum(out *[TagSize]byte, m []byte, key *[KeySize]byte) {
	poly1305.Sum(out, m, key)
}

// Verify reports whether mac is the tag of m. Its time does not depend on where
// tags differ.
func Verify(mac *[TagSize]byte, m []byte, key *[KeySize]byte) bool {
	var want [TagSize]byte
	Sum(&want, m, key)
	return subtle.ConstantTimeCompare(want[:], mac[:]) == 1
}
