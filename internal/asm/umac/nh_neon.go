// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
)

// A neon emits NEON code for a given number of streams.
type neon struct {
	*arm64.File
	streams int

	// sums is the number of registers per stream, so that additions overlap.
	sums int

	msg  arm64.R
	k    arm64.R // address in the key's row 0 of the next group's piece
	bits arm64.R // length of the chunk in bits
}

func (g neon) sum(s, i int) arm64.V  { return arm64.V(s*g.sums + i%g.sums) }
func (g neon) message(i int) arm64.V { return arm64.V(8 + i%4) }
func (g neon) piece(j int) arm64.V   { return arm64.V(12 + j%8) }
func (g neon) t(s int) arm64.V       { return arm64.V(20 + 2*s) }
func (g neon) u(s int) arm64.V       { return arm64.V(21 + 2*s) }

// ARM64 returns the contents of internal/umac/nh_arm64.s.
func ARM64() []byte {
	f := arm64.NewFile("internal/asm/umac")
	nhNEON(f)
	nhPolyNEON(f)
	return f.Bytes()
}

func eachNEON(g neon, streams arm64.R, write func(g neon)) {
	g.Op("CMP", 2, streams)
	g.Op("BLO", "streams1")
	g.Op("BEQ", "streams2")
	g.Op("CMP", 3, streams)
	g.Op("BEQ", "streams3")
	for _, g.streams = range []int{4, 3, 2, 1} {
		g.sums = []int{1: 8, 2: 4, 3: 2, 4: 2}[g.streams]
		g.Comment(fmt.Sprintf("Streams: %d.", g.streams))
		g.label("streams")
		write(g)
	}
}

func nhNEON(f *arm64.File) {
	values, rest, streams := arm64.R(0), arm64.R(3), arm64.R(5)
	g := neon{File: f, k: 1, msg: 2, bits: 4}
	g.Function("nhNEON", "(values *[4]uint64, key *nhKey, chunk *byte, n int, streams int)", 0)
	g.Arguments(values, g.k, g.msg, rest, streams)
	g.Op("LSL", 3, rest, g.bits)
	eachNEON(g, streams, func(g neon) {
		g.sumChunk(rest, func() { g.store(values, 0) })
	})
}

// sumChunk emits code that computes a chunk's sums, then finish's code.
func (g neon) sumChunk(n arm64.R, finish func()) {
	g.zero(0, 2)
	g.Op("CMP", 4*group, n)
	g.jump("BLO", "group")

	g.Comment("Four groups, in pairs.")
	g.zero(2, g.sums)
	g.loadPieces(g.streams - 1)
	g.label("four")
	g.multiplyGroups(4, nil)
	g.Op("ADD", 4*group, g.msg)
	g.Op("ADD", 4*group/2, g.k)
	g.Op("SUB", 4*group, n)
	g.Op("CMP", 4*group, n)
	g.jump("BHS", "four")
	g.join()
	g.jump("CBZ", "sum", n)

	g.Comment("One group.")
	g.label("group")
	g.Op("CMP", group, n)
	g.jump("BLO", "tail")
	g.Op("FLDPQ.P", g.msg.At(group), arm64.Pair(g.message(0), g.message(1)))
	g.label("multiply")
	g.loadPieces(g.streams + 1)
	g.Op("ADD", group/2, g.k)
	g.multiply(0)
	g.Op("SUBS", group, n)
	g.jump("BNE", "group")

	g.Comment("Add the lanes, two streams at a time, and the length.")
	g.label("sum")
	finish()
	g.Op("RET")

	g.Comment("Load the last bytes, or none of an empty message, and pad them with zeros.")
	g.label("tail")
	g.loadTail(n)
	g.Op("MOVD", group, n)
	g.jump("B", "multiply")
}

// multiplyGroups emits code that adds the products of n groups.
func (g neon) multiplyGroups(n int, other arm64.Code) {
	// n must be a multiple of 4: registers repeat after four groups.
	for i := 0; i < n; i += 2 {
		g.loadPair(g.msg.At(group*i), g.msg.At(group*i+16), g.message(2*i), g.message(2*i+1))
		g.loadPair(g.msg.At(group*i+32), g.msg.At(group*i+48), g.message(2*i+2), g.message(2*i+3))
		// The caller must have loaded the first streams-1 pieces.
		for j := g.streams - 1; j <= g.streams; j++ {
			g.loadPair(g.at(i, j), g.at(i+1, j), g.piece(2*i+j), g.piece(2*i+2+j))
		}
		for _, i := range []int{i, i + 1} {
			g.multiply(i)
			for _, op := range other[len(other)*i/n : len(other)*(i+1)/n] {
				g.Write(arm64.Code{op})
			}
		}
	}
}

