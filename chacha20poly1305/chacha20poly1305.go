// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20poly1305 implements ChaCha20-Poly1305 (RFC 8439, section 2.8) and
// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha), authenticated encryption for the protocols
// that name it: TLS, WireGuard, age and many others. Its names mean what they mean in
// golang.org/x/crypto/chacha20poly1305, so that changing the import path is the whole
// migration; [NewXWithRandomNonce], [NewSIV], [SealBatch] and [OpenBatch] come on top.
//
//	r || s = ChaCha20(key, nonce, block 0)[:32]
//	C      = plaintext XOR ChaCha20(key, nonce, blocks 1, 2, …)
//	tag    = Poly1305(r || s, AD || zeros to 16 || C || zeros to 16 || LE64(len(AD)) || LE64(len(C)))
//	sealed = C || tag
//
// AD is the additional data, which is authenticated and not encrypted. XChaCha20-Poly1305 is
// the same under the key HChaCha20(key, nonce[:16]) and the nonce 00000000 || nonce[16:].
//
// Keys have 32 bytes and tags 16. A message has at most 2^38 - 64 bytes.
//
// # Which one
//
//	                      nonce       it may be
//	New                   12 bytes    a counter: never the same twice under a key
//	NewX                  24 bytes    random: among 2^80, two are equal with a chance of 2^-33
//	NewXWithRandomNonce   none        random, chosen by Seal, and part of what it returns
//	NewSIV                16 bytes    random or a counter; the same twice shows equal messages
//
// Take New where a protocol says so, or where messages are counted anyway. Otherwise take
// NewXWithRandomNonce, which needs no nonce from you.
//
// # Only NewSIV commits
//
// A tag of the others does not bind the key: anyone who chooses keys can make one ciphertext that opens
// under two of them, to two messages. Where several keys are tried on a ciphertext, where
// keys are made of passwords, or where a message is reported by showing its key, take
// [NewSIV], whose tags commit to key and nonce, or package aead, whose tags commit to key and
// message.
//
// # What the caller must never do
//
//   - Never use a nonce of New or NewX for two messages under one key. That reveals the
//     difference of their plaintexts, and lets anyone who sees both forge others.
//   - Never use what Open returns together with an error.
//   - Never compare tags without Open.
//
// # Constant time
//
// Nothing here branches on, or indexes memory by, a key, a plaintext or a tag. Lengths and
// nonces are no secrets.
package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/fips140"
	"errors"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

const (
	// KeySize is the size in bytes of every key.
	KeySize = 32

	// NonceSize is the size in bytes of the nonces of ChaCha20-Poly1305. They are too
	// short to be random if a key is used for more than 2^32 messages.
	NonceSize = 12

	// NonceSizeX is the size in bytes of the nonces of XChaCha20-Poly1305.
	NonceSizeX = 24

	// Overhead is the size in bytes of a tag: a ciphertext is longer than its plaintext by
	// as much.
	Overhead = 16
)

// The errors and panics have the words of golang.org/x/crypto/chacha20poly1305.
var (
	errOpen = errors.New("chacha20poly1305: message authentication failed")
	errKey  = errors.New("chacha20poly1305: bad key length")
	errFIPS = errors.New("chacha20poly1305: use of ChaCha20Poly1305 is not allowed in FIPS 140-only mode")
)

