// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package blake2b implements the hash function BLAKE2b of RFC 7693, with or without a
// key, for digests of 1 to 64 bytes. [NewAll], [WriteAll] and [SumAll] process many
// messages at once. With vector kernels, this is several times as fast as hashing one
// message after another.
//
// A [State] is copied by assignment, so a state that has hashed a key or a common
// prefix can be continued any number of times without allocation.
package blake2b

//go:generate go -C ../layout run . internal/blake2b
//go:generate go -C ../asm run . internal/blake2b

import "strconv"

const (
	BlockSize = 128

	// MaxSize is the maximum size of a digest or a key, in bytes.
	MaxSize = 64
)

// A State is a BLAKE2b computation in progress. The zero State is not usable; call New.
// Messages must be shorter than 2^64 - 128 bytes.
type State struct {
	h [8]uint64 // chain value after the first t bytes
	t uint64    // number of compressed bytes, including the key block
	n int       // number of message bytes in buf

	// buf contains the message bytes that have not been compressed yet. A complete
	// block stays in buf until more bytes follow, because the last block of a message
	// is compressed differently. Before the first Write, buf contains the key block,
	// which is the last block if the message is empty.
	buf [BlockSize]byte

	size, keySize uint8
}

// New returns a State for computing digests of size bytes. The key may be empty. New
// panics unless size is between 1 and 64 and the key is at most 64 bytes long.
func New(size int, key []byte) (s State) {
	s.begin(size, key)
	if len(key) > 0 {
		s.compressKey()
	}
	return s
}

func (s *State) compressKey() {
	compress(&s.h, s.buf[:], 0)
	s.t, s.n = BlockSize, 0
}

// Begin is like New but does not compress the key block yet. If the message is empty,
// this saves one compression, because the key block is then also the last block.
func Begin(size int, key []byte) (s State) {
	s.begin(size, key)
	if len(key) > 0 {
		s.n = BlockSize
	}
	return s
}

func (s *State) begin(size int, key []byte) {
	if size < 1 || size > MaxSize {
		panic("blake2b: digest of " + strconv.Itoa(size) + " bytes, want 1 to 64")
	}
	if len(key) > MaxSize {
		panic("blake2b: key of " + strconv.Itoa(len(key)) + " bytes, want at most 64")
	}
	s.size, s.keySize = uint8(size), uint8(len(key))
	s.initChain(&s.h)
	copy(s.buf[:], key)
}

// initChain sets h to the IV XORed with the parameter block (RFC 7693, section 2.5).
func (s *State) initChain(h *[8]uint64) {
	*h = iv
	h[0] ^= parameters(int(s.size), int(s.keySize)) // the other words are zero
}

func parameters(size, keySize int) uint64 {
	return 1<<24 | 1<<16 | uint64(keySize)<<8 | uint64(size)
}

// Size returns the digest size in bytes.
func (s *State) Size() int { return int(s.size) }

// Buffer appends p to the message if this requires no compression. It reports whether
// it appended p. Buffer is kept small enough to inline.
func (s *State) Buffer(p []byte) bool {
	if len(p) > BlockSize-s.n {
		return false
	}
	if len(p) > 0 {
		s.n += copy(s.buf[s.n:], p)
	}
	return true
}

// Write appends p to the message.
func (s *State) Write(p []byte) {
	if len(p) > BlockSize-s.n {
		if s.n > 0 {
			n := copy(s.buf[s.n:], p)
			p = p[n:]
			compress(&s.h, s.buf[:], s.t)
			s.t += BlockSize
			s.n = 0
		}
		if whole := (len(p) - 1) / BlockSize * BlockSize; whole > 0 {
			compress(&s.h, p[:whole], s.t)
			s.t += uint64(whole)
			p = p[whole:]
		}
	}
	s.n += copy(s.buf[s.n:], p)
}

