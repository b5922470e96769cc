// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"github.com/unimac/unimac/internal/asm/arm64"
	layout "github.com/unimac/unimac/internal/layout/umac"
)

// nhPolyNEON emits NEON code that interleaves NH with POLY-64.
func nhPolyNEON(f *arm64.File) {
	state, key, poly, n, streams := arm64.R(0), arm64.R(1), arm64.R(2), arm64.R(4), arm64.R(5)
	end := streams
	st := polyStep{y: 7, k: 8, limit: 9, offset64: 10}
	g := neon{File: f, msg: 3, k: 6, bits: 11}
	g.Function("nhPolyNEON", "(st *polyState, key *nhKey, poly *poly64Key, msg *byte, n int, streams int)", 0)
	g.Arguments(state, key, poly, g.msg, n, streams)
	g.Op("CBZ", n, "done")
	g.Op("MOVD", "$0xffffffff00000000", st.limit)
	g.Op("MOVD", offset64, st.offset64)
	g.Op("MOVD", 8*chunk, g.bits)
	eachNEON(g, streams, func(g neon) {
		parts := polyParts(g.streams)
		g.Op("ADD", 8*parts, state, end)

		g.label("chunk")
		g.Op("MOVD", key, g.k)
		g.Op("MOVD", state, st.y)
		g.Op("MOVD", poly, st.k)
		g.zero(0, g.sums)
		g.loadPieces(g.streams - 1)
		g.Comment("Process a part of the chunk, with the step of one stream between its groups.")
		g.label("part")
		g.multiplyGroups(chunk/group/parts, f.Record(func() { st.write(f) }))
		g.Op("ADD", chunk/parts, g.msg)
		g.Op("ADD", row/parts, g.k)
		g.Op("ADD", 8, st.k)
		g.Op("ADD", 8, st.y)
		g.Op("CMP", end, st.y)
		g.jump("BNE", "part")

		g.Comment("Add the lanes, two streams at a time, and the length.")
		g.join()
		g.store(state, layout.PolyStateLast)
		g.Op("SUBS", chunk, n)
		g.jump("BNE", "chunk")
		g.Op("RET")
	})
	g.Label("done")
	g.Op("RET")
}

type polyStep struct {
	y, k            arm64.R // addresses of the stream's words in polyState and poly64Key
	limit, offset64 arm64.R // 2^64 - 2^32 and 2^64 - prime64
}

func (p polyStep) write(f *arm64.File) {
	m, factor, square, offset := arm64.R(12), arm64.R(13), arm64.R(14), arm64.R(15)
	y, lo, hi, l, h := arm64.R(16), arm64.R(17), arm64.R(19), arm64.R(20), arm64.R(21)
	f.Op("MOVD", p.y.At(layout.PolyStateLast), m)
	f.Op("MOVD", p.k.At(layout.Poly64KeyK), factor)
	f.Op("MOVD", p.k.At(layout.Poly64KeySquare), square)
	f.Op("MOVD", p.k.At(layout.Poly64KeyOffset), offset)
	f.Op("MOVD", p.y.At(layout.PolyStateY), y)
	f.Op("CMP", p.limit, m)
	f.Op("CSEL", "HS", square, factor, factor)
	f.Op("CSEL", "HS", offset, "ZR", offset)
	f.Op("SUB", offset, m)
	f.Op("MUL", factor, y, lo)
	f.Op("UMULH", factor, y, hi)
	f.Op("MUL", p.offset64, hi, l)
	f.Op("UMULH", p.offset64, hi, h)
	f.Op("ADDS", m, lo)
	f.Op("ADC", "ZR", h)
	f.Op("ADDS", l, lo)
	f.Op("ADC", "ZR", h)
	f.Op("MUL", p.offset64, h)
	f.Op("ADDS", h, lo)
	f.Op("CSEL", "HS", p.offset64, "ZR", h)
	f.Op("ADD", h, lo)
	f.Op("MOVD", lo, p.y.At(layout.PolyStateY))
}
