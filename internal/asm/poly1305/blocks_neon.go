// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
	layout "github.com/unimac/unimac/internal/layout/poly1305"
)

// The main loop processes eight blocks, four in each 64-bit lane:
//
//	h = h·r^8 + (blocks 1, 2)·r^6 + (blocks 3, 4)·r^4 + (blocks 5, 6)·r^2 + (blocks 7, 8)
//
// Because of these bounds, one carry pass per iteration is enough:
//
//	limbs of h        < 2^27.33
//	limbs of blocks   < 2^26
//	multipliers       < 2^28.65
//	each sum          < 5·2^27.33·2^28.65 + 3·5·2^26·2^28.65 + 2^26 < 2^60
const (
	// neonPairs is the byte offset of the first multiplier pair in the table.
	neonPairs = 4 * multiplier * 4 // after the multipliers of r^2, r^4, r^6 and r^8
)

type neon struct{ *arm64.File }

const (
	rState = arm64.R(0)
	rTable = arm64.R(1)
	rMsg   = arm64.R(2)
	rN     = arm64.R(3)
)

var (
	neonSums   = [limbs]arm64.V{0, 1, 2, 3, 4}
	neonFactor = [limbs]arm64.V{5, 6, 7, 8, 9}
	neonH      = [limbs]arm64.V{10, 11, 12, 13, 14}
)

const (
	vLo, vHi       = arm64.V(16), arm64.V(17)
	vT0, vT1       = arm64.V(18), arm64.V(19)
	vMultipliers   = arm64.V(20)              // first of nine registers with four multipliers each
	vMaskD, vMaskS = arm64.V(15), arm64.V(29) // 64-bit and 32-bit lanes
	vTopD, vTopS   = arm64.V(30), arm64.V(31)
)

// ARM64 returns the contents of internal/poly1305/blocks_arm64.s.
func ARM64() []byte {
	k := &neon{arm64.NewFile("internal/asm/poly1305")}
	k.Function("blocksNEON", "(s *State, table *uint32, msg *byte, n int)", 0)
	k.Arguments(rState, rTable, rMsg, rN)
	word := arm64.R(4)
	for _, constant := range []struct {
		n    int
		d, s arm64.V
	}{{1<<26 - 1, vMaskD, vMaskS}, {1 << 24, vTopD, vTopS}} {
		k.Op("MOVD", constant.n, word)
		k.Op("VDUP", word, constant.d.D2())
		k.Op("VDUP", word, constant.s.S4())
	}
	k.Comment("Load the multipliers of the four powers.")
	// Each power of r needs nine multipliers: its limbs r0 to r4, and 5·r1 to 5·r4.
	for i := range arm64.V(multiplier) {
		k.Op("FMOVQ", rTable.At(16*int(i)), (vMultipliers + i).F())
	}

	k.Comment("Load the first two blocks and add the accumulator to the first block.")
	k.begin()
	k.addAccumulator()
	k.narrow()
	k.Op("SUB", 2, rN)

	k.Comment("Until the number of blocks left is a multiple of eight: h = h·r^2 + (2 blocks).")
	k.Label("two")
	k.Op("TST", 7, rN)
	k.Op("BEQ", "eights")
	k.begin()
	k.multiply(neonH, 0)
	k.reduce()
	k.narrow()
	k.Op("SUB", 2, rN)
	k.Op("B", "two")

	k.Label("eights")
	k.Op("CBZ", rN, "last")
	k.Comment("Eight blocks. The last two initialize the sums.")
	k.Label("eight")
	k.Op("ADD", 96, rMsg)
	k.begin()
	k.Op("SUB", 128, rMsg)
	for _, power := range []int{6, 4, 2} {
		k.Comment(fmt.Sprintf("Multiply two blocks by r^%d.", power))
		k.factor()
		k.multiply(neonFactor, power/2-1)
	}
	k.Comment("Multiply h by r^8.")
	k.multiply(neonH, 3)
	k.reduce()
	k.narrow()
	k.Op("ADD", 32, rMsg)
	k.Op("SUB", 8, rN)
	k.Op("CBNZ", rN, "eight")

	k.Label("last")
	k.Comment("Multiply each lane by its power and add the lanes.")
	k.multiplyLanes()
	k.reduce()
	k.finish()
	return k.Bytes()
}

// forProducts calls f for each product of an entry and a limb.
func forProducts(f func(entry, limb, sum int)) {
	for entry := range multiplier {
		j, wraps := entry, false
		if entry >= limbs {
			j, wraps = entry-limbs+1, true
		}
		// Successive sums differ, so that the additions overlap.
		for limb := range limbs {
			if (limb+j >= limbs) == wraps {
				f(entry, limb, (limb+j)%limbs)
			}
		}
	}
}

func (k *neon) multiply(x [limbs]arm64.V, power int) {
	forProducts(func(entry, limb, sum int) {
		// UMLAL can multiply both lanes by the same word of a register.
		word := multiplier*power + entry
		k.VUMLALOne(vMultipliers+arm64.V(word/4), word%4, x[limb], neonSums[sum])
	})
}

func (k *neon) multiplyLanes() {
	last := -1
	forProducts(func(entry, limb, sum int) {
		if entry != last {
			// A pair contains corresponding multipliers of r^2 and r.
			k.Op("FMOVD", rTable.At(neonPairs+8*entry), vT0.F())
			last = entry
		}
		if entry == 0 {
			k.VUMULL(vT0, neonH[limb], neonSums[sum])
		} else {
			k.VUMLAL(vT0, neonH[limb], neonSums[sum])
		}
	})
}

