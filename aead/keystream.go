// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"sync"

	"github.com/unimac/unimac/aead/internal/fused"
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

// keyStream is ChaCha20 with a 64-bit block counter and a nonce of 8 bytes, from
// block 0 on.
type keyStream struct {
	key   [KeySize]byte
	nonce [NonceSize]byte
}

func newKeyStream(key *[KeySize]byte, nonce *[NonceSize]byte) keyStream {
	return keyStream{*key, *nonce}
}

// newKeyStreamX is XChaCha20: the nonce's beginning goes into a key of its own.
func newKeyStreamX(key *[KeySize]byte, nonce *[NonceSizeX]byte) keyStream {
	s := keyStream{nonce: [NonceSize]byte(nonce[16:])}
	chacha20.HChaCha20(&s.key, key, (*[16]byte)(nonce[:16]))
	return s
}

// xor encrypts or decrypts src to dst, which are equally long and the same
// memory or apart.
func (s *keyStream) xor(dst, src []byte) {
	chacha20.XORKeyStream(dst, src, &s.key, &s.nonce, 0)
}

// xorAndAuthenticate encrypts or decrypts src to dst like xor and adds dst to what
// mac takes in. That was done for the first begun bytes, but for mac.
func (s *keyStream) xorAndAuthenticate(dst, src []byte, begun int, mac *blake2b.State) {
	fused.XORAndWrite(mac, dst, src, begun, &s.key, &s.nonce)
}

// unauthentic is memory for plaintexts that are yet to be authenticated, of their
// beginnings that are decrypted while BLAKE2b takes in the ciphertext. It is all zeros
// when it is not in use.
type unauthentic [fused.MaxBeside]byte

var unauthenticPool = sync.Pool{New: func() any { return new(unauthentic) }}

// minPooled is the length of messages from which on WriteBeside pays for such memory.
const minPooled = 2 * fused.Group
