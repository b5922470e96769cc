// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"encoding/binary"
	"math/big"
)

// The reference follows definition 9 and algorithms 1 and 2 of the paper on
// math/big integers. It shares no code with the package.

func refMod(x *big.Int, bits uint) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), bits)
	return new(big.Int).Mod(x, m)
}

func refSum(bits uint, xs ...*big.Int) *big.Int {
	s := new(big.Int)
	for _, x := range xs {
		s.Add(s, x)
	}
	return refMod(s, bits)
}

// refF128 is f_128 of the words w, x before y.
func refF128(w []*big.Int) []*big.Int {
	x, y := w[:4], w[4:]
	z := make([]*big.Int, 8)
	for i := range 4 {
		u := refSum(32, x[i], x[(i+1)%4], x[(i+2)%4])
		v := refSum(32, y[(i+1)%4], y[(i+2)%4], y[(i+3)%4])
		z[i] = new(big.Int).Mul(x[i], y[i])
		z[4+i] = new(big.Int).Mul(u, v)
	}
	return z
}

func refWords(b []byte) []*big.Int {
	var w []*big.Int
	for ; len(b) > 0; b = b[4:] {
		w = append(w, big.NewInt(int64(b[0])|int64(b[1])<<8|int64(b[2])<<16|int64(b[3])<<24))
	}
	return w
}

func refDigest(key, msg []byte) []byte {
	acc := make([]*big.Int, 8)
	for i := range acc {
		acc[i] = new(big.Int)
	}
	k, m := refWords(key), refWords(msg)
	for b := 0; b < len(m); b += 8 {
		w := make([]*big.Int, 8)
		for i := range w {
			w[i] = refSum(32, k[b+i], m[b+i])
		}
		for i, z := range refF128(w) {
			acc[i] = refSum(64, acc[i], z)
		}
	}
	var digest []byte
	for _, a := range acc {
		digest = binary.LittleEndian.AppendUint64(digest, a.Uint64())
	}
	return digest
}
