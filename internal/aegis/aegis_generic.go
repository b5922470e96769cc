// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import "crypto/subtle"

// The plain Go code is bitsliced, so its running time does not depend on secrets.

// The constants C0 and C1 of the RFC, the Fibonacci numbers modulo 256.
var (
	c0 = [blockSize]byte{0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62}
	c1 = [blockSize]byte{0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd}
)

type lanes struct {
	variant Variant
	lane    [4]planes
}

func (l *lanes) load(s *State) {
	l.variant = s.variant
	var blocks [8][blockSize]byte
	for i := range s.variant.Lanes() {
		for w := range s.variant.Family().words() {
			blocks[w] = *s.block(w, i)
		}
		l.lane[i].pack(&blocks)
	}
}

func (l *lanes) store(s *State) {
	var blocks [8][blockSize]byte
	for i := range l.variant.Lanes() {
		l.lane[i].unpack(&blocks)
		for w := range l.variant.Family().words() {
			*s.block(w, i) = blocks[w]
		}
	}
}

func xor(x, y [blockSize]byte) (z [blockSize]byte) {
	for i := range z {
		z[i] = x[i] ^ y[i]
	}
	return z
}

func (l *lanes) init(v Variant, key, nonce []byte) {
	l.variant = v
	var first, inputs [8][blockSize]byte
	last, updates, steps := 7, 10, 1
	if v.Family() == Family128 {
		k, n := [blockSize]byte(key), [blockSize]byte(nonce)
		first = [8][blockSize]byte{xor(k, n), c1, c0, c1, xor(k, n), xor(k, c0), xor(k, c1), xor(k, c0)}
		inputs = [8][blockSize]byte{0: n, 4: k}
	} else {
		k, l, n, o := [blockSize]byte(key), [blockSize]byte(key[16:]), [blockSize]byte(nonce), [blockSize]byte(nonce[16:])
		first = [8][blockSize]byte{xor(k, n), xor(l, o), c1, c0, xor(k, c0), xor(l, c1)}
		inputs = [8][blockSize]byte{k, l, xor(k, n), xor(l, o)}
		last, updates, steps = 5, 16, 4
	}
	var start, m planes
	start.pack(&first)
	m.pack(&inputs)
	for i := range v.Lanes() {
		// A context contains the numbers of its lane and of the last lane.
		var contexts [8][blockSize]byte
		contexts[3] = [blockSize]byte{byte(i), byte(v.Lanes() - 1)}
		contexts[last] = contexts[3]
		var context planes
		context.pack(&contexts)
		lane := &l.lane[i]
		*lane = start
		for j := range updates {
			lane.add(&context)
			lane.update(v.Family(), &m, j%steps)
		}
	}
}

// batch returns the number of message bytes that fit in planes.
func (l *lanes) batch() int { return 8 * blockSize * l.variant.Lanes() }

// slot returns the position of block b of a lane in planes and in the text.
func (l *lanes) slot(b, lane int) (index, offset int) {
	d := l.variant.Lanes()
	if l.variant.Family() == Family128 {
		// Each update absorbs two blocks per lane. In the text, the first blocks of all
		// lanes precede the second blocks.
		step, w := b/2, b%2
		return 4*w + step, blockSize * (2*d*step + d*w + lane)
	}
	return b, blockSize * (d*b + lane)
}

// packLane converts the blocks of one lane to bit planes. The length of data must be a
// multiple of the rate.
func (l *lanes) packLane(data []byte, lane int) (m planes) {
	var blocks [8][blockSize]byte
	for b := range len(data) / (blockSize * l.variant.Lanes()) {
		slot, at := l.slot(b, lane)
		blocks[slot] = [blockSize]byte(data[at:])
	}
	m.pack(&blocks)
	return m
}

func (l *lanes) unpackLane(data []byte, lane int, m *planes) {
	var blocks [8][blockSize]byte
	m.unpack(&blocks)
	for b := range len(data) / (blockSize * l.variant.Lanes()) {
		slot, at := l.slot(b, lane)
		*(*[blockSize]byte)(data[at:]) = blocks[slot]
	}
}

func (l *lanes) absorb(data []byte) {
	rate := l.variant.Rate()
	whole := len(data) / rate * rate
	l.absorbWhole(data[:whole])
	if whole < len(data) {
		var piece [128]byte
		copy(piece[:], data[whole:])
		l.absorbWhole(piece[:rate])
	}
}

