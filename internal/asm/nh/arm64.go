// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package nh

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
)

// A neon generates nhNEON's code for one number of streams. Vector registers 0
// to 7 are the sums, 8 to 11 the message of two groups, 12 to 19 the key pieces,
// and from 20 on what is multiplied.
type neon struct {
	*arm64.File
	streams int

	// sums is how many registers each stream adds up in. In a single one each
	// addition would wait for the one before.
	sums int

	dst, key, msg arm64.R
	n             arm64.R // bytes of message left
	rest          arm64.R // bytes of the chunk left
	k             arm64.R // the key pieces of the next group
	bits          arm64.R // the chunk's length in bits
}

func (g neon) sum(s, i int) arm64.V  { return arm64.V(s*g.sums + i%g.sums) }
func (g neon) message(i int) arm64.V { return arm64.V(8 + i%4) }
func (g neon) piece(j int) arm64.V   { return arm64.V(12 + j%8) }
func (g neon) t(s int) arm64.V       { return arm64.V(20 + 2*s) }
func (g neon) u(s int) arm64.V       { return arm64.V(21 + 2*s) }

// ARM64 returns umac/nh_arm64.s.
func ARM64() []byte {
	g := neon{File: arm64.NewFile("internal/asm/nh"), dst: 0, key: 1, msg: 2, n: 3, rest: 4, k: 5, bits: 6}
	streams := g.rest
	g.Function("nhNEON", "(dst *uint64, key *nhKey, msg *byte, n int, streams int)", 0, 40)
	g.Op("MOVD", "dst+0(FP)", g.dst)
	g.Op("MOVD", "key+8(FP)", g.key)
	g.Op("MOVD", "msg+16(FP)", g.msg)
	g.Op("MOVD", "n+24(FP)", g.n)
	g.Op("MOVD", "streams+32(FP)", streams)
	g.Op("CMP", 2, streams)
	g.Op("BLO", "chunk1")
	g.Op("BEQ", "chunk2")
	g.Op("CMP", 3, streams)
	g.Op("BEQ", "chunk3")
	for _, g.streams = range []int{4, 3, 2, 1} {
		g.sums = []int{1: 8, 2: 4, 3: 2, 4: 2}[g.streams]
		g.sumChunks()
	}
	return g.Bytes()
}

// sumChunks writes the loop over the chunks of the message.
func (g neon) sumChunks() {
	g.Comment(fmt.Sprintf("Streams: %d. The chunk is the next 1024 bytes, or what is left.", g.streams))
	g.label("chunk")
	g.Op("MOVD", chunk, g.rest)
	g.Op("CMP", g.rest, g.n)
	g.Op("CSEL", "LO", g.n, g.rest, g.rest)
	g.Op("SUB", g.rest, g.n)
	g.Op("LSL", 3, g.rest, g.bits)
	g.Op("MOVD", g.key, g.k)
	g.zero(0, 2)
	g.Op("CMP", 4*group, g.rest)
	g.jump("BLO", "group")

	g.sumFours()
	g.jump("CBZ", "sum", g.rest)

	g.Comment("One group.")
	g.label("group")
	g.Op("CMP", group, g.rest)
	g.jump("BLO", "tail")
	g.Op("FLDPQ.P", g.msg.At(group), arm64.Pair(g.message(0), g.message(1)))
	g.label("multiply")
	g.loadPieces(0, g.streams+1)
	g.Op("ADD", group/2, g.k)
	g.multiply(0)
	g.Op("SUBS", group, g.rest)
	g.jump("BNE", "group")

	g.Comment("Add up the lanes, two streams at a time, and the length.")
	g.label("sum")
	g.store()
	g.jump("CBNZ", "chunk", g.n)
	g.Op("RET")

	g.Comment("The last bytes, or none of an empty message, with zeros behind them.")
	g.label("tail")
	g.pad()
	g.Op("MOVD", group, g.rest)
	g.jump("B", "multiply")
}

