// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import "encoding/binary"

// Magic and MarshaledSize are how a state without a key begins as bytes, and how long it
// is. The form is that of golang.org/x/crypto/blake2b: Magic, the chain value, the count of
// bytes before the block (128 bits), the digest's size, the block, the bytes in use of it.
// Numbers are big-endian.
const (
	Magic         = "b2b"
	MarshaledSize = len(Magic) + 8*8 + 2*8 + 1 + BlockSize + 1
)

// AppendBinary appends a state without a key to b.
func (s *State) AppendBinary(b []byte) []byte {
	b = append(b, Magic...)
	for _, v := range s.h {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	b = binary.BigEndian.AppendUint64(b, s.t)
	b = binary.BigEndian.AppendUint64(b, 0) // the high half
	b = append(b, s.size)
	b = append(b, s.buf[:s.n]...)
	b = append(b, make([]byte, BlockSize-s.n)...) // what an earlier block left there is nobody's business
	return append(b, byte(s.n))
}

// Restore sets s to the state in MarshaledSize bytes. It reports false, and changes
// nothing, where no state can be what they say.
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
	// From 2^63 on a count could wrap: no message is as long, and 2^63 more bytes may follow.
	if high != 0 || r.t >= 1<<63 || r.size < 1 || r.size > MaxSize || r.n > BlockSize {
		return false
	}
	copy(r.buf[:r.n], rest[1:])
	*s = r
	return true
}