func (g neon) join() {
	for i := g.sums - 1; i >= 2; i-- {
		for s := range g.streams {
			g.Op("VADD", g.sum(s, i).D2(), g.sum(s, i-2).D2(), g.sum(s, i-2).D2())
		}
	}
}

func (g neon) zero(from, to int) {
	for s := range g.streams {
		for i := from; i < to; i++ {
			g.Op("VMOVI", 0, g.sum(s, i).B16())
		}
	}
}

func (g neon) loadPieces(n int) {
	for j := range n {
		g.Op("FMOVQ", g.at(0, j), g.piece(j).F())
	}
}

// loadPair emits code that loads a and b from adjacent operands.
func (g neon) loadPair(first, second string, a, b arm64.V) {
	// With one stream, the number of loads limits the speed.
	if g.streams == 1 {
		g.Op("FLDPQ", first, arm64.Pair(a, b))
		return
	}
	g.Op("FMOVQ", first, a.F())
	g.Op("FMOVQ", second, b.F())
}

func (g neon) at(i, j int) string { return g.k.At(j*row + i*16) }

func (g neon) multiply(i int) {
	l, h := g.message(2*i), g.message(2*i+1)
	for s := range g.streams {
		g.Op("VADD", g.piece(2*i+s).S4(), l.S4(), g.t(s).S4())
		g.Op("VADD", g.piece(2*i+s+1).S4(), h.S4(), g.u(s).S4())
	}
	for s := range g.streams {
		g.VUMLAL(g.u(s), g.t(s), g.sum(s, 2*i))
		g.VUMLAL2(g.u(s), g.t(s), g.sum(s, 2*i+1))
	}
}

// loadTail emits code that loads and zero-pads a chunk's last bytes.
func (g neon) loadTail(n arm64.R) {
	end, low, high, x := arm64.R(8), arm64.R(9), arm64.R(10), arm64.R(11)
	g.Op("ADD", n, g.msg, end)
	g.Op("MOVD", "ZR", low)
	g.Op("MOVD", "ZR", high)
	g.jump("TBZ", "even", 0, n)
	g.Op("MOVBU.W", end.At(-1), low)
	g.label("even")
	g.jump("TBZ", "fourth", 1, n)
	g.Op("MOVHU.W", end.At(-2), x)
	g.Op("ORR", fmt.Sprintf("%v<<16", low), x, low)
	g.label("fourth")
	g.jump("TBZ", "eighth", 2, n)
	g.Op("MOVWU.W", end.At(-4), x)
	g.Op("ORR", fmt.Sprintf("%v<<32", low), x, low)
	g.label("eighth")
	g.jump("TBZ", "half", 3, n)
	g.Op("MOVD", low, high)
	g.Op("MOVD", end.At(-8), low)

	g.Comment("If 16 bytes precede these, they are the second half of the group.")
	g.label("half")
	l, h := g.message(0), g.message(1)
	g.Op("FMOVD", low, l.F())
	g.Op("VMOV", high, l.D(1))
	g.Op("VMOVI", 0, h.B16())
	g.jump("TBZ", "padded", 4, n)
	g.Op("VMOV", l.B16(), h.B16())
	g.Op("FMOVQ", g.msg.At(0), l.F())
	g.label("padded")
}

func (g neon) store(to arm64.R, offset int) {
	g.addLanes()
	for s := 0; s < g.streams; s += 2 {
		if sum := g.sum(s, 0); s+1 < g.streams {
			g.Op("FMOVQ", sum.F(), to.At(offset+8*s))
		} else {
			g.Op("FMOVD", sum.F(), to.At(offset+8*s))
		}
	}
}

// addLanes emits code that computes the NH values from the sums.
func (g neon) addLanes() {
	length := g.t(0)
	g.Op("VDUP", g.bits, length.D2())
	for s := range g.streams {
		g.Op("VADD", g.sum(s, 1).D2(), g.sum(s, 0).D2(), g.sum(s, 0).D2())
	}
	for s := 0; s < g.streams; s += 2 {
		last := min(s+1, g.streams-1)
		sum := g.sum(s, 0)
		g.Op("VADDP", g.sum(last, 0).D2(), sum.D2(), sum.D2())
		g.Op("VADD", length.D2(), sum.D2(), sum.D2())
	}
}

func (g neon) label(name string) { g.Label(g.name(name)) }

func (g neon) jump(branch, name string, operands ...any) {
	g.Op(branch, append(operands, g.name(name))...)
}

func (g neon) name(label string) string { return fmt.Sprintf("%s%d", label, g.streams) }
