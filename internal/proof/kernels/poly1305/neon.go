// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
)

// The table of limbs of 26 bits, words of 32 bits: for each of these powers of r limbs 0 to 4
// and five times limbs 1 to 4; then the same of the powers of the two lanes in turn.
var (
	NeonPowers = []int{2, 4, 6, 8}
	neonMost   = []uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
)

// NeonLanes are two lanes of five limbs, in words of 32 bits. To the first of them h may have
// been added, without a carry: that makes the bounds.
var NeonLanes = &Lanes{
	Radix:  26,
	Cells:  [][]Cell{neonCells(10), neonCells(11), neonCells(12), neonCells(13), neonCells(14)},
	Most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
	Powers: []int{2, 1},
}

func neonCells(register int) []Cell {
	at := arm64.Vectors + 16*register
	return []Cell{{at: at, short: true}, {at: at + 4, short: true}}
}

func blocksNEONPoly1305() engine.Kernel {
	const entries = 9
	v := &vector{
		file: "internal/poly1305/blocks_arm64.s", name: "blocksNEON",
		unit: 2, step: 8, stateSize: 40, lanes: NeonLanes,
		table: func(c *engine.Case, g *Ring) *machine.Object {
			o := c.Buffer("table", 4*entries*6)
			multipliers := func(power, first, stride int) {
				for i, limb := range g.Limbs(c, fmt.Sprintf("r^%d", power), g.R.Power(power), 26, neonMost...) {
					o.Set(int64(4*(first+stride*i)), c.Low(limb, 32))
					if i > 0 {
						o.Set(int64(4*(first+stride*(i+4))), c.Low(c.Scale(limb, 5), 32))
					}
				}
			}
			for i, power := range NeonPowers {
				multipliers(power, entries*i, 1)
			}
			for lane, power := range NeonLanes.Powers {
				multipliers(power, entries*len(NeonPowers)+lane, 2)
			}
			return o
		},
	}
	return v.kernel()
}
