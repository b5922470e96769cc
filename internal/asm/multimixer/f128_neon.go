// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimixer

import "github.com/unimac/unimac/internal/asm/arm64"

type neon struct {
	*arm64.File
	dst, key, msg arm64.R
	n             arm64.R // number of message bytes left
}

// sum returns the register for sums 2i and 2i+1 of a block.
func (neon) sum(block, i int) arm64.V { return arm64.V(4*block + i) }

// ARM64 returns the contents of internal/multimixer/f128_arm64.s.
//
// A message block plus the key consists of two halves of four words, x and y. UMLAL
// multiplies the lower two words of one register by the corresponding words of another,
// and UMLAL2 does the same for the upper two, so the kernel doesn't have to rearrange
// the words of x and y. If S is the sum of the four words of x and T is the sum of the
// four words of y, then
//
//	u_i = S - x_{i+3}        v_i = T - y_i
//
// Even and odd blocks have separate sums, which halves the dependency chains.
func ARM64() []byte {
	g := neon{File: arm64.NewFile("internal/asm/multimixer"), dst: 0, key: 1, msg: 2, n: 3}
	g.Function("sumNEON", "(dst *[64]byte, key *byte, msg *byte, n int)", 0)
	g.Arguments(g.dst, g.key, g.msg, g.n)
	for b := range 2 {
		for i := range 4 {
			g.Op("VEOR", g.sum(b, i).B16(), g.sum(b, i).B16(), g.sum(b, i).B16())
		}
	}
	g.Op("CMP", 2*block, g.n)
	g.Op("BLO", "one")

	g.Comment("Two blocks.")
	g.Label("two")
	x, y, r := [2]arm64.V{8, 10}, [2]arm64.V{9, 11}, arm64.V(16)
	g.load(x[0], y[0], 0)
	g.load(x[1], y[1], block)
	g.Op("VADDP", x[1].S4(), x[0].S4(), r.S4())
	g.Op("VADDP", y[1].S4(), y[0].S4(), (r + 1).S4())
	g.Op("VADDP", (r + 1).S4(), r.S4(), r.S4())
	for b := range 2 {
		g.multiply(b, x[b], y[b], r.S(b), r.S(2+b))
	}
	g.advance(2 * block)
	g.Op("CMP", 2*block, g.n)
	g.Op("BHS", "two")

	g.Label("one")
	g.Op("CBZ", g.n, "sum")
	g.Comment("One block.")
	g.load(x[0], y[0], 0)
	g.Op("VADDP", y[0].S4(), x[0].S4(), r.S4())
	g.Op("VADDP", r.S4(), r.S4(), r.S4())
	g.multiply(0, x[0], y[0], r.S(0), r.S(1))

	g.Comment("Add the sums.")
	g.Label("sum")
	for i := range 4 {
		g.Op("VADD", g.sum(1, i).D2(), g.sum(0, i).D2(), g.sum(0, i).D2())
	}
	for i := 0; i < 4; i += 2 {
		g.Op("FSTPQ", arm64.Pair(g.sum(0, i), g.sum(0, i+1)), g.dst.At(16*i))
	}
	g.Op("RET")
	return g.Bytes()
}

func (g neon) load(x, y arm64.V, offset int) {
	kx, ky := x+4, y+4
	g.Op("FMOVQ", g.msg.At(offset), x.F())
	g.Op("FMOVQ", g.msg.At(offset+block/2), y.F())
	g.Op("FMOVQ", g.key.At(offset), kx.F())
	g.Op("FMOVQ", g.key.At(offset+block/2), ky.F())
	g.Op("VADD", kx.S4(), x.S4(), x.S4())
	g.Op("VADD", ky.S4(), y.S4(), y.S4())
}

// multiply emits code that adds a block's eight products to its sums.
func (g neon) multiply(block int, x, y arm64.V, s, t string) {
	// s and t hold the sums of the words of x and y.
	u, v, rotated := arm64.V(18+3*block), arm64.V(19+3*block), arm64.V(20+3*block)
	g.VUMLAL(y, x, g.sum(block, 0))
	g.VUMLAL2(y, x, g.sum(block, 1))
	g.Op("VDUP", s, u.S4())
	g.Op("VDUP", t, v.S4())
	g.Op("VEXT", 12, x.B16(), x.B16(), rotated.B16())
	g.Op("VSUB", rotated.S4(), u.S4(), u.S4())
	g.Op("VSUB", y.S4(), v.S4(), v.S4())
	g.VUMLAL(v, u, g.sum(block, 2))
	g.VUMLAL2(v, u, g.sum(block, 3))
}

func (g neon) advance(n int) {
	g.Op("ADD", n, g.key)
	g.Op("ADD", n, g.msg)
	g.Op("SUB", n, g.n)
}
