// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package blake2b implements the hash function BLAKE2b of RFC 7693, with or
// without a key, for digests of 1 to 64 bytes.
//
// A [State] is a plain value. An assignment copies it, so a state that has
// hashed a key, or the beginning that messages have in common, can be kept
// and continued as often as wanted, without an allocation.
//
// [NewAll], [WriteAll] and [SumAll] do for many messages at once what [New],
// [State.Write] and [State.Sum] do for one. Where the processor has vectors,
// they are several times as fast.
package blake2b

//go:generate go -C ../asm run . internal/blake2b

import "strconv"

const (
	// BlockSize is the size in bytes of the blocks that BLAKE2b compresses.
	BlockSize = 128

	// MaxSize is the size in bytes of the longest digest and of the longest key.
	MaxSize = 64
)

// State is a hash in the making. The zero State is of no use; New returns one.
// Messages may have any length below 2^64 - 128 bytes.
type State struct {
	h [8]uint64 // the chain value after the first t bytes
	t uint64    // bytes compressed so far, those of the key block among them
	n int       // bytes of the message in buf

	// buf holds the message's end, which must wait: the last block is compressed
	// differently. Before the message begins, it holds the key block, which is
	// the last block of an empty message.
	buf [BlockSize]byte

	size, keySize uint8
}

// New returns the state of a hash with a digest of size bytes under a key of at
// most 64 bytes, which may be empty. It panics if size is not between 1 and 64,
// or if the key is longer.
func New(size int, key []byte) (s State) {
	s.begin(size, key)
	if len(key) > 0 {
		s.takeKey()
	}
	return s
}

// takeKey compresses the key block.
func (s *State) takeKey() {
	compress(&s.h, s.buf[:], 0)
	s.t, s.n = BlockSize, 0
}

// Begin is New with the key block still to be compressed, which a Write does. An
// empty message takes one compression less that way.
func Begin(size int, key []byte) (s State) {
	s.begin(size, key)
	if len(key) > 0 {
		s.n = BlockSize
	}
	return s
}

// begin is New without the compression of the key block, on a zero State.
func (s *State) begin(size int, key []byte) {
	if size < 1 || size > MaxSize {
		panic("blake2b: digest of " + strconv.Itoa(size) + " bytes, want 1 to 64")
	}
	if len(key) > MaxSize {
		panic("blake2b: key of " + strconv.Itoa(len(key)) + " bytes, want at most 64")
	}
	s.size, s.keySize = uint8(size), uint8(len(key))
	s.start(&s.h)
	copy(s.buf[:], key)
}

// start sets h to the first chain value: IV with the parameter block's first word
// (RFC 7693, section 2.5); its others are zero.
func (s *State) start(h *[8]uint64) {
	*h = iv
	h[0] ^= parameters(int(s.size), int(s.keySize))
}

// parameters is the first word of the parameter block.
func parameters(size, keySize int) uint64 {
	return 1<<24 | 1<<16 | uint64(keySize)<<8 | uint64(size)
}

// Size returns the length of the digest in bytes.
func (s *State) Size() int { return int(s.size) }

// Buffer adds p to the message if no block needs to be compressed for it, and reports
// whether it did. The compiler puts it into its callers.
func (s *State) Buffer(p []byte) bool {
	if len(p) > BlockSize-s.n {
		return false
	}
	if len(p) > 0 {
		s.n += copy(s.buf[s.n:], p)
	}
	return true
}

// Write adds p to the message.
func (s *State) Write(p []byte) {
	if len(p) > BlockSize-s.n {
		if s.n > 0 {
			n := copy(s.buf[s.n:], p)
			p = p[n:]
			compress(&s.h, s.buf[:], s.t)
			s.t += BlockSize
			s.n = 0
		}
		// At least one byte remains.
		if whole := (len(p) - 1) / BlockSize * BlockSize; whole > 0 {
			compress(&s.h, p[:whole], s.t)
			s.t += uint64(whole)
			p = p[whole:]
		}
	}
	s.n += copy(s.buf[s.n:], p)
}

// Sum appends the digest of what was written so far to b and returns the
// resulting slice. It changes nothing: the message may go on.
func (s *State) Sum(b []byte) []byte {
	var block [BlockSize]byte
	var h [8]uint64
	t := s.last(&h, &block)
	compressLast(&h, &block, t)
	return appendDigest(b, &h, s.Size())
}

// SumWith is Sum as if p had been written before. It changes nothing, and is the
// fast way to digest many messages that begin with a key only.
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

// finish compresses the rest of a message into h, the last block included. Before it
// come t bytes. Only a whole message may have an empty rest.
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

// last sets the last block, which must be all zeros, and the chain value in front
// of it, and returns the number of bytes with it.
func (s *State) last(h *[8]uint64, block *[BlockSize]byte) uint64 {
	if s.n == 0 && s.keySize > 0 {
		// An empty message: the key block is the last one.
		s.start(h)
		*block = s.buf
		return s.t
	}
	*h = s.h
	copy(block[:], s.buf[:s.n])
	return s.t + uint64(s.n)
}

// Digest sets the first size bytes of digest to those of the digest of msg, without a
// key. It is New, Write and Sum with less to copy. It panics if size is not between 1
// and 64.
func Digest(digest *[MaxSize]byte, size int, msg []byte) {
	if size < 1 || size > MaxSize {
		panic("blake2b: digest of " + strconv.Itoa(size) + " bytes, want 1 to 64")
	}
	h := iv
	h[0] ^= parameters(size, 0)
	finish(&h, 0, msg)
	put(digest[:], &h)
}

// appendDigest appends the first size bytes of a chain value to b.
func appendDigest(b []byte, h *[8]uint64, size int) []byte {
	var digest [MaxSize]byte
	put(digest[:], h)
	return append(b, digest[:size]...)
}

// A Start is what the messages of one hash begin with: the digest's size and the key. It
// keeps the chain value after the key block, once a message needed it.
type Start struct {
	size, keySize uint8
	taken         bool // chain is known
	key           [MaxSize]byte
	chain         [8]uint64
}

// Set begins with a key of at most 64 bytes.
func (b *Start) Set(key []byte) {
	b.keySize = uint8(copy(b.key[:], key))
}

// Keyed reports whether there is a key.
func (b *Start) Keyed() bool { return b.keySize > 0 }

// Resize sets the digest's size, 1 to 64.
func (b *Start) Resize(size int) {
	b.size, b.taken = uint8(size), b.taken && b.size == uint8(size)
}

// Begin sets s to a message of no bytes.
func (b *Start) Begin(s *State) {
	s.size, s.keySize = b.size, b.keySize
	s.t, s.n = 0, 0
	if b.keySize == 0 {
		s.start(&s.h)
		return
	}
	copy(s.buf[:MaxSize], b.key[:])
	clear(s.buf[MaxSize:])
	if b.taken {
		s.h, s.t = b.chain, BlockSize
		return
	}
	s.start(&s.h)
	s.n = BlockSize
}

// Write is s.Write for a state that began here.
func (b *Start) Write(s *State, p []byte) {
	if s.keySize > 0 && s.t == 0 && len(p) > 0 {
		s.takeKey()
		b.chain, b.taken = s.h, true
	}
	s.Write(p)
}
