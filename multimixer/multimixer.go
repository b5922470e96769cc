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
// differs from that of the other, and the digests of these two are equal with a
// probability of at most 2^-127 over the choice of L. Among q messages, some two
// have the same input with a probability of at most q² · 2^-128, and then the same
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
// The zero values of [Key] and [MAC] are no keys: their methods panic.
//
// Digests are those of the paper and of the Rust crate multimixer-128.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, a key, a message, a digest or a
// tag. Lengths are no secret: the time that a tag takes also depends on whether the
// [Key] has had a message as long before.
package multimixer

import (
	"encoding/binary"
	"errors"

	"github.com/unimac/unimac/internal/impl"
)

//go:generate go -C ../internal/asm run . multimixer

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

// maxSum is how much of a message one call of a kernel is given: it reads as much of the
// key.
const maxSum = impl.MaxCall / 2

// F128 is f_128 (definition 9), the public function that Multimixer-128 is made
// of: it maps a block of eight words, of which the first four are called x and
// the others y, to eight products. With indices modulo 4 and sums modulo 2^32,
//
//	z_i     = x_i · y_i
//	z_{4+i} = (x_i + x_{i+1} + x_{i+2}) · (y_{i+1} + y_{i+2} + y_{i+3})
//
// There is no key in it; by itself it hides nothing.
func F128(x *[8]uint32) [8]uint64 {
	var z [8]uint64
	multiply((*[4]uint64)(z[:4]), x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
	u0, u1, u2, u3 := triples(x[0], x[1], x[2], x[3])
	v3, v0, v1, v2 := triples(x[4], x[5], x[6], x[7])
	multiply((*[4]uint64)(z[4:]), u0, u1, u2, u3, v0, v1, v2, v3)
	return z
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
	if !digest(dst, key, msg) {
		return ErrLength
	}
	return nil
}

// digest is Digest, and false instead of an error: the compiler puts the rest into
// the callers of Digest, which saves them a call.
//
// One block is computed here, because that takes less time than to call a kernel. Its
// words are in variables before anything is stored: dst may lie over them.
func digest(dst *[DigestSize]byte, key, msg []byte) bool {
	if len(key) != len(msg) || len(msg) == 0 || len(msg)%BlockSize != 0 {
		return false
	}
	if len(msg) == BlockSize {
		k, m := (*[BlockSize]byte)(key), (*[BlockSize]byte)(msg)
		x0, x1, x2, x3 := word(m, 0)+word(k, 0), word(m, 1)+word(k, 1), word(m, 2)+word(k, 2), word(m, 3)+word(k, 3)
		y0, y1, y2, y3 := word(m, 4)+word(k, 4), word(m, 5)+word(k, 5), word(m, 6)+word(k, 6), word(m, 7)+word(k, 7)
		u0, u1, u2, u3 := triples(x0, x1, x2, x3)
		v3, v0, v1, v2 := triples(y0, y1, y2, y3)
		putProducts((*[DigestSize / 2]byte)(dst[:]), x0, x1, x2, x3, y0, y1, y2, y3)
		putProducts((*[DigestSize / 2]byte)(dst[DigestSize/2:]), u0, u1, u2, u3, v0, v1, v2, v3)
		return true
	}
	if len(msg) <= maxSum {
		digestBlocks(dst, key, msg)
		return true
	}
	var acc [8]uint64
	for len(msg) > maxSum {
		sum(&acc, key[:maxSum], msg[:maxSum])
		key, msg = key[maxSum:], msg[maxSum:]
	}
	sum(&acc, key, msg)
	putDigest(dst, &acc)
	return true
}

// sum adds the digest of at most maxSum bytes to acc.
func sum(acc *[8]uint64, key, msg []byte) {
	var digest [DigestSize]byte
	digestBlocks(&digest, key, msg)
	addDigest(acc, &digest)
}

// addDigest adds a digest to acc.
func addDigest(acc *[8]uint64, digest *[DigestSize]byte) {
	acc[0] += binary.LittleEndian.Uint64(digest[0:])
	acc[1] += binary.LittleEndian.Uint64(digest[8:])
	acc[2] += binary.LittleEndian.Uint64(digest[16:])
	acc[3] += binary.LittleEndian.Uint64(digest[24:])
	acc[4] += binary.LittleEndian.Uint64(digest[32:])
	acc[5] += binary.LittleEndian.Uint64(digest[40:])
	acc[6] += binary.LittleEndian.Uint64(digest[48:])
	acc[7] += binary.LittleEndian.Uint64(digest[56:])
}

// putProducts stores the products a_i · b_i as bytes.
func putProducts(dst *[DigestSize / 2]byte, a0, a1, a2, a3, b0, b1, b2, b3 uint32) {
	binary.LittleEndian.PutUint64(dst[0:], uint64(a0)*uint64(b0))
	binary.LittleEndian.PutUint64(dst[8:], uint64(a1)*uint64(b1))
	binary.LittleEndian.PutUint64(dst[16:], uint64(a2)*uint64(b2))
	binary.LittleEndian.PutUint64(dst[24:], uint64(a3)*uint64(b3))
}

// putDigest stores a sum over all blocks as bytes. As a loop it would take longer than
// the products of a block.
func putDigest(dst *[DigestSize]byte, acc *[8]uint64) {
	binary.LittleEndian.PutUint64(dst[0:], acc[0])
	binary.LittleEndian.PutUint64(dst[8:], acc[1])
	binary.LittleEndian.PutUint64(dst[16:], acc[2])
	binary.LittleEndian.PutUint64(dst[24:], acc[3])
	binary.LittleEndian.PutUint64(dst[32:], acc[4])
	binary.LittleEndian.PutUint64(dst[40:], acc[5])
	binary.LittleEndian.PutUint64(dst[48:], acc[6])
	binary.LittleEndian.PutUint64(dst[56:], acc[7])
}
