// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
)

// scalarLanes are one: h, to which the next block has been added.
var scalarLanes = &Lanes{Radix: 64, Width: 64, Rows: []string{"DI", "R8", "R9"}, Most: []uint64{^uint64(0), ^uint64(0), MaxH2 + 2}, Powers: []int{1}}

// A power of r in limbs of 26 bits is limbs 0 to 4, and then five times limbs 1 to 4. It is below 5·2^128, so that
// its uppermost limb is below 5·2^24.
var (
	Most26  = []uint64{1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 1<<26 - 1, 5<<24 - 1}
	words26 = len(Most26) + 4
)

// put26 has a table contain a power, in words of some bytes: the first at a place, the others a stride apart.
func put26(c *engine.Case, g *Ring, table *machine.Object, power, bytes, first, stride int) {
	for i, limb := range g.Limbs(c, fmt.Sprintf("r^%d", power), g.R.Power(power), 26, Most26...) {
		table.Set(int64(bytes*(first+stride*i)), c.Low(limb, 8*bytes))
		if i > 0 {
			table.Set(int64(bytes*(first+stride*(i+4))), c.Low(c.Scale(limb, 5), 8*bytes))
		}
	}
}

// Lanes of limbs of 26 bits: four of AVX2, two of NEON in words of 32 bits. To the first of them h may have been
// added, without a carry: that makes the bounds.
var (
	Avx2Lanes = &Lanes{
		Radix: 26, Width: 64, Rows: []string{"Z10", "Z11", "0(SP)", "32(SP)", "Z12"},
		Most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
		Powers: Avx2Powers[:4],
	}
	NeonLanes = &Lanes{
		Radix: 26, Width: 32, Rows: []string{"V10", "V11", "V12", "V13", "V14"},
		Most:   []uint64{1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 - 2, 1<<27 + 1<<25 - 2},
		Powers: []int{2, 1},
	}
)

// Avx2Powers are those of AVX2's table, whose rows are all of them; NeonPowers have a row each in NEON's, after
// which come those of its lanes in turn.
var (
	Avx2Powers = []int{4, 2, 3, 1, 8}
	NeonPowers = []int{2, 4, 6, 8}
)

func avx2Table(c *engine.Case, g *Ring) *machine.Object {
	o := c.Buffer("table", 8*81)
	for lane, power := range Avx2Powers {
		put26(c, g, o, power, 8, lane, len(Avx2Powers))
	}
	return o
}

func neonTable(c *engine.Case, g *Ring) *machine.Object {
	o := c.Buffer("table", int64(4*words26*(len(NeonPowers)+len(NeonLanes.Powers))))
	for i, power := range NeonPowers {
		put26(c, g, o, power, 4, words26*i, 1)
	}
	for lane, power := range NeonLanes.Powers {
		put26(c, g, o, power, 4, words26*len(NeonPowers)+lane, len(NeonLanes.Powers))
	}
	return o
}
