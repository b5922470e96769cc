// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 && gc && !purego

package aegis

import (
	"encoding/binary"
	"unsafe"

	"github.com/unimac/unimac/internal/impl"
)

// The kernels take whole pieces of a message, for one, two or four neighbouring lanes. A short
// last piece goes through memory of its own. Where a kernel has fewer lanes than the variant, it is
// called more than once, each time for the next lanes.

// maxRate is the largest rate of a variant.
const maxRate = 2 * wordStride

// A message is what kernels work on, of which none of them changes anything here.
type message struct {
	variant    Variant
	state      *State    // from which to begin, or which is stored
	key, nonce *byte     // with which to begin
	sums       *laneSums // where to finish
	x, y       uint64    // the halves of what Finish takes
}

// A part is what one call of a kernel takes of a message.
type part struct {
	operation  operation
	mode       int
	dst, src   *byte
	n          int
	last, mask *byte
}

// An operation is what kernels do with a text.
type operation int

const (
	absorbing operation = iota
	sealing
	opening
)

// What kernels do besides.
const (
	modeInit   = 1 << iota // begin with the key and the nonce, not with the state
	modeLast               // take the piece at last, too
	modeFinish             // finish, and store the sums
	modeStore              // store the state
)

// laneSums are sums of a lane's words, of which tags consist: those of the lower and the upper half,
// which are the tag of 32 bytes, and the tag of 16 bytes. They lie as words of a State do.
type laneSums [3 * wordStride]byte

// contexts are those of the lanes of 1, 2 and 4, and masks has as many ones as the largest piece has bits, and
// then as many zeros.
const (
	zeros    = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	zero     = "\x00\x00" + zeros
	contexts = zero + zero + zero + zero +
		"\x00\x01" + zeros + "\x01\x01" + zeros + zero + zero +
		"\x00\x03" + zeros + "\x01\x03" + zeros + "\x02\x03" + zeros + "\x03\x03" + zeros

	ones  = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
	masks = ones + ones + ones + ones + ones + ones + ones + ones + zero + zero + zero + zero + zero + zero + zero + zero
)

// run takes a text of any length: the last of its kind if that is no multiple of the rate.
func (m *message) run(op operation, mode int, dst, src []byte) {
	impl.CheckCall(len(src))
	var p part
	p.operation, p.mode = op, mode
	tail := len(src) & (m.variant.Rate() - 1)
	if p.n = len(src) - tail; p.n > 0 {
		p.src = unsafe.SliceData(src)
		p.dst = unsafe.SliceData(dst)
	}
	if tail > 0 {
		m.runLast(&p, dst, src)
		return
	}
	m.kernels(&p)
}

// runLast is run where there is a short last piece.
func (m *message) runLast(p *part, dst, src []byte) {
	tail := src[p.n:]
	var last [maxRate]byte
	copy(last[:], tail)
	var q part
	q.operation, q.mode = p.operation, p.mode|modeLast
	q.dst, q.src, q.n = p.dst, p.src, p.n
	q.last, q.mask = &last[0], constant(masks, maxRate-len(tail))
	m.kernels(&q)
	if p.operation != absorbing {
		copy(dst[p.n:], last[:len(tail)])
		clear(last[:])
	}
}

// kernels calls a kernel for all lanes.
func (m *message) kernels(p *part) {
	lanes := m.variant.Lanes()
	width := m.variant.width()
	for lane := 0; lane < lanes; lane += width {
		m.kernel(p, lane, width)
	}
}

// constant returns the memory of a part of a constant.
func constant(s string, at int) *byte { return unsafe.StringData(s[at:]) }

// tag stores the sum of the tags of lanes.
func (s *laneSums) tag(tag []byte, lanes int) {
	if len(tag) == TagSize128 {
		s.sum(tag, 2*wordStride, lanes)
		return
	}
	s.sum(tag, 0, lanes)
	s.sum(tag[blockSize:], wordStride, lanes)
}

// sum stores the sum of the blocks of lanes.
func (s *laneSums) sum(to []byte, at, lanes int) {
	var x, y uint64
	for b := s[at : at+blockSize*lanes]; len(b) >= blockSize; b = b[blockSize:] {
		x ^= binary.LittleEndian.Uint64(b)
		y ^= binary.LittleEndian.Uint64(b[8:])
	}
	binary.LittleEndian.PutUint64(to, x)
	binary.LittleEndian.PutUint64(to[8:], y)
}

func initialize(s *State, key, nonce []byte) {
	if !anyKernel() {
		initializeGeneric(s, key, nonce)
		return
	}
	m := message{variant: s.variant, state: s, key: &key[0], nonce: &nonce[0]}
	m.run(absorbing, modeInit|modeStore, nil, nil)
}

func absorb(s *State, data []byte) {
	if !anyKernel() {
		absorbGeneric(s, data)
		return
	}
	m := message{variant: s.variant, state: s}
	m.run(absorbing, modeStore, nil, data)
}

