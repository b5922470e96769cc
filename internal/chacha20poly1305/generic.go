// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"encoding/binary"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/poly1305"
)

const (
	KeySize    = 32
	NonceSize  = 12
	NonceSizeX = 24
	TagSize    = 16

	NonceSizeSIV = 16
	TagSizeSIV   = 32

	// MaxLength is the maximum text length in bytes. The block counter has 32 bits, and
	// block 0 contains the Poly1305 key.
	MaxLength = 1<<38 - 64
)

// sealTwoPasses implements seal by encrypting and then authenticating (RFC 8439,
// section 2.8). It copies nonce first because dst may overlap nonce. Tests use
// sealTwoPasses as the reference for kernels.
func sealTwoPasses(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	own := *nonce
	xorGeneric(dst, src, key, &own, 1)
	tagGeneric(tag, dst, ad, key, &own)
}

func openTwoPasses(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	own := *nonce
	tagGeneric(tag, src, ad, key, &own)
	xorGeneric(dst, src, key, &own, 1)
}

func tagGeneric(tag *[TagSize]byte, ciphertext, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var polyKey [poly1305.KeySize]byte
	chacha20.KeyStream(polyKey[:], key, nonce, 0)
	poly1305.SumAEAD(tag, ad, ciphertext, &polyKey)
	clear(polyKey[:])
}

// xorGeneric encrypts or decrypts src. The counter parameter is the number of the first
// block. The first 4 bytes of nonce become the upper half of package chacha20's 64-bit
// counter.
func xorGeneric(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint32) {
	high := binary.LittleEndian.Uint32(nonce[:4])
	chacha20.XORKeyStream(dst, src, key, (*[chacha20.NonceSize]byte)(nonce[4:]), uint64(high)<<32|uint64(counter))
}

// openSIVTwoPasses sets dst to the plaintext of src, and hash to the Poly1305 tag of ad
// and the plaintext.
func openSIVTwoPasses(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	xorGeneric(dst, src, key, nonce, 0)
	poly1305.SumAEAD(hash, ad, dst, polyKey)
}

// lower and upper return the halves of a block.
func lower(b *[chacha20.BlockSize]byte) *[KeySize]byte { return (*[KeySize]byte)(b[:KeySize]) }
func upper(b *[chacha20.BlockSize]byte) *[KeySize]byte { return (*[KeySize]byte)(b[KeySize:]) }
