// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import "github.com/unimac/unimac/internal/blake2b"

// nonceAEAD is ChaCha20-BLAKE2b or XChaCha20-BLAKE2b, as nonceSize says.
type nonceAEAD struct {
	core
	nonceSize int

	// A message's macKey costs one compression: kdf has taken in the key block,
	// and nonce and context fit into the next one.
	kdf     blake2b.State
	context []byte // with both lengths
}

// NonceSize implements [cipher.AEAD].
func (a *nonceAEAD) NonceSize() int { return a.nonceSize }

// Seal implements [cipher.AEAD].
func (a *nonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, a.nonceSize)
	all, out := a.sealInto(dst, plaintext, additionalData)
	n := len(plaintext)
	mac := a.mac(nonce)
	mac.Write(additionalData)
	s := a.stream(nonce)
	s.xorAndAuthenticate(out[:n], plaintext, &mac)
	appendTag(out[n:n], &mac, len(additionalData), n)
	return all
}

// Open implements [cipher.AEAD].
func (a *nonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce, a.nonceSize)
	all, out, text, tag, ok := a.openInto(dst, ciphertext, additionalData)
	if !ok {
		return nil, errOpen
	}
	mac := a.mac(nonce)
	mac.Write(additionalData)
	mac.Write(text)
	if !authentic(tag, &mac, len(additionalData), len(text)) {
		return nil, errOpen
	}
	s := a.stream(nonce)
	s.xor(out, text)
	return all, nil
}

// mac is BLAKE2b under the nonce's macKey.
func (a *nonceAEAD) mac(nonce []byte) blake2b.State {
	kdf := a.kdf
	kdf.Write(nonce)
	kdf.Write(a.context)
	var macKey [macKeySize]byte
	return blake2b.New(a.tagSize, kdf.Sum(macKey[:0]))
}

// stream is the key stream of the nonce.
func (a *nonceAEAD) stream(nonce []byte) keyStream {
	if a.nonceSize == NonceSizeX {
		return newKeyStreamX(&a.encKey, (*[NonceSizeX]byte)(nonce))
	}
	return newKeyStream(&a.encKey, (*[NonceSize]byte)(nonce))
}
