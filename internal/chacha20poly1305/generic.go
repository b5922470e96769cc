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

// cryptTwoPasses implements crypt with one pass for ChaCha20 and one for Poly1305 (RFC
// 8439, section 2.8).
func cryptTwoPasses(tag *[TagSize]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte, open bool) {
	own := *nonce // dst may overlap nonce
	var polyKey [poly1305.KeySize]byte
	chacha20.KeyStream(polyKey[:], key, &own, 0)
	if open {
		poly1305.SumAEAD(tag, ad, src, &polyKey)
	}
	xorGeneric(dst, src, key, &own, 1)
	if !open {
		poly1305.SumAEAD(tag, ad, dst, &polyKey)
	}
	clear(polyKey[:])
}

// xorGeneric encrypts or decrypts src with the keystream that starts at block number
// counter.
func xorGeneric(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint32) {
	// The first 4 bytes of nonce become the upper half of package chacha20's counter.
	high := binary.LittleEndian.Uint32(nonce[:4])
	chacha20.XORKeyStream(dst, src, key, (*[chacha20.NonceSize]byte)(nonce[4:]), uint64(high)<<32|uint64(counter))
}

// openSIVTwoPasses decrypts src into dst and sets hash to the Poly1305 tag of ad and
// the plaintext.
func openSIVTwoPasses(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	xorGeneric(dst, src, key, nonce, 0)
	poly1305.SumAEAD(hash, ad, dst, polyKey)
}

// lower and upper return the halves of a block.
func lower(b *[chacha20.BlockSize]byte) *[KeySize]byte { return (*[KeySize]byte)(b[:KeySize]) }
func upper(b *[chacha20.BlockSize]byte) *[KeySize]byte { return (*[KeySize]byte)(b[KeySize:]) }
