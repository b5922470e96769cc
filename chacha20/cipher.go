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
	flow bool   // the call before was an XORKeyStream, which ended there

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
	return c.set(key, nonce)
}

func (s *Cipher) set(key, nonce []byte) (*Cipher, error) {
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
	// A first call of half a block or more may be all there is, as for Poly1305's key. A
	// later one that is short is a piece of a text that comes in such pieces.
	enough := blockSize / 2
	if s.flow {
		enough = len(s.buf)
	}
	for len(src) > 0 {
		var n int
		switch {
		case s.left > 0:
			n = s.drain(dst, src)
		case len(src) >= enough && s.at%blockSize == 0:
			n = s.blocks(dst, src)
		default:
			s.fill()
			continue
		}
		s.at += uint64(n)
		dst, src = dst[n:], src[n:]
	}
	s.flow = true
}

// drain uses up what is left of the key stream in buf, as far as it goes.
func (s *Cipher) drain(dst, src []byte) (n int) {
	n = subtle.XORBytes(dst, src, s.buf[len(s.buf)-s.left:])
	s.left -= n
	return n
}

// blocks encrypts whole blocks. In a first call it encrypts the rest as well; the key stream
// that is left of its block is not kept, but made again if more comes.
func (s *Cipher) blocks(dst, src []byte) (n int) {
	n = len(src)
	if s.flow {
		n -= n % blockSize
	}
	s.stream.XORKeyStream(dst[:n], src[:n], s.high|s.at/blockSize)
	return n
}

// fill makes key stream from byte at on to the end of its block, and of some more where
// text comes in pieces.
func (s *Cipher) fill() {
	first, blocks := s.at/blockSize, uint64(1)
	if s.flow {
		blocks = min(ahead, streamSize/blockSize-first)
	}
	buf := s.buf[len(s.buf)-int(blocks)*blockSize:]
	clear(buf)
	s.stream.XORKeyStream(buf, buf, s.high|first)
	s.left = len(buf) - int(s.at%blockSize)
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
