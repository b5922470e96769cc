// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/machine"
)

// The table of limbs of 26 bits, words of 32 bits: for each of these powers of r limbs 0 to 4
// and five times limbs 1 to 4; then the same of the powers of the two lanes in turn.
var (
	neonPowers = []int{2, 4, 6, 8}
	neonMost   = []uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
)

// neonLanes are two lanes of five limbs, in words of 32 bits. To the first of them h may have
// been added, without a carry: that makes the bounds.
var neonLanes = &polyLanes{
	radix:  26,
	cells:  [][]cell{neonCells(10), neonCells(11), neonCells(12), neonCells(13), neonCells(14)},
	most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
	powers: []int{2, 1},
}

func neonCells(register int) []cell {
	at := arm64.Vectors + 16*register
	return []cell{{at: at, short: true}, {at: at + 4, short: true}}
}

func blocksNEONPoly1305() Kernel {
	const entries = 9
	v := &polyVector{
		file: "internal/poly1305/blocks_arm64.s", name: "blocksNEON",
		unit: 2, step: 8, stateSize: 40, lanes: neonLanes,
		table: func(c *Case, g *polyRing) *machine.Object {
			o := c.Buffer("table", 4*entries*6)
			multipliers := func(power, first, stride int) {
				for i, limb := range g.limbs(c, fmt.Sprintf("r^%d", power), g.r.Power(power), 26, neonMost...) {
					o.Set(int64(4*(first+stride*i)), c.Low(limb, 32))
					if i > 0 {
						o.Set(int64(4*(first+stride*(i+4))), c.Low(c.Scale(limb, 5), 32))
					}
				}
			}
			for i, power := range neonPowers {
				multipliers(power, entries*i, 1)
			}
			for lane, power := range neonLanes.powers {
				multipliers(power, entries*len(neonPowers)+lane, 2)
			}
			return o
		},
	}
	return v.kernel()
}
