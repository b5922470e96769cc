// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/constanttime"
	"github.com/unimac/unimac/internal/poly1305"
)

const (
	NonceSizeSIV = 16
	TagSizeSIV   = 32
)

// A sivBlocks has the blocks of ChaCha20 that one message of ChaCha20-Poly1305-SIV is made with, each
// with 16 bytes in place of counter and nonce:
//
//	sub  = block(key, nonce)
//	tag  = block(sub[32:], Poly1305(sub[:32], …)), of which the first half is the tag
//	text = block(sub[32:], tag[:16]), of which the second half is the key of the text
//
// Each has memory of its own. What was written in words of 8 bytes and is copied at once in
// larger ones costs a stall, for which the next block would wait.
type sivBlocks struct{ sub, tag, text [chacha20.BlockSize]byte }

func lower(b *[chacha20.BlockSize]byte) *[KeySize]byte { return (*[KeySize]byte)(b[:KeySize]) }
func upper(b *[chacha20.BlockSize]byte) *[KeySize]byte { return (*[KeySize]byte)(b[KeySize:]) }

// SealSIV sets dst to the ciphertext of src, and tag to the tag of that and ad. Dst has the
// length of src; they are the same memory or apart.
func SealSIV(tag *[TagSizeSIV]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeSIV]byte) {
	var b sivBlocks
	var hash [TagSize]byte
	chacha20.Block(&b.sub, key, nonce)
	poly1305.SumAEAD(&hash, ad, src, lower(&b.sub))
	chacha20.Block(&b.tag, upper(&b.sub), &hash)
	chacha20.Block(&b.text, upper(&b.sub), (*[16]byte)(b.tag[:]))
	*tag = *lower(&b.tag)
	xorSIV(dst, src, upper(&b.text), (*[NonceSize]byte)(b.tag[16:]))
	b = sivBlocks{}
}

// OpenSIV is the reverse: it sets dst to the plaintext of src and reports whether tag is the
// tag of that and ad. If it is not, dst is all zeros.
func OpenSIV(tag *[TagSizeSIV]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSizeSIV]byte) bool {
	var b sivBlocks
	var hash [TagSize]byte
	chacha20.Block(&b.sub, key, nonce)
	chacha20.Block(&b.text, upper(&b.sub), (*[16]byte)(tag[:]))
	openSIV(&hash, dst, src, ad, lower(&b.sub), upper(&b.text), (*[NonceSize]byte)(tag[16:]))
	chacha20.Block(&b.tag, upper(&b.sub), &hash)
	ok := constanttime.Equal32(lower(&b.tag), tag) == 1
	b = sivBlocks{}
	if !ok {
		clear(dst)
	}
	return ok
}

// openSIVTwoPasses is openSIV, one algorithm after the other: it sets dst to the plaintext of
// src, and hash to what Poly1305 makes of that and ad.
func openSIVTwoPasses(hash *[TagSize]byte, dst, src, ad []byte, polyKey, key *[KeySize]byte, nonce *[NonceSize]byte) {
	xorGeneric(dst, src, key, nonce, 0)
	poly1305.SumAEAD(hash, ad, dst, polyKey)
}