func (k *neon) load() {
	k.Op("VLD2.P", rMsg.Post(32), "["+vLo.D2()+", "+vHi.D2()+"]")
}

func (k *neon) begin() {
	d := neonSums
	and := func(v arm64.V) { k.Op("VAND", vMaskD.B16(), v.B16(), v.B16()) }
	k.load()
	k.Op("VAND", vMaskD.B16(), vLo.B16(), d[0].B16())
	k.Op("VUSHR", 26, vLo.D2(), d[1].D2())
	and(d[1])
	k.Op("VUSHR", 52, vLo.D2(), d[2].D2())
	k.Op("VSLI", 12, vHi.D2(), d[2].D2())
	and(d[2])
	k.Op("VUSHR", 14, vHi.D2(), d[3].D2())
	and(d[3])
	k.Op("VUSHR", 40, vHi.D2(), d[4].D2())
	k.Op("VORR", vTopD.B16(), d[4].B16(), d[4].B16())
}

func (k *neon) factor() {
	x := neonFactor
	and := func(v arm64.V) { k.Op("VAND", vMaskS.B16(), v.B16(), v.B16()) }
	k.load()
	k.VXTN(vLo, x[0])
	and(x[0])
	k.VSHRN(26, vLo, x[1])
	and(x[1])
	k.Op("VUSHR", 52, vLo.D2(), vT0.D2())
	k.Op("VSLI", 12, vHi.D2(), vT0.D2())
	k.VXTN(vT0, x[2])
	and(x[2])
	k.VSHRN(14, vHi, x[3])
	and(x[3])
	k.Op("VUSHR", 40, vHi.D2(), vT1.D2())
	k.VXTN(vT1, x[4])
	k.Op("VORR", vTopS.B16(), x[4].B16(), x[4].B16())
}

func (k *neon) reduce() {
	k.Comment("Carries: 0 → 1, 3 → 4, 1 → 2, 4 → 0, 2 → 3, 0 → 1, 3 → 4.")
	d := neonSums
	for _, from := range []int{0, 3, 1, 4, 2, 0, 3} {
		to := (from + 1) % limbs
		if to > 0 {
			k.Op("VUSRA", 26, d[from].D2(), d[to].D2())
		} else {
			k.Op("VUSHR", 26, d[from].D2(), vT0.D2())
			k.Op("VSHL", 2, vT0.D2(), vT1.D2())
			k.Op("VADD", vT0.D2(), d[to].D2(), d[to].D2())
			k.Op("VADD", vT1.D2(), d[to].D2(), d[to].D2())
		}
		k.Op("VAND", vMaskD.B16(), d[from].B16(), d[from].B16())
	}
}

func (k *neon) narrow() {
	for i, d := range neonSums {
		k.VXTN(d, neonH[i])
	}
}

func (k *neon) addAccumulator() {
	w := [3]arm64.R{4, 5, 6}
	t, mask, limb := arm64.R(7), arm64.R(8), arm64.R(9)
	for i, r := range w {
		k.Op("MOVD", rState.At(layout.StateH+8*i), r)
	}
	k.Op("MOVD", 1<<26-1, mask)
	for i, d := range neonSums {
		switch i {
		case 0:
			k.Op("AND", mask, w[0], limb)
		case 1:
			k.Op("LSR", 26, w[0], limb)
			k.Op("AND", mask, limb)
		case 2:
			k.Op("EXTR", 52, w[0], w[1], limb)
			k.Op("AND", mask, limb)
		case 3:
			k.Op("LSR", 14, w[1], limb)
			k.Op("AND", mask, limb)
		case 4:
			k.Op("LSR", 40, w[1], limb)
			k.Op("LSL", 24, w[2], t)
			k.Op("ORR", t, limb)
		}
		k.Op("FMOVD", limb, vT0.F())
		k.Op("VADD", vT0.D2(), d.D2(), d.D2())
	}
}

func (k *neon) finish() {
	var h [limbs]arm64.R
	t, top := arm64.R(9), arm64.R(10)
	for i, d := range neonSums {
		h[i] = arm64.R(4 + i)
		k.Op("VMOV", d.D(0), h[i])
		k.Op("VMOV", d.D(1), t)
		k.Op("ADD", t, h[i])
	}
	k.Comment("Combine the limbs in 64-bit words. They are below 2^28 now, so limb 4 reaches beyond 2^128.")
	lo, hi := h[0], h[1]
	k.Op("ADD", h[1].String()+"<<26", lo)
	k.Op("LSL", 52, h[2], t)
	k.Op("ADDS", t, lo)
	k.Op("LSR", 12, h[2], hi)
	k.Op("ADC", "ZR", hi)
	k.Op("ADD", h[3].String()+"<<14", hi)
	k.Op("LSL", 40, h[4], t)
	k.Op("ADDS", t, hi)
	k.Op("LSR", 24, h[4], top)
	k.Op("ADC", "ZR", top)
	k.Comment("Fold the bits above 2^130: add 5 times their value at the bottom.")
	k.Op("LSR", 2, top, t)
	k.Op("ADD", t.String()+"<<2", t)
	k.Op("AND", 3, top)
	k.Op("ADDS", t, lo)
	k.Op("ADCS", "ZR", hi)
	k.Op("ADC", "ZR", top)
	for i, r := range []arm64.R{lo, hi, top} {
		k.Op("MOVD", r, rState.At(layout.StateH+8*i))
	}
	k.Op("RET")
}
