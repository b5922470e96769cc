// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var on dispatch.Choice

func init() { dispatch.Register("chacha20", &on, cpu.SSE41, cpu.AVX2, cpu.AVX512) }

// byLevel contains, for each enabled level, the level of the kernel to run.
type byLevel [cpu.AVX512 + 1]cpu.Level

type kernels struct{ block, hChaCha20 byLevel }

// own selects each level's own kernel, general the kernel in general registers, and
// vectors a vector kernel, which at level AVX2 is that of SSE41.
var (
	own     = byLevel{cpu.SSE41: cpu.SSE41, cpu.AVX2: cpu.AVX2, cpu.AVX512: cpu.AVX512}
	general = byLevel{cpu.SSE41: cpu.AMD64, cpu.AVX2: cpu.AMD64, cpu.AVX512: cpu.AMD64}
	vectors = byLevel{cpu.SSE41: cpu.SSE41, cpu.AVX2: cpu.SSE41, cpu.AVX512: cpu.AVX512}

	table = [...]kernels{
		cpu.Narrow:     {general, own},
		cpu.Full:       {vectors, own},
		cpu.FullSlow:   {general, general},
		cpu.Halved:     {general, general},
		cpu.Unmeasured: {general, general},
		cpu.Alone:      {byLevel{cpu.SSE41: cpu.SSE41, cpu.AVX2: cpu.AMD64, cpu.AVX512: cpu.AVX512}, own},
	}
)

// xor implements xorGeneric with the fastest enabled kernel. dst and src must have the
// same length, between 1 and dispatch.MaxCall bytes.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	dispatch.CheckCall(len(src))
	level := on.Level
	if len(src) <= BlockSize {
		if level = table[on.Kind].block[level]; level == cpu.AVX512 || level == cpu.AMD64 {
			xorBlock(level, dst, src, key, nonce, counter)
			return
		}
	}
	switch level {
	case cpu.AVX512:
		xorAVX512(&dst[0], &src[0], len(src), key, nonce, counter)
	case cpu.AVX2:
		xorAVX2(&dst[0], &src[0], len(src), key, nonce, counter)
	case cpu.SSE41:
		xorSSE41(&dst[0], &src[0], len(src), key, nonce, counter)
	default:
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// xorBlock implements xor for at most one block at a level that has a kernel for it.
func xorBlock(level cpu.Level, dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	var x [16]byte
	var b [BlockSize]byte
	binary.LittleEndian.PutUint64(x[:], counter)
	*(*[NonceSize]byte)(x[8:]) = *nonce
	blockBy(level, &b, key, &x)
	subtle.XORBytes(dst, src, b[:])
	b = [BlockSize]byte{}
}

func block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	blockBy(table[on.Kind].block[on.Level], out, key, x)
}

func blockBy(level cpu.Level, out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	switch level {
	case cpu.AVX512:
		blockAVX512(out, key, x)
	case cpu.AMD64:
		blockAMD64(out, key, x)
	default:
		blockOfStream(out, key, x)
	}
}

func hChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	switch table[on.Kind].hChaCha20[on.Level] {
	case cpu.AVX512:
		hChaCha20AVX512(out, key, nonce)
	case cpu.AVX2:
		hChaCha20AVX2(out, key, nonce)
	case cpu.SSE41:
		hChaCha20SSE41(out, key, nonce)
	case cpu.AMD64:
		hChaCha20General(out, key, nonce)
	default:
		hChaCha20Generic(out, key, nonce)
	}
}

// hChaCha20General subtracts the initial state from a block computed in general
// registers.
func hChaCha20General(out, key *[KeySize]byte, nonce *[16]byte) {
	var b [BlockSize]byte
	blockAMD64(&b, key, nonce)
	word := binary.LittleEndian
	for i, c := range [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} { // "expand 32-byte k"
		word.PutUint32(out[4*i:], word.Uint32(b[4*i:])-c)
		word.PutUint32(out[16+4*i:], word.Uint32(b[48+4*i:])-word.Uint32(nonce[4*i:]))
	}
	b = [BlockSize]byte{}
}

// BlocksAVX2 replaces n initial states, a multiple of 8, by their keystream blocks.
func BlocksAVX2(states *[BlockSize]byte, n int) {
	dispatch.CheckCall(n * BlockSize)
	statesAVX2(states, n)
}
