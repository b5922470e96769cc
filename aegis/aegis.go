// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis implements AEGIS (RFC 10032), authenticated encryption made of AES's round
// function, and AEGISMAC, a message authentication code made of the same.
//
// On amd64 and arm64 with AES instructions nothing else in this module is as fast. Elsewhere, and on
// processors without them, it is plain Go that takes the same time for all secrets, and is slow:
// take package chacha20poly1305 there.
//
// # Which one
//
//	              key, nonce   random nonces
//	AEGIS128L     16 bytes     for 2^48 messages under a key
//	AEGIS128X2    16 bytes     for 2^48 messages under a key
//	AEGIS128X4    16 bytes     for 2^48 messages under a key
//	AEGIS256      32 bytes     without a limit in practice
//	AEGIS256X2    32 bytes     without a limit in practice
//	AEGIS256X4    32 bytes     without a limit in practice
//
// Take AEGIS256X2 with [NewWithRandomNonce] where both ends are yours. Take AEGIS128L or AEGIS256
// where a protocol names them: the RFC says that they should remain the default. The variants
// with X work on two or four blocks side by side, for processors with wider vectors. They are
// other ciphers: what one variant sealed no other opens.
//
// [New] makes tags of 32 bytes. Tags of 16 bytes, by [NewWithTagSize], are what IANA's registry
// and TLS have. The size belongs to the key, so both ends must know it before. Open never takes
// it from the length of its input. One nonce is for one message whatever the size of the tag: the
// two sizes share the ciphertext, and the tags of 16 bytes follow from those of 32 in the
// AEGIS256 variants.
//
// # What the caller must never do
//
//   - Never use a nonce for two messages under one key, not even with different additional data
//     or another size of tag. That shows the difference of the messages' first bytes, and a few
//     such messages give the whole state: anyone can then read and forge messages under that
//     nonce.
//   - Never use one key for two variants, or for both encryption and [MAC].
//   - Never use a key that is not random, such as a password.
//   - Never use what Open returns together with an error.
//   - Never use a MAC as a hash, or its tag as a key. Anyone who has the key makes messages with
//     equal tags at no cost, and nothing says that tags look random.
//
// # Commitment
//
// Where additional data is empty or fixed, a tag commits to key and nonce: to find two that open
// one ciphertext is expected to take 2^128 steps with tags of 32 bytes, and 2^64 with tags of 16.
// This is a claim of the RFC and was not proven.
//
// Where an attacker chooses the additional data, a tag commits to nothing. For any two keys it
// takes no effort to find additional data for each such that one ciphertext opens under both: the
// package's example shows it. If keys are made of passwords, if several keys are tried, or if a
// message is reported by showing its key, leave additional data empty, or replace it with its
// SHA-256 hash, or take package aead, whose tags commit to everything.
//
// # Security
//
// AEGIS has been analysed for ten years and has no proof that reduces it to AES. The RFC claims
// for all variants that a forgery succeeds with a chance of at most 2^-128 per attempt, and that
// plaintext and state are safe up to 2^128 steps in the AEGIS128 variants and 2^256 in the
// AEGIS256 variants. There is no limit on the number of messages other than what nonces allow. It
// is informational, of the IRTF, and no standard of NIST: in FIPS 140-only mode every constructor
// returns an error.
//
// There is no [crypto/cipher.Stream]: it would share its nonces with the AEAD.
//
// The zero value of [MAC] has no key: all its methods panic, except Format.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, a key, a plaintext, data or a tag. Lengths and
// nonces are no secrets.
package aegis

import (
	"crypto/cipher"
	"crypto/fips140"
	"errors"
	"strconv"

	kernel "github.com/unimac/unimac/internal/aegis"
	"github.com/unimac/unimac/internal/alias"
)

// A Variant is one of the ciphers of RFC 10032. See the package's documentation for which one to
// take.
type Variant int

// The variants, by the names of the RFC.
const (
	AEGIS128L  Variant = iota // AEGIS-128L, IANA's AEAD 32
	AEGIS128X2                // AEGIS-128X2, IANA's AEAD 34
	AEGIS128X4                // AEGIS-128X4, IANA's AEAD 35
	AEGIS256                  // AEGIS-256, IANA's AEAD 33
	AEGIS256X2                // AEGIS-256X2, IANA's AEAD 36
	AEGIS256X4                // AEGIS-256X4, IANA's AEAD 37
)

var variantNames = [...]string{"AEGIS-128L", "AEGIS-128X2", "AEGIS-128X4", "AEGIS-256", "AEGIS-256X2", "AEGIS-256X4"}

func (v Variant) exists() bool { return 0 <= v && int(v) < len(variantNames) }

// String returns the name that the RFC uses.
func (v Variant) String() string {
	if !v.exists() {
		return "Variant(" + strconv.Itoa(int(v)) + ")"
	}
	return variantNames[v]
}

