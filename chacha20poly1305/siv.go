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

// NewSIV returns ChaCha20-Poly1305-SIV, which takes 16-byte nonces and commits to the
// key and the nonce, unlike aead.NewSIV, which takes no nonce, is slower, and commits
// to all inputs. The key must be 32 bytes long; otherwise, and in FIPS 140-only mode,
// NewSIV returns an error. Tags are 32 bytes long. The algorithm is
// c2sp.org/chacha20-poly1305-siv, version 0.0.1:
//
//	block(K, x) = the block of ChaCha20 with x in place of counter and nonce
//	r || s || k = block(key, nonce)
//	tag         = block(k, Poly1305(r || s, AD || zeros to 16 || P || zeros to 16 || LE64(len(AD)) || LE64(len(P))))[:32]
//	C           = P XOR ChaCha20(block(k, tag[:16])[32:], nonce tag[16:28], blocks 0, 1, …)
//	sealed      = C || tag
//
// Repeating a nonce reveals whether the additional data and the text were equal, too.
// It reveals more only if two different messages have the same tag: among q messages of
// l 16-byte blocks under one nonce, the probability is about q²·l·2^-104, and the
// difference of the two texts is then revealed. A constant nonce is therefore possible
// within this bound, while nonces that differ for each message, whether random or
// counted, have no such bound. The bound of aead.NewSIV is q²·2^-193.
//
// A tag commits to the key and the nonce with 128 bits: nobody can find two keys that
// open the same ciphertext. It does not commit to the additional data: anyone who has
// the key can find other data with the same tag. If this matters, leave the additional
// data empty and hash it into the key, or use package aead. A forgery attempt succeeds
// with a probability of at most 2^-103 for each 16 bytes of additional data and text.
//
// There is no proof of the whole construction yet, and a later version of the
// specification may change it.
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

// checkNonceSIV panics if nonce is empty. The caller may have meant the other SIV.
func checkNonceSIV(nonce []byte) {
	if len(nonce) == 0 {
		panic("chacha20poly1305: nonce of 0 bytes, want 16; the SIV without nonces is aead.NewSIV")
	}
}

// Seal implements [cipher.AEAD].
func (a *sivAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonceSIV(nonce)
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
	checkNonceSIV(nonce)
	checkOpen(len(nonce), NonceSizeSIV, len(ciphertext), OverheadSIV)
	n := len(ciphertext) - OverheadSIV
	if n < 0 {
		return nil, errOpen
	}
	all, out := alias.Extend(dst, n)
	checkText(out, ciphertext[:n])
	checkData(out, additionalData)
	// Copy the tag, because the output may overlap it.
	tag := [OverheadSIV]byte(ciphertext[n:])
	if !kernel.OpenSIV(&tag, out, ciphertext[:n], additionalData, &a.key, (*[NonceSizeSIV]byte)(nonce)) {
		return nil, errOpen
	}
	return all, nil
}
