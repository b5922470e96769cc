// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"crypto/cipher"
	"crypto/rand"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	kernel "github.com/unimac/unimac/internal/chacha20blake2b"
)

type nonceAEAD struct {
	core
	nonceSize int

	// kdf is the BLAKE2b state that derives macKey, with an all-zero nonce.
	kdf blake2b.State
}

func newNonceAEAD(key []byte, tagSize, nonceSize int, encContext, macContext string) (*nonceAEAD, error) {
	a := &nonceAEAD{nonceSize: nonceSize}
	if err := a.init(key, tagSize, encContext); err != nil {
		return nil, err
	}
	a.kdf = blake2b.New(macKeySize, key)
	a.kdf.Write(make([]byte, nonceSize))
	a.kdf.Write(withLengths(macContext, nonceSize))
	return a, nil
}

func (a *nonceAEAD) NonceSize() int { return a.nonceSize }

func (a *nonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, a.nonceSize)
	all, out := a.sealInto(dst, plaintext, additionalData)
	n := len(plaintext)
	kdf, s := a.derivation(nonce), a.stream(nonce)
	kernel.Seal(out[n:], out[:n], plaintext, additionalData, &kdf, &s)
	return all
}

func (a *nonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce, a.nonceSize)
	all, out, text, tag, ok := a.openInto(dst, ciphertext, additionalData)
	if !ok {
		return nil, ErrAuth
	}
	kdf, s := a.derivation(nonce), a.stream(nonce)
	if !kernel.Open(tag, out, text, additionalData, &kdf, &s) {
		return nil, ErrAuth
	}
	return all, nil
}

// derivation returns a BLAKE2b state whose digest is the macKey for nonce.
func (a *nonceAEAD) derivation(nonce []byte) blake2b.State {
	kdf := a.kdf
	kdf.Overwrite(nonce)
	return kdf
}

func (a *nonceAEAD) stream(nonce []byte) chacha20.Stream {
	if a.nonceSize == NonceSizeX {
		return chacha20.StreamX(&a.encKey, (*[NonceSizeX]byte)(nonce))
	}
	return chacha20.Stream{Key: a.encKey, Nonce: [NonceSize]byte(nonce)}
}

type randomNonceAEAD struct {
	x *nonceAEAD
}

// NewXWithRandomNonce is like [NewX], but Seal generates a random 24-byte nonce and
// prepends it to the ciphertext, and Open expects the nonce there. As with
// [cipher.NewGCMWithRandomNonce], NonceSize returns 0, and Seal and Open panic if
// passed a non-empty nonce. Overhead returns 56, the size of the nonce and the tag
// together.
//
// Working in place requires an extra copy, because the ciphertext starts 24 bytes later
// than the plaintext.
func NewXWithRandomNonce(key []byte) (cipher.AEAD, error) {
	x, err := newNonceAEAD(key, TagSize, NonceSizeX, encContextX, macContextX)
	if err != nil {
		return nil, err
	}
	return &randomNonceAEAD{x}, nil
}

func (a *randomNonceAEAD) NonceSize() int { return 0 }

func (a *randomNonceAEAD) Overhead() int { return NonceSizeX + a.x.tagSize }

func (a *randomNonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, 0)
	a.x.checkLengths(plaintext, additionalData)
	all, out := extend(dst, len(plaintext)+a.Overhead(), plaintext, additionalData)
	nonce, sealed := out[:NonceSizeX], out[NonceSizeX:]
	if len(plaintext) > 0 && &plaintext[0] == &out[0] {
		// Move the plaintext, because it occupies the space for the nonce.
		plaintext = sealed[:copy(sealed, plaintext)]
	}
	rand.Read(nonce)
	a.x.Seal(sealed[:0], nonce, plaintext, additionalData)
	return all
}

func (a *randomNonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce, 0)
	if len(ciphertext) < a.Overhead() {
		return nil, ErrAuth
	}
	n := len(ciphertext) - a.Overhead()
	all, out := extend(dst, n, ciphertext, additionalData)
	nonce, sealed := ciphertext[:NonceSizeX], ciphertext[NonceSizeX:]
	if n == 0 || &out[0] != &ciphertext[0] {
		if _, err := a.x.Open(out[:0], nonce, sealed, additionalData); err != nil {
			return nil, err
		}
		return all, nil
	}
	// Decrypt in place, then move the plaintext, because Open rejects inexact overlap.
	text, err := a.x.Open(sealed[:0], nonce, sealed, additionalData)
	if err != nil {
		return nil, err
	}
	copy(out, text)
	clear(ciphertext[n : n+NonceSizeX])
	return all, nil
}
