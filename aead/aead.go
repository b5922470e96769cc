// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aead implements ChaCha20-BLAKE2b, XChaCha20-BLAKE2b and
// XChaCha20-BLAKE2b-SIV, the committing authenticated encryption of Samuel
// Lucas, as version 2.0.1 of https://github.com/samuel-lucas6/ChaCha20-BLAKE2b
// defines it.
//
// First try [NewXWithRandomNonce], which needs no nonce from the caller. [New] is for programs
// that count their messages.
//
//	                      nonce                it may be
//	NewXWithRandomNonce   none, 24 bytes more  it is random, and part of what Seal returns
//	NewSIV                none                 equal plaintexts with equal AD show as such
//	NewX                  24 bytes             random: among 2^80, two are equal with a chance of 2^-33
//	New                   8 bytes              a counter: never the same twice under a key
//
// # Construction
//
//	KDF(context, salt) = BLAKE2b(key, salt || context || LE32(len(salt)) || LE32(len(context)))
//	encKey  = KDF("… Encrypt()", "")             32 bytes
//	macKey  = KDF("… KeyedHash()", nonce)        64 bytes
//	tag     = BLAKE2b(macKey, AD || C || LE32(len(AD)) || LE32(len(C)))
//	sealed  = C || tag
//
// C is the plaintext encrypted under encKey and the nonce by ChaCha20 with a
// 64-bit block counter, or by XChaCha20. AD is the additional data, which is
// authenticated and not encrypted. The original refuses empty messages; this
// package takes them, as [cipher.AEAD] does.
//
// Keys have 32 bytes, tags 32 unless 48 or 64 are asked for. Messages and additional
// data have up to 2^31 - 1 bytes each; what is longer goes through package stream.
//
// draft-lucas-generalised-committing-aead describes another thing that is called
// ChaCha20-BLAKE2b, too: it has nonces of 12 bytes, lengths of 64 bits and other
// contexts. The two do not open each other's messages.
//
// With NewSIV the tag is over the plaintext, and its first 24 bytes are the nonce of
// XChaCha20; macKey has no salt. There is no nonce to repeat. What remains is that
// equal messages show, and that the key wears out: after q messages, two different
// ones have the same 24 bytes with a chance of q^2 / 2^193, and then the difference
// of the two shows. Seal and Open take two passes over the message.
//
// # Never
//
//   - Never use a nonce for two messages under one key, with New and NewX. That
//     reveals the difference of their plaintexts; the tags stay unforgeable. A nonce
//     is used up for all sizes of tags: encKey is the same.
//   - Never use a key here and for something else.
//   - Never use what Open has in its output when it returns an error, and never
//     compare tags without Open.
//
// # Commitment
//
// A tag commits to key, nonce, additional data and message: nobody, not even someone
// who chooses the keys, can find a ciphertext that opens under two keys, because that would be a
// collision in BLAKE2b (with tags of 32 bytes, 2^128 steps away). AES-GCM and
// ChaCha20-Poly1305 promise no such thing, and the package's example builds a
// ciphertext of the latter that opens under two keys. This is about one message: a
// file that was cut into messages could have some that open under one key and some
// under another, unless the whole is bound to one key. Package stream does that.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, a key, a plaintext or a tag.
// Lengths and nonces are no secrets.
//
// All constructors return an AEAD that several goroutines may use at once. The types
// are not exported, so there are no zero values to use.
package aead

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/blake2b"
)

const (
	// KeySize is the size in bytes of every key.
	KeySize = 32

	// NonceSize is the size in bytes of the nonces of ChaCha20-BLAKE2b.
	NonceSize = 8

	// NonceSizeX is the size in bytes of the nonces of XChaCha20-BLAKE2b.
	NonceSizeX = 24

	// TagSize is the size in bytes of the tags, unless another is asked for.
	TagSize = 32
)

const (
	macKeySize = 64
	maxTagSize = 64

	// maxLength limits messages and additional data: the original writes their
	// lengths as signed 32-bit integers.
	maxLength = 1<<31 - 1
)

// The contexts of the two derived keys.
const (
	encContext    = "ChaCha20-BLAKE2b 07/12/2021 20:40 ChaCha20.Encrypt()"
	macContext    = "ChaCha20-BLAKE2b 07/12/2021 20:41 BLAKE2b.KeyedHash()"
	encContextX   = "XChaCha20-BLAKE2b 07/12/2021 20:48 XChaCha20.Encrypt()"
	macContextX   = "XChaCha20-BLAKE2b 07/12/2021 20:49 BLAKE2b.KeyedHash()"
	encContextSIV = "XChaCha20-BLAKE2b-SIV 07/12/2021 20:51 XChaCha20.Encrypt()"
	macContextSIV = "XChaCha20-BLAKE2b-SIV 07/12/2021 20:52 BLAKE2b.KeyedHash()"
)

// ErrAuth is the error that Open returns for every message that is not authentic.
var ErrAuth = errors.New("aead: message authentication failed")

// New returns ChaCha20-BLAKE2b with tags of 32 bytes under a key of 32 bytes. Any
// other length is an error. Its nonces have 8 bytes and must never repeat under a
// key; they are too short to be random.
//
// Here and below, Seal and Open panic on a nonce of another length, and where the
// output overlaps the additional data, or the input other than exactly: for work
// in place, dst is the input's slice of length 0. Messages and additional data
// are limited to 2^31 - 1 bytes each: Seal panics beyond, Open fails. Open writes
// nothing before it has authenticated the message, and returns [ErrAuth] for all
// that is not authentic. Both may be called by several goroutines at once.
func New(key []byte) (cipher.AEAD, error) { return NewWithTagSize(key, TagSize) }

