// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"encoding/binary"
	"math/bits"
)

// roundKeys contains an expanded AES key (FIPS 197, section 5.2). The kernels that
// encrypt pads need the round keys, which crypto/aes does not export. The assembly
// depends on the layout.
type roundKeys struct {
	rounds uint64
	keys   [15][16]byte // rounds+1 of them are used
}

// set expands a key of 16, 24 or 32 bytes. subWord must apply the AES S-box to each
// byte of a word in constant time. Words are little-endian, so set rotates them right
// instead of left.
func (r *roundKeys) set(key []byte, subWord func(uint32) uint32) {
	n := len(key) / 4
	r.rounds = uint64(n + 6)
	var w [4 * len(r.keys)]uint32
	for i := range n {
		w[i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	constant := uint32(1)
	for i := n; i < 4*(n+7); i++ {
		t := w[i-1]
		switch {
		case i%n == 0:
			t = subWord(bits.RotateLeft32(t, -8)) ^ constant
			constant = constant<<1 ^ constant>>7*0x11b
		case n == 8 && i%n == 4:
			t = subWord(t)
		}
		w[i] = w[i-n] ^ t
	}
	for i, word := range w[:4*(n+7)] {
		binary.LittleEndian.PutUint32(r.keys[i/4][i%4*4:], word)
	}
	clear(w[:])
}
