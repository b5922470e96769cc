package poly1305

import "math/bits"

// square returns h·h mod 2^130 - 5, not fully reduced: the upper limb is at most
// 4, as that of h may be.
func square(h0, h1, h2 uint64) (_, _, _ uint64) {
	t1, t0 := bits.Mul64(h0, h0)
	m1, m0 := bits.Mul64(h0, h1)
	t3, t2 := bits.Mul64(h1, h1)
	u1, u0 := bits.Mul64(h0, 2*h2)
	v1, v0 := bits.Mul64(h1, 2*h2)

	t1, c := bits.Add64(t1, m0, 0)
	t2, c = bits.Add64(t2, m1, c)
	t3, c = bits.Add64(t3, u1, c)
	t4 := v1 + h2*h2 + c
	t1, c = bits.Add64(t1, m0, 0)
	t2, c = bits.Add64(t2, m1, c)
	t3, c = bits.Add64(t3, v0, c)
	t4 += c
	t2, c = bits.Add64(t2, u0, 0)
	t3, c = bits.Add64(t3, 0, c)
	t4 += c

	h0, c = bits.Add64(t0, t2&^3, 0)
	h1, c = bits.Add64(t1, t3, c)
	h2 = t2&3 + t4 + c
	h0, c = bits.Add64(h0, t2>>2|t3<<62, 0)
	h1, c = bits.Add64(h1, t3>>2|t4<<62, c)
	h2 += t4>>2 + c
	h0, c = bits.Add64(h0, h2&^3+h2>>2, 0)
	h1, c = bits.Add64(h1, 0, c)
	return h0, h1, h2&3 + c
}
