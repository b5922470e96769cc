// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "encoding/binary"

// What follows is for a package whose kernels compress blocks and do something else
// meanwhile.

// Fill adds as much of p to the message as makes all of it whole blocks, and
// returns how much that is. All of p must be more than that, as the message must go on.
func (s *State) Fill(p []byte) int {
	if s.n == 0 {
		return 0
	}
	n := copy(s.buf[s.n:], p)
	compress(&s.h, s.buf[:], s.t)
	s.t += BlockSize
	s.n = 0
	return n
}

// Beside adds n bytes to a message of whole blocks, as Fill leaves it. The caller must
// take them, whole blocks too, into the chain value h, before which come t bytes, and
// the message must go on. It is for kernels that do something else meanwhile.
func (s *State) Beside(n int) (h *[8]uint64, t uint64) {
	if s.n != 0 || n%BlockSize != 0 {
		panic("blake2b: not at a block's boundary")
	}
	t = s.t
	s.t += uint64(n)
	return &s.h, t
}

// Overwrite replaces the beginning of a message of at least len(p) and less than 128
// bytes.
func (s *State) Overwrite(p []byte) { copy(s.buf[:s.n], p) }

// Derive sets mac to a state for digests of size bytes whose key is the digest of s, of
// 64 bytes. S is of no use afterwards.
func (s *State) Derive(mac *State, size int) {
	h, block, t := s.DeriveBeside(mac, size)
	compressLast(h, block, t)
	for i, v := range h {
		binary.LittleEndian.PutUint64(mac.buf[8*i:], v)
	}
	compress(&mac.h, mac.buf[:], 0)
}

// DeriveBeside is Derive but for the two compressions: the last block of s, into h
// and with t bytes up to its end, and mac's key block, into mac's chain value, which
// Chain returns. The message of s must not be empty, nor mac's.
func (s *State) DeriveBeside(mac *State, size int) (h *[8]uint64, block *[BlockSize]byte, t uint64) {
	mac.size, mac.keySize = uint8(size), MaxSize
	mac.start(&mac.h)
	mac.t, mac.n = BlockSize, 0
	clear(s.buf[s.n:])
	return &s.h, &s.buf, s.t + uint64(s.n)
}

// Chain returns the chain value.
func (s *State) Chain() *[8]uint64 { return &s.h }
