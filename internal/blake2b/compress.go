// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"encoding/binary"
	"math/bits"

	"github.com/unimac/unimac/internal/dispatch"
)

// compress compresses whole blocks into h. blocks must not include the message's last
// block. t is the number of bytes hashed before blocks.
func compress(h *[8]uint64, blocks []byte, t uint64) {
	for len(blocks) >= BlockSize {
		n := min(len(blocks), dispatch.MaxCall) / BlockSize * BlockSize
		compressBlocks(h, blocks[:n], t, 0)
		blocks = blocks[n:]
		t += uint64(n)
	}
}

// compressLast compresses the last block, padded with zeros, into h. t is the length of
// the message.
func compressLast(h *[8]uint64, block *[BlockSize]byte, t uint64) {
	compressBlocks(h, block[:], t-BlockSize, ^uint64(0))
}

var iv = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// sigma is the order of the message words in each round (RFC 7693, section 2.7).
var sigma = [12][16]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
}

// compressBlocksGeneric implements compress, or compressLast if f is all ones.
func compressBlocksGeneric(h *[8]uint64, blocks []byte, t, f uint64) {
	for ; len(blocks) >= BlockSize; blocks = blocks[BlockSize:] {
		t += BlockSize
		compressGeneric(h, (*[BlockSize]byte)(blocks), t, f)
	}
}

// compressGeneric implements F (RFC 7693, section 3.2). t is the number of bytes
// hashed, including block. f must be all ones for the last block and zero otherwise.
func compressGeneric(h *[8]uint64, block *[BlockSize]byte, t, f uint64) {
	var m [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	v0, v1, v2, v3, v4, v5, v6, v7 := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	v8, v9, v10, v11 := iv[0], iv[1], iv[2], iv[3]
	v12, v13, v14, v15 := iv[4]^t, iv[5], iv[6]^f, iv[7]
	for i := range sigma {
		s := &sigma[i]
		v0, v4, v8, v12 = g(v0, v4, v8, v12, m[s[0]&15], m[s[1]&15])
		v1, v5, v9, v13 = g(v1, v5, v9, v13, m[s[2]&15], m[s[3]&15])
		v2, v6, v10, v14 = g(v2, v6, v10, v14, m[s[4]&15], m[s[5]&15])
		v3, v7, v11, v15 = g(v3, v7, v11, v15, m[s[6]&15], m[s[7]&15])

		v0, v5, v10, v15 = g(v0, v5, v10, v15, m[s[8]&15], m[s[9]&15])
		v1, v6, v11, v12 = g(v1, v6, v11, v12, m[s[10]&15], m[s[11]&15])
		v2, v7, v8, v13 = g(v2, v7, v8, v13, m[s[12]&15], m[s[13]&15])
		v3, v4, v9, v14 = g(v3, v4, v9, v14, m[s[14]&15], m[s[15]&15])
	}
	h[0] ^= v0 ^ v8
	h[1] ^= v1 ^ v9
	h[2] ^= v2 ^ v10
	h[3] ^= v3 ^ v11
	h[4] ^= v4 ^ v12
	h[5] ^= v5 ^ v13
	h[6] ^= v6 ^ v14
	h[7] ^= v7 ^ v15
}

func g(a, b, c, d, x, y uint64) (uint64, uint64, uint64, uint64) {
	a += b + x
	d = bits.RotateLeft64(d^a, -32)
	c += d
	b = bits.RotateLeft64(b^c, -24)
	a += b + y
	d = bits.RotateLeft64(d^a, -16)
	c += d
	b = bits.RotateLeft64(b^c, -63)
	return a, b, c, d
}
