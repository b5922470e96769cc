// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (amd64 || arm64) && gc && !purego

package chacha20poly1305

import (
	"encoding/binary"
	"unsafe"
)

// state is a message in progress, between calls of assembly. A kernel that needs more, such
// as powers of r, puts it in a structure of its own after this one. The generators know the
// offsets.
type state struct {
	// chacha is the state of ChaCha20 (RFC 8439, section 2.3): constants, key, the number
	// of the next block, nonce. At offset 0.
	chacha [16]uint32

	// h is Poly1305's accumulator, h[0] + h[1]·2^64 + h[2]·2^128, where h[2] is at most 4
	// between calls. At offset 64.
	h [3]uint64

	// r and s are Poly1305's key, from block 0. R is clamped. At offsets 88 and 104.
	r, s [2]uint64
}

// begin sets the state of ChaCha20 to the beginning of a message: the next block is the one
// for r and s, which are still to be made.
func (s *state) begin(key *[KeySize]byte, nonce *[NonceSize]byte) {
	s.chacha = [16]uint32{0: 0x61707865, 1: 0x3320646e, 2: 0x79622d32, 3: 0x6b206574} // "expand 32-byte k"
	// These processors have the words' bytes in the same order.
	*(*[KeySize]byte)(unsafe.Pointer(&s.chacha[4])) = *key
	*(*[NonceSize]byte)(unsafe.Pointer(&s.chacha[13])) = *nonce
}

// setPolyKey sets r, clamped, and s to a key of Poly1305. It leaves no copy on the stack.
func setPolyKey(r, s *[2]uint64, key *[KeySize]byte) {
	r[0] = binary.LittleEndian.Uint64(key[0:]) & 0x0ffffffc0fffffff
	r[1] = binary.LittleEndian.Uint64(key[8:]) & 0x0ffffffc0ffffffc
	s[0] = binary.LittleEndian.Uint64(key[16:])
	s[1] = binary.LittleEndian.Uint64(key[24:])
}

// A messageAVX2 is a message in progress. The assembly reads it by 8 bytes and more, which
// are written at once: to read at once what was written in pieces costs a stall.
type messageAVX2 struct {
	counter uint64 // of the next block, and above its 32 bits the nonce's first four bytes
	nonce   uint64 // the others

	// Poly1305's accumulator, yet to be multiplied by r, and its key.
	h    [3]uint64
	r, s [2]uint64

	lengths [2]uint64 // of additional data and text
	tag     [TagSize]byte
}
