// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
)

// The table of limbs of 26 bits: rows of five powers of r, limbs 0 to 4 and then five times
// limbs 1 to 4. A power is below 5·2^128, so that its uppermost limb is below 5·2^24.
var (
	Avx2Powers = []int{4, 2, 3, 1, 8}
	Avx2Most   = []uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
)

// Avx2Lanes are four lanes of five limbs. To the first of them h may have been added, without
// a carry: that makes the bounds.
var Avx2Lanes = &Lanes{
	Radix:  26,
	Cells:  [][]Cell{avx2Cells(10), avx2Cells(11), CellsOf(true, 0, 4), CellsOf(true, 32, 4), avx2Cells(12)},
	Most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
	Powers: Avx2Powers[:4],
}

func avx2Cells(register int) []Cell { return CellsOf(false, amd64.Vectors+64*register, 4) }

func blocksAVX2Poly1305() engine.Kernel {
	v := &vector{
		file: poly1305File, name: "blocksAVX2",
		unit: 4, step: 8, stateSize: 40, lanes: Avx2Lanes,
		table: func(c *engine.Case, g *Ring) *machine.Object {
			o := c.Buffer("table", 8*81)
			for lane, n := range Avx2Powers {
				for i, limb := range g.Limbs(c, fmt.Sprintf("r^%d", n), g.R.Power(n), 26, Avx2Most...) {
					o.Set(int64(8*(5*i+lane)), limb)
					if i > 0 {
						o.Set(int64(8*(5*(i+4)+lane)), c.Scale(limb, 5))
					}
				}
			}
			return o
		},
	}
	return v.kernel()
}
