// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

// subBytes is SubBytes (FIPS 197, section 5.1.1) of bytes whose bits are apart: q[b] has bit b
// of each.
//
// It is the straight-line program of 115 gates of Joan Boyar and René Peralta ("A New
// Combinational Logic Minimization Technique with Applications to Cryptology", IACR ePrint
// 2009/191), with the names that it has there, where bit 0 is the highest.
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
