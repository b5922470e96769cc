// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
	layout "github.com/unimac/unimac/internal/layout/blake2b"
)

type neon struct {
	*arm64.File
	l, n, final arm64.R
	blocks      [2]arm64.R
	constant    arm64.R
	save        arm64.Local

	rotate24, rotate16 arm64.V // VTBL indices
	v                  [16]arm64.V
	free               arm64.V // result register of the next rotation by 63, whose source is then free
}

// inRegisters is the number of message words in registers.
const inRegisters = 13

func (neon) word(i int) arm64.V { return arm64.V(19 + i) }

// ARM64 returns the contents of internal/blake2b/compress_arm64.s.
func ARM64() []byte {
	g := neon{
		File: arm64.NewFile("internal/asm/blake2b"),
		l:    0, n: 1, final: 2, blocks: [2]arm64.R{3, 4}, constant: 5,
		rotate24: 16, rotate16: 17,
	}
	var frame arm64.Frame
	g.save = frame.Local(16 * (16 - inRegisters))
	g.Function("lanes2NEON", "(l *lanes, n int, f uint64)", frame.Size())
	g.Arguments(g.l, g.n, g.final)
	for i, b := range g.blocks {
		g.Op("MOVD", g.l.At(layout.LanesBlocks+8*i), b)
	}
	g.Table("rotations", append(order(3), order(2)...), g.constant)
	g.Op("FLDPQ", g.constant.At(0), arm64.Pair(g.rotate24, g.rotate16))

	g.Label("block")
	g.readWords()
	g.begin()
	for r := range rounds {
		w := sigma[r%len(sigma)]
		g.Comment(fmt.Sprintf("Round %d.", r))
		g.half(0, w[:8])
		g.half(1, w[8:])
	}
	g.Comment("Update the chain values.")
	for i := range 8 {
		g.Op("FMOVQ", g.l.At(layout.LanesH+8*layout.MaxLanes*i), g.word(i).F())
		g.Op("VEOR", g.v[8+i].B16(), g.v[i].B16(), g.v[i].B16())
		g.Op("VEOR", g.v[i].B16(), g.word(i).B16(), g.word(i).B16())
		g.Op("FMOVQ", g.word(i).F(), g.l.At(layout.LanesH+8*layout.MaxLanes*i))
	}
	g.Op("SUBS", block, g.n)
	g.Op("BNE", "block")
	g.Comment("Clear the words of the last blocks, which may be keys.")
	for i := 0; i < 16*(16-inRegisters); i += 16 {
		g.Op("STP", "(ZR, ZR)", g.save.At(i))
	}
	g.Op("RET")
	return g.Bytes()
}

func order(bytes int) []uint64 {
	var order [2]uint64
	for i := range 16 {
		order[i/8] |= uint64(i&8|(i+bytes)%8) << (8 * (i % 8))
	}
	return order[:]
}

func (g *neon) readWords() {
	g.Comment("Load each word of the two blocks into a register; three words are stored in memory.")
	for i := 0; i < 16; i += 4 {
		for j, b := range g.blocks {
			g.Op("FLDPQ", b.At(8*i), arm64.Pair(arm64.V(2*j), arm64.V(2*j+1)))
		}
		for j := range 4 {
			to, zip := g.word(i+j), [2]string{"VZIP1", "VZIP2"}[j%2]
			if i+j >= inRegisters {
				to = arm64.V(4 + j)
			}
			g.Op(zip, arm64.V(2+j/2).D2(), arm64.V(j/2).D2(), to.D2())
			if i+j >= inRegisters {
				g.Op("FMOVQ", to.F(), g.save.At(16*(i+j-inRegisters)))
			}
		}
	}
	for _, b := range g.blocks {
		g.Op("ADD", block, b)
	}
}

func (g *neon) begin() {
	g.Comment("Initialize v with the chain values, the IV, t and f.")
	for i := range g.v {
		g.v[i] = arm64.V(i)
	}
	g.free = 18
	g.Table("iv", iv, g.constant)
	for i := range 8 {
		g.Op("VLD1R.P", g.constant.At(8), "["+g.v[8+i].D2()+"]")
	}
	t, step := g.free, arm64.V(0) // v0 is loaded later
	g.Op("FMOVQ", g.l.At(layout.LanesT), t.F())
	g.Op("MOVD", block, g.constant)
	g.Op("VDUP", g.constant, step.D2())
	g.Op("VADD", step.D2(), t.D2(), t.D2())
	g.Op("FMOVQ", t.F(), g.l.At(layout.LanesT))
	g.Op("VEOR", t.B16(), g.v[12].B16(), g.v[12].B16())
	g.Op("VDUP", g.final, step.D2())
	g.Op("VEOR", step.B16(), g.v[14].B16(), g.v[14].B16())
	for i := range 8 {
		g.Op("FMOVQ", g.l.At(layout.LanesH+8*layout.MaxLanes*i), g.v[i].F())
	}
}

func (g *neon) half(shift int, w []int) {
	v := &g.v
	each := func(do func(a, b, c, d *arm64.V, i int)) {
		for i := range 4 {
			do(&v[i], &v[4+(i+shift)%4], &v[8+(i+2*shift)%4], &v[12+(i+3*shift)%4], i)
		}
	}
	add := func(x, to *arm64.V) { g.Op("VADD", x.D2(), to.D2(), to.D2()) }
	xor := func(x, to *arm64.V) { g.Op("VEOR", x.B16(), to.B16(), to.B16()) }
	step := func(word int, rotateD, rotateB func(x *arm64.V)) {
		each(func(a, b, c, d *arm64.V, i int) {
			word := w[2*i+word]
			m := g.free
			if word < inRegisters {
				m = g.word(word)
			} else {
				g.Op("FMOVQ", g.save.At(16*(word-inRegisters)), m.F())
			}
			add(&m, a)
		})
		each(func(a, b, c, d *arm64.V, i int) { add(b, a) })
		each(func(a, b, c, d *arm64.V, i int) { xor(a, d) })
		each(func(a, b, c, d *arm64.V, i int) { rotateD(d) })
		each(func(a, b, c, d *arm64.V, i int) { add(d, c) })
		each(func(a, b, c, d *arm64.V, i int) { xor(c, b) })
		each(func(a, b, c, d *arm64.V, i int) { rotateB(b) })
	}
	table := func(order arm64.V) func(*arm64.V) {
		// Some cores shift on only one of two vector ports.
		return func(x *arm64.V) { g.Op("VTBL", order.B16(), "["+x.B16()+"]", x.B16()) }
	}
	step(0, func(d *arm64.V) { g.Op("VREV64", d.S4(), d.S4()) }, table(g.rotate24))
	step(1, table(g.rotate16), func(b *arm64.V) {
		// Double b and insert its highest bit as the lowest.
		g.Op("VADD", b.D2(), b.D2(), g.free.D2())
		g.Op("VSRI", 63, b.D2(), g.free.D2())
		*b, g.free = g.free, *b
	})
}
