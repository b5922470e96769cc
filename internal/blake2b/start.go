// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

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
