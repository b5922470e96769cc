// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "encoding/binary"

// This file is for kernels of other packages that compress a message's blocks
// themselves, because they do something else at the same time. Such a package
// writes up to a block's boundary with FillBlock, takes the chain value with
// HandOver, and goes on with Write.

// FillBlock adds as much of p to the message as completes the block that has
// begun, and returns how much that is. The rest of p must not be empty: the
// message's last block is compressed differently.
func (s *State) FillBlock(p []byte) int {
	if s.n == 0 {
		return 0
	}
	n := copy(s.buf[s.n:], p)
	compress(&s.h, s.buf[:], s.t)
	s.t += BlockSize
	s.n = 0
	return n
}

// HandOver returns the chain value h and the number t of bytes before it. The
// caller must compress the message's next n bytes into h. They are whole blocks,
// and more must follow. HandOver panics unless the message so far is whole
// blocks, as FillBlock leaves it.
func (s *State) HandOver(n int) (h *[8]uint64, t uint64) {
	if s.n != 0 || n%BlockSize != 0 {
		panic("blake2b: not at a block's boundary")
	}
	t = s.t
	s.t += uint64(n)
	return &s.h, t
}

// Overwrite replaces the first len(p) bytes of a message that has at least as
// many, and fewer than 128.
func (s *State) Overwrite(p []byte) { copy(s.buf[:s.n], p) }

// Derive sets mac to a state for digests of size bytes whose key is the 64-byte digest of s. S must
// have hashed at least one byte, and a message must follow in mac. Derive overwrites s.
func (s *State) Derive(mac *State, size int) {
	clear(s.buf[s.n:])
	compressLast(&s.h, &s.buf, s.t+uint64(s.n))
	mac.size, mac.keySize = uint8(size), MaxSize
	mac.start(&mac.h)
	mac.t, mac.n = BlockSize, 0
	for i, v := range s.h {
		binary.LittleEndian.PutUint64(mac.buf[8*i:], v)
	}
	compress(&mac.h, mac.buf[:], 0)
}
