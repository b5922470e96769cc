// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac implements UMAC, the message authentication code of RFC 4418, with tags
// of 4, 8, 12 and 16 bytes. OpenSSH calls it umac-64@openssh.com and
// umac-128@openssh.com.
//
// UMAC hashes the message with a keyed universal hash function and encrypts the hash
// with a pad that AES derives from a nonce. The universal hash is much faster than a
// cryptographic hash, but UMAC is secure only if nonces never repeat.
//
// [NewKey] expands a key once. Any number of goroutines may share the [Key]: [Key.Sum]
// and [Key.Verify] process whole messages, and a [MAC] processes a stream. Messages
// must be shorter than 2^64 bytes.
//
// # Rules for the caller
//
//   - Never use a nonce for two messages under the same key. Two tags with the same
//     nonce reveal the difference of two hash values, from which an attacker can
//     compute forgeries. Prefer a counter. If nonces are random, they must be 16 bytes
//     long, and a key must not be used for more than 2^48 messages; the probability
//     that two nonces are equal is then 2^-33. The nonce need not be secret, but the
//     receiver must know it.
//   - Never let two senders count nonces under the same key. Use two keys for the two
//     directions of a connection, or divide the nonces, for example into even and odd
//     numbers, and check that each received nonce belongs to the other side.
//   - Never use a key with two tag sizes, or for any other algorithm.
//   - Never allow an unlimited number of forgery attempts. Each attempt succeeds with a
//     probability of about 2^-30, 2^-60, 2^-90 or 2^-120 for tags of 4, 8, 12 or 16
//     bytes, and with a higher probability after the first success. Use 4-byte tags
//     only in protocols that close the connection after a few wrong tags.
//   - Never use a tag as a commitment. Anyone who has the key can find other messages
//     with the same tag.
//
// The zero values of [Key] and [MAC] are not usable: all their methods except BlockSize
// and Format panic.
//
// # Compatibility
//
// The tags are the same as in RFC 4418 with erratum 3507, and as in nettle. OpenSSH
// computes the same tags for messages of up to 2^24 bytes, which is far longer than an
// SSH packet. For longer messages, the RFC requires POLY-128, which OpenSSH does not
// implement.
//
// # Constant time
//
// The running time does not depend on the key, the message or the tag, with one
// exception. If crypto/aes cannot use AES instructions, it uses lookup tables, and a
// program that shares the processor's cache can then learn about the AES key. This is
// the case on 386, arm, riscv64, loong64, mips and wasm, on older processors of other
// architectures, and with the build tag purego. AES encrypts only nonces and, in
// [NewKey], counters; it never encrypts the message.
package umac

import (
	"crypto/subtle"
	"errors"
	"slices"
	"strconv"

	"github.com/unimac/unimac/internal/umac"
)

const (
	// KeySize is the size of an AES-128 key in bytes. Keys of 24 and 32 bytes are also
	// valid and select AES-192 and AES-256.
	KeySize = 16

	// MaxNonceSize is the maximum nonce size in bytes. The minimum is 1.
	//
	// Two nonces of different lengths can yield the same pad, which encrypts the hash,
	// so all nonces used with a key should have the same length. For example, with
	// 12-byte and 16-byte tags, appending zero bytes to a nonce does not change the
	// pad. With 4-byte and 8-byte tags, the nonces {5} and {4, 1} yield the same pad.
	MaxNonceSize = 16
)

// The tag sizes in bytes. Never use a key for more than one size: tags of different
// sizes under one key are related. Under the same nonce, the 12-byte tag is a prefix of
// the 16-byte tag. So is the 4-byte tag if the last byte of the nonce is a multiple of
// 4, and the 8-byte tag if that byte is a multiple of 2. A 4-byte tag can also equal
// the first half of an 8-byte tag under a different nonce, for example if the nonce of
// the 4-byte tag ends with the byte 2, and the nonce of the 8-byte tag is the same
// except that it ends with the byte 1.
const (
	// Use Size32 only in protocols that close the connection after a few wrong tags.
	// Otherwise, an attacker can expect to forge a tag in about 2^30 attempts.
	Size32  = 4
	Size64  = 8
	Size96  = 12
	Size128 = 16
)

// Key is an expanded UMAC key with a fixed tag size. It is immutable and safe for
// concurrent use. Create one with [NewKey].
type Key struct {
	key umac.Key
}

// NewKey returns a Key for tags that are size bytes long. The key must be 16, 24 or 32
// bytes long, and size must be 4, 8, 12 or 16; otherwise, NewKey returns an error.
func NewKey(key []byte, size int) (*Key, error) {
	switch size {
	case Size32, Size64, Size96, Size128:
	default:
		return nil, errors.New("umac: tag of " + strconv.Itoa(size) + " bytes, want 4, 8, 12 or 16")
	}
	switch len(key) {
	case 16, 24, 32:
	default:
		return nil, errors.New("umac: key of " + strconv.Itoa(len(key)) + " bytes, want 16, 24 or 32")
	}
	k, err := umac.NewKey(key, size)
	if err != nil {
		return nil, errors.New("umac: " + err.Error())
	}
	return &Key{k}, nil
}

// Size returns the tag size in bytes.
func (k *Key) Size() int {
	k.mustBeMade()
	return k.key.Size()
}

// Sum appends the tag of msg to dst and returns the resulting slice. It panics if the
// nonce is not 1 to 16 bytes long. The tag may overlap msg and nonce because Sum reads
// them before it stores the tag. Never reuse a nonce with the same key.
func (k *Key) Sum(dst, nonce, msg []byte) []byte {
	k.mustBeMade()
	dst, tag := grow(dst, k.key.Size())
	var pad umac.Pad
	if len(nonce) == 8 {
		pad = umac.PadOf8(nonce, len(tag))
	} else {
		pad = umac.PadOf(nonce, len(tag))
	}
	k.key.Sum(tag, pad, nil, msg)
	return dst
}

func (k *Key) mustBeMade() {
	if k.key.Size() == 0 {
		panic("umac: Key without a key, use NewKey")
	}
}

// grow extends dst by n bytes and also returns the extension.
func grow(dst []byte, n int) (extended, tail []byte) {
	if len(dst)+n > cap(dst) {
		dst = slices.Grow(dst, n)
	}
	extended = dst[:len(dst)+n]
	return extended, extended[len(dst):]
}

// Verify reports whether tag is the tag of msg under nonce. It returns false if tag has
// the wrong length or if the nonce is not 1 to 16 bytes long. It compares tags in
// constant time.
func (k *Key) Verify(tag, nonce, msg []byte) bool {
	k.mustBeMade()
	if umac.CheckNonce(nonce) != nil {
		return false // no panic: a peer may have chosen the nonce
	}
	var want [Size128]byte
	return subtle.ConstantTimeCompare(k.Sum(want[:0], nonce, msg), tag) == 1
}
