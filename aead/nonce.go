// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"sync"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/chacha20blake2b"
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
	var mac blake2b.State
	s := a.stream(nonce)
	begun := a.derive(&mac, nonce, &s, out[:n], plaintext)
	mac.Write(additionalData)
	chacha20blake2b.XORAndWrite(&mac, out[:n], plaintext, begun, &s)
	appendTag(out[n:n], &mac, len(additionalData), n)
	return all
}

// Open implements [cipher.AEAD].
func (a *nonceAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce, a.nonceSize)
	all, out, text, tag, ok := a.openInto(dst, ciphertext, additionalData)
	if !ok {
		return nil, ErrAuth
	}
	s := a.stream(nonce)
	if chacha20blake2b.Available() && len(text) >= max(minPooled, chacha20blake2b.MinMessage()) {
		plain := unauthenticPool.Get().(*unauthentic)
		ok = a.open(out, plain[:], text, tag, nonce, additionalData, &s)
		unauthenticPool.Put(plain)
	} else {
		var plain [chacha20blake2b.Group]byte
		ok = a.open(out, plain[:], text, tag, nonce, additionalData, &s)
	}
	if !ok {
		return nil, ErrAuth
	}
	return all, nil
}

// unauthentic is memory for the beginnings of plaintexts that are yet to be
// authenticated. It is all zeros when it is not in use.
type unauthentic [chacha20blake2b.MaxXOR]byte

var unauthenticPool = sync.Pool{New: func() any { return new(unauthentic) }}

// minPooled is the length of messages from which on it pays to get such memory.
const minPooled = 2 * chacha20blake2b.Group

// open reports whether the tag is right, and if it is, decrypts text to out. Whether or
// not, the plaintext's beginning is decrypted to plain while the tag is computed: BLAKE2b
// leaves enough of the processor for that. What plain has no room for takes a second
// pass. In the end plain is all zeros.
func (a *nonceAEAD) open(out, plain, text, tag, nonce, additionalData []byte, s *chacha20.Stream) bool {
	var mac blake2b.State
	n := a.derive(&mac, nonce, s, plain, text)
	mac.Write(additionalData)
	n = chacha20blake2b.WriteAndXOR(&mac, plain, text, n, s)
	if !authentic(tag, &mac, len(additionalData), len(text)) {
		clear(plain[:n])
		return false
	}
	copy(out, plain[:n])
	clear(plain[:n])
	s.XORKeyStream(out[n:], text[n:], uint64(n/chacha20.BlockSize))
	return true
}

// derive sets mac to BLAKE2b under the nonce's macKey. Meanwhile it may encrypt or decrypt
// a beginning of src to dst, and returns how many bytes that is.
func (a *nonceAEAD) derive(mac *blake2b.State, nonce []byte, s *chacha20.Stream, dst, src []byte) int {
	kdf := a.kdf
	kdf.Overwrite(nonce)
	return chacha20blake2b.Derive(mac, &kdf, a.tagSize, dst, src, s)
}

// stream is the key stream of the nonce.
func (a *nonceAEAD) stream(nonce []byte) chacha20.Stream {
	if a.nonceSize == NonceSizeX {
		return chacha20.StreamX(&a.encKey, (*[NonceSizeX]byte)(nonce))
	}
	return chacha20.Stream{Key: a.encKey, Nonce: [NonceSize]byte(nonce)}
}
