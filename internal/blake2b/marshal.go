// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "encoding/binary"

// Magic is the prefix of a marshaled unkeyed state, and MarshaledSize is its length.
// The format is that of golang.org/x/crypto/blake2b: Magic, the chain value, the
// 128-bit number of compressed bytes, the digest size, the buffered block, and the
// number of bytes used in this block. All numbers are big-endian.
const (
	Magic         = "b2b"
	MarshaledSize = len(Magic) + 8*8 + 2*8 + 1 + BlockSize + 1
)

// AppendBinary appends an unkeyed state to b.
func (s *State) AppendBinary(b []byte) []byte {
	b = append(b, Magic...)
	for _, v := range s.h {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	b = binary.BigEndian.AppendUint64(b, s.t)
	b = binary.BigEndian.AppendUint64(b, 0) // high half
	b = append(b, s.size)
	b = append(b, s.buf[:s.n]...)
	b = append(b, make([]byte, BlockSize-s.n)...) // omit the data of earlier blocks
	return append(b, byte(s.n))
}

// Restore sets s to the state marshaled in b. If b is not a valid encoding, Restore
// returns false and does not change s.
func (s *State) Restore(b *[MarshaledSize]byte) bool {
	rest := b[len(Magic):]
	number := func() uint64 {
		v := binary.BigEndian.Uint64(rest)
		rest = rest[8:]
		return v
	}
	var r State
	for i := range r.h {
		r.h[i] = number()
	}
	r.t = number()
	high := number()
	r.size = rest[0]
	r.n = int(rest[1+BlockSize])
	// Reject byte counts of 2^63 or more, which could wrap around. No message is that
	// long.
	if high != 0 || r.t >= 1<<63 || r.size < 1 || r.size > MaxSize || r.n > BlockSize {
		return false
	}
	copy(r.buf[:r.n], rest[1:])
	*s = r
	return true
}
