// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"encoding/binary"
	"math/bits"
)

// planes contains up to eight blocks by bit planes. Word [p][b] contains bit b of all
// bytes in rows p and p + 2, where byte i of a block is in row i%4 and column i/4 (FIPS
// 197, section 3.4). Bit 32·h + 8·c + k of the word is from row p + 2h and column c of
// block k.
//
// With this representation, ShiftRows rotates halves of a word by whole bytes, moving
// data from one block to the next shifts by one bit, and MixColumns combines rows with
// a rotation by 32 bits.
//
// To absorb message blocks, the j-th state update uses blocks j and 4 + j in AEGIS-128,
// and block j in AEGIS-256.
type planes [2][8]uint64

const (
	each0  = 0x0101010101010101 // block 0 of every byte
	each4  = each0 << 4
	each04 = each0 | each4
)

func (p *planes) pack(blocks *[8][blockSize]byte) {
	const even = 0x00ff00ff00ff00ff
	for k := range blocks {
		lo, hi := binary.LittleEndian.Uint64(blocks[k][:]), binary.LittleEndian.Uint64(blocks[k][8:])
		p[0][k] = sortRows(lo&even | hi&even<<8)
		p[1][k] = sortRows(lo>>8&even | hi>>8&even<<8)
	}
	transpose(&p[0])
	transpose(&p[1])
}

func (p *planes) unpack(blocks *[8][blockSize]byte) {
	const even = 0x00ff00ff00ff00ff
	q := *p
	transpose(&q[0])
	transpose(&q[1])
	for k := range blocks {
		x, y := unsortRows(q[0][k]), unsortRows(q[1][k])
		binary.LittleEndian.PutUint64(blocks[k][:], x&even|y&even<<8)
		binary.LittleEndian.PutUint64(blocks[k][8:], x>>8&even|y>>8&even<<8)
	}
}

// sortRows separates two rows of bytes, a and b. Lowest byte first, x contains a0 a2 b0
// b2 a1 a3 b1 b3. The result contains a0 a1 a2 a3 b0 b1 b2 b3.
func sortRows(x uint64) uint64 {
	x = swapBits(x, 16, 0x00000000ffff0000) // 16-bit words 1 and 2
	return swapBits(x, 8, 0x0000ff000000ff00)
}

func unsortRows(x uint64) uint64 {
	x = swapBits(x, 8, 0x0000ff000000ff00)
	return swapBits(x, 16, 0x00000000ffff0000)
}

// swapBits swaps the bits in mask with the bits n places above them.
func swapBits(x uint64, n int, mask uint64) uint64 {
	t := (x>>n ^ x) & mask
	return x ^ t ^ t<<n
}

// transpose transposes eight 8×8 bit matrices. Row k of matrix i is byte i of x[k].
func transpose(x *[8]uint64) {
	for i := 0; i < 8; i += 2 {
		x[i], x[i+1] = exchange(x[i], x[i+1], 1, 0x5555555555555555)
	}
	for _, i := range [4]int{0, 1, 4, 5} {
		x[i], x[i+2] = exchange(x[i], x[i+2], 2, 0x3333333333333333)
	}
	for i := range 4 {
		x[i], x[i+4] = exchange(x[i], x[i+4], 4, 0x0f0f0f0f0f0f0f0f)
	}
}

// exchange swaps bit i+n of x with bit i of y for each bit i that is set in mask.
func exchange(x, y uint64, n int, mask uint64) (uint64, uint64) {
	t := (x>>n ^ y) & mask
	return x ^ t<<n, y ^ t
}

func (p *planes) add(q *planes) {
	for i := range p {
		for b := range p[i] {
			p[i][b] ^= q[i][b]
		}
	}
}

// update performs a state update (RFC 10032, sections 3.5 and 4.5). It absorbs blocks j
// and j+4 of m in AEGIS-128, or block j of m in AEGIS-256.
func (p *planes) update(family Family, m *planes, j int) {
	last, others, inputs := 7, ^uint64(each0), uint64(each04)
	if family == Family256 {
		last, others, inputs = 5, each0*0x3e, each0
	}
	q := *p
	subBytes(&q[0])
	subBytes(&q[1])
	for b := range 8 {
		x, y := q[0][b], q[1][b]
		q[0][b] = shiftEvenRows(x<<1&others | x>>last&each0)
		q[1][b] = shiftOddRows(y<<1&others | y>>last&each0)
	}
	p.addMixed(&q)
	for b := range 8 {
		p[0][b] ^= m[0][b] >> j & inputs
		p[1][b] ^= m[1][b] >> j & inputs
	}
}

func shiftEvenRows(x uint64) uint64 {
	return uint64(uint32(x)) | uint64(bits.RotateLeft32(uint32(x>>32), -16))<<32
}

func shiftOddRows(x uint64) uint64 {
	return uint64(bits.RotateLeft32(uint32(x), -8)) | uint64(bits.RotateLeft32(uint32(x>>32), -24))<<32
}

// addMixed adds MixColumns(q) to p. Row i of MixColumns(q) is 2·(row i) + 3·(row i+1) +
// (row i+2) + (row i+3) of q.
func (p *planes) addMixed(q *planes) {
	var even, odd [8]uint64 // sums of each row and the next
	for b := range 8 {
		even[b] = q[0][b] ^ q[1][b]
		odd[b] = q[1][b] ^ bits.RotateLeft64(q[0][b], 32)
	}
	for b := range 8 {
		p[0][b] ^= q[1][b] ^ bits.RotateLeft64(even[b], 32)
		p[1][b] ^= bits.RotateLeft64(q[0][b]^odd[b], 32)
	}
	addTwice(&p[0], &even)
	addTwice(&p[1], &odd)
}

