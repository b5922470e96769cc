// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"github.com/unimac/unimac/internal/asm/arm64"
)

// Registers for sums, which ChaCha20 uses for the narrow layout.
var (
	salsaScalarSums = []arm64.R{16, 17, 22, 23}
	salsaWideSums   = []arm64.V{16, 17, 18, 19}
	salsaWideTurned = []arm64.V{20, 21, 22, 23}
)

// salsaPrepare is Prepare for Salsa20, whose state contains the key in two parts.
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

// salsaWideRounds emits a double round of the wide blocks.
func (k *NEON) salsaWideRounds() {
	for _, quads := range salsaQuads {
		for _, s := range salsaSteps {
			for i, q := range quads {
				k.Op("VADD", wideWord(q[s.x]).S4(), wideWord(q[s.y]).S4(), salsaWideSums[i].S4())
			}
			for i := range quads {
				// VSRI reads the same source, so VSHL must not overwrite it.
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
