// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego && (loong64 || ppc64 || ppc64le || s390x)

package chacha20

import (
	"encoding/binary"

	"golang.org/x/crypto/chacha20"
)

// xor is like xorGeneric, but uses the assembly of golang.org/x/crypto/chacha20.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	const maxBlocks = 1 << 32
	for len(src) > 0 {
		part := src
		// x/crypto's counter has only 32 bits, so start another stream when it would wrap.
		if left := maxBlocks - counter%maxBlocks; uint64(len(src)-1)/BlockSize >= left {
			part = src[:left*BlockSize]
		}
		var rfcNonce [NonceSizeRFC]byte
		binary.LittleEndian.PutUint32(rfcNonce[:], uint32(counter>>32))
		copy(rfcNonce[4:], nonce[:])
		c, err := chacha20.NewUnauthenticatedCipher(key[:], rfcNonce[:])
		if err != nil {
			panic("chacha20: " + err.Error())
		}
		c.SetCounter(uint32(counter))
		c.XORKeyStream(dst, part)
		dst, src = dst[len(part):], src[len(part):]
		counter += uint64(len(part)) / BlockSize // only the last part may end within a block
	}
}

func block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) { blockOfStream(out, key, x) }

func hChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	hChaCha20Generic(out, key, nonce)
}