// absorbWhole absorbs data, whose length must be a multiple of the rate.
func (l *lanes) absorbWhole(data []byte) {
	rate := l.variant.Rate()
	for len(data) > 0 {
		n := min(len(data), l.batch())
		for i := range l.variant.Lanes() {
			m := l.packLane(data[:n], i)
			for step := range n / rate {
				l.lane[i].update(l.variant.Family(), &m, step)
			}
		}
		data = data[n:]
	}
}

// crypt encrypts or decrypts src. The length of src must be a multiple of the rate.
func (l *lanes) crypt(dst, src []byte, decrypt bool) {
	rate, family := l.variant.Rate(), l.variant.Family()
	for len(src) > 0 {
		n := min(len(src), l.batch())
		for i := range l.variant.Lanes() {
			in := l.packLane(src[:n], i)
			out := in
			plain := &in
			if decrypt {
				plain = &out
			}
			for step := range n / rate {
				l.lane[i].keyStream(family, &out, step)
				l.lane[i].update(family, plain, step)
			}
			l.unpackLane(dst[:n], i, &out)
		}
		dst, src = dst[n:], src[n:]
	}
}

// cryptText is like crypt, but accepts a text of any length.
func (l *lanes) cryptText(decrypt bool, dst, src []byte) {
	rate := l.variant.Rate()
	whole := len(src) / rate * rate
	l.crypt(dst[:whole], src[:whole], decrypt)
	if whole == len(src) {
		return
	}
	var piece [128]byte
	copy(piece[:], src[whole:])
	if decrypt {
		before := *l
		before.crypt(piece[:rate], piece[:rate], true)
		// The state must absorb zeros after the plaintext, not the decrypted padding.
		clear(piece[copy(dst[whole:], piece[:]):])
		l.absorbWhole(piece[:rate])
	} else {
		l.crypt(piece[:rate], piece[:rate], false)
		copy(dst[whole:], piece[:])
	}
}

func (l *lanes) finish(u *[blockSize]byte) {
	var m planes
	m.pack(&[8][blockSize]byte{*u})
	for i := range l.variant.Lanes() {
		l.lane[i].finish(l.variant.Family(), &m)
	}
}

func initializeGeneric(s *State, key, nonce []byte) {
	var l lanes
	l.init(s.variant, key, nonce)
	l.store(s)
}

func absorbGeneric(s *State, data []byte) {
	var l lanes
	l.load(s)
	l.absorb(data)
	l.store(s)
}

func cryptGeneric(c *Cipher, open bool, nonce, tag, dst, src, ad []byte) {
	var l lanes
	l.init(c.Variant, c.Key[:], nonce)
	l.absorb(ad)
	l.cryptText(open, dst, src)
	u := lengths(8*uint64(len(ad)), 8*uint64(len(src)))
	l.finish(&u)
	clear(tag)
	for lane := range c.Variant.Lanes() {
		var t [TagSize256]byte
		l.tag(lane, t[:len(tag)])
		subtle.XORBytes(tag, tag, t[:])
	}
}

// macGeneric implements mac in plain Go.
func macGeneric(s *State, tag, last []byte, total uint64) {
	var l lanes
	l.load(s)
	l.absorb(last)
	u := lengths(8*total, 8*uint64(len(tag)))
	l.finish(&u)
	if lanes, family := s.variant.Lanes(), s.variant.Family(); lanes > 1 {
		// Lane 0 absorbs the tags of the other lanes and is then finalized again.
		var tags [4 * TagSize256]byte
		for lane := range lanes {
			l.tag(lane, tags[len(tag)*lane:][:len(tag)])
		}
		first := len(tag)
		if family == Family128 && len(tag) == TagSize128 {
			first = 0 // 16-byte tags are absorbed in pairs, so include lane 0's
		}
		l.variant = AEGIS128L + 3*Variant(family)
		l.absorb(tags[first : len(tag)*lanes])
		u = lengths(uint64(lanes), 8*uint64(len(tag)))
		l.finish(&u)
	}
	l.tag(0, tag)
}

// tag stores the tag of a lane. A 16-byte tag is the XOR of all the lane's state
// blocks, except that AEGIS-128 omits S7. A 32-byte tag is the XOR of the first half of
// the blocks, followed by the XOR of the second half.
func (l *lanes) tag(lane int, tag []byte) {
	var blocks [8][blockSize]byte
	l.lane[lane].unpack(&blocks)
	words := l.variant.Family().words()
	half := words / 2
	if len(tag) == TagSize128 {
		words = min(words, 7)
		half = words
	}
	clear(tag)
	for i := range words {
		part := tag[i/half*blockSize:][:blockSize]
		subtle.XORBytes(part, part, blocks[i][:])
	}
}
