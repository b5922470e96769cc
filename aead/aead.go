// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aead implements three committing AEADs designed by Samuel Lucas:
// ChaCha20-BLAKE2b, XChaCha20-BLAKE2b and XChaCha20-BLAKE2b-SIV, as defined in version
// 2.0.1 of https://github.com/samuel-lucas6/ChaCha20-BLAKE2b.
//
// Start with [NewXWithRandomNonce], which generates nonces itself, or with [New] if your
// program can use a message counter as the nonce.
//
//	                      nonce                remarks
//	NewXWithRandomNonce   none, 24 bytes more  random, prepended to the ciphertext
//	NewSIV                none                 reveals equal plaintexts with equal additional data
//	NewX                  24 bytes             may be random: among 2^80, two are equal with a probability of 2^-33
//	New                   8 bytes              a counter that never repeats under a key
//
// Keys are 32 bytes long. Tags are 32 bytes long by default, but constructors such as
// [NewWithTagSize] also accept 48 and 64. Messages and additional data can each be up
// to 2^31 - 1 bytes long. For longer data, use package stream. All AEADs are safe for
// concurrent use. Their types are unexported, so there are no zero values to misuse.
//
// # Construction
//
//	KDF(context, salt) = BLAKE2b(key, salt || context || LE32(len(salt)) || LE32(len(context)))
//	encKey  = KDF("… Encrypt()", "")             32 bytes
//	macKey  = KDF("… KeyedHash()", nonce)        64 bytes
//	tag     = BLAKE2b(macKey, AD || C || LE32(len(AD)) || LE32(len(C)))
//	sealed  = C || tag
//
// C is the plaintext encrypted under encKey and the nonce with XChaCha20, or with
// ChaCha20 with a 64-bit block counter. AD is the additional data, which is
// authenticated but not encrypted. The original rejects empty messages; this package
// accepts them, as [cipher.AEAD] requires.
//
// With NewSIV, the tag authenticates the plaintext, its first 24 bytes are the nonce of
// XChaCha20, and macKey has no salt. Among q messages, two different ones share these
// 24 bytes with a probability of q^2 / 2^193, and then the difference of their
// plaintexts is revealed. A key must therefore not be used indefinitely.
//
// draft-lucas-generalised-committing-aead defines another algorithm called
// ChaCha20-BLAKE2b, with 12-byte nonces, 64-bit lengths and other contexts. Neither
// algorithm opens the other's messages.
//
// # Never
//
//   - Never use a nonce for two messages under one key with New and NewX. Doing so
//     reveals the difference of the plaintexts, although tags remain unforgeable. The
//     rule applies across tag sizes because encKey does not depend on the tag size.
//   - Never use a key here and for another purpose.
//   - Never use the output of Open if it returns an error, and never compare tags
//     without Open.
//
// # Commitment
//
// A tag commits to the key, nonce, additional data and message. Nobody, not even
// someone who chooses the keys, can find a ciphertext that opens under two keys. Such a
// ciphertext would be a collision of BLAKE2b, and finding one takes 2^128 steps for
// 32-byte tags. AES-GCM and ChaCha20-Poly1305 lack this property: an example in this
// package constructs a ChaCha20-Poly1305 ciphertext that opens under two keys.
//
// Commitment concerns a single message. If a file is divided into messages, some of
// them might open under one key and others under another key, unless all messages are
// bound to one key. Package stream binds them.
//
// # Constant time
//
// The running time does not depend on a key, a plaintext or a tag. It does depend on
// lengths, and may depend on nonces.
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
	// KeySize is the key size in bytes.
	KeySize = 32

	// NonceSize is the nonce size of ChaCha20-BLAKE2b in bytes.
	NonceSize = 8

	// NonceSizeX is the nonce size of XChaCha20-BLAKE2b in bytes.
	NonceSizeX = 24

	// TagSize is the default tag size in bytes.
	TagSize = 32

	// Overhead is the number of bytes that Seal adds to the plaintext with an AEAD from
	// [New], [NewX] or [NewSIV]. For other AEADs, call the Overhead method.
	Overhead = TagSize
)

const (
	macKeySize = 64
	maxTagSize = 64

	// maxLength is the maximum length of a message, and of its additional data, in
	// bytes. The original implementation has this limit because it stores lengths in
	// signed 32-bit integers.
	maxLength = 1<<31 - 1
)

const (
	encContext    = "ChaCha20-BLAKE2b 07/12/2021 20:40 ChaCha20.Encrypt()"
	macContext    = "ChaCha20-BLAKE2b 07/12/2021 20:41 BLAKE2b.KeyedHash()"
	encContextX   = "XChaCha20-BLAKE2b 07/12/2021 20:48 XChaCha20.Encrypt()"
	macContextX   = "XChaCha20-BLAKE2b 07/12/2021 20:49 BLAKE2b.KeyedHash()"
	encContextSIV = "XChaCha20-BLAKE2b-SIV 07/12/2021 20:51 XChaCha20.Encrypt()"
	macContextSIV = "XChaCha20-BLAKE2b-SIV 07/12/2021 20:52 BLAKE2b.KeyedHash()"
)

// ErrAuth is returned by Open if a message fails authentication.
var ErrAuth = errors.New("aead: message authentication failed")

