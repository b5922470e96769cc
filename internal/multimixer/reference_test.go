// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import (
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// The reference implements definition 9 and algorithms 1 and 2 of the paper with
// math/big. It shares no code with the package.

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

// refF128 computes f_128 of the words w, x before y.
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

// TestCrateAnswers checks known answers of the Rust crate multimixer-128 0.1.4.
func TestCrateAnswers(t *testing.T) {
	for _, answer := range []struct{ key, msg, digest string }{
		{
			key:    "4420823cfde6f1c26b30f90ec7dd01e4887534a20f0b0d04c36ed80e71e0fd77",
			msg:    "b07670eb940bd5335f973daad8619b91ffc911f57cced458bbbf2ce03753c9bd",
			digest: "aca6cbf6480d9b17bb9d13efbb3589596ca1ce7d3ae4edac586d77e22313b5189f6c97c2a910636df227850c398ca01b92ab25c1ccec360e4020eec91331a383",
		},
		{
			key:    "fa0ff0169dc9575674066676cfb0b4eb8902c44269da1cf6ba66d3f8b6d4b100a9ea0e755a5c2e8210242a08e7078f7f89385eb09423555182568b96e8a4fef2",
			msg:    "3a0c9fc5afd7608437816bdd0a7309cb4a1252e4da70e6720fcaa4da1e98406c189c24279e9851d5814204136feb5713c166b13269dd63fc35c797ff08a6cd90",
			digest: "a62186803c0c38acfc93247e1c434974ea53b84d9bf72d5554381a611cae669908cf2fe8f01e5f0def93e21768e4376248aa33130c87da1869a047524c3b6293",
		},
		{
			key: "095066a745addb6d8831c2b0f87821142b4456556d89aa82bcadae3a9578fa4535a414d025c24b40ae3ac127722988ba973aea8d37179706072ed33a14607ad7" +
				"523be6557b5134dec19681f4a1336aa2140d0597a3e6c8a0cc2020a2e939806e",
			msg: "f0b6845d6a9d657eb8298f2de52ead74c79d15a75fa29b7dab332f7d700a7ccd258924260b0594b7fcf04e33a727585b4c48a39c369640694810a1695b99dd50" +
				"187e8120e4dc80e0e805caad5784f80cd5091fb5464046848dcbcd582d77f803",
			digest: "aa38ec927c66fe505b76fa6ecd172788f7def1627f3a417978205f5578e2455cac0e9272571c9731bbaa25af9abc35b25d93a6a2db8c3d07e104f43ff33c86b7",
		},
	} {
		var b [3][]byte
		for i, s := range []string{answer.key, answer.msg, answer.digest} {
			var err error
			if b[i], err = hex.DecodeString(s); err != nil {
				t.Fatal(err)
			}
		}
		mactest.Implementations(t, "multimixer", func(t *testing.T) { checkDigest(t, b[0], b[1], b[2]) })
	}
}
