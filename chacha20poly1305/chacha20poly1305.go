// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 implements the ChaCha20-Poly1305 (RFC 8439, section 2.8) and
// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) AEADs. ChaCha20-Poly1305 is used by TLS,
// WireGuard, age and many other protocols. This package is a drop-in replacement for
// golang.org/x/crypto/chacha20poly1305: only the import path needs to change. It adds
// [NewXWithRandomNonce], [NewSIV], [SealBatch] and [OpenBatch].
//
//	r || s = ChaCha20(key, nonce, block 0)[:32]
//	C      = plaintext XOR ChaCha20(key, nonce, blocks 1, 2, …)
//	tag    = Poly1305(r || s, AD || zeros to 16 || C || zeros to 16 || LE64(len(AD)) || LE64(len(C)))
//	sealed = C || tag
//
// AD is the additional data, which is authenticated but not encrypted.
// XChaCha20-Poly1305 is the same algorithm with the key HChaCha20(key, nonce[:16]) and
// the nonce 00000000 || nonce[16:].
//
// Keys are 32 bytes long, tags are 16 bytes long, and messages can be up to 2^38 - 64
// bytes long.
//
// # Choosing a constructor
//
//	                      nonce       remarks
//	New                   12 bytes    a counter that never repeats under a key
//	NewX                  24 bytes    may be random: among 2^80, two are equal with a probability of 2^-33
//	NewXWithRandomNonce   none        Seal generates a random nonce and prepends it
//	NewSIV                16 bytes    random or counted; a repeated nonce reveals equal messages
//
// Use New if a protocol requires it or if messages are numbered anyway. Otherwise, use
// NewXWithRandomNonce, which needs no nonce from the caller.
//
// # Commitment
//
// Only the tags of [NewSIV] commit to the key. With the other constructors, anyone who
// chooses the keys can construct a ciphertext that opens under two keys, as two
// different messages. If several keys are tried on a ciphertext, if keys are derived
// from passwords, or if a message is reported by disclosing its key, use [NewSIV],
// whose tags commit to the key and the nonce, or package aead, whose tags commit to all
// inputs.
//
// # What the caller must never do
//
//   - Never use a nonce of New or NewX for two messages under one key. Doing so reveals
//     the difference of the plaintexts and lets anyone who sees both messages forge
//     others.
//   - Never use the output of Open if it returns an error.
//   - Never compare tags without Open.
//
// # Constant time
//
// The running time does not depend on a key, a plaintext or a tag. It does depend on
// lengths, and may depend on nonces.
package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/fips140"
	"errors"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

const (
	// KeySize is the key size in bytes.
	KeySize = 32

	// NonceSize is the ChaCha20-Poly1305 nonce size in bytes. If nonces are chosen at
	// random, a key must not be used for more than 2^32 messages.
	NonceSize = 12

	// NonceSizeX is the nonce size of XChaCha20-Poly1305 in bytes.
	NonceSizeX = 24

	// Overhead is the tag size in bytes, which is the number of bytes that Seal adds to
	// each message.
	Overhead = 16
)

// The error and panic texts are the same as in golang.org/x/crypto/chacha20poly1305.
var (
	errOpen = errors.New("chacha20poly1305: message authentication failed")
	errKey  = errors.New("chacha20poly1305: bad key length")
	errFIPS = errors.New("chacha20poly1305: use of ChaCha20Poly1305 is not allowed in FIPS 140-only mode")
)

