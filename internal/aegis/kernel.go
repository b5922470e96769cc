// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (amd64 || arm64) && gc && !purego

package aegis

import (
	"crypto/subtle"
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

//go:generate go -C ../layout run . internal/aegis
//go:generate go -C ../asm run . internal/aegis

var choice dispatch.Choice

func anyKernel() bool { return choice.Level != cpu.Generic }

// A kernel processes one, two or four adjacent lanes per call. A variant with more
// lanes needs several calls.

// A message holds the arguments of one kernel call. The kernel does not modify them.
// The assembly depends on the layout.
//
// Set the fields one by one. A composite literal may be built in a temporary variable
// and then copied, which would delay the kernel.
type message struct {
	dst, src   *byte // point to the first lane's data
	n          int   // number of bytes
	stride, at int   // distance between words of a lane in a piece, and offset of the kernel's first lane
	from, to   *byte // states, equal or separate; or a piece of additional data; or the second message of a pair
	key, nonce *byte
	context    *byte // contexts of the variant's lanes
	out        *byte // destination of each lane's sums, or of the tag
	mode       mode
	x, y       uint64 // operands of Finish
	size       int    // tag size
}

// A mode tells a kernel what to do. If neither modeSeal nor modeOpen is set, the kernel
// only absorbs the text.
type mode int

const (
	modeInit  mode = 1 << iota // begin with the key and the nonce instead of a state
	modeSeal                   // encrypt
	modeOpen                   // decrypt
	modeSums                   // finish and store the sums of each lane
	modeTag                    // finish and store the tag
	modeStore                  // store the state
	modeCode                   // finish, let lane 0 absorb the lanes' tags, and finish again; only in kernels with all lanes
	modeData                   // absorb a piece of additional data after the key and the nonce
)

const maxRate = 2 * wordStride

// laneSums contains three rows of 16 bytes per lane: the first halves of the 32-byte
// tags, their second halves, and the 16-byte tags.
type laneSums [3 * wordStride]byte

const (
	zeros    = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	zero     = "\x00\x00" + zeros
	contexts = zero + zero + zero + zero +
		"\x00\x01" + zeros + "\x01\x01" + zeros + zero + zero +
		"\x00\x03" + zeros + "\x01\x03" + zeros + "\x02\x03" + zeros + "\x03\x03" + zeros
)

const pairContexts = "\x00\x01" + zeros + "\x01\x01" + zeros + "\x00\x01" + zeros + "\x01\x01" + zeros

// pointers returns the start addresses of both slices and the length of the second.
func pointers(to, from []byte) (dst, src *byte, n int) {
	// If pointers stored these in a message, the buffers would escape to the heap.
	return unsafe.SliceData(to), unsafe.SliceData(from), len(from)
}

// copyNonce copies a nonce because dst may overlap the original.
func (v Variant) copyNonce(nonce *byte) (own [32]byte) {
	*(*[blockSize]byte)(own[:]) = *(*[blockSize]byte)(unsafe.Pointer(nonce))
	if v.Family() == Family256 {
		own = *(*[32]byte)(unsafe.Pointer(nonce))
	}
	return own
}

func (m *message) run(v Variant) {
	lanes, width := v.Lanes(), widest()
	m.setLanes(lanes)
	if width < lanes {
		m.runGroups(v, lanes, width)
		return
	}
	m.callKernel(v, lanes)
}

func (m *message) setLanes(lanes int) {
	m.context = unsafe.StringData(contexts[wordStride*(lanes/2):])
	m.stride = blockSize * lanes
}

// If a variant has more lanes than the kernel, several calls process the same text.
// groupBytes limits the text per call, so that the text stays in the L1 cache between
// these calls. It must be a multiple of every rate.
const groupBytes = 8 << 10

// maxChunk returns the largest number of text bytes to process per call.
func (v Variant) maxChunk() int {
	if widest() < v.Lanes() {
		return groupBytes
	}
	return dispatch.MaxCall
}

func (m *message) runGroups(v Variant, lanes, width int) {
	one := *m
	var part, sum [TagSize256]byte
	if m.mode&modeTag != 0 {
		one.out = &part[0]
	}
	for lane := 0; lane < lanes; lane += width {
		one.at = blockSize * lane
		one.callKernel(v, width)
		subtle.XORBytes(sum[:], sum[:], part[:])
	}
	if m.mode&modeTag != 0 {
		copy(unsafe.Slice(m.out, m.size), sum[:])
		part, sum = [TagSize256]byte{}, [TagSize256]byte{} // these may be the correct tag of a forged message
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

func absorb(s, base *State, data []byte) {
	if !anyKernel() {
		*s = *base
		absorbGeneric(s, data)
		return
	}
	s.variant = base.variant
	var m message
	m.mode, m.from, m.to = modeStore, &base.blocks[0], &s.blocks[0]
	m.dst, m.src, m.n = pointers(nil, data)
	m.run(s.variant)
}

// crypt seals or opens a message.
func crypt(c *Cipher, open bool, nonce, tag, dst, src *byte, n int, ad *byte, adLen int) {
	lanes := c.Variant.Lanes()
	// The fast path below is for messages without additional data that need only one
	// kernel call.
	if adLen > 0 || n > dispatch.MaxCall || lanes > widest() {
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
	m.setLanes(lanes)
	m.callKernel(c.Variant, lanes)
}

// cryptOther handles messages outside crypt's fast path. It repeats crypt's setup code
// on purpose: if a shared function initialized the message struct, the struct would
// escape to the heap.
func cryptOther(c *Cipher, open bool, nonce, tag, dst, src *byte, n int, ad *byte, adLen int) {
	v, lanes, width := c.Variant, c.Variant.Lanes(), widest()
	if width == 0 || adLen > v.Rate() || n > v.maxChunk() {
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
	m.setLanes(lanes)
	if width < lanes {
		m.runGroups(v, lanes, width)
		return
	}
	m.callKernel(v, lanes)
}

// cryptLong implements crypt in plain Go, or with several kernel calls.
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
	n := min(len(ad), dispatch.MaxCall)
	m.dst, m.src, m.n = pointers(nil, ad[:n])
	m.run(v)
	s.Absorb(ad[n:])
	m.mode = direction | modeStore
	for n := v.maxChunk(); len(src) > n; dst, src = dst[n:], src[n:] {
		m.dst, m.src, m.n = pointers(dst[:n], src[:n])
		m.run(v)
	}
	m.mode, m.out = direction|modeTag, &tag[0]
	m.dst, m.src, m.n = pointers(dst, src)
	m.run(v)
	clear(s.blocks[:])
}

// cryptPair seals or opens two messages with one kernel call, or returns false if no
// kernel can.
func cryptPair(c *Cipher, open bool, two *[2]Message, tags *[2][TagSize128]byte) bool {
	n, v := len(two[0].Src), c.Variant
	if !v.pairs() || n != len(two[1].Src) || n == 0 || n > dispatch.MaxCall/2 || n%v.Rate() != 0 || c.TagSize != TagSize128 {
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
	m.callPairKernel()
	return true
}

func mac(s *State, tag, last []byte, total uint64) {
	if !anyKernel() {
		macGeneric(s, tag, last, total)
		return
	}
	lanes := s.variant.Lanes()
	if lanes > widest() {
		macByLane(s, tag, last, total)
		return
	}
	var m message
	m.from, m.x, m.y = &s.blocks[0], 8*total, 8*uint64(len(tag))
	m.mode, m.out, m.size = modeTag, unsafe.SliceData(tag), len(tag)
	if lanes > 1 {
		m.mode |= modeCode
	}
	m.dst, m.src, m.n = pointers(nil, last)
	m.setLanes(lanes)
	m.callKernel(s.variant, lanes)
}

// macByLane implements mac for variants with more lanes than the kernel.
func macByLane(s *State, tag, last []byte, total uint64) {
	lanes, family := s.variant.Lanes(), s.variant.Family()
	var finished [8 * wordStride]byte
	var each laneSums
	var m message
	// Compute a tag for each lane.
	m.from, m.x, m.y = &s.blocks[0], 8*total, 8*uint64(len(tag))
	m.mode, m.to, m.out = modeSums|modeStore, &finished[0], &each[0]
	m.dst, m.src, m.n = pointers(nil, last)
	m.run(s.variant)

	// Lane 0 absorbs these tags and computes the tag of the message.
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

func (s *laneSums) pairs() (tags [4 * TagSize256]byte) {
	for at := 0; at < wordStride; at += blockSize {
		copy(tags[2*at:], s[at:at+blockSize])
		copy(tags[2*at+blockSize:], s[wordStride+at:][:blockSize])
	}
	return tags
}
