// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"

	kernel "github.com/unimac/unimac/internal/aegis"
	"github.com/unimac/unimac/internal/alias"
)

// NewWithRandomNonce is like [New], but Seal prepends a random 32-byte nonce to the
// ciphertext, and Open reads the nonce from there. It works like
// [cipher.NewGCMWithRandomNonce]: NonceSize returns 0, Overhead returns 64, and Seal
// and Open panic if passed a non-empty nonce.
//
// NewWithRandomNonce also returns an error unless v is AEGIS256, AEGIS256X2 or
// AEGIS256X4. The other variants have 16-byte nonces, which are too short to choose at
// random for more than 2^48 messages.
func NewWithRandomNonce(v Variant, key []byte) (cipher.AEAD, error) {
	if v.exists() && v.NonceSize() < AEGIS256.NonceSize() {
		return nil, errors.New("aegis: nonces of " + v.String() + " are too short to be random: two of 2^48 are equal with a chance of 2^-33")
	}
	k, err := newKeys(v, key, Size256)
	if err != nil {
		return nil, err
	}
	return &randomNonceAEAD{k}, nil
}

type randomNonceAEAD struct{ *keys }

func (*randomNonceAEAD) NonceSize() int { return 0 }

func (a *randomNonceAEAD) Overhead() int { return a.nonce + a.cipher.TagSize }

func (a *randomNonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, 0)
	checkLengths(len(plaintext), len(additionalData))
	ret, out := alias.Extend(dst, len(plaintext)+a.Overhead())
	checkText(out, plaintext)
	checkData(out, additionalData)
	nonce, sealed := out[:a.nonce], out[a.nonce:]
	if alias.Overlap(out, plaintext) {
		// When sealing in place, move the plaintext to make room for the nonce.
		plaintext = sealed[:copy(sealed, plaintext)]
	}
	rand.Read(nonce)
	kernel.Seal(&a.cipher, nonce, sealed, plaintext, additionalData)
	return ret
}

func (a *randomNonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce, 0)
	n := len(ciphertext) - a.Overhead()
	if n < 0 {
		return nil, errOpen
	}
	checkLengths(n, len(additionalData))
	ret, out := alias.Extend(dst, n)
	checkText(out, ciphertext)
	checkData(out, additionalData)
	nonce, text, tag := ciphertext[:a.nonce], ciphertext[a.nonce:][:n], ciphertext[a.nonce+n:]
	if alias.Overlap(out, ciphertext) {
		// To open in place, move the ciphertext to the start of out. That may overwrite
		// the nonce and the tag, so save them first.
		var saved [2][32]byte
		nonce, tag = saved[0][:copy(saved[0][:], nonce)], saved[1][:copy(saved[1][:], tag)]
		text = out[:copy(out, text)]
	}
	if !kernel.Open(&a.cipher, nonce, tag, out, text, additionalData) {
		return nil, errOpen
	}
	return ret, nil
}