// KeySize returns the size in bytes of the variant's keys, 16 or 32. It is 0 for a value that is
// no variant.
func (v Variant) KeySize() int {
	if !v.exists() {
		return 0
	}
	return kernel.Variant(v).KeySize()
}

// NonceSize returns the size in bytes of the variant's nonces, which is [Variant.KeySize].
func (v Variant) NonceSize() int { return v.KeySize() }

var (
	errOpen = errors.New("aegis: message authentication failed")
	errFIPS = errors.New("aegis: use of AEGIS is not allowed in FIPS 140-only mode")
)

// New returns a variant of AEGIS with tags of 32 bytes, under a key of [Variant.KeySize] bytes.
// It returns an error for a key of another length, for a value that is no variant, and in FIPS
// 140-only mode.
//
// Here and below, Seal and Open panic on a nonce of a wrong length, on a text or additional data
// of more than 2^61 - 1 bytes, and where the output overlaps the additional data, or the input
// other than exactly: for work in place, dst is the input's slice of length 0. Open returns one
// error for all that is not authentic, and leaves zeros where the plaintext would be; in place,
// that is over the ciphertext. Both may be called by several goroutines at once.
func New(v Variant, key []byte) (cipher.AEAD, error) {
	return NewWithTagSize(v, key, kernel.TagSize256)
}

// NewWithTagSize is [New] with tags of 16 or 32 bytes; any other size is an error. Tags of 16
// bytes are what IANA's registry and TLS mean by the names of the variants. Never let a message
// say which size it has.
func NewWithTagSize(v Variant, key []byte, size int) (cipher.AEAD, error) {
	k, err := newKeys(v, key, size)
	if err != nil {
		return nil, err
	}
	return &nonceAEAD{k}, nil
}

// keys are reached by a pointer, so that no verb of fmt prints them.
type keys struct {
	cipher kernel.Cipher
	nonce  int // its size
}

func newKeys(v Variant, key []byte, tagSize int) (*keys, error) {
	if err := check(v, key, tagSize); err != nil {
		return nil, err
	}
	k := &keys{kernel.Cipher{Variant: kernel.Variant(v), TagSize: tagSize}, v.NonceSize()}
	copy(k.cipher.Key[:], key)
	return k, nil
}

// check returns the error of what every constructor is given.
func check(v Variant, key []byte, tagSize int) error {
	switch {
	case fips140.Enforced():
		return errFIPS
	case !v.exists():
		return errors.New("aegis: unknown variant " + strconv.Itoa(int(v)))
	case len(key) != v.KeySize():
		return errors.New("aegis: key of " + strconv.Itoa(len(key)) + " bytes, want " + strconv.Itoa(v.KeySize()) + " for " + v.String())
	case tagSize != kernel.TagSize128 && tagSize != kernel.TagSize256:
		return errors.New("aegis: tag of " + strconv.Itoa(tagSize) + " bytes, want 16 or 32")
	}
	return nil
}

// nonceAEAD is a variant whose caller has the nonces.
type nonceAEAD struct{ *keys }

// NonceSize implements [cipher.AEAD].
func (a *nonceAEAD) NonceSize() int { return a.nonce }

// Overhead implements [cipher.AEAD].
func (a *nonceAEAD) Overhead() int { return a.cipher.TagSize }

// Seal implements [cipher.AEAD].
func (a *nonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, a.nonce)
	checkLengths(len(plaintext), len(additionalData))
	all, out := alias.Extend(dst, len(plaintext)+a.cipher.TagSize)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.Seal(&a.cipher, nonce, out, plaintext, additionalData)
	return all
}

// Open implements [cipher.AEAD].
func (a *nonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce, a.nonce)
	n := len(ciphertext) - a.cipher.TagSize
	if n < 0 {
		return nil, errOpen
	}
	checkLengths(n, len(additionalData))
	all, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	tag := ciphertext[n:]
	if alias.Overlap(out, tag) {
		tag = append([]byte(nil), tag...)
	}
	if !kernel.Open(&a.cipher, nonce, tag, out, ciphertext[:n], additionalData) {
		return nil, errOpen
	}
	return all, nil
}

func checkNonce(nonce []byte, size int) {
	if len(nonce) != size {
		panic("aegis: bad nonce length")
	}
}

func checkLengths(text, additionalData int) {
	if uint64(text) > kernel.MaxLength {
		panic("aegis: text too long")
	}
	if uint64(additionalData) > kernel.MaxLength {
		panic("aegis: additional data too long")
	}
}

// checkText panics if the output overlaps the input inexactly. It and checkData are small enough to be parts of their
// callers: a call with three slices would cost 1 to 3 ns.
func checkText(out, input []byte) {
	if alias.InexactOverlap(out, input) {
		panic("aegis: invalid buffer overlap of output and input")
	}
}

// checkData panics if the output overlaps the additional data.
func checkData(out, additionalData []byte) {
	if alias.Overlap(out, additionalData) {
		panic("aegis: invalid buffer overlap of output and additional data")
	}
}
