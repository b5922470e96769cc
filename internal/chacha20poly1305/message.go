// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (amd64 || arm64) && gc && !purego

package chacha20poly1305

import "encoding/binary"

// A message is what one call of assembly leaves to the next, on all processors. A kernel that
// needs more has it after this in a structure of its own. The generators know the offsets.
type message struct {
	// The state of ChaCha20 (RFC 8439, section 2.3) for the next block. The kernels for AVX2 and
	// SSE4.1 begin at the counter: they have the key as an argument, and the constants.
	constants [4]uint32
	key       [KeySize]byte

	// counter is the number of the next block and, above its 32 bits, the nonce's first four
	// bytes; nonce has the others. The assembly reads 8 bytes at once, which are written at
	// once: to read at once what was written in pieces costs a stall.
	counter, nonce uint64

	// h is Poly1305's accumulator, h[0] + h[1]·2^64 + h[2]·2^128, where h[2] is at most 4
	// between calls. In the kernels for AVX2 and SSE4.1 it is yet to be multiplied by r.
	h [3]uint64

	// r and s are Poly1305's key, from block 0. R is clamped.
	r, s [2]uint64

	lengths [2]uint64 // of additional data and text
}

// begin sets the state of ChaCha20 to block 0.
func (m *message) begin(key *[KeySize]byte, nonce *[NonceSize]byte) {
	m.constants = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"
	m.key = *key
	m.setNonce(nonce, 0)
}

// setNonce sets the number of the next block, and the nonce.
func (m *message) setNonce(nonce *[NonceSize]byte, block uint64) {
	m.counter = uint64(binary.LittleEndian.Uint32(nonce[:]))<<32 | block
	m.nonce = binary.LittleEndian.Uint64(nonce[4:])
}

// setPolyKey sets r, clamped, and s to a key of Poly1305. It leaves no copy on the stack.
func (m *message) setPolyKey(key *[KeySize]byte) {
	m.r[0] = binary.LittleEndian.Uint64(key[0:]) & 0x0ffffffc0fffffff
	m.r[1] = binary.LittleEndian.Uint64(key[8:]) & 0x0ffffffc0ffffffc
	m.s[0] = binary.LittleEndian.Uint64(key[16:])
	m.s[1] = binary.LittleEndian.Uint64(key[24:])
}
