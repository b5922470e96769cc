// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/constanttime"
	"github.com/unimac/unimac/internal/poly1305"
)

// sivBlocks holds three ChaCha20 blocks, each computed from a key and 16 bytes of
// input:
//
//	sub  = block(key, nonce)
//	tag  = block(sub[32:], Poly1305(sub[:32], …)); its first half is the tag
//	text = block(sub[32:], tag[:16]); its second half is the text's key
//
// Each block has its own buffer. In a shared buffer, wide loads would stall, because
// they would soon follow 8-byte stores to the same bytes.
type sivBlocks struct{ sub, tag, text [chacha20.BlockSize]byte }

// SealSIV encrypts src into dst and sets tag to the tag of src and ad. dst and src must
// have the same length and must overlap entirely or not at all.
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

// OpenSIV decrypts src into dst and reports whether tag is valid for the plaintext and
// ad. If not, OpenSIV zeroes dst.
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
