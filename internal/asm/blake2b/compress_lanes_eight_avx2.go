// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package blake2b

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/blake2b"
)

// generateLanes8AVX2 emits lanes8AVX2, which alternates between two groups of four
// lanes.
func generateLanes8AVX2(f *amd64.File, c *Constants) {
	var offsets []uint32
	for r := range rounds {
		for _, w := range sigma[r%len(sigma)] {
			offsets = append(offsets, uint32(32*w))
		}
	}
	places := amd64.Table(f, "places", offsets...)
	k := &lanes8{lanes: newLanes(f, c, 8, "lanes8AVX2", "AVX2"), order: f.GP64()}
	f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k.memory = amd64.Aligned(k.Context, 2*groupSize, 32)
	k.b = [2][4]VecPhysical{[4]VecPhysical(amd64.YMM[:4]), [4]VecPhysical(amd64.YMM[4:8])}
	k.free = slices.Clone(amd64.YMM[8:16])

	k.Label("block")
	for g := range 2 {
		k.begin(g)
	}
	var columns, diagonals []timed
	for g := range 2 {
		for i := range 4 {
			columns = append(columns, k.g(g, [4]int{i, i, i, i}, 2*i, distance*(4*g+i))...)
			// Begin with the diagonal whose operands are ready first.
			j := (i + 3) % 4
			diagonals = append(diagonals, k.g(g, [4]int{j, (j + 1) % 4, (j + 2) % 4, (j + 3) % 4}, 8+2*j, distance*(4*(2+g)+i))...)
		}
	}
	round := append(columns, diagonals...)
	slices.SortStableFunc(round, func(x, y timed) int { return x.at - y.at })
	left := k.GP64()
	k.LEAQ(places, k.order)
	k.MOVQ(U32(rounds), left)
	// Unrolled rounds would fill most of the instruction cache.
	k.Label("round")
	for _, instruction := range round {
		instruction.write()
	}
	k.ADDQ(U8(4*16), k.order)
	k.DECQ(left)
	k.JNZ(LabelRef("round"))
	t := k.take()
	for g := range 2 {
		for i := range 8 {
			k.VMOVDQU(k.h(i).Offset(32*g), t)
			if i < 4 {
				k.VPXOR(k.row(g, i), t, t)
			} else {
				k.VPXOR(k.b[g][i-4], t, t)
			}
			k.VPXOR(k.row(g, 8+i), t, t)
			k.VMOVDQU(t, k.h(i).Offset(32*g))
		}
	}
	k.advance("block")
	k.Comment("Clear the words on the stack, which may be a key.")
	k.VPXOR(t, t, t)
	for i := 0; i < 2*groupSize; i += 32 {
		if row := i % groupSize / 32; row < 4 || row > 7 { // v4 to v7 are in registers
			k.VMOVDQA(t, Mem{Base: k.memory, Disp: i})
		}
	}
	k.VZEROUPPER()
	k.RET()
}

// groupSize is the byte size of a group's v and message words.
const groupSize = 32*16 + 32*16

// distance is the delay between Gs, in half cycles.
const distance = 7

type lanes8 struct {
	*lanes
	memory GPVirtual
	order  GPVirtual         // address of the offsets of the round's message words
	b      [2][4]VecPhysical // v4 to v7, which G changes last
	free   []VecPhysical     // allocated here, because avo would take minutes
}

func (k *lanes8) take() VecPhysical {
	r := k.free[0]
	k.free = k.free[1:]
	return r
}

func (k *lanes8) give(r VecPhysical) { k.free = append(k.free, r) }

func (k *lanes8) row(g, i int) Mem  { return Mem{Base: k.memory, Disp: g*groupSize + 32*i} }
func (k *lanes8) word(g, i int) Mem { return Mem{Base: k.memory, Disp: g*groupSize + 32*(16+i)} }