// New returns ChaCha20-BLAKE2b with 32-byte tags. If the key is not 32 bytes long, New
// returns an error. Nonces are 8 bytes long and must never repeat under a key. Never
// choose them at random, because 8 bytes are too short to rule out a repetition.
//
// The following applies to all AEADs in this package. Seal and Open panic if the nonce
// has the wrong length, if the output overlaps the additional data, or if the output
// overlaps the input at a different address. To work in place, pass plaintext[:0] or
// ciphertext[:0] as dst. The output may overlap the nonce. Messages and additional data
// can each be up to 2^31 - 1 bytes long. Beyond this limit, Seal panics and Open
// returns [ErrAuth], the error for every message that fails authentication. Except with
// [NewSIV], Open writes nothing before it has authenticated the message.
func New(key []byte) (cipher.AEAD, error) { return NewWithTagSize(key, TagSize) }

// NewX is like [New] but returns XChaCha20-BLAKE2b, whose nonces are 24 bytes long and
// may be chosen at random. To let Seal generate the nonces, use [NewXWithRandomNonce]
// instead.
func NewX(key []byte) (cipher.AEAD, error) { return NewXWithTagSize(key, TagSize) }

// NewSIV returns XChaCha20-BLAKE2b-SIV, which takes no nonce and commits to all its
// inputs. If the key is not 32 bytes long, NewSIV returns an error. NonceSize returns
// 0, and Seal and Open panic if the nonce is not empty. Equal messages with equal
// additional data have equal ciphertexts. To hide that they are equal, include a unique
// value in the additional data.
//
// Seal and Open process each message twice because the tag authenticates the plaintext.
// If a message fails authentication, Open overwrites the decrypted plaintext with
// zeros. When Open works in place, these zeros replace the ciphertext.
//
// For a faster algorithm that takes 16-byte nonces and commits only to the key and the
// nonce, see chacha20poly1305.NewSIV. Neither algorithm opens the other's messages.
func NewSIV(key []byte) (cipher.AEAD, error) { return NewSIVWithTagSize(key, TagSize) }

// NewWithTagSize is like [New], but tags are size bytes long. If size is not 32, 48 or
// 64, NewWithTagSize returns an error. Never use the same key and nonce with two sizes,
// because both messages would be encrypted with the same keystream. A shorter tag is
// not a prefix of a longer one.
func NewWithTagSize(key []byte, size int) (cipher.AEAD, error) {
	a, err := newNonceAEAD(key, size, NonceSize, encContext, macContext)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// NewXWithTagSize is like [NewX], but tags are size bytes long. If size is not 32, 48
// or 64, NewXWithTagSize returns an error. Never use the same key and nonce with two
// sizes, because both messages would be encrypted with the same keystream.
func NewXWithTagSize(key []byte, size int) (cipher.AEAD, error) {
	a, err := newNonceAEAD(key, size, NonceSizeX, encContextX, macContextX)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// NewSIVWithTagSize is like [NewSIV], but tags are size bytes long. If size is not 32,
// 48 or 64, NewSIVWithTagSize returns an error.
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

// withLengths returns context || LE32(saltSize) || LE32(len(context)).
func withLengths(context string, saltSize int) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(context), uint32(saltSize))
	return binary.LittleEndian.AppendUint32(b, uint32(len(context)))
}

type core struct {
	encKey      [KeySize]byte
	tagSize     int
	lengthLimit int // maxLength, or less in tests
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
	c.tagSize, c.lengthLimit = tagSize, maxLength
	return nil
}

func (c *core) Overhead() int { return c.tagSize }

// sealInto checks Seal's arguments and extends dst by the sealed message's length.
func (c *core) sealInto(dst, plaintext, additionalData []byte) (all, out []byte) {
	c.checkLengths(plaintext, additionalData)
	return extend(dst, len(plaintext)+c.tagSize, plaintext, additionalData)
}

func (c *core) checkLengths(plaintext, additionalData []byte) {
	if len(plaintext) > c.lengthLimit || len(additionalData) > c.lengthLimit {
		panic("aead: message of " + strconv.Itoa(len(plaintext)) + " bytes and additional data of " +
			strconv.Itoa(len(additionalData)) + ", want at most " + strconv.Itoa(c.lengthLimit) + " each")
	}
}

// openInto checks Open's arguments, extends dst and splits sealed into ciphertext and
// tag. ok is false if sealed or additionalData has an invalid length.
func (c *core) openInto(dst, sealed, additionalData []byte) (all, out, ciphertext, tag []byte, ok bool) {
	n := len(sealed) - c.tagSize
	if n < 0 || n > c.lengthLimit || len(additionalData) > c.lengthLimit {
		return nil, nil, nil, nil, false
	}
	all, out = extend(dst, n, sealed, additionalData)
	return all, out, sealed[:n], sealed[n:], true
}

// extend appends n bytes to dst and returns the whole slice and the new bytes.
func extend(dst []byte, n int, input, additionalData []byte) (all, out []byte) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	out = all[len(dst):]
	// The output may overlap the input only if both start at the same address.
	if alias.InexactOverlap(out, input) {
		panic("aead: output and input overlap")
	}
	if alias.Overlap(out, additionalData) {
		panic("aead: output and additional data overlap")
	}
	return all, out
}

func checkNonce(nonce []byte, size int) {
	if len(nonce) != size {
		panic("aead: nonce of " + strconv.Itoa(len(nonce)) + " bytes, want " + strconv.Itoa(size))
	}
}
