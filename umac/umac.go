// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac implements UMAC, the message authentication code of RFC 4418,
// with tags of 4, 8, 12 and 16 bytes. It is the algorithm of OpenSSH's
// umac-64@openssh.com and umac-128@openssh.com.
//
// A message is hashed by a keyed universal hash function, and the hash is
// encrypted with a pad that AES makes from a nonce. The hash is much faster
// than a cryptographic one, and the price is the nonce.
//
// [Key] is a key ready for use, which any number of goroutines may share;
// [Key.Sum] and [Key.Verify] work on whole messages, [MAC] on streams.
// Messages may have any length below 2^64 bytes.
//
// # Rules for the caller
//
//   - Never use a nonce for two messages under one key. Two tags under one nonce
//     show the difference of two hash values, from which forgeries can be
//     computed. The best nonce is a counter. Random nonces must have all 16 bytes,
//     and a key may have at most 2^48 of them: two are equal then with a chance of
//     2^-33. The nonce is no secret: the receiver needs it, too.
//   - Never let two senders count under one key. The two directions of a
//     connection need two keys, or two halves of the nonces, such as the even and
//     the odd numbers, and each side checks that what it receives is in the other's
//     half.
//   - Never use a key for tags of two sizes, or for anything else.
//   - Never allow an unlimited number of forgery attempts. Each one that a receiver
//     checks succeeds with a chance of about 2^-30, 2^-60, 2^-90 or 2^-120 for
//     tags of 4, 8, 12 or 16 bytes, and after a success the chance is higher. So
//     use tags of 4 bytes only in protocols that give up after a few wrong tags.
//   - Never take a tag for a commitment. Anyone who has the key can find other
//     messages with the same tag.
//
// The zero values of [Key] and [MAC] have no key: all their methods panic, except
// BlockSize and Format.
//
// # Compatibility
//
// Tags are the same as in the RFC with its erratum 3507, and in nettle. OpenSSH has
// the same tags for messages of at most 2^24 bytes, and an SSH packet is much shorter;
// for longer messages OpenSSH does not use POLY-128, which the RFC demands.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, the key, the message or a tag.
// The exception is the pad's AES where crypto/aes has no instructions for it: on
// 386, arm, riscv64, loong64, mips and wasm, on processors of the other kinds that
// lack them, and with the build tag purego. There it looks words up in tables, and
// anyone who shares a cache with the program may learn about the AES key from the times.
// What is encrypted are nonces, and counters when a Key is made; never the message.
package umac

import (
	"crypto/subtle"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/umac"
)

const (
	// KeySize is the size in bytes of the usual key, one of AES-128. Keys of 24
	// and 32 bytes select AES-192 and AES-256, if both sides agree on it.
	KeySize = 16

	// MaxNonceSize is the size in bytes of the longest nonce. The shortest has
	// one byte. Keep to one length under one key, because nonces of different
	// lengths can mean the same pad: with tags of 12 and 16 bytes, a nonce and the
	// same followed by zero bytes do; with tags of 4 and 8 bytes, for example,
	// {5} and {4, 1} do.
	MaxNonceSize = 16
)

// The sizes of tags in bytes. Use a key for one size only, because tags of
// different sizes under one key are related. The tag of 12 bytes is the beginning
// of the tag of 16 bytes under the same nonce. So are the tags of 4 and 8 bytes if the
// last byte of the nonce is a multiple of 4 and 2. And a tag of 4 bytes can be the
// first half of a tag of 8 bytes under a different nonce, for example under a nonce that
// ends with 2 and under the same that ends with 1.
const (
	// Size32 is for protocols that give up after a few wrong tags: a forger who may
	// go on trying needs about 2^30 attempts.
	Size32  = 4
	Size64  = 8
	Size96  = 12
	Size128 = 16
)

// Key is a UMAC key with all that is derived from it, for one size of tag. It
// never changes and is safe for concurrent use. [NewKey] makes it.
type Key struct {
	key umac.Key
}

// NewKey derives a Key for tags of size bytes from a key of 16, 24 or 32 bytes.
// It returns an error for all other lengths and sizes.
func NewKey(key []byte, size int) (*Key, error) {
	switch size {
	case Size32, Size64, Size96, Size128:
	default:
		return nil, fmt.Errorf("umac: tag of %d bytes, want 4, 8, 12 or 16", size)
	}
	switch len(key) {
	case 16, 24, 32:
	default:
		return nil, fmt.Errorf("umac: key of %d bytes, want 16, 24 or 32", len(key))
	}
	k, err := umac.NewKey(key, size)
	if err != nil {
		return nil, fmt.Errorf("umac: %w", err)
	}
	return &Key{k}, nil
}

// Size returns the length of the key's tags in bytes.
func (k *Key) Size() int {
	k.mustBeMade()
	return k.key.Size()
}

// Sum appends the tag of msg to dst and returns the resulting slice. It panics
// if the nonce has no byte or more than 16.
//
// The nonce must not have been used for another message under this key. The tag may overlap msg
// and nonce: it is stored after they have been read.
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

// mustBeMade panics for the zero Key.
func (k *Key) mustBeMade() {
	if k.key.Size() == 0 {
		panic("umac: Key without a key, use NewKey")
	}
}

// grow returns dst with n bytes more, and these bytes.
func grow(dst []byte, n int) (all, more []byte) {
	if len(dst)+n > cap(dst) {
		dst = slices.Grow(dst, n)
	}
	all = dst[:len(dst)+n]
	return all, all[len(dst):]
}

// Verify reports whether tag is the tag of msg. It is false for a tag of
// another length than the key's, and for a nonce that has no byte or more than 16.
// Its time does not depend on where tags differ.
func (k *Key) Verify(tag, nonce, msg []byte) bool {
	k.mustBeMade()
	if umac.CheckNonce(nonce) != nil {
		return false // a peer may have chosen it
	}
	var want [Size128]byte
	return subtle.ConstantTimeCompare(k.Sum(want[:0], nonce, msg), tag) == 1
}