// sumFours writes the loop over the chunk's groups four by four, of which there
// are some.
//
// Stream s takes the key pieces s and s+1 of a group, and the next group begins
// with what is here piece 2, so a group loads but two pieces which the one
// before did not have. Eight registers hold the pieces in turn, and four groups
// later the turn is the same.
//
// Cycles for 1024 bytes, as llvm-mca 14 estimates them; it has no model of its
// own for Neoverse N1, takes the older Cyclone for Apple's cores, and knows three
// ports for vectors where these have four:
//
//	streams                            1     2     3     4
//	Cortex-A72, Neoverse N1          128   142   192   256
//	Apple M1                          51    86   128   171
//	nhGeneric, Cortex-A72           1281  1858  2434  3010
//	nhGeneric, Apple M1              995  1667  2371  3075
//
// That is the limit of the ports for vectors, save for the loads: a Cortex-A72
// takes one register a cycle, and three instructions. There two streams would
// take 168 if registers were loaded in pairs, of which each counts as three
// instructions, and 227 if each group loaded all of its pieces. On Apple's cores
// one register for the sums of each stream would make it 192 for any number of
// streams; more than are here gain nothing.
func (g neon) sumFours() {
	g.Comment("Four groups, in pairs.")
	g.zero(2, g.sums)
	g.loadPieces(0, g.streams-1)
	g.label("four")
	for i := 0; i < 4; i += 2 {
		g.loadPair(g.msg.At(group*i), g.msg.At(group*i+16), g.message(2*i), g.message(2*i+1))
		g.loadPair(g.msg.At(group*i+32), g.msg.At(group*i+48), g.message(2*i+2), g.message(2*i+3))
		for j := 2*i + g.streams - 1; j < 2*i+g.streams+1; j++ {
			g.loadPair(g.at(j), g.at(j+2), g.piece(j), g.piece(j+2))
		}
		g.multiply(i)
		g.multiply(i + 1)
	}
	g.Op("ADD", 4*group, g.msg)
	g.Op("ADD", 4*group/2, g.k)
	g.Op("SUB", 4*group, g.rest)
	g.Op("CMP", 4*group, g.rest)
	g.jump("BHS", "four")
	for i := g.sums - 1; i >= 2; i-- {
		for s := range g.streams {
			g.Op("VADD", g.sum(s, i).D2(), g.sum(s, i-2).D2(), g.sum(s, i-2).D2())
		}
	}
}

// zero clears the sums from to to-1 of each stream.
func (g neon) zero(from, to int) {
	for s := range g.streams {
		for i := from; i < to; i++ {
			g.Op("VMOVI", 0, g.sum(s, i).B16())
		}
	}
}

// loadPieces loads the key pieces from to to-1.
func (g neon) loadPieces(from, to int) {
	for j := from; j < to; j++ {
		g.Op("FMOVQ", g.at(j), g.piece(j).F())
	}
}

// loadPair loads two registers from addresses 16 bytes apart. As one instruction
// that is one load to Apple's cores, which for a single stream, and no more, are
// bound by loads: 64 cycles with single ones.
func (g neon) loadPair(first, second string, a, b arm64.V) {
	if g.streams == 1 {
		g.Op("FLDPQ", first, arm64.Pair(a, b))
		return
	}
	g.Op("FMOVQ", first, a.F())
	g.Op("FMOVQ", second, b.F())
}

// at is the address of key piece j, counted from k.
func (g neon) at(j int) string { return g.k.At(j%2*oddPieces + j/2*16) }

// multiply adds the products of group i, counted from g.k, to the sums.
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

// pad loads a group of the rest of the message, fewer than 32 bytes, with zeros
// behind it. The bytes go from the last backwards into a register, where those
// that are before them push them up; nothing passes through memory.
func (g neon) pad() {
	end, low, high, x := arm64.R(8), arm64.R(9), arm64.R(10), arm64.R(11)
	g.Op("ADD", g.rest, g.msg, end)
	g.Op("MOVD", "ZR", low)
	g.Op("MOVD", "ZR", high)
	g.jump("TBZ", "even", 0, g.rest)
	g.Op("MOVBU.W", end.At(-1), low)
	g.label("even")
	g.jump("TBZ", "fourth", 1, g.rest)
	g.Op("MOVHU.W", end.At(-2), x)
	g.Op("ORR", fmt.Sprintf("%v<<16", low), x, low)
	g.label("fourth")
	g.jump("TBZ", "eighth", 2, g.rest)
	g.Op("MOVWU.W", end.At(-4), x)
	g.Op("ORR", fmt.Sprintf("%v<<32", low), x, low)
	g.label("eighth")
	g.jump("TBZ", "half", 3, g.rest)
	g.Op("MOVD", low, high)
	g.Op("MOVD", end.At(-8), low)

	g.Comment("These are the second half of the group if 16 bytes come before them.")
	g.label("half")
	l, h := g.message(0), g.message(1)
	g.Op("FMOVD", low, l.F())
	g.Op("VMOV", high, l.D(1))
	g.Op("VMOVI", 0, h.B16())
	g.jump("TBZ", "padded", 4, g.rest)
	g.Op("VMOV", l.B16(), h.B16())
	g.Op("FMOVQ", g.msg.At(0), l.F())
	g.label("padded")
}

// store adds up the lanes of each stream's sums and the chunk's length, and
// stores the values.
func (g neon) store() {
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
		if s < last {
			g.Op("FMOVQ.P", sum.F(), g.dst.At(16))
		} else {
			g.Op("FMOVD.P", sum.F(), g.dst.At(8))
		}
	}
}

// label puts a label that belongs to the code for this number of streams.
func (g neon) label(name string) { g.Label(g.name(name)) }

// jump branches to such a label, which is the last operand.
func (g neon) jump(branch, name string, operands ...any) {
	g.Op(branch, append(operands, g.name(name))...)
}

func (g neon) name(label string) string { return fmt.Sprintf("%s%d", label, g.streams) }
