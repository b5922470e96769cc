// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/blake2b"
)

// keyStream is ChaCha20 with a 64-bit block counter and a nonce of 8 bytes, from
// block 0 on. As long as the counter stays below 2^32, which is 256 GiB and more
// than a message may have, RFC 8439's cipher is the same: it takes the counter's
// other half for the beginning of its nonce.
type keyStream struct {
	key   [KeySize]byte
	nonce [chacha20.NonceSize]byte
}

func newKeyStream(key *[KeySize]byte, nonce *[NonceSize]byte) keyStream {
	s := keyStream{key: *key}
	copy(s.nonce[4:], nonce[:])
	return s
}

// newKeyStreamX is XChaCha20: the nonce's beginning goes into a key of its own.
func newKeyStreamX(key *[KeySize]byte, nonce *[NonceSizeX]byte) keyStream {
	subkey, err := chacha20.HChaCha20(key[:], nonce[:16])
	if err != nil {
		panic("aead: " + err.Error())
	}
	return newKeyStream((*[KeySize]byte)(subkey), (*[NonceSize]byte)(nonce[16:]))
}

// cipher returns the cipher at the first block, by value: so it needs no
// allocation.
func (s *keyStream) cipher() chacha20.Cipher {
	c, err := chacha20.NewUnauthenticatedCipher(s.key[:], s.nonce[:])
	if err != nil {
		panic("aead: " + err.Error())
	}
	return *c
}

// xor encrypts or decrypts src to dst, which are equally long and the same
// memory or apart.
func (s *keyStream) xor(dst, src []byte) {
	c := s.cipher()
	c.XORKeyStream(dst, src)
}

// xorAndAuthenticate encrypts src to dst like xor and adds dst to what mac takes
// in.
func (s *keyStream) xorAndAuthenticate(dst, src []byte, mac *blake2b.State) {
	// In turn for each piece, so that mac finds dst in the first-level cache. A
	// piece is whole blocks of both.
	const piece = 4096
	c := s.cipher()
	for len(src) > piece {
		c.XORKeyStream(dst[:piece], src[:piece])
		mac.Write(dst[:piece])
		dst, src = dst[piece:], src[piece:]
	}
	c.XORKeyStream(dst, src)
	mac.Write(dst)
}
