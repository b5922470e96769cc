// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer implements Multimixer-128, the universal hash function of
// Koustabh Ghosh, Parisa Amiri Eliasi and Joan Daemen ("Multimixer-128:
// Universal Keyed Hashing Based on Integer Multiplication", IACR ePrint
// 2023/1357), and a message authentication code on top of it.
//
// # The message authentication code
//
// [Key] and [MAC] authenticate messages of any length under a key of 32 bytes,
// without a nonce: equal messages have equal tags.
//
// The construction, hash then PRF, is this project's own. It is young, few people
// have read it, and nothing else computes the same tags. Where that matters, take
// HMAC, BLAKE2b or another code that has been read by many. This is what it does:
//
//	L || P   = ChaCha20's key stream under the key, of 8192 + 64 bytes,
//	           with the nonce "unimac-mm128" and the counter 0 (RFC 8439)
//	digest_i = Multimixer-128(the beginning of L, chunk_i)
//	tag      = BLAKE2b(key = P, digest_1 || … || digest_k || LE64(length))
//
// The chunks are the message's pieces of 8192 bytes; the last is filled up with
// zeros to a multiple of 32 bytes, and an empty message has none. LE64(length) is
// the message's length in bytes; BLAKE2b (RFC 7693) has the size of the tag.
//
// It is sound because two different messages have, except with a small chance,
// different inputs to BLAKE2b, whose outputs look random to everyone without P.
// If their lengths differ, so do the last eight bytes. If not, some chunk of one
// message differs from the same chunk of the other, and the digests of these two are equal with a
// probability of at most 2^-127 over the choice of L. Among q messages, those that a
// forger tries included, some two have the same input with a probability of at most q² · 2^-128, and then the same
// tag; without such a pair, a forger is left with guessing a tag of n bytes, with a
// chance of 2^-8n.
//
// # The universal hash function
//
// [Digest] and [F128] are for those who build something of their own. Never let a
// digest leave the program: it is not a tag. From one digest, or even from a
// comparison of two, an attacker computes the key or forgeries. Put it into a
// pseudorandom function or under a one-time mask first.
//
// The zero values of [Key] and [MAC] have no key: all their methods panic, except
// BlockSize and Format.
//
// Digests are the same as in the paper and in the Rust crate multimixer-128.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, a key, a message, a digest or a
// tag. Lengths are no secret: the time that a tag takes also depends on whether the
// [Key] has had a message as long before.
package multimixer

import (
	"errors"

	"github.com/unimac/unimac/internal/multimixer"
)

const (
	// BlockSize is the size in bytes of the blocks that Multimixer-128 takes.
	BlockSize = 32

	// DigestSize is the size in bytes of a digest.
	DigestSize = 64

	// KeySize is the size in bytes of the key of the message authentication
	// code. The key of [Digest] is as long as the message.
	KeySize = 32
)

// The sizes of tags in bytes. Under one key, tags of different sizes are unrelated.
const (
	Size128 = 16
	Size256 = 32
	Size512 = 64
)

// ErrLength is the error of [Digest] for a key and a message that are not of one
// length, which is a multiple of 32 bytes and not zero.
var ErrLength = errors.New("multimixer: lengths of key and message must be equal, a multiple of 32 bytes and not zero")

// F128 is f_128 (definition 9), the public function that Multimixer-128 is made
// of: it maps a block of eight words, of which the first four are called x and
// the others y, to eight products. With indices modulo 4 and sums modulo 2^32,
//
//	z_i     = x_i · y_i
//	z_{4+i} = (x_i + x_{i+1} + x_{i+2}) · (y_{i+1} + y_{i+2} + y_{i+3})
//
// There is no key in it; by itself it hides nothing.
func F128(x *[8]uint32) [8]uint64 {
	return multimixer.F128(x)
}

// Digest stores in dst the digest of msg under key, the sum of f_128(key block +
// message block) over all blocks. Key and message must have the same length, a
// multiple of 32 bytes that is not zero; otherwise Digest returns [ErrLength] and
// leaves dst alone. The buffers may overlap.
//
// Two different messages of one length have digests with a given difference with
// a probability of at most 2^-127, if the key is random. A key may serve for
// several messages as long as nobody learns anything about their digests. Never let
// a digest leave the program, it is not a tag: see the package's documentation. Use a
// [Key] for message authentication.
func Digest(dst *[DigestSize]byte, key, msg []byte) error {
	if !multimixer.Digest(dst, key, msg) {
		return ErrLength
	}
	return nil
}
