// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/machine"
)

// The table of limbs of 26 bits: rows of five powers of r, limbs 0 to 4 and then five times
// limbs 1 to 4. A power is below 5·2^128, so that its uppermost limb is below 5·2^24.
var (
	avx2Powers = []int{4, 2, 3, 1, 8}
	avx2Most   = []uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
)

// avx2Lanes are four lanes of five limbs. To the first of them h may have been added, without
// a carry: that makes the bounds.
var avx2Lanes = &polyLanes{
	radix:  26,
	cells:  [][]cell{avx2Cells(10), avx2Cells(11), cellsOf(true, 0, 4), cellsOf(true, 32, 4), avx2Cells(12)},
	most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
	powers: avx2Powers[:4],
}

func avx2Cells(register int) []cell { return cellsOf(false, amd64.Vectors+64*register, 4) }

func blocksAVX2Poly1305() Kernel {
	v := &polyVector{
		file: poly1305File, name: "blocksAVX2",
		unit: 4, step: 8, stateSize: 40, lanes: avx2Lanes,
		table: func(c *Case, g *polyRing) *machine.Object {
			o := c.Buffer("table", 8*81)
			for lane, n := range avx2Powers {
				for i, limb := range g.limbs(c, fmt.Sprintf("r^%d", n), g.r.Power(n), 26, avx2Most...) {
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
