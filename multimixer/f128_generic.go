// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import "encoding/binary"

// sumGeneric is the kernel in plain Go: it adds f_128(key block + message block)
// to acc for each block of 32 bytes. The key is as long as the message, a
// multiple of 32 bytes.
func sumGeneric(acc *[8]uint64, key, msg []byte) {
	for len(msg) >= BlockSize && len(key) >= BlockSize {
		k, m := (*[BlockSize]byte)(key), (*[BlockSize]byte)(msg)
		f128(acc,
			word(m, 0)+word(k, 0), word(m, 1)+word(k, 1), word(m, 2)+word(k, 2), word(m, 3)+word(k, 3),
			word(m, 4)+word(k, 4), word(m, 5)+word(k, 5), word(m, 6)+word(k, 6), word(m, 7)+word(k, 7))
		key, msg = key[BlockSize:], msg[BlockSize:]
	}
}

func word(block *[BlockSize]byte, i int) uint32 {
	return binary.LittleEndian.Uint32(block[4*i:])
}

// f128 adds the products of F128 to acc. With p and q, the sums of two
// neighbours, the eight sums of three words cost twelve additions.
func f128(acc *[8]uint64, x0, x1, x2, x3, y0, y1, y2, y3 uint32) {
	xp, xq := x0+x1, x2+x3
	yp, yq := y0+y1, y2+y3
	acc[0] += uint64(x0) * uint64(y0)
	acc[1] += uint64(x1) * uint64(y1)
	acc[2] += uint64(x2) * uint64(y2)
	acc[3] += uint64(x3) * uint64(y3)
	acc[4] += uint64(xp+x2) * uint64(y1+yq)
	acc[5] += uint64(x1+xq) * uint64(yq+y0)
	acc[6] += uint64(xq+x0) * uint64(y3+yp)
	acc[7] += uint64(x3+xp) * uint64(yp+y2)
}
