// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"encoding/binary"
	"math/bits"
)

// POLY (RFC 4418, section 5.3.2) evaluates a polynomial at the key k. For each word m,
// it sets y = k·y + m modulo a prime p. If m is at or above a limit slightly below p
// (limit64 for POLY-64), it takes two steps instead:
//
//	y = k·y + (p - 1)
//	y = k·y + (m - offset)       offset = 2^64 - p, or 2^128 - p
//
// Together, the two steps compute k²·y + (m - offset - k), which is one step with
// another factor and another addend. The code therefore selects the operands with masks
// instead of a branch. The selection does not depend on y, so the loop waits only for
// one multiplication per word. Since k is below 2^57 (2^121), m - offset - k does not
// wrap.
//
// Between steps, y is any 64-bit (128-bit) number congruent to the value modulo p.
const (
	offset64  = 59
	prime64   = 1<<64 - offset64
	limit64   = 1<<64 - 1<<32
	mask64    = 0x01ffffff01ffffff
	offset128 = 159           // prime128 = 2^128 - 159
	limit128  = 1<<64 - 1<<32 // the high word of 2^128 - 2^96
)

type poly64Key struct {
	k      [maxStreams]uint64
	square [maxStreams]uint64 // k² mod prime64
	offset [maxStreams]uint64 // offset64 + k
}

// set loads the key of stream s from eight bytes and masks it.
func (p *poly64Key) set(s int, key []byte) {
	k := binary.BigEndian.Uint64(key) & mask64
	p.k[s], p.square[s], p.offset[s] = k, reduce64(mulAdd64(k, k, 0)), offset64+k
}

// step returns the successor of y in stream s for the word m.
func (p *poly64Key) step(s int, y, m uint64) uint64 {
	s %= maxStreams // eliminates bounds checks
	two := geq(m, limit64)
	return mulAdd64(y, p.k[s]^(p.k[s]^p.square[s])&two, m-p.offset[s]&two)
}

func geq(x, y uint64) uint64 {
	_, borrow := bits.Sub64(x, y, 0)
	return borrow - 1
}

// mulAdd64 returns x·y + z modulo prime64, not fully reduced. TestPoly64Bounds checks
// that no intermediate sum overflows.
func mulAdd64(x, y, z uint64) uint64 {
	// Modulo prime64, 2^64 is congruent to 59, so add 59·hi to lo.
	hi, lo := bits.Mul64(x, y)
	h, l := bits.Mul64(hi, offset64)
	lo, c := bits.Add64(lo, z, 0)
	h += c
	lo, c = bits.Add64(lo, l, 0)
	h += c
	lo, c = bits.Add64(lo, h*offset64, 0) // likewise for h, which is at most 60
	return lo + offset64&-c               // after a carry, lo is below 60·59
}

func reduce64(x uint64) uint64 {
	return x - prime64&geq(x, prime64)
}

type word128 struct{ hi, lo uint64 }

type poly128Key struct {
	k      word128
	square word128 // k² mod prime128
}

func (p *poly128Key) set(key []byte) {
	p.k = word128{binary.BigEndian.Uint64(key) & mask64, binary.BigEndian.Uint64(key[8:]) & mask64}
	p.square = reduce128(mulAdd128(p.k, p.k, word128{}))
}

func (p *poly128Key) step(y, m word128) word128 {
	two := geq(m.hi, limit128)
	k := word128{
		p.k.hi ^ (p.k.hi^p.square.hi)&two,
		p.k.lo ^ (p.k.lo^p.square.lo)&two,
	}
	// The low word of k is below 2^57, so offset128 + k.lo does not overflow.
	lo, borrow := bits.Sub64(m.lo, (offset128+p.k.lo)&two, 0)
	hi, _ := bits.Sub64(m.hi, p.k.hi&two, borrow)
	return mulAdd128(y, k, word128{hi, lo})
}

// mulAdd128 returns x·y + z modulo prime128, not fully reduced. TestPoly128Bounds
// checks that no intermediate sum overflows.
func mulAdd128(x, y, z word128) word128 {
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

	// Modulo prime128, 2^128 is congruent to 159, so add 159·(r3:r2) to r1:r0.
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
	// Add 159·top in the same way. top is at most 160.
	r0, c = bits.Add64(r0, top*offset128, 0)
	r1, c = bits.Add64(r1, 0, c)
	return word128{r1, r0 + offset128&-c} // after a carry, r1:r0 is below 160·159
}

func reduce128(x word128) word128 {
	lo, carry := bits.Add64(x.lo, offset128, 0)
	hi, carry := bits.Add64(x.hi, 0, carry)
	// The addition carried if and only if x is at least prime128.
	return word128{x.hi ^ (x.hi^hi)&-carry, x.lo ^ (x.lo^lo)&-carry}
}
