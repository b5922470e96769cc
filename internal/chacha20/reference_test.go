// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import "encoding/binary"

// reference is XORKeyStream as the definition says it, block by block.
func reference(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	initial := initialState(key)
	initial[14] = binary.LittleEndian.Uint32(nonce[:])
	initial[15] = binary.LittleEndian.Uint32(nonce[4:])
	for len(src) > 0 {
		initial[12], initial[13] = uint32(counter), uint32(counter>>32)
		s := initial
		s.rounds()
		var block [BlockSize]byte
		for i := range s {
			binary.LittleEndian.PutUint32(block[4*i:], s[i]+initial[i])
		}
		n := min(len(src), BlockSize)
		for i := range n {
			dst[i] = src[i] ^ block[i]
		}
		dst, src = dst[n:], src[n:]
		counter++
	}
}