func encrypt(s *State, dst, src []byte) {
	if !anyKernel() {
		encryptGeneric(s, dst, src)
		return
	}
	m := message{variant: s.variant, state: s}
	m.run(sealing, modeStore, dst, src)
}

func decrypt(s *State, dst, src []byte) {
	if !anyKernel() {
		decryptGeneric(s, dst, src)
		return
	}
	m := message{variant: s.variant, state: s}
	m.run(opening, modeStore, dst, src)
}

func finish(s *State, u *[blockSize]byte) {
	if !anyKernel() {
		finishGeneric(s, u)
		return
	}
	var sums laneSums
	m := message{variant: s.variant, state: s, sums: &sums, x: binary.LittleEndian.Uint64(u[:]), y: binary.LittleEndian.Uint64(u[8:])}
	m.run(absorbing, modeFinish|modeStore, nil, nil)
}

func seal(v Variant, tag, dst, src, ad, key, nonce []byte) {
	switch {
	case !anyKernel():
		sealGeneric(v, tag, dst, src, ad, key, nonce)
	case len(ad) == 0 && len(src) <= impl.MaxCall:
		atOnce(v, sealing, tag, dst, src, key, nonce)
	default:
		inSteps(v, sealing, tag, dst, src, ad, key, nonce)
	}
}

func open(v Variant, tag, dst, src, ad, key, nonce []byte) {
	switch {
	case !anyKernel():
		openGeneric(v, tag, dst, src, ad, key, nonce)
	case len(ad) == 0 && len(src) <= impl.MaxCall:
		atOnce(v, opening, tag, dst, src, key, nonce)
	default:
		inSteps(v, opening, tag, dst, src, ad, key, nonce)
	}
}

// atOnce is seal or open without additional data, in one call for each of the lanes that a kernel has.
func atOnce(v Variant, op operation, tag, dst, src, key, nonce []byte) {
	// Of a literal with operations that may panic the compiler makes a copy, which waits for the
	// stores before it: 18 ns on a Zen 5.
	var sums laneSums
	var m message
	m.variant, m.sums, m.y = v, &sums, 8*uint64(len(src))
	m.key, m.nonce = unsafe.SliceData(key), unsafe.SliceData(nonce)
	m.run(op, modeInit|modeFinish, dst, src)
	sums.tag(tag, v.Lanes())
}

// inSteps is seal or open with a state between calls.
func inSteps(v Variant, op operation, tag, dst, src, ad, key, nonce []byte) {
	s := State{variant: v}
	var sums laneSums
	m := message{v, &s, &key[0], &nonce[0], &sums, 8 * uint64(len(ad)), 8 * uint64(len(src))}
	n := min(len(ad), impl.MaxCall)
	m.run(absorbing, modeInit|modeStore, nil, ad[:n])
	s.Absorb(ad[n:])
	for ; len(src) > impl.MaxCall; dst, src = dst[impl.MaxCall:], src[impl.MaxCall:] {
		m.run(op, modeStore, dst[:impl.MaxCall], src[:impl.MaxCall])
	}
	m.run(op, modeFinish, dst, src)
	sums.tag(tag, v.Lanes())
	clear(s.blocks[:])
}

func mac(s *State, tag, last []byte, total uint64) {
	if !anyKernel() || len(last) > impl.MaxCall {
		macGeneric(s, tag, last, total)
		return
	}
	var sums laneSums
	var m message
	m.variant, m.state, m.sums, m.x, m.y = s.variant, s, &sums, 8*total, 8*uint64(len(tag))
	if s.variant.Lanes() > 1 {
		m.fold(tag, last)
		return
	}
	m.run(absorbing, modeFinish, nil, last)
	sums.tag(tag, 1)
}

// fold is mac for more lanes than one: their tags are absorbed by lane 0, which then finishes alone.
func (m *message) fold(tag, last []byte) {
	s, lanes, family := *m.state, m.variant.Lanes(), m.variant.Family()
	all := message{m.variant, &s, nil, nil, m.sums, m.x, m.y}
	all.run(absorbing, modeFinish|modeStore, nil, last)
	var tags [3 * TagSize256]byte
	n := m.sums.tags(&tags, family, lanes, len(tag))
	first := message{AEGIS128L + 3*Variant(family), &s, nil, nil, m.sums, uint64(lanes), m.y}
	first.run(absorbing, modeFinish, nil, tags[:n])
	m.sums.tag(tag, 1)
	clear(s.blocks[:])
}

// tags stores the lanes' tags that lane 0 absorbs, and returns their length: all of them where two
// make a piece, all but its own otherwise.
func (s *laneSums) tags(to *[3 * TagSize256]byte, family Family, lanes, size int) (n int) {
	if size == TagSize128 {
		first := 1
		if family == Family128 {
			first = 0
		}
		return copy(to[:], s[2*wordStride+blockSize*first:2*wordStride+blockSize*lanes])
	}
	for lane := 1; lane < lanes; lane++ {
		n += copy(to[n:], s[blockSize*lane:][:blockSize])
		n += copy(to[n:], s[wordStride+blockSize*lane:][:blockSize])
	}
	return n
}
