// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"encoding/binary"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/poly1305"
)

// What follows is the AEAD as RFC 8439 says it, one cipher after the other, for processors
// that there is no kernel for. Tests compare the kernels with it.

// sealTwoPass encrypts src to dst and then computes the tag.
func sealTwoPass(tag *[Overhead]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	var polyKey [poly1305.KeySize]byte
	chacha20.KeyStream(polyKey[:], key, nonce, 0)
	mac := poly1305.New(&polyKey)
	xor(dst, src, key, nonce)
	authenticate(mac, dst, ad)
	mac.Sum(tag[:0])
	clear(polyKey[:])
	*mac = poly1305.MAC{}
}

// openTwoPass reports whether tag is right, and only then decrypts src to dst. Otherwise it
// sets dst to zeros.
func openTwoPass(tag *[Overhead]byte, dst, src, ad []byte, key *[KeySize]byte, nonce *[NonceSize]byte) bool {
	var polyKey [poly1305.KeySize]byte
	chacha20.KeyStream(polyKey[:], key, nonce, 0)
	mac := poly1305.New(&polyKey)
	authenticate(mac, src, ad)
	ok := mac.Verify(tag[:])
	clear(polyKey[:])
	*mac = poly1305.MAC{}
	if !ok {
		clear(dst)
		return false
	}
	xor(dst, src, key, nonce)
	return true
}

// authenticate writes what the tag is of.
func authenticate(mac *poly1305.MAC, ciphertext, ad []byte) {
	var zeros, lengths [16]byte
	for _, part := range [2][]byte{ad, ciphertext} {
		mac.Write(part)
		mac.Write(zeros[:-len(part)&15])
	}
	binary.LittleEndian.PutUint64(lengths[:8], uint64(len(ad)))
	binary.LittleEndian.PutUint64(lengths[8:], uint64(len(ciphertext)))
	mac.Write(lengths[:])
}

// xor encrypts or decrypts src to dst, from block 1 on. The first 4 bytes of the nonce are
// the upper half of the counter as package chacha20 has it. As the length is limited, no
// carry reaches them.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	high := binary.LittleEndian.Uint32(nonce[:4])
	chacha20.XORKeyStream(dst, src, key, (*[chacha20.NonceSize]byte)(nonce[4:]), uint64(high)<<32|1)
}
