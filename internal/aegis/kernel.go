// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (amd64 || arm64) && gc && !purego

package aegis

import (
	"crypto/subtle"
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

//go:generate go -C ../asm run . internal/aegis

var on impl.Choice

// anyKernel reports whether a kernel is on.
func anyKernel() bool { return on.Level != cpu.Generic }

// A kernel does what a message says, for one, two or four neighbouring lanes. Where a kernel has fewer
// lanes than the variant, it is called more than once, each time for the next lanes.

// A message is what kernels are given, which change nothing in it. The assembly knows its layout.
//
// Fields are set one by one: of a literal with operations that may panic the compiler makes a copy, which
// waits for the stores before it.
type message struct {
	dst, src   *byte // of the first lane, as other pointers are
	n          int   // bytes
	stride, at int   // how far words of a lane are apart in a piece, and where the kernel's first lane is
	from, to   *byte // states, in place or apart; or a piece of data; or src and dst of the second message of a pair
	key, nonce *byte
	context    *byte // of the lanes of the variant
	out        *byte // the sums of each lane, or the tag of all the kernel's
	mode       mode
	x, y       uint64 // what Finish takes
	size       int    // of the tag
}

// A mode is what kernels do: they absorb unless they encrypt or decrypt.
type mode int

const (
	modeInit  mode = 1 << iota // begin with the key and the nonce, not with a state
	modeSeal                   // encrypt
	modeOpen                   // decrypt
	modeSums                   // finish, and store the sums of each lane
	modeTag                    // finish, and store the tag
	modeStore                  // store the state
	modeCode                   // finish, have lane 0 absorb the lanes' tags, and finish again: where a kernel has all lanes
	modeData                   // absorb a piece of additional data after the key and the nonce
)

// maxRate is the longest piece.
const maxRate = 2 * wordStride

// laneSums are sums of a lane's words, of which tags consist: those of the lower and the upper half,
// which are the tag of 32 bytes, and the tag of 16 bytes. They lie as words of a State do.
type laneSums [3 * wordStride]byte

// contexts are those of the lanes of 1, 2 and 4.
const (
	zeros    = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	zero     = "\x00\x00" + zeros
	contexts = zero + zero + zero + zero +
		"\x00\x01" + zeros + "\x01\x01" + zeros + zero + zero +
		"\x00\x03" + zeros + "\x01\x03" + zeros + "\x02\x03" + zeros + "\x03\x03" + zeros
)

// pairContexts are those of the lanes of two messages.
const pairContexts = "\x00\x01" + zeros + "\x01\x01" + zeros + "\x00\x01" + zeros + "\x01\x01" + zeros

// pointers returns what is a message's text, of any length: the last of its kind if that is no multiple of the
// rate. Whoever has a message sets its pointers, since what is set through a pointer goes to the heap.
func pointers(to, from []byte) (dst, src *byte, n int) {
	return unsafe.SliceData(to), unsafe.SliceData(from), len(from)
}

// copyNonce returns a copy of a nonce. The output may overlap the original, and kernels that take
// several calls for all lanes read the nonce in each call.
func (v Variant) copyNonce(nonce *byte) (own [32]byte) {
	*(*[blockSize]byte)(own[:]) = *(*[blockSize]byte)(unsafe.Pointer(nonce))
	if v.Family() == Family256 {
		own = *(*[32]byte)(unsafe.Pointer(nonce))
	}
	return own
}

// run calls kernels for all lanes.
func (m *message) run(v Variant) {
	impl.CheckCall(m.n)
	lanes, width := v.Lanes(), widest()
	m.have(lanes)
	if width < lanes {
		m.inTurns(v, lanes, width)
		return
	}
	m.kernel(v, lanes)
}

// have says that there are 1, 2 or 4 lanes.
func (m *message) have(lanes int) {
	m.context = unsafe.StringData(contexts[wordStride*(lanes/2):])
	m.stride = blockSize * lanes
}

// turn is how many bytes of a text lanes take that take turns, a multiple of each rate: they are still in the nearest
// cache when the next one comes.
const turn = 8 << 10

// most returns how many bytes of a text to take at once.
func (v Variant) most() int {
	if widest() < v.Lanes() {
		return turn
	}
	return impl.MaxCall
}

// inTurns calls a kernel with fewer lanes than there are.
func (m *message) inTurns(v Variant, lanes, width int) {
	one := *m
	var part, sum [TagSize256]byte
	if m.mode&modeTag != 0 {
		one.out = &part[0]
	}
	for lane := 0; lane < lanes; lane += width {
		one.at = blockSize * lane
		one.kernel(v, width)
		subtle.XORBytes(sum[:], sum[:], part[:])
	}
	if m.mode&modeTag != 0 {
		copy(unsafe.Slice(m.out, m.size), sum[:])
		part, sum = [TagSize256]byte{}, [TagSize256]byte{} // possibly the tag of a forged message
	}
}

func initialize(s *State, key, nonce []byte) {
	if !anyKernel() {
		initializeGeneric(s, key, nonce)
		return
	}
	var m message
	m.mode, m.to = modeInit|modeStore, &s.blocks[0]
	m.key, m.nonce = unsafe.SliceData(key), unsafe.SliceData(nonce)
	m.run(s.variant)
}

func absorb(s, before *State, data []byte) {
	if !anyKernel() {
		*s = *before
		absorbGeneric(s, data)
		return
	}
	s.variant = before.variant
	var m message
	m.mode, m.from, m.to = modeStore, &before.blocks[0], &s.blocks[0]
	m.dst, m.src, m.n = pointers(nil, data)
	m.run(s.variant)
}

// crypt is the shortest way for messages without additional data, where a kernel takes all lanes.
func crypt(c *Cipher, open bool, nonce, tag, dst, src *byte, n int, ad *byte, adLen int) {
	lanes := c.Variant.Lanes()
	if adLen > 0 || n > impl.MaxCall || lanes > widest() {
		cryptOther(c, open, nonce, tag, dst, src, n, ad, adLen)
		return
	}
	var m message
	m.mode = modeInit | modeSeal | modeTag
	if open {
		m.mode = modeInit | modeOpen | modeTag
	}
	own := c.Variant.copyNonce(nonce)
	m.key, m.nonce, m.y = &c.Key[0], &own[0], 8*uint64(n)
	m.dst, m.src, m.n = dst, src, n
	m.out, m.size = tag, c.TagSize
	m.have(lanes)
	m.kernel(c.Variant, lanes)
}

// cryptOther does other messages: with no more additional data than a piece, and unless they are too long, in one
// call for each of the lanes that a kernel has. What both have stands twice: one function for it would have to be given
// the message, and what is set through that goes to the heap, as Open's tag would.
func cryptOther(c *Cipher, open bool, nonce, tag, dst, src *byte, n int, ad *byte, adLen int) {
	v, lanes, width := c.Variant, c.Variant.Lanes(), widest()
	if width == 0 || adLen > v.Rate() || n > v.most() {
		cryptLong(c, open, unsafe.Slice(nonce, v.KeySize()), unsafe.Slice(tag, c.TagSize), unsafe.Slice(dst, n), unsafe.Slice(src, n), unsafe.Slice(ad, adLen))
		return
	}
	var m message
	m.mode = modeInit | modeSeal | modeTag
	if open {
		m.mode = modeInit | modeOpen | modeTag
	}
	own := c.Variant.copyNonce(nonce)
	m.key, m.nonce, m.y = &c.Key[0], &own[0], 8*uint64(n)
	m.dst, m.src, m.n = dst, src, n
	m.out, m.size = tag, c.TagSize
	if adLen > 0 {
		var piece [maxRate]byte
		copy(piece[:], unsafe.Slice(ad, adLen))
		m.mode, m.from, m.x = m.mode|modeData, &piece[0], 8*uint64(adLen)
	}
	// As run does: one function less between messages with additional data and the kernel is 1 ns of 45.
	m.have(lanes)
	if width < lanes {
		m.inTurns(v, lanes, width)
		return
	}
	m.kernel(v, lanes)
}

// cryptLong is crypt in plain Go, or with a state between calls.
func cryptLong(c *Cipher, open bool, nonce, tag, dst, src, ad []byte) {
	if !anyKernel() {
		cryptGeneric(c, open, nonce, tag, dst, src, ad)
		return
	}
	v, direction := c.Variant, modeSeal
	if open {
		direction = modeOpen
	}
	var s State
	s.variant = v
	var m message
	m.mode, m.from, m.to = modeInit|modeStore, &s.blocks[0], &s.blocks[0]
	m.key, m.nonce, m.size = &c.Key[0], &nonce[0], c.TagSize
	m.x, m.y = 8*uint64(len(ad)), 8*uint64(len(src))
	n := min(len(ad), impl.MaxCall)
	m.dst, m.src, m.n = pointers(nil, ad[:n])
	m.run(v)
	s.Absorb(ad[n:])
	m.mode = direction | modeStore
	for n := v.most(); len(src) > n; dst, src = dst[n:], src[n:] {
		m.dst, m.src, m.n = pointers(dst[:n], src[:n])
		m.run(v)
	}
	m.mode, m.out = direction|modeTag, &tag[0]
	m.dst, m.src, m.n = pointers(dst, src)
	m.run(v)
	clear(s.blocks[:])
}

// cryptPair seals or opens two messages by one kernel and stores the tags. If there is none for them, it does nothing
// and returns false.
func cryptPair(c *Cipher, open bool, two *[2]Message, tags *[2][TagSize128]byte) bool {
	n, v := len(two[0].Src), c.Variant
	if !v.pairs() || n != len(two[1].Src) || n == 0 || n > impl.MaxCall || n%v.Rate() != 0 || c.TagSize != TagSize128 {
		return false
	}
	nonces := [2][32]byte{[32]byte(two[0].Nonce), [32]byte(two[1].Nonce)}
	var m message
	m.mode = modeInit | modeSeal | modeTag
	if open {
		m.mode = modeInit | modeOpen | modeTag
	}
	m.out, m.context = &tags[0][0], unsafe.StringData(pairContexts)
	m.key, m.nonce, m.y = &c.Key[0], &nonces[0][0], 8*uint64(n)
	m.dst, m.src, m.n = pointers(two[0].Dst, two[0].Src)
	m.to, m.from, _ = pointers(two[1].Dst, two[1].Src)
	m.kernelPair()
	return true
}

func mac(s *State, tag, last []byte, total uint64) {
	if !anyKernel() {
		macGeneric(s, tag, last, total)
		return
	}
	lanes := s.variant.Lanes()
	if lanes > widest() {
		fold(s, tag, last, total)
		return
	}
	var m message
	m.from, m.x, m.y = &s.blocks[0], 8*total, 8*uint64(len(tag))
	m.mode, m.out, m.size = modeTag, unsafe.SliceData(tag), len(tag)
	if lanes > 1 {
		m.mode |= modeCode
	}
	m.dst, m.src, m.n = pointers(nil, last)
	m.have(lanes)
	m.kernel(s.variant, lanes)
}

// fold is mac for more lanes than one: their tags are absorbed by lane 0, which then finishes alone. Those are
// all of them where two make a piece, all but its own otherwise.
func fold(s *State, tag, last []byte, total uint64) {
	lanes, family := s.variant.Lanes(), s.variant.Family()
	var finished [8 * wordStride]byte
	var each laneSums
	var m message
	m.from, m.x, m.y = &s.blocks[0], 8*total, 8*uint64(len(tag))
	m.mode, m.to, m.out = modeSums|modeStore, &finished[0], &each[0]
	m.dst, m.src, m.n = pointers(nil, last)
	m.run(s.variant)

	m.src, m.n = &each[2*wordStride+blockSize*int(family)], blockSize*(lanes-int(family))
	if len(tag) == TagSize256 {
		pairs := each.pairs()
		m.src, m.n = &pairs[TagSize256], TagSize256*(lanes-1)
	}
	m.mode, m.out, m.size = modeTag, unsafe.SliceData(tag), len(tag)
	m.from, m.x = &finished[0], uint64(lanes)
	m.run(AEGIS128L + 3*Variant(family))
	clear(finished[:])
}

// pairs returns the tags of 32 bytes of the lanes, one after the other.
func (s *laneSums) pairs() (tags [4 * TagSize256]byte) {
	for at := 0; at < wordStride; at += blockSize {
		copy(tags[2*at:], s[at:at+blockSize])
		copy(tags[2*at+blockSize:], s[wordStride+at:][:blockSize])
	}
	return tags
}
