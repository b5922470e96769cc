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

// randomNonceAEAD is XChaCha20-BLAKE2b with a random nonce before the ciphertext.
type randomNonceAEAD struct {
	x *nonceAEAD
}

// NewXWithRandomNonce is [NewX] with a random nonce for each message, which Seal puts
// before the ciphertext and Open takes from there, as [cipher.NewGCMWithRandomNonce]
// does. NonceSize returns 0, Seal and Open take a nil nonce, and Overhead returns 56:
// 24 bytes of nonce and 32 of tag.
//
// Work in place is possible as with the others; what is sealed or opened moves by 24
// bytes then, which takes a copy.
func NewXWithRandomNonce(key []byte) (cipher.AEAD, error) {
	x, err := newNonceAEAD(key, TagSize, NonceSizeX, encContextX, macContextX)
	if err != nil {
		return nil, err
	}
	return &randomNonceAEAD{x}, nil
}

// NonceSize implements [cipher.AEAD].
func (a *randomNonceAEAD) NonceSize() int { return 0 }

// Overhead implements [cipher.AEAD].
func (a *randomNonceAEAD) Overhead() int { return NonceSizeX + a.x.tagSize }

// Seal implements [cipher.AEAD].
func (a *randomNonceAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce, 0)
	a.x.checkLengths(plaintext, additionalData)
	all, out := extend(dst, len(plaintext)+a.Overhead(), plaintext, additionalData)
	nonce, sealed := out[:NonceSizeX], out[NonceSizeX:]
	if len(plaintext) > 0 && &plaintext[0] == &out[0] {
		// In place, where the nonce goes.
		plaintext = sealed[:copy(sealed, plaintext)]
	}
	rand.Read(nonce)
	a.x.Seal(sealed[:0], nonce, plaintext, additionalData)
	return all
}

// Open implements [cipher.AEAD].
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
	// In place, where the ciphertext is: from there, the plaintext moves to the front.
	text, err := a.x.Open(sealed[:0], nonce, sealed, additionalData)
	if err != nil {
		return nil, err
	}
	copy(out, text)
	clear(ciphertext[n : n+NonceSizeX])
	return all, nil
}
