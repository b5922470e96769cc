// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego && amd64

package poly1305

import "math/bits"

// element is a number modulo 2^130 - 5, not fully reduced, as a state's h: the
// upper limb is at most 4.
type element [3]uint64

// times returns e·r for the r of a state.
func (e element) times(r *[2]uint64) element {
	h0, h1, h2 := multiply(e[0], e[1], e[2], r[0], r[1])
	return element{h0, h1, h2}
}

// squared returns e·e.
//
// With e < 5·2^128, the square is below 25·2^256, in words t0 … t4. What it has
// from 2^130 up comes back at the bottom 5 times, once where it stands over 2^128,
// which is 4 times, and once shifted down. The upper limb is at most 3 + 24 + 6 + 2
// then, and what it has from 2^130 up comes back once more.
func (e element) squared() element {
	t1, t0 := bits.Mul64(e[0], e[0])
	m1, m0 := bits.Mul64(e[0], e[1])
	t3, t2 := bits.Mul64(e[1], e[1])
	u1, u0 := bits.Mul64(e[0], 2*e[2])
	v1, v0 := bits.Mul64(e[1], 2*e[2])

	// m counts twice. The words of u and v are small: u1 and v1 are at most 7.
	t1, c := bits.Add64(t1, m0, 0)
	t2, c = bits.Add64(t2, m1, c)
	t3, c = bits.Add64(t3, u1, c)
	t4 := v1 + e[2]*e[2] + c
	t1, c = bits.Add64(t1, m0, 0)
	t2, c = bits.Add64(t2, m1, c)
	t3, c = bits.Add64(t3, v0, c)
	t4 += c
	t2, c = bits.Add64(t2, u0, 0)
	t3, c = bits.Add64(t3, 0, c)
	t4 += c

	h0, c := bits.Add64(t0, t2&^3, 0)
	h1, c := bits.Add64(t1, t3, c)
	h2 := t2&3 + t4 + c
	h0, c = bits.Add64(h0, t2>>2|t3<<62, 0)
	h1, c = bits.Add64(h1, t3>>2|t4<<62, c)
	h2 += t4>>2 + c
	h0, c = bits.Add64(h0, h2&^3+h2>>2, 0)
	h1, c = bits.Add64(h1, 0, c)
	return element{h0, h1, h2&3 + c}
}

// limb returns n ≤ 52 bits of e from bit at on.
func (e element) limb(at, n uint) uint64 {
	w := e[at/64] >> (at % 64)
	if at/64 < 2 {
		w |= e[at/64+1] << (64 - at%64)
	}
	return w & (1<<n - 1)
}
