// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 encrypts with ChaCha20 as it was first published (D. J.
// Bernstein, "ChaCha, a variant of Salsa20", 2008): a nonce of 8 bytes and a
// counter of 64 bits. XChaCha20 and HChaCha20 are those of
// draft-irtf-cfrg-xchacha. RFC 8439's form, a nonce of 12 bytes and a counter of
// 32 bits, is the same cipher: the first 4 bytes of its nonce are the high half
// of the counter.
//
// Never encrypt twice under one key with the same nonce and counter: anyone who
// has both results knows the XOR of the two messages.
package chacha20

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/impl"
)

//go:generate go -C ../asm run . internal/chacha20

const (
	KeySize      = 32
	NonceSize    = 8  // of ChaCha20
	NonceSizeRFC = 12 // of ChaCha20 as in RFC 8439
	NonceSizeX   = 24 // of XChaCha20
	BlockSize    = 64
)

// XORKeyStream sets the first len(src) bytes of dst to src XOR the key stream of
// ChaCha20 from the block with number counter on. To go on later, count every
// begun block of 64 bytes.
//
// Dst may overlap nonce, but not key. XORKeyStream panics if dst is shorter than src, if
// they overlap without beginning at the same byte, and if the stream would go on after
// block 2^64 - 1.
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
	own := *nonce // kernels take it for separate memory
	for len(src) > impl.MaxCall {
		xor(dst[:impl.MaxCall], src[:impl.MaxCall], key, &own, counter)
		dst, src = dst[impl.MaxCall:], src[impl.MaxCall:]
		counter += impl.MaxCall / BlockSize
	}
	if len(src) > 0 {
		xor(dst, src, key, &own, counter)
	}
}

// A Stream is the key stream of ChaCha20 for one key and nonce. It is a plain
// value.
type Stream struct {
	Key   [KeySize]byte
	Nonce [NonceSize]byte
}

// StreamX returns the key stream of XChaCha20: that of ChaCha20 with a subkey
// for the first 16 bytes of the nonce.
func StreamX(key *[KeySize]byte, nonce *[NonceSizeX]byte) (s Stream) {
	HChaCha20(&s.Key, key, (*[16]byte)(nonce[:16]))
	s.Nonce = [NonceSize]byte(nonce[16:])
	return s
}

// XORKeyStream is the function [XORKeyStream] with the stream's key and nonce.
func (s *Stream) XORKeyStream(dst, src []byte, counter uint64) {
	XORKeyStream(dst, src, &s.Key, &s.Nonce, counter)
}

// Blocks fills dst with whole blocks of key stream, at least one and at most impl.MaxCall
// bytes, from the block with number counter on. It checks nothing.
func (s *Stream) Blocks(dst []byte, counter uint64) {
	if len(dst) == BlockSize { // mostly
		var x [16]byte
		binary.LittleEndian.PutUint64(x[:], counter)
		*(*[NonceSize]byte)(x[8:]) = s.Nonce
		block((*[BlockSize]byte)(dst), &s.Key, &x)
		return
	}
	clear(dst)
	xor(dst, dst, &s.Key, &s.Nonce, counter)
}

// Block sets out to a block of key stream, with x in place of counter and nonce: a
// pseudorandom function of 16 bytes.
func Block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	block(out, key, x)
}

// blockOfStream is block by xor, where nothing is faster.
func blockOfStream(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) {
	*out = [BlockSize]byte{}
	xor(out[:], out[:], key, (*[NonceSize]byte)(x[8:]), binary.LittleEndian.Uint64(x[:]))
}

// KeyStream fills dst with the key stream of RFC 8439's ChaCha20 from the block
// with number counter on. It panics if the stream would go on after block
// 2^32 - 1.
func KeyStream(dst []byte, key *[KeySize]byte, nonce *[NonceSizeRFC]byte, counter uint32) {
	if len(dst) > 0 && uint64(len(dst)-1)/BlockSize > uint64(math.MaxUint32-counter) {
		panic("chacha20: counter overflow")
	}
	clear(dst)
	high := binary.LittleEndian.Uint32(nonce[:4])
	XORKeyStream(dst, dst, key, (*[NonceSize]byte)(nonce[4:]), uint64(high)<<32|uint64(counter))
}

// HChaCha20 sets out to the subkey for a nonce: the key of an XChaCha20 that goes
// on as ChaCha20. The arrays may be the same.
func HChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	hChaCha20(out, key, nonce)
}
