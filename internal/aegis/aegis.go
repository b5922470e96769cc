// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis implements the six ciphers of RFC 10032 and their message
// authentication codes. The public package aegis contains the documentation for users.
//
// # Writing kernels
//
// Each function below calls a kernel, or plain Go code if no kernel is enabled. The
// plain Go function has the same name with the suffix Generic. (cryptPair has no such
// function, and returns false instead.) A kernel must compute the same results as the
// plain Go function.
//
//	initialize(s, key, nonce)       Init
//	absorb(s, base, data)           sets s to the state of base after absorbing data, padded with zeros
//	crypt(c, open, nonce, tag, dst, src, n, ad, adLen)
//	                                processes a whole message; it stores tag and compares nothing
//	cryptPair(c, open, two, tags)   if possible, processes two messages at once, stores their tags and returns true
//	mac(s, tag, last, total)        computes the MAC's tag from the state s, which does not change
//
// absorb and mac accept at most [dispatch.MaxCall] bytes, and the other functions any
// length, so that a short message needs one kernel call. crypt takes pointers so that
// its nine words are passed in registers. Slices would be passed through memory, and a
// kernel would have to wait for them.
//
// Nonces and tags have the cipher's sizes. Slices of length 0 may be nil, and dst must
// not overlap anything except src. The functions read and write nothing outside the
// slices, and their time depends only on the lengths and the variant.
package aegis

import (
	"encoding/binary"
	"unsafe"

	"github.com/unimac/unimac/internal/constanttime"
	"github.com/unimac/unimac/internal/dispatch"
)

// MaxLength is the maximum length, in bytes, of texts and of additional data.
const MaxLength = 1<<61 - 1

const (
	TagSize128 = 16
	TagSize256 = 32
)

// A Variant is one of the six ciphers.
type Variant int

const (
	AEGIS128L Variant = iota
	AEGIS128X2
	AEGIS128X4
	AEGIS256
	AEGIS256X2
	AEGIS256X4
)

// A Family is the cipher on which a variant is based: AEGIS-128L or AEGIS-256.
type Family int

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

// Lanes returns the number of lanes of v: 1, 2 or 4. The RFC calls this number the
// degree.
func (v Variant) Lanes() int { return 1 << (uint(v-3*Variant(v.Family())) & 3) }

// KeySize returns the size of keys and of nonces of v in bytes.
func (v Variant) KeySize() int { return 16 << v.Family() }

// Rate returns the number of message bytes per Update.
func (v Variant) Rate() int { return 32 >> v.Family() * v.Lanes() }

func (f Family) words() int { return 8 - 2*int(f) }

const (
	blockSize = 16

	// wordStride is the distance between a lane's blocks, with room for four lanes.
	wordStride = 4 * blockSize
)

// A State is the AEGIS state of one message. A lane consists of the blocks S0 to S7 in
// AEGIS-128 and S0 to S5 in AEGIS-256. Block i of lane l starts at byte 64·i + 16·l, so
// that one vector load of any width fetches block i of several adjacent lanes. The
// contents of unused lanes are unspecified.
type State struct {
	blocks  [8 * wordStride]byte
	variant Variant
}

func (s *State) block(i, lane int) *[blockSize]byte {
	return (*[blockSize]byte)(s.blocks[wordStride*i+blockSize*lane:])
}

// Init initializes s for a new message, as defined in RFC 10032, sections 3.4, 4.4,
// 5.4.2 and 5.5.2. key and nonce must each be v.KeySize() bytes long.
func (s *State) Init(v Variant, key, nonce []byte) {
	s.variant = v
	initialize(s, key[:v.KeySize()], nonce[:v.KeySize()])
}

// Absorb absorbs additional data, padded with zeros to a multiple of the rate. Only the
// last call may pass data whose length is not a multiple of the rate.
func (s *State) Absorb(data []byte) { s.AbsorbAfter(s, data) }

// AbsorbAfter sets s to the state of base after absorbing data, which must not be
// empty. It does not change base. Copying base and calling Absorb on the copy would be
// slower, because wide loads from the fresh copy would stall.
func (s *State) AbsorbAfter(base *State, data []byte) {
	for len(data) > 0 {
		n := min(len(data), dispatch.MaxCall)
		absorb(s, base, data[:n])
		base, data = s, data[n:]
	}
}

// MAC stores the tag of a message in tag, which must be 16 or 32 bytes long. last is
// the part of the message that has not been absorbed yet, and total is the length of
// the whole message in bytes. MAC does not change the state.
func (s *State) MAC(tag, last []byte, total uint64) {
	if len(last) > dispatch.MaxCall {
		s.longMAC(tag, last, total)
		return
	}
	mac(s, tag, last, total)
}

func (s *State) longMAC(tag, last []byte, total uint64) {
	var after State
	whole := len(last) / dispatch.MaxCall * dispatch.MaxCall
	after.AbsorbAfter(s, last[:whole])
	mac(&after, tag, last[whole:], total)
}

func lengths(x, y uint64) (u [blockSize]byte) {
	binary.LittleEndian.PutUint64(u[:], x)
	binary.LittleEndian.PutUint64(u[8:], y)
	return u
}

// A Cipher contains the parameters for sealing and opening messages. TagSize must be 16
// or 32 bytes. A 16-byte key occupies the first half of Key.
type Cipher struct {
	Variant Variant
	TagSize int
	Key     [32]byte
}

// Seal sets out to the ciphertext of src, followed by the tag of src and ad. out must
// be len(src)+c.TagSize bytes long. out and src may start at the same address. Seal is
// kept small enough to inline.
func Seal(c *Cipher, nonce, out, src, ad []byte) {
	crypt(c, false, unsafe.SliceData(nonce), &out[len(src)], unsafe.SliceData(out), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad))
}

// Open decrypts src into dst and reports whether tag is the correct tag of src and ad.
// If it is not, Open fills dst with zeros.
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

func equal(want *[TagSize256]byte, tag []byte, size int) bool {
	if size == TagSize128 {
		return constanttime.Equal((*[TagSize128]byte)(want[:]), (*[TagSize128]byte)(tag)) == 1
	}
	return constanttime.Equal32(want, (*[TagSize256]byte)(tag)) == 1
}
