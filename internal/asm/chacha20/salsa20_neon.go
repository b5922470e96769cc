// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"github.com/unimac/unimac/internal/asm/arm64"
)

// These registers are used by Salsa20's rounds in addition to those for the words of
// the state. Salsa20 has no narrow layout here, so the vector registers of that layout
// are free. The scalar block has four registers of its own.
//
// The latency of the instructions limits the four wide blocks, so interleaving a scalar
// block with them is almost free.
var (
	salsaScalarSums = []arm64.R{16, 17, 22, 23}
	salsaWideSums   = []arm64.V{16, 17, 18, 19}
	salsaWideTurned = []arm64.V{20, 21, 22, 23}
)

// salsaPrepare emits the code of Prepare for Salsa20. In Salsa20's state, the constants
// are on the diagonal and the key surrounds them. Words 1 to 4 and 11 to 14 are not
// aligned to 8 bytes, so the key is stored in 64-bit words one by one.
func (k *NEON) salsaPrepare(key, nonce, counter, t arm64.R) {
	k.Table("chacha", table, t)
	for i := range 4 {
		w := salsaScalarSums[i%2]
		k.Op("MOVWU", t.At(4*i), w)
		k.Op("MOVW", w, k.State.At(20*i))
	}
	for i, to := range []int{4, 12, 44, 52} {
		w := salsaScalarSums[i%2]
		k.Op("MOVD", key.At(8*i), w)
		k.Op("MOVD", w, k.State.At(to))
	}
	k.Op("MOVD", nonce.At(0), nonce)
	k.Op("MOVD", nonce, k.State.At(24))
	k.Op("MOVD", counter, k.counter())
}

// salsaScalarRounds emits a double round of the scalar block.
func (k *NEON) salsaScalarRounds() {
	for _, quads := range salsaQuads {
		for _, s := range salsaSteps {
			for i, q := range quads {
				k.Op("ADDW", scalarWord(q[s.x]), scalarWord(q[s.y]), salsaScalarSums[i])
			}
			for i := range quads {
				k.Op("RORW", 32-int(s.bits), salsaScalarSums[i], salsaScalarSums[i])
			}
			for i, q := range quads {
				k.Op("EORW", salsaScalarSums[i], scalarWord(q[s.to]), scalarWord(q[s.to]))
			}
		}
	}
}

// salsaWideRounds emits a double round of the wide blocks. The first shift of a sum
// writes to another register, so that the second shift can insert the remaining bits
// there.
func (k *NEON) salsaWideRounds() {
	for _, quads := range salsaQuads {
		for _, s := range salsaSteps {
			for i, q := range quads {
				k.Op("VADD", wideWord(q[s.x]).S4(), wideWord(q[s.y]).S4(), salsaWideSums[i].S4())
			}
			for i := range quads {
				k.Op("VSHL", int(s.bits), salsaWideSums[i].S4(), salsaWideTurned[i].S4())
			}
			for i := range quads {
				k.Op("VSRI", 32-int(s.bits), salsaWideSums[i].S4(), salsaWideTurned[i].S4())
			}
			for i, q := range quads {
				k.Op("VEOR", salsaWideTurned[i].B16(), wideWord(q[s.to]).B16(), wideWord(q[s.to]).B16())
			}
		}
	}
}
