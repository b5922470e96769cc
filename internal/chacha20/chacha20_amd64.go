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

var (
	choice dispatch.Choice

	xorPath, blockPath, hChaCha20Path dispatch.Operation[path]
)

func init() {
	dispatch.Register("chacha20", &choice, cpu.SSE41, cpu.AVX2, cpu.AVX512)
	dispatch.Bind("chacha20", &xorPath, xorPaths)
	dispatch.Bind("chacha20", &blockPath, blockPaths)
	dispatch.Bind("chacha20", &hChaCha20Path, hChaCha20Paths)
}

// A path identifies the code for an operation.
type path uint8

const (
	plain          path = iota // plain Go
	oneBlockAMD64              // blockAMD64, for at most one block
	oneBlockAVX512             // blockAVX512, for at most one block
	vectorSSE41                // xorSSE41 or hChaCha20SSE41
	vectorAVX2                 // xorAVX2 or hChaCha20AVX2
	vectorAVX512               // xorAVX512 or hChaCha20AVX512
)

// xor sets dst to src XOR the keystream. dst and src must have the same length, from 1
// to dispatch.MaxCall bytes.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	dispatch.CheckCall(len(src))
	switch p := xorPath.Choose(len(src)); p {
	case oneBlockAMD64, oneBlockAVX512:
		xorBlock(p, dst, src, key, nonce, counter)
	case vectorAVX512:
		xorAVX512(&dst[0], &src[0], len(src), key, nonce, counter)
	case vectorAVX2:
		xorAVX2(&dst[0], &src[0], len(src), key, nonce, counter)
	case vectorSSE41:
		xorSSE41(&dst[0], &src[0], len(src), key, nonce, counter)
	default:
		xorGeneric(dst, src, key, nonce, counter)
	}
}

// xorBlock implements xor for at most 64 bytes.
func xorBlock(p path, dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	var x [16]byte
	var b [BlockSize]byte
	binary.LittleEndian.PutUint64(x[:], counter)
	*(*[NonceSize]byte)(x[8:]) = *nonce
	blockWithPath(p, &b, key, &x)
	subtle.XORBytes(dst, src, b[:])
	b = [BlockSize]byte{}
}

func block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	blockWithPath(blockPath.Choose(BlockSize), out, key, x)
}

func blockWithPath(p path, out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	switch p {
	case oneBlockAVX512:
		blockAVX512(out, key, x)
	case oneBlockAMD64:
		blockAMD64(out, key, x)
	default:
		blockOfStream(out, key, x)
	}
}

func hChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	switch hChaCha20Path.Choose(BlockSize) {
	case vectorAVX512:
		hChaCha20AVX512(out, key, nonce)
	case vectorAVX2:
		hChaCha20AVX2(out, key, nonce)
	case vectorSSE41:
		hChaCha20SSE41(out, key, nonce)
	case oneBlockAMD64:
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

// BlocksAVX2 replaces n consecutive initial states with their keystream blocks. states
// points to the first state, and n must be a multiple of 8.
func BlocksAVX2(states *[BlockSize]byte, n int) {
	dispatch.CheckCall(n * BlockSize)
	statesAVX2(states, n)
}