// New returns ChaCha20-Poly1305. It returns an error if the key is not 32 bytes long or
// if FIPS 140-only mode is enabled. Nonces are 12 bytes long and must never be reused
// with the same key.
//
// The following applies to all AEADs in this package. Seal and Open panic if the nonce
// has the wrong length, if the message is longer than 2^38 - 64 bytes, if the output
// overlaps the additional data, or if it overlaps the input at a different address. To
// work in place, pass plaintext[:0] or ciphertext[:0] as dst. The output may overlap
// the nonce. If a message fails authentication, Open fills the memory for the plaintext
// with zeros and always returns the same error. When Open works in place, these zeros
// replace the ciphertext. Seal and Open are safe for concurrent use.
func New(key []byte) (cipher.AEAD, error) {
	a := new(chachaAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

// NewX is like [New], but returns XChaCha20-Poly1305, whose 24-byte nonces can be
// chosen at random.
func NewX(key []byte) (cipher.AEAD, error) {
	a := new(xchachaAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

func setKey(dst *[KeySize]byte, key []byte) error {
	if fips140.Enforced() {
		return errFIPS
	}
	if len(key) != KeySize {
		return errKey
	}
	copy(dst[:], key)
	return nil
}

type chachaAEAD struct{ key [KeySize]byte }

func (*chachaAEAD) NonceSize() int { return NonceSize }

func (*chachaAEAD) Overhead() int { return Overhead }

func (a *chachaAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkSeal(len(nonce), NonceSize, len(plaintext))
	n := len(plaintext)
	ret, out := alias.Extend(dst, n+Overhead)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.Seal((*[Overhead]byte)(out[n:]), out[:n], plaintext, additionalData, &a.key, (*[NonceSize]byte)(nonce))
	return ret
}

func (a *chachaAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkOpen(len(nonce), NonceSize, len(ciphertext), Overhead)
	n := len(ciphertext) - Overhead
	if n < 0 {
		return nil, errOpen
	}
	ret, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	// Copy the tag, because the output may overlap it, as in golang.org/x/crypto.
	tag := [Overhead]byte(ciphertext[n:])
	if !kernel.Open(&tag, out, ciphertext[:n], additionalData, &a.key, (*[NonceSize]byte)(nonce)) {
		return nil, errOpen
	}
	return ret, nil
}

type xchachaAEAD struct{ key [KeySize]byte }

func (*xchachaAEAD) NonceSize() int { return NonceSizeX }

func (*xchachaAEAD) Overhead() int { return Overhead }

func (a *xchachaAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkSeal(len(nonce), NonceSizeX, len(plaintext))
	n := len(plaintext)
	ret, out := alias.Extend(dst, n+Overhead)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.SealX((*[Overhead]byte)(out[n:]), out[:n], plaintext, additionalData, &a.key, (*[NonceSizeX]byte)(nonce))
	return ret
}

func (a *xchachaAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkOpen(len(nonce), NonceSizeX, len(ciphertext), Overhead)
	n := len(ciphertext) - Overhead
	if n < 0 {
		return nil, errOpen
	}
	ret, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	tag := [Overhead]byte(ciphertext[n:]) // copy the tag, because the output may overlap it
	if !kernel.OpenX(&tag, out, ciphertext[:n], additionalData, &a.key, (*[NonceSizeX]byte)(nonce)) {
		return nil, errOpen
	}
	return ret, nil
}

func checkSeal(nonce, nonceSize, plaintext int) {
	if nonce != nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Seal")
	}
	if uint64(plaintext) > kernel.MaxLength {
		panic("chacha20poly1305: plaintext too large")
	}
}

func checkOpen(nonce, nonceSize, ciphertext, overhead int) {
	if nonce != nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Open")
	}
	if uint64(ciphertext) > kernel.MaxLength+uint64(overhead) {
		panic("chacha20poly1305: ciphertext too large")
	}
}

// checkText panics if the output partially overlaps the input. It is kept small enough
// to inline.
func checkText(out, input []byte) {
	if alias.InexactOverlap(out, input) {
		panic("chacha20poly1305: invalid buffer overlap of output and input")
	}
}

// checkData panics if the output overlaps the additional data. It is kept small enough
// to inline.
func checkData(out, additionalData []byte) {
	if alias.Overlap(out, additionalData) {
		panic("chacha20poly1305: invalid buffer overlap of output and additional data")
	}
}