// New returns ChaCha20-Poly1305 under a key of 32 bytes. Any other length is an error, as is
// FIPS 140-only mode. Its nonces have 12 bytes and must never repeat under a key.
//
// Here and below, Seal and Open panic on a nonce of another length, on a message of more than
// 2^38 - 64 bytes, and where the output overlaps the additional data, or the input other than
// exactly: for work in place, dst is the input's slice of length 0. Open returns one error for
// all that is not authentic, and leaves zeros where the plaintext would be; in place, that is
// over the ciphertext. Both may be called by several goroutines at once.
func New(key []byte) (cipher.AEAD, error) {
	a := new(chachaAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

// NewX is [New] with XChaCha20-Poly1305, whose nonces of 24 bytes may be random.
func NewX(key []byte) (cipher.AEAD, error) {
	a := new(xchachaAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

func setKey(to *[KeySize]byte, key []byte) error {
	if fips140.Enforced() {
		return errFIPS
	}
	if len(key) != KeySize {
		return errKey
	}
	copy(to[:], key)
	return nil
}

// chachaAEAD is ChaCha20-Poly1305.
type chachaAEAD struct{ key [KeySize]byte }

// NonceSize implements [cipher.AEAD].
func (*chachaAEAD) NonceSize() int { return NonceSize }

// Overhead implements [cipher.AEAD].
func (*chachaAEAD) Overhead() int { return Overhead }

// Seal implements [cipher.AEAD].
func (a *chachaAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkSeal(len(nonce), NonceSize, len(plaintext))
	n := len(plaintext)
	all, out := alias.Extend(dst, n+Overhead)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.Seal((*[Overhead]byte)(out[n:]), out[:n], plaintext, additionalData, &a.key, (*[NonceSize]byte)(nonce))
	return all
}

// Open implements [cipher.AEAD].
func (a *chachaAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkOpen(len(nonce), NonceSize, len(ciphertext), Overhead)
	n := len(ciphertext) - Overhead
	if n < 0 {
		return nil, errOpen
	}
	all, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	// The output may overlap the tag, as in golang.org/x/crypto: it is read before.
	tag := [Overhead]byte(ciphertext[n:])
	if !kernel.Open(&tag, out, ciphertext[:n], additionalData, &a.key, (*[NonceSize]byte)(nonce)) {
		return nil, errOpen
	}
	return all, nil
}

// xchachaAEAD is XChaCha20-Poly1305.
type xchachaAEAD struct{ key [KeySize]byte }

// NonceSize implements [cipher.AEAD].
func (*xchachaAEAD) NonceSize() int { return NonceSizeX }

// Overhead implements [cipher.AEAD].
func (*xchachaAEAD) Overhead() int { return Overhead }

// Seal implements [cipher.AEAD].
func (a *xchachaAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkSeal(len(nonce), NonceSizeX, len(plaintext))
	n := len(plaintext)
	all, out := alias.Extend(dst, n+Overhead)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.SealX((*[Overhead]byte)(out[n:]), out[:n], plaintext, additionalData, &a.key, (*[NonceSizeX]byte)(nonce))
	return all
}

// Open implements [cipher.AEAD].
func (a *xchachaAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkOpen(len(nonce), NonceSizeX, len(ciphertext), Overhead)
	n := len(ciphertext) - Overhead
	if n < 0 {
		return nil, errOpen
	}
	all, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	tag := [Overhead]byte(ciphertext[n:]) // which the output may overlap
	if !kernel.OpenX(&tag, out, ciphertext[:n], additionalData, &a.key, (*[NonceSizeX]byte)(nonce)) {
		return nil, errOpen
	}
	return all, nil
}

// checkSeal panics on arguments of Seal that have a wrong length.
func checkSeal(nonce, nonceSize, plaintext int) {
	if nonce != nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Seal")
	}
	if uint64(plaintext) > kernel.MaxLength {
		panic("chacha20poly1305: plaintext too large")
	}
}

// checkOpen panics on arguments of Open that have a wrong length.
func checkOpen(nonce, nonceSize, ciphertext, overhead int) {
	if nonce != nonceSize {
		panic("chacha20poly1305: bad nonce length passed to Open")
	}
	if uint64(ciphertext) > kernel.MaxLength+uint64(overhead) {
		panic("chacha20poly1305: ciphertext too large")
	}
}

// checkText panics if the output overlaps the input inexactly. It and checkData are small enough to be parts of their
// callers: a call with three slices would cost 1 to 3 ns.
func checkText(out, input []byte) {
	if alias.InexactOverlap(out, input) {
		panic("chacha20poly1305: invalid buffer overlap of output and input")
	}
}

// checkData panics if the output overlaps the additional data.
func checkData(out, additionalData []byte) {
	if alias.Overlap(out, additionalData) {
		panic("chacha20poly1305: invalid buffer overlap of output and additional data")
	}
}
