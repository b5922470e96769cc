// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

const (
	// NonceSizeSIV is the nonce size of ChaCha20-Poly1305-SIV in bytes.
	NonceSizeSIV = 16

	// OverheadSIV is the tag size of ChaCha20-Poly1305-SIV in bytes.
	OverheadSIV = 32
)

// NewSIV returns ChaCha20-Poly1305-SIV, version 0.0.1 of
// c2sp.org/chacha20-poly1305-siv. Nonces are 16 bytes long. Tags are 32 bytes long and
// commit to the key and the nonce. NewSIV returns an error if the key is not 32 bytes
// long or if FIPS 140-only mode is enabled.
//
// For a slower mode that needs no nonce and commits to all inputs, see aead.NewSIV.
func NewSIV(key []byte) (cipher.AEAD, error) {
	a := new(sivAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

type sivAEAD struct{ key [KeySize]byte }

func (*sivAEAD) NonceSize() int { return NonceSizeSIV }

func (*sivAEAD) Overhead() int { return OverheadSIV }

// checkNonceSIV panics if nonce is empty. The panic message names aead.NewSIV, because
// a caller who passes no nonce probably meant to use that algorithm.
func checkNonceSIV(nonce []byte) {
	if len(nonce) == 0 {
		panic("chacha20poly1305: nonce of 0 bytes, want 16; the SIV without nonces is aead.NewSIV")
	}
}

func (a *sivAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonceSIV(nonce)
	checkSeal(len(nonce), NonceSizeSIV, len(plaintext))
	n := len(plaintext)
	ret, out := alias.Extend(dst, n+OverheadSIV)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.SealSIV((*[OverheadSIV]byte)(out[n:]), out[:n], plaintext, additionalData, &a.key, (*[NonceSizeSIV]byte)(nonce))
	return ret
}

func (a *sivAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonceSIV(nonce)
	checkOpen(len(nonce), NonceSizeSIV, len(ciphertext), OverheadSIV)
	n := len(ciphertext) - OverheadSIV
	if n < 0 {
		return nil, errOpen
	}
	ret, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	// Copy the tag, because the output may overlap it.
	tag := [OverheadSIV]byte(ciphertext[n:])
	if !kernel.OpenSIV(&tag, out, ciphertext[:n], additionalData, &a.key, (*[NonceSizeSIV]byte)(nonce)) {
		return nil, errOpen
	}
	return ret, nil
}