// NewX is [New] with XChaCha20-BLAKE2b, whose nonces of 24 bytes may be random. See
// also [NewXWithRandomNonce].
func NewX(key []byte) (cipher.AEAD, error) { return NewXWithTagSize(key, TagSize) }

// NewSIV is [New] with XChaCha20-BLAKE2b-SIV. It has no nonces: NonceSize returns
// 0, and Seal and Open take a nil nonce. Equal messages with equal additional
// data have equal ciphertexts, which tells that they are equal and nothing more;
// where even that is too much, put something unique into the additional data.
//
// Package chacha20poly1305 has a NewSIV, too: ChaCha20-Poly1305-SIV, several times as fast, with
// nonces of 16 bytes. Its tags commit to key and nonce, and not to additional data and text. The
// two do not open each other's messages.
//
// The tag is over the plaintext, so Open must decrypt first. It writes zeros over
// the plaintext if the message is not authentic; in place, that is over the
// ciphertext.
func NewSIV(key []byte) (cipher.AEAD, error) { return NewSIVWithTagSize(key, TagSize) }

// NewWithTagSize is [New] with tags of 32, 48 or 64 bytes. Any other size is an
// error. Under one key, tags of different sizes are unrelated, but the encryption
// is the same: a nonce that was used with one size must not be used with another.
func NewWithTagSize(key []byte, size int) (cipher.AEAD, error) {
	a, err := newNonceAEAD(key, size, NonceSize, encContext, macContext)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// NewXWithTagSize is [NewX] with tags of 32, 48 or 64 bytes, like
// [NewWithTagSize].
func NewXWithTagSize(key []byte, size int) (cipher.AEAD, error) {
	a, err := newNonceAEAD(key, size, NonceSizeX, encContextX, macContextX)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// NewSIVWithTagSize is [NewSIV] with tags of 32, 48 or 64 bytes, like
// [NewWithTagSize].
func NewSIVWithTagSize(key []byte, size int) (cipher.AEAD, error) {
	a := &sivAEAD{}
	if err := a.init(key, size, encContextSIV); err != nil {
		return nil, err
	}
	var macKey [macKeySize]byte
	kdf := blake2b.New(macKeySize, key)
	kdf.Write(withLengths(macContextSIV, 0))
	a.mac = blake2b.New(size, kdf.Sum(macKey[:0]))
	return a, nil
}

// withLengths returns what the KDF takes after a salt of saltSize bytes.
func withLengths(context string, saltSize int) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(context), uint32(saltSize))
	return binary.LittleEndian.AppendUint32(b, uint32(len(context)))
}

// core is what the AEADs have in common.
type core struct {
	encKey  [KeySize]byte
	tagSize int
	limit   int // maxLength, except in tests
}

func (c *core) init(key []byte, tagSize int, encContext string) error {
	if len(key) != KeySize {
		return errors.New("aead: key of " + strconv.Itoa(len(key)) + " bytes, want " + strconv.Itoa(KeySize))
	}
	switch tagSize {
	case 32, 48, 64:
	default:
		return errors.New("aead: tag of " + strconv.Itoa(tagSize) + " bytes, want 32, 48 or 64")
	}
	kdf := blake2b.New(KeySize, key)
	kdf.Write(withLengths(encContext, 0))
	kdf.Sum(c.encKey[:0])
	c.tagSize, c.limit = tagSize, maxLength
	return nil
}

// Overhead implements [cipher.AEAD].
func (c *core) Overhead() int { return c.tagSize }

// sealInto checks the arguments of Seal, and returns dst with the ciphertext and
// tag to come as its end, and that end.
func (c *core) sealInto(dst, plaintext, additionalData []byte) (all, out []byte) {
	c.checkLengths(plaintext, additionalData)
	return extend(dst, len(plaintext)+c.tagSize, plaintext, additionalData)
}

// checkLengths panics if there is too much to be sealed.
func (c *core) checkLengths(plaintext, additionalData []byte) {
	if len(plaintext) > c.limit || len(additionalData) > c.limit {
		panic("aead: message of " + strconv.Itoa(len(plaintext)) + " bytes and additional data of " +
			strconv.Itoa(len(additionalData)) + ", want at most " + strconv.Itoa(c.limit) + " each")
	}
}

// openInto is sealInto for Open. It returns ok false if no such message can be
// authentic.
func (c *core) openInto(dst, sealed, additionalData []byte) (all, out, ciphertext, tag []byte, ok bool) {
	n := len(sealed) - c.tagSize
	if n < 0 || n > c.limit || len(additionalData) > c.limit {
		return nil, nil, nil, nil, false
	}
	all, out = extend(dst, n, sealed, additionalData)
	return all, out, sealed[:n], sealed[n:], true
}

// extend returns dst with n more bytes, in its own memory if that is enough, and
// those bytes. It panics if they overlap the input inexactly, or the additional
// data at all.
func extend(dst []byte, n int, input, additionalData []byte) (all, out []byte) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	out = all[len(dst):]
	if alias.InexactOverlap(out, input) {
		panic("aead: output and input overlap")
	}
	if alias.Overlap(out, additionalData) {
		panic("aead: output and additional data overlap")
	}
	return all, out
}

// checkNonce panics if a nonce is not size bytes long.
func checkNonce(nonce []byte, size int) {
	if len(nonce) != size {
		panic("aead: nonce of " + strconv.Itoa(len(nonce)) + " bytes, want " + strconv.Itoa(size))
	}
}
