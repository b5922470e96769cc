// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"github.com/unimac/unimac/aead/internal/fused"
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

// nonceAEAD is ChaCha20-BLAKE2b or XChaCha20-BLAKE2b, as nonceSize says.
type nonceAEAD struct {
	core
	nonceSize int

	// A message's macKey costs one compression: kdf has taken in the key block,
	// and nonce and context fit into the next one. The nonce is all zeros.
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
	var mac blake2b.State
	s := a.stream(nonce)
	begun := a.derive(&mac, nonce, &s, out[:n], plaintext)
	mac.Write(additionalData)
	s.xorAndAuthenticate(out[:n], plaintext, begun, &mac)
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
	s := a.stream(nonce)
	if len(text) >= minPooled && fused.Available() {
		plain := unauthenticPool.Get().(*unauthentic)
		ok = a.open(out, plain[:], text, tag, nonce, additionalData, &s)
		unauthenticPool.Put(plain)
	} else {
		var plain [fused.Group]byte
		ok = a.open(out, plain[:], text, tag, nonce, additionalData, &s)
	}
	if !ok {
		return nil, errOpen
	}
	return all, nil
}

// open reports whether the tag is right, and if it is, decrypts text to out. Plain takes a
// beginning of the plaintext in any case: what BLAKE2b leaves of the processor decrypts
// it while the tag is computed. What plain has no room for takes a second pass. It is all
// zeros afterwards.
func (a *nonceAEAD) open(out, plain, text, tag, nonce, additionalData []byte, s *keyStream) bool {
	var mac blake2b.State
	n := a.derive(&mac, nonce, s, plain, text)
	mac.Write(additionalData)
	n = fused.WriteBeside(&mac, plain, text, n, &s.key, &s.nonce)
	if !authentic(tag, &mac, len(additionalData), len(text)) {
		clear(plain[:n])
		return false
	}
	copy(out, plain[:n])
	clear(plain[:n])
	chacha20.XORKeyStream(out[n:], text[n:], &s.key, &s.nonce, uint64(n/chacha20.BlockSize))
	return true
}

// derive sets mac to BLAKE2b under the nonce's macKey. Meanwhile it may encrypt or decrypt
// a beginning of src to dst, and returns how many bytes that is.
func (a *nonceAEAD) derive(mac *blake2b.State, nonce []byte, s *keyStream, dst, src []byte) int {
	kdf := a.kdf
	kdf.Overwrite(nonce)
	return fused.Derive(mac, &kdf, a.tagSize, dst, src, &s.key, &s.nonce)
}

// stream is the key stream of the nonce.
func (a *nonceAEAD) stream(nonce []byte) keyStream {
	if a.nonceSize == NonceSizeX {
		return newKeyStreamX(&a.encKey, (*[NonceSizeX]byte)(nonce))
	}
	return newKeyStream(&a.encKey, (*[NonceSize]byte)(nonce))
}
