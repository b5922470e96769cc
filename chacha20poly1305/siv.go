// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"crypto/cipher"

	"github.com/unimac/unimac/internal/alias"
	kernel "github.com/unimac/unimac/internal/chacha20poly1305"
)

const (
	// NonceSizeSIV is the size in bytes of the nonces of ChaCha20-Poly1305-SIV.
	NonceSizeSIV = 16

	// OverheadSIV is the size in bytes of the tags of ChaCha20-Poly1305-SIV.
	OverheadSIV = 32
)

// NewSIV returns ChaCha20-Poly1305-SIV (c2sp.org/chacha20-poly1305-siv, version 0.0.1) under a
// key of 32 bytes. Any other length is an error, as is FIPS 140-only mode. Its nonces have 16
// bytes and its tags 32:
//
//	block(K, x) = the block of ChaCha20 with x in place of counter and nonce
//	r || s || k = block(key, nonce)
//	tag         = block(k, Poly1305(r || s, AD || zeros to 16 || P || zeros to 16 || LE64(len(AD)) || LE64(len(P))))[:32]
//	C           = P XOR ChaCha20(block(k, tag[:16])[32:], nonce tag[16:28], blocks 0, 1, …)
//	sealed      = C || tag
//
// A nonce used twice tells whether key, nonce, additional data and text were all the same. More
// shows only if two different messages have the same tag: among q messages of l blocks of 16
// bytes under one nonce, that has a chance of about q²·l·2^-104, and then the difference of the
// two texts shows. So a constant nonce is a choice with that bound, and a nonce that is different
// for each message, random or a counter, needs none. package aead's NewSIV has no nonce and is
// slower; its tags commit to the additional data and the text, too, and its bound is q²·2^-193.
//
// A tag commits to key and nonce with 128 bits: nobody finds two keys that open
// one ciphertext. It does not commit to the additional data: anyone who has the key can find
// other data with the same tag. Where that matters, leave the additional data empty and hash
// it into the key, or take package aead. An attacker who tries a forgery succeeds with a
// chance of at most 2^-103 for each 16 bytes of additional data and text.
//
// There is no proof of the whole yet, and a later version of the text may change it.
func NewSIV(key []byte) (cipher.AEAD, error) {
	a := new(sivAEAD)
	if err := setKey(&a.key, key); err != nil {
		return nil, err
	}
	return a, nil
}

// sivAEAD is ChaCha20-Poly1305-SIV.
type sivAEAD struct{ key [KeySize]byte }

// NonceSize implements [cipher.AEAD].
func (*sivAEAD) NonceSize() int { return NonceSizeSIV }

// Overhead implements [cipher.AEAD].
func (*sivAEAD) Overhead() int { return OverheadSIV }

// Seal implements [cipher.AEAD].
func (a *sivAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkSeal(len(nonce), NonceSizeSIV, len(plaintext))
	n := len(plaintext)
	all, out := alias.Extend(dst, n+OverheadSIV)
	checkText(out, plaintext)
	checkData(out, additionalData)
	kernel.SealSIV((*[OverheadSIV]byte)(out[n:]), out[:n], plaintext, additionalData, &a.key, (*[NonceSizeSIV]byte)(nonce))
	return all
}

// Open implements [cipher.AEAD].
func (a *sivAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkOpen(len(nonce), NonceSizeSIV, len(ciphertext), OverheadSIV)
	n := len(ciphertext) - OverheadSIV
	if n < 0 {
		return nil, errOpen
	}
	all, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	// The output may overlap the tag, which is read before.
	tag := [OverheadSIV]byte(ciphertext[n:])
	if !kernel.OpenSIV(&tag, out, ciphertext[:n], additionalData, &a.key, (*[NonceSizeSIV]byte)(nonce)) {
		return nil, errOpen
	}
	return all, nil
}
