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

	streamSize = blockSize << 32

	// bufBlocks is the size of the keystream buffer in blocks. The buffer is used when
	// text arrives in small pieces. A larger buffer would leave more keystream unused
	// at the end of the text. It would also make a Cipher larger than 256 bytes, which
	// takes longer to allocate.
	bufBlocks = 3
)

// Cipher is a ChaCha20 or XChaCha20 stream for one key and nonce. It implements
// [cipher.Stream]. A Cipher must not be used concurrently by multiple goroutines.
type Cipher struct {
	offset      uint64          // number of keystream bytes used
	stream      chacha20.Stream // contains the last 8 bytes of the nonce
	counterHigh uint32          // the first 4 bytes of the nonce: the high half of a 64-bit counter
	sequential  bool            // whether XORKeyStream has been called since the last SetCounter call

	// unused is the number of unused keystream bytes at the end of buf. Used bytes are
	// not wiped: an attacker who could read them could also read the key.
	unused int
	buf    [bufBlocks * blockSize]byte
}

var _ cipher.Stream = (*Cipher)(nil)

// NewUnauthenticatedCipher returns a ChaCha20 stream for a 32-byte key and a 12-byte
// nonce, or an XChaCha20 stream for a 32-byte key and a 24-byte nonce. It returns an
// error if the key or the nonce has another length. Never use the same key and nonce
// for two different streams.
//
// The stream provides no authentication. To encrypt messages, use this module's
// chacha20poly1305 or aead package.
func NewUnauthenticatedCipher(key, nonce []byte) (*Cipher, error) {
	// Keep this function small enough to inline so that a Cipher that does not escape
	// stays on the caller's stack.
	c := new(Cipher)
	return c.set(key, nonce)
}

func (s *Cipher) set(key, nonce []byte) (*Cipher, error) {
	if len(key) != KeySize {
		return nil, errKeySize
	}
	switch len(nonce) {
	case NonceSize:
		s.counterHigh = binary.LittleEndian.Uint32(nonce)
		s.stream.Key = [KeySize]byte(key)
		s.stream.Nonce = [chacha20.NonceSize]byte(nonce[4:])
	case NonceSizeX:
		s.stream = chacha20.StreamX((*[KeySize]byte)(key), (*[NonceSizeX]byte)(nonce))
	default:
		return nil, errNonceSize
	}
	return s, nil
}

// SetCounter moves the stream to the beginning of the given block, as if 64 · counter
// bytes had already been encrypted. It panics if the stream is already past that
// position, because keystream must never be used twice.
func (s *Cipher) SetCounter(counter uint32) {
	to := uint64(counter) * blockSize
	if to < s.offset {
		panic("chacha20: SetCounter attempted to rollback counter")
	}
	s.offset, s.unused, s.sequential = to, 0, false
}

// XORKeyStream sets the first len(src) bytes of dst to src XOR the keystream.
// Successive calls continue the keystream, which consists of 2^32 blocks of 64 bytes.
//
// XORKeyStream panics if dst is shorter than src, if they overlap inexactly, or if
// fewer than len(src) keystream bytes remain. In these cases, dst and the stream are
// left unchanged.
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
	if len(src) > s.unused {
		s.refill(dst, src)
		return
	}
	stream := s.take(len(src))
	if len(stream) >= 16 {
		subtle.XORBytes(dst, src, stream)
		return
	}
	// For fewer bytes, calling XORBytes would take longer.
	if len(stream) >= 8 {
		word := binary.LittleEndian
		word.PutUint64(dst, word.Uint64(src)^word.Uint64(stream))
		dst, src, stream = dst[8:], src[8:], stream[8:]
	}
	for i, b := range stream {
		dst[i] = src[i] ^ b
	}
}

// take returns the next n bytes of the keystream in buf.
func (s *Cipher) take(n int) []byte {
	stream := s.buf[len(s.buf)-s.unused:][:n]
	s.unused -= n
	s.offset += uint64(n)
	return stream
}

// refill implements XORKeyStream for the case that buf does not contain enough
// keystream.
func (s *Cipher) refill(dst, src []byte) {
	if uint64(len(src)) > streamSize-s.offset {
		panic("chacha20: counter overflow")
	}
	for len(src) > 0 {
		n := min(s.unused, len(src))
		if n > 0 {
			subtle.XORBytes(dst, src, s.take(n))
		} else if n = s.unbuffered(len(src)); n > 0 {
			s.stream.XORKeyStream(dst[:n], src[:n], s.counter(s.offset/blockSize))
			s.offset += uint64(n)
		} else {
			block, used := s.offset/blockSize, int(s.offset%blockSize)
			stream := s.buf[len(s.buf)-s.bufferBlocks(block, used+len(src))*blockSize:]
			s.stream.Blocks(stream, s.counter(block))
			s.unused = len(stream) - used
		}
		dst, src = dst[n:], src[n:]
	}
	s.sequential = true
}

// counter returns the 64-bit counter of the given block. Its high half is the first
// four bytes of a 12-byte nonce, or zero if the nonce is 24 bytes long.
func (s *Cipher) counter(block uint64) uint64 { return uint64(s.counterHigh)<<32 | block }

// unbuffered returns n if XORKeyStream should encrypt the next n bytes directly,
// bypassing buf, and 0 otherwise. If n is not a multiple of the block size, the rest of
// the last block's keystream is discarded, and the next call regenerates it.
func (s *Cipher) unbuffered(n int) int {
	if s.offset%blockSize == 0 && (n > len(s.buf) || n >= blockSize && !s.expectsMore()) {
		return n
	}
	return 0
}

// expectsMore reports whether more text is likely to follow, judging by earlier calls.
func (s *Cipher) expectsMore() bool { return s.sequential && s.offset >= bufBlocks*blockSize }

// bufferBlocks returns how many keystream blocks should be generated into buf, starting
// with the given block, before n bytes are encrypted.
func (s *Cipher) bufferBlocks(block uint64, n int) int {
	if n > len(s.buf)+blockSize {
		return 1 // the rest of the text does not need buf
	}
	n = (n + blockSize - 1) / blockSize
	if n > bufBlocks || s.expectsMore() {
		n = bufBlocks
	}
	return int(min(uint64(n), streamSize/blockSize-block))
}

// HChaCha20 derives a 32-byte subkey from a 32-byte key and a 16-byte nonce, as in
// XChaCha20. It returns an error if the key or the nonce has the wrong length.
func HChaCha20(key, nonce []byte) ([]byte, error) {
	// As in NewUnauthenticatedCipher, inlining keeps the result on the caller's stack.
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
