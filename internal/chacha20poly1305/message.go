// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (amd64 || arm64) && gc && !purego

package chacha20poly1305

import (
	"encoding/binary"

	"github.com/unimac/unimac/internal/dispatch"
)

// A message holds the ChaCha20 and Poly1305 state of a text between kernel calls. The
// assembly generators use the field offsets.
type message struct {
	// The following fields are the ChaCha20 state for the next block. The AVX2 and
	// SSE4.1 kernels read neither constants nor key.
	constants [4]uint32
	key       [KeySize]byte

	// The lower half of counter is the number of the next block, and the upper half
	// holds the first four bytes of the nonce. nonce holds the other eight bytes. Both
	// are 64-bit words because the kernels load eight bytes at a time, and such a load
	// stalls if the bytes were just written by narrower stores.
	counter, nonce uint64

	// h[0] + h[1]·2^64 + h[2]·2^128 is Poly1305's accumulator. Between calls, h[2] is
	// at most 4. The AVX2 and SSE4.1 kernels leave the last multiplication by r to the
	// next call.
	//lint:ignore U1000 only assembly uses it on arm64
	h [3]uint64

	// r, which is clamped, and s are Poly1305's key from block 0.
	r, s [2]uint64

	lengths [2]uint64 // lengths of additional data and text
}

func (m *message) begin(key *[KeySize]byte, nonce *[NonceSize]byte) {
	m.constants = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"
	m.key = *key
	m.setNonce(nonce, 0)
}

func (m *message) setNonce(nonce *[NonceSize]byte, block uint64) {
	m.counter = uint64(binary.LittleEndian.Uint32(nonce[:]))<<32 | block
	m.nonce = binary.LittleEndian.Uint64(nonce[4:])
}

// setPolyKey sets r and s from a Poly1305 key. It leaves no copy of the key on the
// stack.
func (m *message) setPolyKey(key *[KeySize]byte) {
	m.r[0] = binary.LittleEndian.Uint64(key[0:]) & 0x0ffffffc0fffffff
	m.r[1] = binary.LittleEndian.Uint64(key[8:]) & 0x0ffffffc0ffffffc
	m.s[0] = binary.LittleEndian.Uint64(key[16:])
	m.s[1] = binary.LittleEndian.Uint64(key[24:])
}

// next returns how many bytes of src and ad to pass to a kernel call that is not the
// last. n is a multiple of 1024. adLen is len(ad) or a multiple of 16.
func next(src, ad []byte) (n, adLen int) {
	if len(ad) > dispatch.MaxCall/4 {
		return 0, min(len(ad)&^15, dispatch.MaxCall)
	}
	return min(len(src), dispatch.MaxCall-len(ad)) &^ 1023, len(ad)
}
