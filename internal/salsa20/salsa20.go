// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package salsa20 implements the stream cipher Salsa20 (D. J. Bernstein, "The Salsa20
// family of stream ciphers", 2008). Package xcrypto uses it in copies of x/crypto, to
// speed up the packages salsa20, nacl/secretbox and nacl/box. New programs should use
// ChaCha20.
package salsa20

import (
	"encoding/binary"
	"math/bits"

	"github.com/unimac/unimac/internal/dispatch"
)

//go:generate go -C ../asm run . internal/salsa20

const (
	KeySize   = 32
	NonceSize = 8
	BlockSize = 64
)

// XORKeyStream sets dst to src XOR the keystream, starting at block number counter. dst
// and src must have the same length and must overlap entirely or not at all. The
// counter wraps from 2^64-1 to 0.
func XORKeyStream(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	for len(src) > dispatch.MaxCall {
		xor(dst[:dispatch.MaxCall], src[:dispatch.MaxCall], key, nonce, counter)
		dst, src = dst[dispatch.MaxCall:], src[dispatch.MaxCall:]
		counter += dispatch.MaxCall / BlockSize
	}
	if len(src) > 0 {
		xor(dst, src, key, nonce, counter)
	}
}

type state [16]uint32

// initialState returns the state for key, the nonce in[:8], and the counter in[8:].
func initialState(key *[KeySize]byte, in *[16]byte) (s state) {
	s[0], s[5], s[10], s[15] = 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 // "expand 32-byte k"
	for i := range 4 {
		s[1+i] = binary.LittleEndian.Uint32(key[4*i:])
		s[6+i] = binary.LittleEndian.Uint32(in[4*i:])
		s[11+i] = binary.LittleEndian.Uint32(key[16+4*i:])
	}
	return s
}

// rounds applies ten double rounds, each a column round followed by a row round.
func (s *state) rounds() {
	x0, x1, x2, x3 := s[0], s[1], s[2], s[3]
	x4, x5, x6, x7 := s[4], s[5], s[6], s[7]
	x8, x9, x10, x11 := s[8], s[9], s[10], s[11]
	x12, x13, x14, x15 := s[12], s[13], s[14], s[15]
	for range 10 {
		x0, x4, x8, x12 = quarterRound(x0, x4, x8, x12)
		x5, x9, x13, x1 = quarterRound(x5, x9, x13, x1)
		x10, x14, x2, x6 = quarterRound(x10, x14, x2, x6)
		x15, x3, x7, x11 = quarterRound(x15, x3, x7, x11)

		x0, x1, x2, x3 = quarterRound(x0, x1, x2, x3)
		x5, x6, x7, x4 = quarterRound(x5, x6, x7, x4)
		x10, x11, x8, x9 = quarterRound(x10, x11, x8, x9)
		x15, x12, x13, x14 = quarterRound(x15, x12, x13, x14)
	}
	*s = state{x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15}
}

func quarterRound(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	b ^= bits.RotateLeft32(a+d, 7)
	c ^= bits.RotateLeft32(b+a, 9)
	d ^= bits.RotateLeft32(c+b, 13)
	a ^= bits.RotateLeft32(d+c, 18)
	return a, b, c, d
}

func xorGeneric(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	var in [16]byte
	copy(in[:], nonce[:])
	for ; len(src) > 0; counter++ {
		binary.LittleEndian.PutUint64(in[NonceSize:], counter)
		initial := initialState(key, &in)
		s := initial
		s.rounds()
		var stream [BlockSize]byte
		for i := range s {
			binary.LittleEndian.PutUint32(stream[4*i:], s[i]+initial[i])
		}
		n := min(len(src), BlockSize)
		for i, b := range src[:n] {
			dst[i] = b ^ stream[i]
		}
		dst, src = dst[n:], src[n:]
	}
}
