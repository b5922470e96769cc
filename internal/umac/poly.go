// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"encoding/binary"
	"math/bits"
)

// POLY (RFC 4418, section 5.3.2) evaluates a polynomial at the key k: for each
// word m, y = k·y + m modulo a prime p. A word too close to p to be told from a
// small one, at least limit, is taken in two steps instead:
//
//	y = k·y + (p - 1)
//	y = k·y + (m - offset)       offset = 2^64 - p, or 2^128 - p
//
// Together they are k²·y + (m - offset - k), one step with another factor and
// another addend. So which of the two a word needs is not branched on, only
// masked into the operands, and that happens before y is known: the loop waits
// for one multiplication a word. Since k is below 2^57 (2^121), m - offset - k
// does not wrap.
//
// Between steps y is any number of 64 (128) bits in the right class modulo p.
const (
	offset64  = 59
	prime64   = 1<<64 - offset64
	limit64   = 1<<64 - 1<<32
	mask64    = 0x01ffffff01ffffff
	offset128 = 159           // prime128 = 2^128 - 159
	limit128  = 1<<64 - 1<<32 // the high word of 2^128 - 2^96
)

// poly64Key is the key of POLY-64 for each stream. The assembly knows its layout.
type poly64Key struct {
	k      [maxStreams]uint64
	square [maxStreams]uint64 // k² mod prime64
	offset [maxStreams]uint64 // offset64 + k
}

// set loads the key of stream s from its 8 bytes, and masks it.
func (p *poly64Key) set(s int, key []byte) {
	k := binary.BigEndian.Uint64(key) & mask64
	p.k[s], p.square[s], p.offset[s] = k, reduce64(mulAdd64(k, k, 0)), offset64+k
}

// step continues y of stream s over the word m.
func (p *poly64Key) step(s int, y, m uint64) uint64 {
	s %= maxStreams // which spares the bounds checks
	two := geq(m, limit64)
	return mulAdd64(y, p.k[s]^(p.k[s]^p.square[s])&two, m-p.offset[s]&two)
}

// geq is all ones if x >= y and zero otherwise.
func geq(x, y uint64) uint64 {
	_, borrow := bits.Sub64(x, y, 0)
	return borrow - 1
}

// mulAdd64 returns x·y + z modulo prime64, not fully reduced, for any three words.
// TestPoly64Bounds computes what is said of its sums, and TestPoly128Bounds what
// mulAdd128 says.
func mulAdd64(x, y, z uint64) uint64 {
	// 2^64 is offset64: the high word comes back in times 59, and what that
	// carries out, at most 60 times 2^64, once more.
	hi, lo := bits.Mul64(x, y)
	h, l := bits.Mul64(hi, offset64)
	lo, c := bits.Add64(lo, z, 0)
	h += c
	lo, c = bits.Add64(lo, l, 0)
	h += c
	lo, c = bits.Add64(lo, h*offset64, 0)
	return lo + offset64&-c // if it carried, lo is below 60·59 now
}

// reduce64 returns x modulo prime64.
func reduce64(x uint64) uint64 {
	return x - prime64&geq(x, prime64)
}

// A word128 is a number of 128 bits.
type word128 struct{ hi, lo uint64 }

// poly128Key is the key of POLY-128 for one stream.
type poly128Key struct {
	k      word128
	square word128 // k² mod prime128
}

// set loads the key from its 16 bytes, and masks it.
func (p *poly128Key) set(key []byte) {
	p.k = word128{binary.BigEndian.Uint64(key) & mask64, binary.BigEndian.Uint64(key[8:]) & mask64}
	p.square = reduce128(mulAdd128(p.k, p.k, word128{}))
}

// step continues y over the word m.
func (p *poly128Key) step(y, m word128) word128 {
	two := geq(m.hi, limit128)
	k := word128{
		p.k.hi ^ (p.k.hi^p.square.hi)&two,
		p.k.lo ^ (p.k.lo^p.square.lo)&two,
	}
	// The low word of k is below 2^57, so adding the offset carries nothing.
	lo, borrow := bits.Sub64(m.lo, (offset128+p.k.lo)&two, 0)
	hi, _ := bits.Sub64(m.hi, p.k.hi&two, borrow)
	return mulAdd128(y, k, word128{hi, lo})
}

// mulAdd128 returns x·y + z modulo prime128, not fully reduced.
func mulAdd128(x, y, z word128) word128 {
	// The product, column by column, is r3:r2:r1:r0.
	r1, r0 := bits.Mul64(x.lo, y.lo)
	r3, r2 := bits.Mul64(x.hi, y.hi)
	h, l := bits.Mul64(x.hi, y.lo)
	r1, c := bits.Add64(r1, l, 0)
	r2, c = bits.Add64(r2, h, c)
	r3 += c
	h, l = bits.Mul64(x.lo, y.hi)
	r1, c = bits.Add64(r1, l, 0)
	r2, c = bits.Add64(r2, h, c)
	r3 += c

	// 2^128 is offset128: r3:r2 comes back in times 159, what that carries out,
	// at most 160 times 2^128, once more, and if that carries, the rest is below
	// 160·159: adding 159 to its lower word carries nothing.
	h2, l2 := bits.Mul64(r2, offset128)
	h3, l3 := bits.Mul64(r3, offset128)
	l3, c = bits.Add64(l3, h2, 0)
	top := h3 + c
	r0, c = bits.Add64(r0, l2, 0)
	r1, c = bits.Add64(r1, l3, c)
	top += c
	r0, c = bits.Add64(r0, z.lo, 0)
	r1, c = bits.Add64(r1, z.hi, c)
	top += c
	r0, c = bits.Add64(r0, top*offset128, 0)
	r1, c = bits.Add64(r1, 0, c)
	return word128{r1, r0 + offset128&-c}
}

// reduce128 returns x modulo prime128.
func reduce128(x word128) word128 {
	lo, carry := bits.Add64(x.lo, offset128, 0)
	hi, carry := bits.Add64(x.hi, 0, carry)
	// It carried if and only if x is at least prime128.
	return word128{x.hi ^ (x.hi^hi)&-carry, x.lo ^ (x.lo^lo)&-carry}
}
