// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/umac"
)

const offset64 = 59 // 2^64 - prime64

func polyParts(streams int) int { return []int{1: 1, 2: 2, 3: 4, 4: 4}[streams] }

// A polyKernel emits code that interleaves NH with POLY-64.
type polyKernel struct {
	kernel
	state, key, poly GPVirtual
	n                GPVirtual // number of message bytes left
	stream           GPVirtual // index of the current part's stream, times 8
	count            GPVirtual // number of chunks processed, or nil after an earlier call
}

// A wholeChunk emits code that processes a chunk of 1024 bytes.
type wholeChunk struct {
	begin      func(k *kernel) []VecVirtual
	accumulate func(k *kernel, sums []VecVirtual, n int)
	end        func(k *kernel, sums []VecVirtual)
}

// wholeOf returns a wholeChunk. add must process the given number of bytes.
func wholeOf(register func(*kernel) VecVirtual, bytes int, add func(*kernel, []VecVirtual, Mem), end func(*kernel, []VecVirtual)) wholeChunk {
	return wholeChunk{
		begin: func(k *kernel) []VecVirtual { return zeroSums(k, func() VecVirtual { return register(k) }) },
		accumulate: func(k *kernel, sums []VecVirtual, n int) {
			for at := 0; at < n; at += bytes {
				k.at = at / 2
				add(k, sums, Mem{Base: k.msg, Disp: at})
			}
			k.at = 0
		},
		end: end,
	}
}

func generatePoly(f *amd64.File, name, doc string, sse41 bool, whole wholeChunk) {
	f.Function(name, "func(st *polyState, key *nhKey, poly *poly64Key, msg *byte, n int, streams int)", doc)
	k := &polyKernel{kernel: kernel{Context: f.Context, sse41: sse41}}
	k.state = amd64.Load(k.Context, "st")
	k.key = amd64.Load(k.Context, "key")
	k.poly = amd64.Load(k.Context, "poly")
	k.msg = amd64.Load(k.Context, "msg")
	k.n = amd64.Load(k.Context, "n")
	streams := amd64.Load(k.Context, "streams")
	k.k, k.stream = k.GP64(), k.GP64()
	k.out = Mem{Base: k.state, Disp: layout.PolyStateLast}
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("done"))
	k.dispatch(streams)
	for _, streams := range []int{4, 3, 2, 1} {
		k.streams = streams
		k.Comment(fmt.Sprintf("Streams: %d.", streams))
		k.Label(k.label("streams"))
		k.chunks(whole)
		k.leave()
	}
	k.Label("done")
	k.RET()
}

// chunks emits a loop over n bytes, which must be whole chunks.
func (k *polyKernel) chunks(whole wholeChunk) {
	parts := polyParts(k.streams)
	k.Label(k.label("chunk"))
	k.MOVQ(k.key, k.k)
	k.XORQ(k.stream, k.stream)
	sums := whole.begin(&k.kernel)
	k.Label(k.label("part"))
	whole.accumulate(&k.kernel, sums, chunk/parts)
	if k.count != nil {
		k.Comment("There is no value before the first chunk.")
		k.TESTQ(k.count, k.count)
		k.jump(k.JZ, "stepped")
	}
	k.polyStep()
	if k.count != nil {
		k.Label(k.label("stepped"))
	}
	k.ADDQ(U32(chunk/parts), k.msg)
	k.ADDQ(U32(row/parts), k.k)
	k.ADDQ(U8(8), k.stream)
	k.CMPQ(k.stream, U8(8*parts))
	k.jump(k.JNE, "part")
	k.bits = k.GP64()
	k.MOVQ(U32(8*chunk), k.bits)
	whole.end(&k.kernel, sums)
	if k.count != nil {
		k.INCQ(k.count)
		amd64.Place(k.Context, k.label("summed"))
	}
	k.SUBQ(U32(chunk), k.n)
	k.jump(k.JNZ, "chunk")
}