func (k *lanes8) begin(g int) {
	k.Comment(fmt.Sprintf("Store each word of four blocks in a row of memory, and v, for lanes %d to %d.", 4*g, 4*g+3))
	first, second, t0, t1 := k.free[0], k.free[1], k.free[2], k.free[3]
	blocks := k.pointers(4*g, 4)
	for i := 0; i < 16; i += 2 {
		for j, t := range []VecPhysical{t0, t1} {
			k.VMOVDQU(blocks[j].Offset(8*i), t.AsX())
			k.VINSERTI128(U8(1), blocks[j+2].Offset(8*i), t, t)
		}
		k.VPUNPCKLQDQ(t1, t0, first)
		k.VPUNPCKHQDQ(t1, t0, second)
		k.VMOVDQA(first, k.word(g, i))
		k.VMOVDQA(second, k.word(g, i+1))
	}
	t := first
	for i := range 4 {
		k.VMOVDQU(k.h(i).Offset(32*g), t)
		k.VMOVDQA(t, k.row(g, i))
		k.VMOVDQU(k.h(4+i).Offset(32*g), k.b[g][i])
		k.VPBROADCASTQ(k.IV.Offset(8*i), t)
		k.VMOVDQA(t, k.row(g, 8+i))
		k.VPBROADCASTQ(k.IV.Offset(8*(4+i)), t)
		switch i {
		case 0:
			k.VPBROADCASTQ(k.Step, second)
			k.VPADDQ(k.l.Offset(layout.LanesT+32*g), second, second)
			k.VMOVDQU(second, k.l.Offset(layout.LanesT+32*g))
			k.VPXOR(second, t, t)
		case 2:
			k.VPBROADCASTQ(amd64.Argument(k.Context, "f"), second)
			k.VPXOR(second, t, t)
		}
		k.VMOVDQA(t, k.row(g, 12+i))
	}
}

type timed struct {
	at    int
	write func()
}

// g returns the instructions of one G on the given columns of v.
func (k *lanes8) g(group int, columns [4]int, firstWord, start int) []timed {
	var a, c, d VecPhysical
	b := k.b[group][columns[1]]
	ma, mc, md := k.row(group, columns[0]), k.row(group, 8+columns[2]), k.row(group, 12+columns[3])
	addWord := func(i int) {
		at := k.GP64()
		k.MOVL(Mem{Base: k.order, Disp: 4 * (firstWord + i)}, at.As32())
		word := k.word(group, 0)
		word.Index, word.Scale = at, 1
		k.VPADDQ(word, a, a)
	}
	var out []timed
	add := func(at int, write func()) { out = append(out, timed{start + 2*at, write}) }
	add(0, func() {
		a = k.take()
		k.VMOVDQA(ma, a)
		addWord(0)
		k.VPADDQ(b, a, a)
	})
	add(1, func() { d = k.take(); k.VPXOR(md, a, d) })
	add(2, func() { k.VPSHUFD(U8(0xb1), d, d) })
	add(3, func() { addWord(1); c = k.take(); k.VPADDQ(mc, d, c) })
	add(4, func() { k.VPXOR(c, b, b) })
	add(5, func() { k.VPSHUFB(k.Rotate24, b, b) })
	add(6, func() { k.VPADDQ(b, a, a); k.VMOVDQA(a, ma) })
	add(7, func() { k.VPXOR(a, d, d); k.give(a) })
	add(8, func() { k.VPSHUFB(k.Rotate16, d, d); k.VMOVDQA(d, md) })
	add(9, func() { k.VPADDQ(d, c, c); k.VMOVDQA(c, mc); k.give(d) })
	add(10, func() { k.VPXOR(c, b, b); k.give(c) })
	add(11, func() {
		twice := k.take()
		k.VPADDQ(b, b, twice)
		k.VPSRLQ(U8(63), b, b)
		k.VPXOR(twice, b, b)
		k.give(twice)
	})
	return out
}
