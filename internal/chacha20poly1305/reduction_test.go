// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (amd64 || arm64) && gc && !purego

package chacha20poly1305

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/mactest"
)

// number returns the number that little-endian bytes stand for.
func number(b []byte) *big.Int {
	b = bytes.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// TestReduction has messages for which Poly1305's accumulator ends between 2^130 - 5 and
// 2^130, where the last subtraction counts. Their last block is computed for that.
func TestReduction(t *testing.T) {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	bit128 := new(big.Int).Lsh(big.NewInt(1), 128)
	var stream [64]byte
	chacha20.KeyStream(stream[:], &testKey, &testNonce, 0)
	r := number(stream[:16])
	r.And(r, number([]byte{255, 255, 255, 15, 252, 255, 255, 15, 252, 255, 255, 15, 252, 255, 255, 15}))
	inverse := new(big.Int).ModInverse(r, p)
	found := 0
	var messages [][]byte
	for seed := range uint64(30) {
		n := 32 + 16*int(seed*seed%70)
		sealed := mactest.Random(n, seed)
		h := new(big.Int)
		for i := 0; i < n-16; i += 16 {
			h.Add(h, number(sealed[i:i+16]))
			h.Mod(h.Mul(h.Add(h, bit128), r), p)
		}
		// (h + block + 2^128)·r + lengths + 2^128, times r, is to be at most 4.
		var lengths [16]byte
		binary.LittleEndian.PutUint64(lengths[8:], uint64(n))
		block := big.NewInt(int64(seed % 5))
		block.Mul(block, inverse)
		block.Sub(block, number(lengths[:]))
		block.Sub(block, bit128)
		block.Mul(block, inverse)
		block.Sub(block, h)
		block.Sub(block, bit128)
		block.Mod(block, p)
		if block.Cmp(bit128) >= 0 {
			continue // there is no such block of 16 bytes
		}
		found++
		block.FillBytes(sealed[n-16:])
		slices.Reverse(sealed[n-16:])
		key := make([]byte, n)
		chacha20.KeyStream(key, &testKey, &testNonce, 1)
		for i := range key {
			key[i] ^= sealed[i]
		}
		messages = append(messages, key)
	}
	if found == 0 {
		t.Fatal("no message found")
	}
	kernels(t, func(t *testing.T) {
		for _, msg := range messages {
			check(t, make([]byte, len(msg)), msg, nil)
		}
	})
}
