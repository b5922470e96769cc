// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "encoding/binary"

// Some packages have kernels that compress blocks while they do other work. Such a
// package calls FillBlock to reach a block boundary, gets the chain value from
// HandOver, runs its kernel, and then continues with Write.

// FillBlock completes the buffered block with bytes of p and compresses the block. It
// returns the number of bytes used, which is 0 if nothing was buffered. p must contain
// more bytes than the block needs, because the last block of a message is compressed
// differently.
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

// HandOver lets the caller compress the next n bytes of the message, where n must be a
// multiple of the block size. It returns the chain value h, which the caller must
// update, and the number t of bytes compressed into h so far. After compressing the n
// bytes, the caller must write at least one more byte to s. HandOver panics if s has
// buffered data, so call FillBlock first.
func (s *State) HandOver(n int) (h *[8]uint64, t uint64) {
	if s.n != 0 || n%BlockSize != 0 {
		panic("blake2b: not at a block's boundary")
	}
	t = s.t
	s.t += uint64(n)
	return &s.h, t
}

// Overwrite replaces the first len(p) bytes of the message. The caller must have
// written at least len(p) and fewer than 128 bytes so far.
func (s *State) Overwrite(p []byte) { copy(s.buf[:s.n], p) }

// Derive sets mac to a State for keyed digests of size bytes. The key is the 64-byte
// digest of s. mac must be the zero State. The caller must have written at least one
// byte to s, which Derive overwrites.
func (s *State) Derive(mac *State, size int) {
	clear(s.buf[s.n:])
	compressLast(&s.h, &s.buf, s.t+uint64(s.n))
	mac.size, mac.keySize = uint8(size), MaxSize
	mac.initChain(&mac.h)
	mac.t, mac.n = BlockSize, 0
	for i, v := range s.h {
		binary.LittleEndian.PutUint64(mac.buf[8*i:], v)
	}
	compress(&mac.h, mac.buf[:], 0)
}
