// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/poly1305"
)

const (
	NonceSizeSIV = 16
	TagSizeSIV   = 32
)

// sivKeys are the keys of one message of ChaCha20-Poly1305-SIV. All come from blocks of ChaCha20
// with 16 bytes in place of counter and nonce:
//
//	sub      = block(key, nonce)
//	tag || _ = block(sub[32:], Poly1305(sub[:32], …))
//	_ || key of the text = block(sub[32:], tag[:16])
type sivKeys struct {
	sub  [chacha20.BlockSize]byte
	last [chacha20.BlockSize]byte // of the other blocks
}

// poly is the key of Poly1305.
func (k *sivKeys) poly() *[KeySize]byte { return (*[KeySize]byte)(k.sub[:KeySize]) }

// block makes one of the blocks under the second half of sub, and returns its halves.
func (k *sivKeys) block(x *[16]byte) (tag, text *[KeySize]byte) {
	chacha20.Block(&k.last, (*[KeySize]byte)(k.sub[KeySize:]), x)
	return (*[KeySize]byte)(k.last[:KeySize]), (*[KeySize]byte)(k.last[KeySize:])
}

// SealSIV sets dst to the ciphertext of src, and tag to the tag of that and ad. Dst has the
// length of src; they are the same memory or apart.
func SealSIV(tag *[TagSizeSIV]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeSIV]byte) {
	var k sivKeys
	var hash [TagSize]byte
	chacha20.Block(&k.sub, key, nonce)
	poly1305.SumAEAD(&hash, ad, src, k.poly())
	first, _ := k.block(&hash)
	*tag = *first
	_, textKey := k.block((*[16]byte)(tag[:]))
	xorGeneric(dst, src, textKey, (*[NonceSize]byte)(tag[16:]), 0)
	k = sivKeys{}
}

// OpenSIV is the reverse: it sets dst to the plaintext of src and reports whether tag is the
// tag of that and ad. If it is not, dst is all zeros.
func OpenSIV(tag *[TagSizeSIV]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeSIV]byte) bool {
	var k sivKeys
	var hash [TagSize]byte
	chacha20.Block(&k.sub, key, nonce)
	_, textKey := k.block((*[16]byte)(tag[:]))
	openSIV(&hash, dst, src, ad, k.poly(), textKey, (*[NonceSize]byte)(tag[16:]))
	want, _ := k.block(&hash)
	ok := Equal(want[:], tag[:])
	k = sivKeys{}
	if !ok {
		clear(dst)
	}
	return ok
}

// openSIVGeneric is openSIV, one algorithm after the other: it sets dst to the plaintext of
// src, and hash to what Poly1305 makes of that and ad.
func openSIVGeneric(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	xorGeneric(dst, src, key, nonce, 0)
	poly1305.SumAEAD(hash, ad, dst, polyKey)
}
