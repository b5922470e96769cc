// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"strconv"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	kernel "github.com/unimac/unimac/internal/chacha20blake2b"
)

// sivAEAD is XChaCha20-BLAKE2b-SIV.
type sivAEAD struct {
	core
	mac blake2b.State // keyed with macKey
}

func (a *sivAEAD) NonceSize() int { return 0 }

// checkNoNonce panics if nonce is not empty.
func checkNoNonce(nonce []byte) {
	if len(nonce) != 0 {
		panic("aead: nonce of " + strconv.Itoa(len(nonce)) + " bytes, want nil; the SIV with nonces is chacha20poly1305.NewSIV")
	}
}

func (a *sivAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNoNonce(nonce)
	all, out := a.sealInto(dst, plaintext, additionalData)
	n := len(plaintext)
	mac := a.mac
	mac.Write(additionalData)
	mac.Write(plaintext)
	tag := kernel.AppendTag(out[n:n], &mac, len(additionalData), n)
	s := chacha20.StreamX(&a.encKey, (*[NonceSizeX]byte)(tag))
	s.XORKeyStream(out[:n], plaintext, 0)
	return all
}

func (a *sivAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNoNonce(nonce)
	all, out, text, tag, ok := a.openInto(dst, ciphertext, additionalData)
	if !ok {
		return nil, ErrAuth
	}
	mac := a.mac
	mac.Write(additionalData)
	s := chacha20.StreamX(&a.encKey, (*[NonceSizeX]byte)(tag))
	kernel.XORAndWrite(&mac, out, text, &s)
	if !kernel.Verify(tag, &mac, len(additionalData), len(out)) {
		clear(out)
		return nil, ErrAuth
	}
	return all, nil
}
