// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 implements ChaCha20 as first published (D. J. Bernstein, "ChaCha, a
// variant of Salsa20", 2008), with an 8-byte nonce and a 64-bit counter, and XChaCha20
// and HChaCha20 of draft-irtf-cfrg-xchacha. RFC 8439 defines the same cipher with a
// 12-byte nonce and a 32-bit counter. The first 4 bytes of this nonce are the high half
// of the original counter.
//
// Never encrypt two messages under one key with the same nonce and counter: anyone who
// has both ciphertexts learns the XOR of the two messages.
package chacha20

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/dispatch"
)

//go:generate go -C ../asm run . internal/chacha20

const (
	KeySize      = 32
	NonceSize    = 8  // nonce size of the original ChaCha20
	NonceSizeRFC = 12 // nonce size of RFC 8439's ChaCha20
	NonceSizeX   = 24 // nonce size of XChaCha20
	BlockSize    = 64
)

// XORKeyStream sets the first len(src) bytes of dst to src XOR the ChaCha20 keystream,
// starting at block number counter. To continue later, add the number of processed
// 64-byte blocks to counter, and count an incomplete last block as a whole one.
//
// dst may overlap nonce but not key. XORKeyStream panics if dst is shorter than src, if
// they overlap inexactly, or if the keystream would continue after block 2^64 - 1.
func XORKeyStream(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	if len(dst) < len(src) {
		panic("chacha20: output of " + strconv.Itoa(len(dst)) + " bytes for an input of " + strconv.Itoa(len(src)))
	}
	dst = dst[:len(src)]
	if alias.InexactOverlap(dst, src) {
		panic("chacha20: output and input overlap, but not exactly")
	}
	if len(src) > 0 && uint64(len(src)-1)/BlockSize > math.MaxUint64-counter {
		panic("chacha20: counter overflow")
	}
	own := *nonce // kernels assume that the nonce does not overlap dst
	for len(src) > dispatch.MaxCall {
		xor(dst[:dispatch.MaxCall], src[:dispatch.MaxCall], key, &own, counter)
		dst, src = dst[dispatch.MaxCall:], src[dispatch.MaxCall:]
		counter += dispatch.MaxCall / BlockSize
	}
	if len(src) > 0 {
		xor(dst, src, key, &own, counter)
	}
}

// A Stream is the ChaCha20 keystream for a key and a nonce.
type Stream struct {
	Key   [KeySize]byte
	Nonce [NonceSize]byte
}

// StreamX returns the XChaCha20 keystream: ChaCha20's keystream under a derived key.
func StreamX(key *[KeySize]byte, nonce *[NonceSizeX]byte) (s Stream) {
	HChaCha20(&s.Key, key, (*[16]byte)(nonce[:16]))
	s.Nonce = [NonceSize]byte(nonce[16:])
	return s
}

// XORKeyStream calls the function [XORKeyStream] with the stream's key and nonce.
func (s *Stream) XORKeyStream(dst, src []byte, counter uint64) {
	XORKeyStream(dst, src, &s.Key, &s.Nonce, counter)
}

// Blocks fills dst with keystream, starting at block number counter. The length of dst
// must be a positive multiple of the block size and at most dispatch.MaxCall. Blocks
// does not check this.
func (s *Stream) Blocks(dst []byte, counter uint64) {
	if len(dst) == BlockSize { // the most common case
		var x [16]byte
		binary.LittleEndian.PutUint64(x[:], counter)
		*(*[NonceSize]byte)(x[8:]) = s.Nonce
		block((*[BlockSize]byte)(dst), &s.Key, &x)
		return
	}
	clear(dst)
	xor(dst, dst, &s.Key, &s.Nonce, counter)
}

// Block sets out to the keystream block with counter x[:8], in little-endian order, and
// nonce x[8:]. The block is a pseudorandom function of x.
func Block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	block(out, key, x)
}

func blockOfStream(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	*out = [BlockSize]byte{}
	xor(out[:], out[:], key, (*[NonceSize]byte)(x[8:]), binary.LittleEndian.Uint64(x[:]))
}

// KeyStream fills dst with the keystream of RFC 8439's ChaCha20, starting at block
// number counter. It panics if the keystream would extend past block 2^32 - 1.
func KeyStream(dst []byte, key *[KeySize]byte, nonce *[NonceSizeRFC]byte, counter uint32) {
	if len(dst) > 0 && uint64(len(dst)-1)/BlockSize > uint64(math.MaxUint32-counter) {
		panic("chacha20: counter overflow")
	}
	clear(dst)
	high := binary.LittleEndian.Uint32(nonce[:4])
	XORKeyStream(dst, dst, key, (*[NonceSize]byte)(nonce[4:]), uint64(high)<<32|uint64(counter))
}

// HChaCha20 sets out to the subkey for key and nonce. out and key may point to the same
// array.
func HChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	hChaCha20(out, key, nonce)
}
