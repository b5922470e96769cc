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
//	initialize(s, key, nonce)               Init
//	absorb(s, data)                         additional data, zeros after it to whole pieces
//	encrypt(s, dst, src)                    text: whole pieces, except the last one of a message
//	decrypt(s, dst, src)
//	finish(s, u)                            Finish(u) of every lane
//	seal(v, tag, dst, src, ad, key, nonce)  a whole message
//	open(v, tag, dst, src, ad, key, nonce)  the same; it sets tag and compares nothing
//	mac(s, tag, last, total)                AEGISMAC after the state s, which does not change
//	sealPair(v, key, two)                   two messages at once, where it can: it returns their tags
//	openPair(v, key, two)                   the same; it compares nothing
//
// Absorb, encrypt and decrypt get at most [impl.MaxCall] bytes, and at least one. The others
// get any length, so that an architecture is free to do a short message in one call of assembly.
//
// Dst has the length of src. They are the same memory or apart. Dst is apart from everything
// else. Slices of length 0 may be nil. Nothing outside of the slices is read or written. The time
// depends on lengths and the variant alone.
package aegis

import (
	"crypto/subtle"
	"encoding/binary"

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
func (v Variant) Lanes() int { return 1 << v.degree() }

// degree returns the logarithm of that.
func (v Variant) degree() uint { return uint(v-3*Variant(v.Family())) & 3 }

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

// Variant returns what the state was initialized for.
func (s *State) Variant() Variant { return s.variant }

// Init starts a message (sections 3.4, 4.4, 5.4.2 and 5.5.2). Key and nonce have the variant's size.
func (s *State) Init(v Variant, key, nonce []byte) {
	s.variant = v
	initialize(s, key[:v.KeySize()], nonce[:v.KeySize()])
}

// Absorb adds additional data. Zeros come after data that is no multiple of the rate, so that
// only the last call may have such.
func (s *State) Absorb(data []byte) {
	for len(data) > 0 {
		n := min(len(data), impl.MaxCall)
		absorb(s, data[:n])
		data = data[n:]
	}
}

// Encrypt sets dst to the ciphertext of src. Only the last call of a message may have a text that
// is no multiple of the rate.
func (s *State) Encrypt(dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), impl.MaxCall)
		encrypt(s, dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// Decrypt is the reverse of Encrypt.
func (s *State) Decrypt(dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), impl.MaxCall)
		decrypt(s, dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// Finish stores the tag, of 16 or 32 bytes, of so many bytes of additional data and text. The
// state is of no use afterwards.
func (s *State) Finish(tag []byte, ad, text uint64) {
	u := lengths(8*ad, 8*text)
	finish(s, &u)
	s.sumTags(tag)
}

// sumTags stores the sum of the tags of the lanes, which have finished.
func (s *State) sumTags(tag []byte) {
	clear(tag)
	for lane := range s.variant.Lanes() {
		var t [TagSize256]byte
		s.laneTag(t[:len(tag)], lane)
		subtle.XORBytes(tag, tag, t[:len(tag)])
	}
}

// MAC stores the tag of AEGISMAC, of 16 or 32 bytes, of data of total bytes. Last is the end of
// it that was not absorbed yet. The state stays as it is.
func (s *State) MAC(tag, last []byte, total uint64) {
	mac(s, tag, last, total)
}

// macInSteps is MAC by absorb and finish.
func macInSteps(s *State, tag, last []byte, total uint64) {
	c := *s
	c.Absorb(last)
	c.finishMAC(tag, total)
}

// finishMAC is what AEGISMAC does after the data. It changes the state.
//
// The tags of the lanes, in order, are absorbed by lane 0, which then finishes alone. Lane 0's
// own tag is left out, except where all tags are absorbed in pairs.
func (s *State) finishMAC(tag []byte, total uint64) {
	bits := uint64(8 * len(tag))
	u := lengths(8*total, bits)
	finish(s, &u)
	if lanes := s.variant.Lanes(); lanes > 1 {
		first := 1
		if s.variant.Family() == Family128 && len(tag) == TagSize128 {
			first = 0
		}
		var tags [4 * TagSize256]byte
		n := 0
		for lane := first; lane < lanes; lane++ {
			s.laneTag(tags[n:n+len(tag)], lane)
			n += len(tag)
		}
		s.variant = AEGIS128L + 3*Variant(s.variant.Family())
		absorb(s, tags[:n])
		u := lengths(uint64(lanes), bits)
		finish(s, &u)
	}
	s.laneTag(tag, 0)
}

// laneTag stores the tag of one lane: the sum of all words, except S7 of the 128 family, or for
// 32 bytes the sums of the two halves.
func (s *State) laneTag(tag []byte, lane int) {
	words := s.variant.Family().words()
	half := words / 2
	if len(tag) == TagSize128 {
		words = min(words, 7)
		half = words
	}
	clear(tag)
	for i := range words {
		part := tag[i/half*blockSize:][:blockSize]
		subtle.XORBytes(part, part, s.block(i, lane)[:])
	}
}

// lengths returns u, the block that Finish takes.
func lengths(x, y uint64) (u [blockSize]byte) {
	binary.LittleEndian.PutUint64(u[:], x)
	binary.LittleEndian.PutUint64(u[8:], y)
	return u
}

// Seal sets dst to the ciphertext of src, and tag, of 16 or 32 bytes, to the tag of that and ad.
// Dst has the length of src; they are the same memory or apart.
func Seal(v Variant, tag, dst, src, ad, key, nonce []byte) {
	seal(v, tag, dst, src, ad, key[:v.KeySize()], nonce[:v.KeySize()])
}

// Open is the reverse: it sets dst to the plaintext of src and reports whether tag is the tag of
// src and ad. If it is not, dst is all zeros.
func Open(v Variant, tag, dst, src, ad, key, nonce []byte) bool {
	var want [TagSize256]byte
	open(v, want[:len(tag)], dst, src, ad, key[:v.KeySize()], nonce[:v.KeySize()])
	ok := Equal(want[:len(tag)], tag)
	if !ok {
		clear(dst)
		clear(want[:])
	}
	return ok
}

// Equal compares tags of one length, a multiple of 8 bytes, in constant time.
// subtle.ConstantTimeCompare takes a byte at a time.
func Equal(x, y []byte) bool {
	different := uint64(0)
	for ; len(x) >= 8; x, y = x[8:], y[8:] {
		different |= binary.LittleEndian.Uint64(x) ^ binary.LittleEndian.Uint64(y)
	}
	return subtle.ConstantTimeEq(int32(different|different>>32), 0) == 1
}
