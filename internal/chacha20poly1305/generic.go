// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"encoding/binary"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/poly1305"
)

// sealTwoPasses is seal as RFC 8439, section 2.8, defines it: one algorithm after the other, by the
// kernels or the plain Go of each. Tests compare the kernels of this package with it. It copies nonce,
// which dst may overlap.
func sealTwoPasses(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	own := *nonce
	xorGeneric(dst, src, key, &own, 1)
	tagGeneric(tag, dst, ad, key, &own)
}

// openTwoPasses is open in the same way.
func openTwoPasses(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	own := *nonce
	tagGeneric(tag, src, ad, key, &own)
	xorGeneric(dst, src, key, &own, 1)
}

// tagGeneric computes the tag. Its key is the beginning of block 0.
func tagGeneric(tag *[TagSize]byte, ciphertext, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var polyKey [poly1305.KeySize]byte
	chacha20.KeyStream(polyKey[:], key, nonce, 0)
	poly1305.SumAEAD(tag, ad, ciphertext, &polyKey)
	clear(polyKey[:])
}

// xorGeneric encrypts or decrypts src, beginning with the block counter. The first 4 bytes of nonce are the
// upper half of the 64-bit counter of package chacha20. Texts are too short for a carry to reach them.
func xorGeneric(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint32) {
	high := binary.LittleEndian.Uint32(nonce[:4])
	chacha20.XORKeyStream(dst, src, key, (*[chacha20.NonceSize]byte)(nonce[4:]), uint64(high)<<32|uint64(counter))
}
