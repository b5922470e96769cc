// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
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

// xorAndAuthenticate encrypts src to dst like xor and adds dst to what mac takes
// in.
func (s *keyStream) xorAndAuthenticate(dst, src []byte, mac *blake2b.State) {
	// In turn for each piece, so that mac finds dst in the first-level cache. A
	// piece is whole blocks of both.
	const piece = 16 << 10
	counter := uint64(0)
	for len(src) > piece {
		chacha20.XORKeyStream(dst[:piece], src[:piece], &s.key, &s.nonce, counter)
		mac.Write(dst[:piece])
		dst, src = dst[piece:], src[piece:]
		counter += piece / chacha20.BlockSize
	}
	chacha20.XORKeyStream(dst, src, &s.key, &s.nonce, counter)
	mac.Write(dst)
}