// Sum appends the digest of the data written so far to b and returns the resulting
// slice. It does not change the state.
func (s *State) Sum(b []byte) []byte {
	var block [BlockSize]byte
	var h [8]uint64
	t := s.lastBlock(&h, &block)
	compressLast(&h, &block, t)
	return appendDigest(b, &h, s.Size())
}

// SumWith returns what Sum(b) would return after Write(p), but does not change the
// state. Calling SumWith on a state returned by New is the fastest way to hash many
// messages under the same key, because it avoids copying the state.
func (s *State) SumWith(b, p []byte) []byte {
	if s.n > 0 || len(p) == 0 {
		c := *s
		c.Write(p)
		return c.Sum(b)
	}
	h := s.h
	finish(&h, s.t, p)
	return appendDigest(b, &h, s.Size())
}

// finish compresses p, the rest of the message, into h. t is the number of bytes before
// p. p may be empty only if the message is empty.
func finish(h *[8]uint64, t uint64, p []byte) {
	if len(p) > BlockSize {
		whole := (len(p) - 1) / BlockSize * BlockSize
		compress(h, p[:whole], t)
		t += uint64(whole)
		p = p[whole:]
	}
	if len(p) == BlockSize {
		compressLast(h, (*[BlockSize]byte)(p), t+BlockSize)
		return
	}
	var block [BlockSize]byte
	copy(block[:], p)
	compressLast(h, &block, t+uint64(len(p)))
}

// lastBlock sets h to the chain value before the last block, and *block to the last
// block. It returns BLAKE2b's byte counter for the last block. The caller must have
// zeroed *block.
func (s *State) lastBlock(h *[8]uint64, block *[BlockSize]byte) uint64 {
	if s.n == 0 && s.keySize > 0 {
		s.initChain(h)
		*block = s.buf
		return s.t
	}
	*h = s.h
	copy(block[:], s.buf[:s.n])
	return s.t + uint64(s.n)
}

// Digest sets digest[:size] to the unkeyed digest of msg. It may overwrite the rest of
// digest. It panics if size is not between 1 and 64. Digest copies less data than New,
// Write and Sum together.
func Digest(digest *[MaxSize]byte, size int, msg []byte) {
	if size < 1 || size > MaxSize {
		panic("blake2b: digest of " + strconv.Itoa(size) + " bytes, want 1 to 64")
	}
	h := iv
	h[0] ^= parameters(size, 0)
	finish(&h, 0, msg)
	storeWords(digest[:], &h)
}

func appendDigest(b []byte, h *[8]uint64, size int) []byte {
	var digest [MaxSize]byte
	storeWords(digest[:], h)
	return append(b, digest[:size]...)
}

// A Start holds a digest size and a key. The chain value after the key block is
// computed on first use and then cached.
type Start struct {
	size, keySize uint8
	taken         bool // chain is valid
	key           [MaxSize]byte
	chain         [8]uint64
}

// Set sets the key, which must be at most 64 bytes long.
func (b *Start) Set(key []byte) {
	b.keySize = uint8(copy(b.key[:], key))
}

// Keyed reports whether there is a key.
func (b *Start) Keyed() bool { return b.keySize > 0 }

// Resize sets the digest size, which must be 1 to 64 bytes.
func (b *Start) Resize(size int) {
	b.size, b.taken = uint8(size), b.taken && b.size == uint8(size)
}

// Begin sets s to the empty message.
func (b *Start) Begin(s *State) {
	s.size, s.keySize = b.size, b.keySize
	s.t, s.n = 0, 0
	if b.keySize == 0 {
		s.initChain(&s.h)
		return
	}
	copy(s.buf[:MaxSize], b.key[:])
	clear(s.buf[MaxSize:])
	if b.taken {
		s.h, s.t = b.chain, BlockSize
		return
	}
	s.initChain(&s.h)
	s.n = BlockSize
}

// Write calls s.Write for a state that Begin has set.
func (b *Start) Write(s *State, p []byte) {
	if s.keySize > 0 && s.t == 0 && len(p) > 0 {
		s.compressKey()
		b.chain, b.taken = s.h, true
	}
	s.Write(p)
}
