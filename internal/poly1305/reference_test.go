// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"math/big"
	"slices"
)

// The reference follows RFC 8439, section 2.5.1, on math/big integers. It shares
// no code with the package.

var refPrime = func() *big.Int {
	p := new(big.Int).Lsh(big.NewInt(1), 130)
	return p.Sub(p, big.NewInt(5))
}()

// refInt is the number whose little-endian bytes are b.
func refInt(b []byte) *big.Int {
	reversed := slices.Clone(b)
	slices.Reverse(reversed)
	return new(big.Int).SetBytes(reversed)
}

// refR is the clamped first half of a key.
func refR(key []byte) *big.Int {
	r := slices.Clone(key[:16])
	for _, i := range []int{3, 7, 11, 15} {
		r[i] &= 15
	}
	for _, i := range []int{4, 8, 12} {
		r[i] &= 252
	}
	return refInt(r)
}

// refBlocks adds and multiplies for each block of msg, from the accumulator h.
func refBlocks(h, r *big.Int, msg []byte) *big.Int {
	h = new(big.Int).Set(h)
	for ; len(msg) > 0; msg = msg[min(16, len(msg)):] {
		block := append(slices.Clone(msg[:min(16, len(msg))]), 1)
		h.Add(h, refInt(block))
		h.Mul(h, r).Mod(h, refPrime)
	}
	return h.Mod(h, refPrime)
}

// refTag is the tag of a message.
func refTag(msg, key []byte) []byte {
	h := refBlocks(new(big.Int), refR(key), msg)
	h.Add(h, refInt(key[16:]))
	tag := h.FillBytes(make([]byte, 17))[1:]
	slices.Reverse(tag)
	return tag
}

// refState is the number that a state's accumulator holds.
func refState(s *State) *big.Int {
	h := new(big.Int)
	for i := 2; i >= 0; i-- {
		h.Lsh(h, 64).Add(h, new(big.Int).SetUint64(s.h[i]))
	}
	return h
}
