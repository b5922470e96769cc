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

// polyKey is the L2 key of one stream.
type polyKey struct {
	k64    uint64
	k64sq  uint64    // k64² mod prime64
	k128   [2]uint64 // high word first
	k128sq [2]uint64 // k128² mod prime128
}

// set loads the key from its 24 bytes, and masks it.
func (p *polyKey) set(key []byte) {
	p.k64 = binary.BigEndian.Uint64(key) & mask64
	p.k64sq = reduce64(mulAdd64(p.k64, p.k64, 0))
	p.k128 = [2]uint64{binary.BigEndian.Uint64(key[8:]) & mask64, binary.BigEndian.Uint64(key[16:]) & mask64}
	p.k128sq = reduce128(mulAdd128(p.k128, p.k128, [2]uint64{}))
}

// geq is all ones if x >= y and zero otherwise.
func geq(x, y uint64) uint64 {
	_, borrow := bits.Sub64(x, y, 0)
	return borrow - 1
}

// poly64 continues y over every stride-th of the words.
func (p *polyKey) poly64(y uint64, words []uint64, stride int) uint64 {
	for i := 0; i < len(words); i += stride {
		m := words[i]
		two := geq(m, limit64)
		y = mulAdd64(y, p.k64^(p.k64^p.k64sq)&two, m-(offset64+p.k64)&two)
	}
	return y
}

// mulAdd64 returns x·y + z modulo prime64, not fully reduced.
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
	return lo + offset64&-c // if it carried, lo is tiny now
}

// reduce64 returns x modulo prime64.
func reduce64(x uint64) uint64 {
	return x - prime64&geq(x, prime64)
}

// poly128 continues y over one word.
func (p *polyKey) poly128(y [2]uint64, hi, lo uint64) [2]uint64 {
	two := geq(hi, limit128)
	k := [2]uint64{
		p.k128[0] ^ (p.k128[0]^p.k128sq[0])&two,
		p.k128[1] ^ (p.k128[1]^p.k128sq[1])&two,
	}
	// k128's low word is below 2^57, so adding the offset carries nothing.
	lo, borrow := bits.Sub64(lo, (offset128+p.k128[1])&two, 0)
	hi, _ = bits.Sub64(hi, p.k128[0]&two, borrow)
	return mulAdd128(y, k, [2]uint64{hi, lo})
}

// mulAdd128 returns x·y + z modulo prime128, not fully reduced.
func mulAdd128(x, y, z [2]uint64) [2]uint64 {
	// The product, column by column, is r3:r2:r1:r0.
	r1, r0 := bits.Mul64(x[1], y[1])
	r3, r2 := bits.Mul64(x[0], y[0])
	ah, al := bits.Mul64(x[0], y[1])
	bh, bl := bits.Mul64(x[1], y[0])
	r1, c := bits.Add64(r1, al, 0)
	r2, c = bits.Add64(r2, ah, c)
	r3 += c
	r1, c = bits.Add64(r1, bl, 0)
	r2, c = bits.Add64(r2, bh, c)
	r3 += c

	// 2^128 is offset128. The first fold leaves at most 160 above 2^128, the
	// second at most 1, and then the rest is tiny.
	h2, l2 := bits.Mul64(r2, offset128)
	h3, l3 := bits.Mul64(r3, offset128)
	l3, c = bits.Add64(l3, h2, 0)
	top := h3 + c
	r0, c = bits.Add64(r0, l2, 0)
	r1, c = bits.Add64(r1, l3, c)
	top += c
	r0, c = bits.Add64(r0, z[1], 0)
	r1, c = bits.Add64(r1, z[0], c)
	top += c
	r0, c = bits.Add64(r0, top*offset128, 0)
	r1, c = bits.Add64(r1, 0, c)
	return [2]uint64{r1, r0 + offset128&-c}
}

// reduce128 returns x modulo prime128.
func reduce128(x [2]uint64) [2]uint64 {
	lo, carry := bits.Add64(x[1], offset128, 0)
	hi, carry := bits.Add64(x[0], 0, carry)
	// It carried if and only if x is at least prime128.
	return [2]uint64{x[0] ^ (x[0]^hi)&-carry, x[1] ^ (x[1]^lo)&-carry}
}
