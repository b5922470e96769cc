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
	// small pieces. Kernels need hardly more time for them than for one.
	ahead = 4
)

// Cipher is a stream of ChaCha20 or XChaCha20 under one key and nonce. It
// implements [cipher.Stream]. Its methods must not be called at the same time by
// several goroutines.
type Cipher struct {
	stream chacha20.Stream // its nonce is the last 8 bytes of ours
	high   uint64          // the first 4 bytes, as the high half of a counter of 64 bits

	at   uint64 // bytes of the key stream that are used up
	flow bool   // the last call was an XORKeyStream that ended there

	// The last left bytes of buf are key stream, from byte at on.
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
	return c.init(key, nonce)
}

func (s *Cipher) init(key, nonce []byte) (*Cipher, error) {
	if len(key) != KeySize {
		return nil, errKeySize
	}
	switch len(nonce) {
	case NonceSize:
		s.high = uint64(binary.LittleEndian.Uint32(nonce)) << 32
		s.stream = chacha20.Stream{
			Key:   [KeySize]byte(key),
			Nonce: [chacha20.NonceSize]byte(nonce[4:]),
		}
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
	if uint64(len(src)) > streamSize-s.at {
		panic("chacha20: counter overflow")
	}
	n := s.drain(dst, src)
	dst, src = dst[n:], src[n:]
	// What is short is encrypted through buf, which keeps the rest for the next call.
	// So is the end of a block that the call before this one has begun.
	if len(src) > 0 && (len(src) < len(s.buf) || s.at%blockSize > 0) {
		s.fill(len(src))
		n := s.drain(dst, src)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		s.stream.XORKeyStream(dst, src, s.high|s.at/blockSize)
		s.at += uint64(len(src))
	}
	s.flow = true
}

// drain uses up what is left of the key stream in buf, as far as it goes, and
// returns how many bytes that is.
func (s *Cipher) drain(dst, src []byte) int {
	n := subtle.XORBytes(dst, src, s.buf[len(s.buf)-s.left:])
	s.left -= n
	s.at += uint64(n)
	return n
}

// fill makes key stream from byte at on for n bytes of text, and for more where the
// text comes in pieces.
func (s *Cipher) fill(n int) {
	first, within := s.at/blockSize, int(s.at%blockSize)
	blocks := ahead
	if !s.flow {
		blocks = min(blocks, (n+blockSize-1)/blockSize) // it may be all there is
	}
	blocks = int(min(uint64(blocks), streamSize/blockSize-first))
	buf := s.buf[len(s.buf)-blocks*blockSize:]
	clear(buf)
	s.stream.XORKeyStream(buf, buf, s.high|first)
	s.left = len(buf) - within
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
