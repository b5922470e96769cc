// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer implements Multimixer-128, the universal hash function of Koustabh
// Ghosh, Parisa Amiri Eliasi and Joan Daemen ("Multimixer-128: Universal Keyed Hashing
// Based on Integer Multiplication", IACR ePrint 2023/1357), and a message
// authentication code based on it.
//
// # The message authentication code
//
// [Key] and [MAC] authenticate messages of any length under a 32-byte key. Since there
// is no nonce, equal messages have equal tags.
//
// The construction, hash then PRF, is this project's own. It is young, few people have
// reviewed it, and no other software computes the same tags. If you need a
// well-reviewed MAC, use HMAC or BLAKE2b. The construction is:
//
//	L || P   = the first 8192 + 64 bytes of ChaCha20's keystream under the key,
//	           with the nonce "unimac-mm128" and the counter 0 (RFC 8439)
//	digest_i = Multimixer-128(the beginning of L, chunk_i)
//	tag      = BLAKE2b(key = P, digest_1 || … || digest_k || LE64(length))
//
// The chunks are consecutive 8192-byte pieces of the message. The last chunk is padded
// with zeros to a multiple of 32 bytes, and an empty message has no chunks.
// LE64(length) is the length of the message in bytes. The output of BLAKE2b (RFC 7693)
// is as long as the tag.
//
// The MAC is secure because two different messages yield different inputs to BLAKE2b
// with overwhelming probability, and BLAKE2b's outputs look random to anyone who does
// not know P. If the lengths differ, the last eight bytes of the inputs differ.
// Otherwise, some chunk of one message differs from the corresponding chunk of the
// other message, and the digests of these two chunks are equal with a probability of at
// most 2^-127 over the choice of L. Among q messages, including an attacker's attempts,
// two have the same input, and therefore the same tag, with a probability of at most q²
// · 2^-128. Without such a pair, the attacker must guess an n-byte tag, which succeeds
// with a probability of 2^-8n.
//
// # The universal hash function
//
// [Digest] and [F128] are building blocks for other constructions. Never disclose a
// digest: it is not a tag. From a single digest, or from the result of comparing two,
// an attacker can compute the key or forgeries. Always pass a digest through a
// pseudorandom function or encrypt it with a one-time mask.
//
// Digests are the same as in the paper and in the Rust crate multimixer-128.
//
// The zero values of [Key] and [MAC] are not usable: all their methods except BlockSize
// and Format panic.
//
// # Constant time
//
// The running time does not depend on a key, a message, a digest or a tag. It does
// depend on lengths, including the length of the longest message that the [Key] has
// processed.
package multimixer

import (
	"errors"

	"github.com/unimac/unimac/internal/multimixer"
)

const (
	// BlockSize is the block size of Multimixer-128 in bytes.
	BlockSize = 32

	// DigestSize is the size of a digest in bytes.
	DigestSize = 64

	// KeySize is the MAC's key size in bytes. [Digest] instead takes a key as long as
	// the message.
	KeySize = 32
)

// The tag sizes in bytes. For the same key and message, a shorter tag is not a prefix
// of a longer tag.
const (
	Size128 = 16
	Size256 = 32
	Size512 = 64
)

// ErrLength is returned by [Digest] if the key and the message have different lengths,
// or if their length is zero or is not a multiple of 32 bytes.
var ErrLength = errors.New("multimixer: lengths of key and message must be equal, a multiple of 32 bytes and not zero")

// F128 computes f_128 (definition 9 of the paper), the public function underlying
// Multimixer-128. It maps a block of eight words, x_0 to x_3 and y_0 to y_3, to eight
// products, z_0 to z_7. The indices of x and y are taken modulo 4, and sums modulo
// 2^32:
//
//	z_i     = x_i · y_i
//	z_{4+i} = (x_i + x_{i+1} + x_{i+2}) · (y_{i+1} + y_{i+2} + y_{i+3})
//
// F128 has no key, so it conceals nothing.
func F128(x *[8]uint32) [8]uint64 {
	return multimixer.F128(x)
}

// Digest stores in dst the digest of msg under key, which is the sum of f_128(key block
// + message block) over all blocks. Digest returns [ErrLength] and does not change dst
// unless the key and the message have the same length, which must be a nonzero multiple
// of 32 bytes. The buffers may overlap.
//
// If the key is random, the digests of two different messages of the same length have a
// given difference with a probability of at most 2^-127. A key may be used for several
// messages as long as attackers learn nothing about the digests. Never disclose a
// digest: see the package documentation. To authenticate messages, use a [Key].
func Digest(dst *[DigestSize]byte, key, msg []byte) error {
	if !multimixer.Digest(dst, key, msg) {
		return ErrLength
	}
	return nil
}
