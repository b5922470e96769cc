// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis computes the six ciphers of RFC 10032 and their message authentication codes.
// Package aegis of the module's root says what they are good for.
//
// # For those who write a kernel
//
// An architecture has one file, aegis_GOARCH.go, with the functions that this file calls. Where
// no kernel is on, they call the function of aegis_generic.go that has their name and "Generic"
// after it. That function is also the definition.
//
//	initialize(s, key, nonce)       Init
//	absorb(s, before, data)         s is another, or itself, after additional data, with zeros after it to whole pieces
//	crypt(c, open, nonce, tag, dst, src, n, ad, adLen)
//	                                a whole message; it sets tag, and compares nothing
//	cryptPair(c, open, two, tags)   two messages at once, if it can: it sets their tags and returns true
//	mac(s, tag, last, total)        AEGISMAC after the state s, which does not change
//
// Absorb and mac get at most [impl.MaxCall] bytes. The others get any length, so that an
// architecture is free to do a short message in one call of assembly.
//
// Crypt gets pointers, since nine words fit in registers. Slices would go through memory, and a kernel waits for that:
// 2 to 3 ns of 40. Nonces and tags have the cipher's sizes.
//
// Dst is apart from everything except src. Slices of length 0 may be nil. Nothing outside of the
// slices is read or written. The time depends on lengths and the variant alone.
package aegis

import (
	"encoding/binary"
	"unsafe"

	"github.com/unimac/unimac/internal/constanttime"
	"github.com/unimac/unimac/internal/impl"
)

// MaxLength is how many bytes additional data and a text may have: their lengths in bits go into
// 64 bits.
const MaxLength = 1<<61 - 1

// The sizes of tags in bytes.
const (
	TagSize128 = 16
	TagSize256 = 32
)

// A Variant is one of the six ciphers.
type Variant int

// The variants.
const (
	AEGIS128L Variant = iota
	AEGIS128X2
	AEGIS128X4
	AEGIS256
	AEGIS256X2
	AEGIS256X4
)

// A Family is what one lane is: AEGIS-128L or AEGIS-256.
type Family int

// The families.
const (
	Family128 Family = iota
	Family256
)

// Family returns the family of v.
func (v Variant) Family() Family {
	if v < AEGIS256 {
		return Family128
	}
	return Family256
}

// Lanes returns how many lanes v has: 1, 2 or 4. The RFC calls it the degree.
func (v Variant) Lanes() int { return 1 << (uint(v-3*Variant(v.Family())) & 3) }

// KeySize is the length of a key of v in bytes, and of a nonce.
func (v Variant) KeySize() int { return 16 << v.Family() }

// Rate is how many bytes one Update of v takes.
func (v Variant) Rate() int { return 32 >> v.Family() * v.Lanes() }

// words is the number of blocks that a lane of a family consists of.
func (f Family) words() int { return 8 - 2*int(f) }

const (
	blockSize = 16

	// wordStride is how far apart two words of a lane are in a State: there is room for four
	// lanes, whatever their number.
	wordStride = 4 * blockSize
)

// A State is that of one message: S0 to S7 of each lane, or S0 to S5.
//
// Word i of lane l is at byte 64·i + 16·l, so that a vector register of any width loads word i of
// neighbouring lanes at once. What belongs to no lane has no meaning.
type State struct {
	blocks  [8 * wordStride]byte
	variant Variant
}

// block returns word i of a lane.
func (s *State) block(i, lane int) *[blockSize]byte {
	return (*[blockSize]byte)(s.blocks[wordStride*i+blockSize*lane:])
}

// Init starts a message (sections 3.4, 4.4, 5.4.2 and 5.5.2). Key and nonce have the variant's size.
func (s *State) Init(v Variant, key, nonce []byte) {
	s.variant = v
	initialize(s, key[:v.KeySize()], nonce[:v.KeySize()])
}

// Absorb adds additional data. Zeros come after data that is no multiple of the rate, so that
// only the last call may have such.
func (s *State) Absorb(data []byte) { s.AbsorbAfter(s, data) }

// AbsorbAfter has s be what another state, which stays as it is, is after additional data, of which there is some. A
// copy that was just made would be waited for, where a kernel loads more at once than was stored at once.
func (s *State) AbsorbAfter(before *State, data []byte) {
	for len(data) > 0 {
		n := min(len(data), impl.MaxCall)
		absorb(s, before, data[:n])
		before, data = s, data[n:]
	}
}

// MAC stores the tag of AEGISMAC, of 16 or 32 bytes, of data of total bytes. Last is the end of
// it that was not absorbed yet. The state stays as it is.
func (s *State) MAC(tag, last []byte, total uint64) {
	if len(last) > impl.MaxCall {
		s.longMAC(tag, last, total)
		return
	}
	mac(s, tag, last, total)
}

// longMAC is MAC where more is left than one call takes.
func (s *State) longMAC(tag, last []byte, total uint64) {
	var after State
	whole := len(last) / impl.MaxCall * impl.MaxCall
	after.AbsorbAfter(s, last[:whole])
	mac(&after, tag, last[whole:], total)
}

// lengths returns u, the block that Finish takes.
func lengths(x, y uint64) (u [blockSize]byte) {
	binary.LittleEndian.PutUint64(u[:], x)
	binary.LittleEndian.PutUint64(u[8:], y)
	return u
}

// A Cipher is a variant under a key, with tags of 16 or 32 bytes. Shorter keys end after half of Key.
type Cipher struct {
	Variant Variant
	TagSize int
	Key     [32]byte
}

// Seal sets out to the ciphertext of src, and after that to the tag of both and of additional data: it has room for
// both. The ciphertext may have the memory of src. Seal is small enough to be a part of its caller.
func Seal(c *Cipher, nonce, out, src, ad []byte) {
	crypt(c, false, unsafe.SliceData(nonce), &out[len(src)], unsafe.SliceData(out), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad))
}

// Open is the reverse: it sets dst to the plaintext of src and reports whether tag is the tag of
// src and additional data. If it is not, dst is all zeros.
func Open(c *Cipher, nonce, tag, dst, src, ad []byte) bool {
	var want [TagSize256]byte
	dst = dst[:len(src)]
	crypt(c, true, unsafe.SliceData(nonce), &want[0], unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad))
	ok := equal(&want, tag, c.TagSize)
	if !ok {
		clear(dst)
		clear(want[:])
	}
	return ok
}

// equal reports in constant time whether tag, of size bytes, is want[:size].
func equal(want *[TagSize256]byte, tag []byte, size int) bool {
	if size == TagSize128 {
		return constanttime.Equal((*[TagSize128]byte)(want[:]), (*[TagSize128]byte)(tag)) == 1
	}
	return constanttime.Equal32(want, (*[TagSize256]byte)(tag)) == 1
}
