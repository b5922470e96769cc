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

// run calls kernels for all lanes.
func (m *message) run(v Variant) {
	impl.CheckCall(m.n)
	m.context = unsafe.StringData(contexts[wordStride*v.degree():])
	lanes, width := v.Lanes(), v.width()
	m.stride = blockSize * lanes
	if width == lanes {
		m.kernel(v, width)
		return
	}
	m.inTurns(v, lanes, width)
}

// turn is how many bytes of a text lanes take that take turns, a multiple of each rate: they are still in the nearest
// cache when the next one comes.
const turn = 8 << 10

// most returns how many bytes of a text to take at once.
func (v Variant) most() int {
	if v.width() < v.Lanes() {
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

// crypt does a short message with no more additional data than a piece in one call for each of the lanes that a kernel
// has.
func crypt(v Variant, open bool, key *Key, nonce, tag, dst, src, data []byte) {
	if !anyKernel() {
		cryptGeneric(v, open, key, nonce, tag, dst, src, data)
		return
	}
	direction := modeSeal
	if open {
		direction = modeOpen
	}
	// To ask first whether there are data spares messages without any the rate: 1 ns of 40.
	if len(data) > 0 && len(data) > v.Rate() || len(src) > turn && len(src) > v.most() {
		inSteps(v, direction, key, nonce, tag, dst, src, data)
		return
	}
	var m message
	m.mode, m.out, m.size = direction|modeInit|modeTag, unsafe.SliceData(tag), len(tag)
	m.key, m.nonce, m.y = &key[0], unsafe.SliceData(nonce), 8*uint64(len(src))
	m.dst, m.src, m.n = pointers(dst, src)
	if len(data) > 0 {
		var piece [maxRate]byte
		copy(piece[:], data)
		m.mode, m.from, m.x = m.mode|modeData, &piece[0], 8*uint64(len(data))
	}
	m.run(v)
}

// inSteps is crypt with a state between calls.
func inSteps(v Variant, direction mode, key *Key, nonce, tag, dst, src, data []byte) {
	var s State
	s.variant = v
	var m message
	m.mode, m.from, m.to = modeInit|modeStore, &s.blocks[0], &s.blocks[0]
	m.key, m.nonce = &key[0], unsafe.SliceData(nonce)
	m.x, m.y = 8*uint64(len(data)), 8*uint64(len(src))
	n := min(len(data), impl.MaxCall)
	m.dst, m.src, m.n = pointers(nil, data[:n])
	m.run(v)
	s.Absorb(data[n:])
	m.mode = direction | modeStore
	for n := v.most(); len(src) > n; dst, src = dst[n:], src[n:] {
		m.dst, m.src, m.n = pointers(dst[:n], src[:n])
		m.run(v)
	}
	m.mode, m.out, m.size = direction|modeTag, unsafe.SliceData(tag), len(tag)
	m.dst, m.src, m.n = pointers(dst, src)
	m.run(v)
	clear(s.blocks[:])
}

func cryptPair(v Variant, open bool, key *Key, two *[2]Message) (tags [2][TagSize128]byte, ok bool) {
	n := len(two[0].Src)
	if !v.pairs() || n != len(two[1].Src) || n == 0 || n > impl.MaxCall || n%v.Rate() != 0 ||
		len(two[0].Tag) != TagSize128 || len(two[1].Tag) != TagSize128 {
		return tags, false
	}
	nonces := [2][32]byte{[32]byte(two[0].Nonce), [32]byte(two[1].Nonce)}
	var m message
	m.mode = modeInit | modeSeal | modeTag
	if open {
		m.mode = modeInit | modeOpen | modeTag
	}
	m.out, m.context = &tags[0][0], unsafe.StringData(pairContexts)
	m.key, m.nonce, m.y = &key[0], &nonces[0][0], 8*uint64(n)
	m.dst, m.src, m.n = pointers(two[0].Dst, two[0].Src)
	m.to, m.from, _ = pointers(two[1].Dst, two[1].Src)
	m.kernelPair()
	return tags, true
}

func mac(s *State, tag, last []byte, total uint64) {
	if !anyKernel() {
		macGeneric(s, tag, last, total)
		return
	}
	lanes := s.variant.Lanes()
	if lanes != s.variant.width() {
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
	m.run(s.variant)
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