func addTwice(p, x *[8]uint64) {
	p[0] ^= x[7]
	p[1] ^= x[0] ^ x[7]
	p[2] ^= x[1]
	p[3] ^= x[2] ^ x[7]
	p[4] ^= x[3] ^ x[7]
	p[5] ^= x[4]
	p[6] ^= x[5]
	p[7] ^= x[6]
}

// keyStream XORs keystream from the state p into z. It changes blocks j and j+4 of z in
// AEGIS-128, or block j of z in AEGIS-256.
func (p *planes) keyStream(family Family, z *planes, j int) {
	for i := range p {
		for b, x := range p[i] {
			both := x>>1 ^ x>>2&(x>>3)
			if family == Family128 {
				z[i][b] ^= (both&each04 ^ x>>6&each0 ^ x<<2&each4) << j
			} else {
				z[i][b] ^= ((both ^ x>>4 ^ x>>5) & each0) << j
			}
		}
	}
}

// finish performs Finish(u). Only block 0 of u is set.
func (p *planes) finish(family Family, u *planes) {
	word := 2
	if family == Family256 {
		word = 3
	}
	var t planes
	for i := range t {
		for b := range t[i] {
			t[i][b] = (p[i][b]>>word&each0 ^ u[i][b]) * 0x11 // in blocks 0 and 4
		}
	}
	for range 7 {
		p.update(family, &t, 0)
	}
}

// subBytes performs SubBytes (FIPS 197, section 5.1.1) on bit planes. q[b] contains bit
// b of each byte.
//
// It evaluates the 115-gate circuit by Joan Boyar and René Peralta ("A New
// Combinational Logic Minimization Technique with Applications to Cryptology", IACR
// ePrint 2009/191) and uses the paper's variable names, in which bit 0 is the most
// significant.
func subBytes(q *[8]uint64) {
	x0, x1, x2, x3, x4, x5, x6, x7 := q[7], q[6], q[5], q[4], q[3], q[2], q[1], q[0]
	y14, y13, y9, y8 := x3^x5, x0^x6, x0^x3, x0^x5
	t0 := x1 ^ x2
	y1 := t0 ^ x7
	y4, y12, y2, y5 := y1^x3, y13^y14, y1^x0, y1^x6
	y3, t1 := y5^y8, x4^y12
	y15, y20 := t1^x5, t1^x1
	y6, y10, y11 := y15^x7, y15^t0, y20^y9
	y7, y17, y19, y16 := x7^y11, y10^y11, y10^y8, t0^y11
	y21, y18, t2, t3 := y13^y16, x0^y16, y12&y15, y3&y6
	t4, t5 := t3^t2, y4&x7
	t6, t7, t8 := t5^t2, y13&y16, y5&y1
	t9, t10 := t8^t7, y2&y7
	t11, t12, t13 := t10^t7, y9&y11, y14&y17
	t14, t15 := t13^t12, y8&y10
	t16, t17 := t15^t12, t4^t14
	t18, t19, t20, t21 := t6^t16, t9^t14, t11^t16, t17^y20
	t22, t23, t24 := t18^y19, t19^y21, t20^y18
	t25, t26 := t21^t22, t21&t23
	t27 := t24 ^ t26
	t28 := t25 & t27
	t29, t30, t31 := t28^t22, t23^t24, t22^t26
	t32 := t31 & t30
	t33 := t32 ^ t24
	t34, t35 := t23^t33, t27^t33
	t36 := t24 & t35
	t37, t38 := t36^t34, t27^t36
	t39 := t29 & t38
	t40 := t25 ^ t39
	t41, t42, t43, t44 := t40^t37, t29^t33, t29^t40, t33^t37
	t45, z0, z1, z2 := t42^t41, t44&y15, t37&y6, t33&x7
	z3, z4, z5, z6 := t43&y16, t40&y1, t29&y7, t42&y11
	z7, z8, z9, z10 := t45&y17, t41&y10, t44&y12, t37&y3
	z11, z12, z13, z14 := t33&y4, t43&y13, t40&y5, t29&y2
	z15, z16, z17 := t42&y9, t45&y14, t41&y8
	t46, t47, t48, t49 := z15^z16, z10^z11, z5^z13, z9^z10
	t50, t51, t52, t53 := z2^z12, z2^z5, z7^z8, z0^z3
	t54, t55, t56, t57 := z6^z7, z16^z17, z12^t48, t50^t53
	t58, t59, t60, t61 := z4^t46, z3^t54, t46^t57, z14^t57
	t62, t63, t64 := t52^t58, t49^t58, z4^t59
	t65, t66, s0, s6 := t61^t62, z1^t63, t59^t63, t56^^t62
	s7, t67, s3, s4 := t48^^t60, t64^t65, t53^t66, t51^t66
	s5, s1, s2 := t47^t65, t64^^s3, t55^^t67
	q[7], q[6], q[5], q[4], q[3], q[2], q[1], q[0] = s0, s1, s2, s3, s4, s5, s6, s7
}
