// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/chacha20"
)

const (
	blockSize = chacha20.BlockSize

	// streamSize is the size in bytes of a whole key stream: 2^32 blocks.
	streamSize = blockSize << 32

	// ahead is how many blocks of key stream are made at once where text comes in
	// small pieces, after as many were made one by one. On a Zen 5 with AVX-512, four
	// take 96 ns and one takes 71: most of it would be lost if there is no more text. With
	// three a Cipher has 256 bytes, and a new one for each message takes less time.
	ahead = 3
)

// Cipher is a stream of ChaCha20 or XChaCha20 under one key and nonce. It
// implements [cipher.Stream]. Its methods must not be called at the same time by
// several goroutines.
type Cipher struct {
	at     uint64          // bytes of the key stream that are used up
	stream chacha20.Stream // its nonce is the last 8 bytes of ours
	high   uint32          // the first 4 bytes: the high half of a counter of 64 bits
	flow   bool            // the call before was an XORKeyStream, which ended at byte at

	// The last left bytes of buf are key stream, from byte at on. What is used up stays until
	// the next are made: it says less than the key, which is next to it.
	left int
	buf  [ahead * blockSize]byte
}

var _ cipher.Stream = (*Cipher)(nil)

// NewUnauthenticatedCipher returns the stream of a key of 32 bytes and a nonce: of
// ChaCha20 for a nonce of 12 bytes, of XChaCha20 for one of 24. Other lengths are
// errors.
//
// The stream does not authenticate anything. To encrypt messages, take package
// chacha20poly1305 or aead of this module.
func NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	// The compiler puts this function into its callers, and c on the stack where
	// it stays with them.
	c := new(Cipher)
	return c.set(key, nonce)
}

func (s *Cipher) set(key, nonce []byte) (*Cipher, error) {
	if len(key) != KeySize {
		return nil, errKeySize
	}
	switch len(nonce) {
	case NonceSize:
		s.high = binary.LittleEndian.Uint32(nonce)
		s.stream.Key = [KeySize]byte(key)
		s.stream.Nonce = [chacha20.NonceSize]byte(nonce[4:])
	case NonceSizeX:
		s.stream = chacha20.StreamX((*[KeySize]byte)(key), (*[NonceSizeX]byte)(nonce))
	default:
		return nil, errNonceSize
	}
	return s, nil
}

// SetCounter goes to the beginning of a block: the next XORKeyStream works as if
// 64 · counter bytes had been encrypted before.
//
// It panics if that block has begun already, because key stream must not be used
// twice.
func (s *Cipher) SetCounter(counter uint32) {
	to := uint64(counter) * blockSize
	if to < s.at {
		panic("chacha20: SetCounter attempted to rollback counter")
	}
	s.at, s.left, s.flow = to, 0, false
}

// XORKeyStream sets the first len(src) bytes of dst to src XOR the key stream,
// and goes on where the call before ended.
//
// It panics, and changes nothing, if dst is shorter than src, if they overlap
// without beginning at the same byte, or if the key stream, which has 2^32 blocks
// of 64 bytes, is too short.
func (s *Cipher) XORKeyStream(dst, src []byte) {
	if len(src) == 0 {
		return
	}
	if len(dst) < len(src) {
		panic("chacha20: output smaller than input")
	}
	dst = dst[:len(src)]
	if alias.InexactOverlap(dst, src) {
		panic("chacha20: invalid buffer overlap")
	}
	if len(src) > s.left {
		s.refill(dst, src)
		return
	}
	stream := s.take(len(src))
	if len(stream) >= 16 {
		subtle.XORBytes(dst, src, stream)
		return
	}
	// For so little, a call would take longer.
	if len(stream) >= 8 {
		word := binary.LittleEndian
		word.PutUint64(dst, word.Uint64(src)^word.Uint64(stream))
		dst, src, stream = dst[8:], src[8:], stream[8:]
	}
	for i, b := range stream {
		dst[i] = src[i] ^ b
	}
}

// take returns the next n bytes of key stream, of which there are as many in buf.
func (s *Cipher) take(n int) []byte {
	stream := s.buf[len(s.buf)-s.left:][:n]
	s.left -= n
	s.at += uint64(n)
	return stream
}

// refill is XORKeyStream where buf has too little.
func (s *Cipher) refill(dst, src []byte) {
	if uint64(len(src)) > streamSize-s.at {
		panic("chacha20: counter overflow")
	}
	for len(src) > 0 {
		n := min(s.left, len(src))
		if n > 0 {
			subtle.XORBytes(dst, src, s.take(n))
		} else if n = s.direct(len(src)); n > 0 {
			s.stream.XORKeyStream(dst[:n], src[:n], s.counter(s.at/blockSize))
			s.at += uint64(n)
		} else {
			first, used := s.at/blockSize, int(s.at%blockSize)
			stream := s.buf[len(s.buf)-s.blocks(first, used+len(src))*blockSize:]
			s.stream.Blocks(stream, s.counter(first))
			s.left = len(stream) - used
		}
		dst, src = dst[n:], src[n:]
	}
	s.flow = true
}

// counter is that of a block, of which the first bytes of the nonce are the high half.
func (s *Cipher) counter(block uint64) uint64 { return uint64(s.high)<<32 | block }

// direct returns how many of n bytes are to be encrypted without buf: all, if they are many, or
// a block while no more is expected. The key stream that is left of the last block is not kept,
// but made again if more comes.
func (s *Cipher) direct(n int) int {
	if s.at%blockSize == 0 && (n > len(s.buf) || n >= blockSize && !s.inPieces()) {
		return n
	}
	return 0
}

// inPieces reports whether so much text came in pieces that more can be expected.
func (s *Cipher) inPieces() bool { return s.flow && s.at >= ahead*blockSize }

// blocks returns how many blocks to make, from the first on, for n bytes.
func (s *Cipher) blocks(first uint64, n int) int {
	if n > len(s.buf)+blockSize {
		return 1 // to the end of a block: the others need no buf
	}
	n = (n + blockSize - 1) / blockSize
	if n > ahead || s.inPieces() {
		n = ahead
	}
	return int(min(uint64(n), streamSize/blockSize-first))
}

// HChaCha20 returns the 32 bytes that it derives from a key of 32 bytes and a nonce
// of 16. Other lengths are errors. It is a part of XChaCha20.
func HChaCha20(key, nonce []byte) ([]byte, error) {
	// As in NewUnauthenticatedCipher, so that out can be on the caller's stack.
	out := make([]byte, KeySize)
	return hChaCha20(out, key, nonce)
}

func hChaCha20(out, key, nonce []byte) ([]byte, error) {
	if len(key) != KeySize {
		return nil, errHKeySize
	}
	if len(nonce) != 16 {
		return nil, errHNonceSize
	}
	chacha20.HChaCha20((*[KeySize]byte)(out), (*[KeySize]byte)(key), (*[16]byte)(nonce))
	return out, nil
}
