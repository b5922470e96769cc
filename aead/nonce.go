// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	kernel "github.com/unimac/unimac/internal/chacha20blake2b"
)

// nonceAEAD is ChaCha20-BLAKE2b or XChaCha20-BLAKE2b, as nonceSize says.
type nonceAEAD struct {
	core
	nonceSize int

	// A message's macKey costs one compression: kdf has hashed the key block, and
	// nonce and context fit into the next one. The nonce is all zeros.
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

// NonceSize implements [cipher.AEAD].
func (a *nonceAEAD) NonceSize() int { return a.nonceSize }

// Seal implements [cipher.AEAD].
func (a *nonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, a.nonceSize)
	all, out := a.sealInto(dst, plaintext, additionalData)
	n := len(plaintext)
	kdf, s := a.derivation(nonce), a.stream(nonce)
	kernel.Seal(out[n:], out[:n], plaintext, additionalData, &kdf, &s)
	return all
}

// Open implements [cipher.AEAD].
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

// derivation is a state of BLAKE2b whose digest is the nonce's macKey.
func (a *nonceAEAD) derivation(nonce []byte) blake2b.State {
	kdf := a.kdf
	kdf.Overwrite(nonce)
	return kdf
}

// stream is the key stream of the nonce.
func (a *nonceAEAD) stream(nonce []byte) chacha20.Stream {
	if a.nonceSize == NonceSizeX {
		return chacha20.StreamX(&a.encKey, (*[NonceSizeX]byte)(nonce))
	}
	return chacha20.Stream{Key: a.encKey, Nonce: [NonceSize]byte(nonce)}
}