// polyStep emits the POLY-64 step of one stream.
func (k *polyKernel) polyStep() {
	k.Comment("POLY-64: y = y*k + last, or y*k^2 + last - offset if last is at least the limit.")
	at := func(base GPVirtual, disp int) Mem {
		return Mem{Base: base, Index: k.stream, Scale: 1, Disp: disp}
	}
	m := k.GP64()
	k.MOVQ(at(k.state, layout.PolyStateLast), m)
	lo := k.step(m, at)
	k.MOVQ(lo, at(k.state, layout.PolyStateY))
}

// step emits one stream's POLY-64 step for the NH value m.
func (k *polyKernel) step(m GPVirtual, word func(base GPVirtual, disp int) Mem) GPVirtual {
	factor := k.operands(m, word)
	if k.sse41 {
		return k.stepWithoutBMI2(m, factor, word)
	}
	lo, hi, l, h := k.GP64(), k.GP64(), k.GP64(), k.GP64()
	k.MOVQ(word(k.state, layout.PolyStateY), RDX)
	k.MULXQ(factor, lo, hi)
	k.MOVQ(U32(offset64), RDX)
	k.MULXQ(hi, l, h)
	return k.folded64(m, lo, l, h, RDX)
}

// folded64 emits code that partially reduces lo + m + l + 2^64·h.
func (k *polyKernel) folded64(m, lo, l, h GPVirtual, offset Op) GPVirtual {
	carry := k.GP64()
	// h is the high word of hi·59, so it is at most 58.
	k.ADDQ(m, lo)
	k.ADCQ(U8(0), h)
	k.ADDQ(l, lo)
	k.ADCQ(U8(0), h)
	// The two carries raised h to at most 60.
	k.IMUL3Q(U8(offset64), h, h)
	k.XORQ(carry, carry)
	k.ADDQ(h, lo)
	// If the addition wrapped, lo is below 59·60, so adding offset can't carry.
	k.CMOVQCS(offset, carry) // offset is 2^64 - prime64
	k.ADDQ(carry, lo)
	return lo
}

func (k *polyKernel) stepWithoutBMI2(m, factor GPVirtual, word func(base GPVirtual, disp int) Mem) GPVirtual {
	lo, hi := k.multiply(factor, word(k.state, layout.PolyStateY))
	offset := k.GP64()
	k.MOVQ(U32(offset64), offset)
	l, h := k.multiply(hi, offset)
	return k.folded64(m, lo, l, h, offset)
}

// firstStep emits a stream's first POLY-64 step, in which y is 1.
func (k *polyKernel) firstStep(m GPVirtual, word func(base GPVirtual, disp int) Mem) GPVirtual {
	lo := k.operands(m, word)
	// lo is below prime64, so addModulo's correction cannot carry.
	return k.addModulo(lo, m)
}

// addModulo emits code that computes x + y, partially reduced modulo prime64.
func (k *polyKernel) addModulo(x, y GPVirtual) GPVirtual {
	carried := k.GP64()
	k.LEAQ(Mem{Base: x, Index: y, Scale: 1, Disp: offset64}, carried)
	// If this carries, the low word must be below prime64.
	k.ADDQ(y, x)
	k.CMOVQCS(carried, x)
	return x
}

func (k *polyKernel) operands(m GPVirtual, word func(base GPVirtual, disp int) Mem) (factor GPVirtual) {
	factor = k.GP64()
	offset, marker := k.GP64(), k.GP64()
	k.MOVQ(word(k.poly, layout.Poly64KeyK), factor)
	// Conditional moves select the operands in constant time.
	k.XORQ(offset, offset)
	k.MOVQ(m, marker)
	k.SHRQ(U8(32), marker)
	k.ADDL(U8(1), marker.As32()) // carries if the upper half of m is all ones
	k.CMOVQCS(word(k.poly, layout.Poly64KeySquare), factor)
	k.CMOVQCS(word(k.poly, layout.Poly64KeyOffset), offset)
	k.SUBQ(offset, m)
	return factor
}
