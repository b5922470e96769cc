// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"
	"crypto/rand"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

// NewXWithRandomNonce is like [NewX], but Seal prepends a random 24-byte nonce to the
// ciphertext, and Open reads the nonce from there. It works like
// [cipher.NewGCMWithRandomNonce]: NonceSize returns 0, Overhead returns 40, and Seal
// and Open panic if passed a non-empty nonce.
func NewXWithRandomNonce(key []byte) (cipher.AEAD, error) {
	a := new(randomNonceAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

type randomNonceAEAD struct{ xchachaAEAD }

func (*randomNonceAEAD) NonceSize() int { return 0 }

func (*randomNonceAEAD) Overhead() int { return NonceSizeX + Overhead }

func (a *randomNonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkSeal(len(nonce), 0, len(plaintext))
	var random [NonceSizeX]byte
	rand.Read(random[:])
	return (*givenNonceAEAD)(a).Seal(dst, random[:], plaintext, additionalData)
}

// givenNonceAEAD is a randomNonceAEAD whose nonces have been generated in advance.
type givenNonceAEAD randomNonceAEAD

func (a *givenNonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	ret, out := alias.Extend(dst, NonceSizeX+len(plaintext)+Overhead)
	checkText(out, plaintext)
	checkData(out, additionalData)
	text, tag := out[NonceSizeX:][:len(plaintext)], out[NonceSizeX+len(plaintext):]
	if alias.Overlap(out, plaintext) {
		// When sealing in place, move the plaintext to make room for the nonce.
		copy(text, plaintext)
		plaintext = text
	}
	copy(out, nonce)
	kernel.SealX((*[Overhead]byte)(tag), text, plaintext, additionalData, &a.key, (*[NonceSizeX]byte)(nonce))
	return ret
}

func (a *randomNonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkOpen(len(nonce), 0, len(ciphertext), NonceSizeX+Overhead)
	if len(ciphertext) < NonceSizeX+Overhead {
		return nil, errOpen
	}
	text, tag := ciphertext[NonceSizeX:len(ciphertext)-Overhead], [Overhead]byte(ciphertext[len(ciphertext)-Overhead:])
	ret, out := alias.Extend(dst, len(text))
	checkText(out, ciphertext)
	checkData(out, additionalData)
	nonce = ciphertext[:NonceSizeX]
	if alias.Overlap(out, ciphertext) {
		// When opening in place, move the ciphertext to the position of the plaintext.
		nonceCopy := [NonceSizeX]byte(nonce)
		nonce = nonceCopy[:]
		copy(out, text)
		text = out
	}
	if !kernel.OpenX(&tag, out, text, additionalData, &a.key, (*[NonceSizeX]byte)(nonce)) {
		return nil, errOpen
	}
	return ret, nil
}
