// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// An AVX2 emits code that computes 2, 4 or 6 blocks in the narrow layout, or 8 or 16 in
// the wide layout.
//
// Eight wide blocks form only four dependency chains per double round, too few to keep
// the vector units busy, so 16 blocks are interleaved as two groups of 8. Their vectors
// do not fit in 16 registers, so only row b, which every quarter round changes last,
// stays in registers between rounds.
type AVX2 struct {
	Steps
	*tables256
	member *member

	// Counters, if set, emits code that replaces the counters of a group.
	Counters func(next, first, second VecVirtual)
}

// Layout of the stack memory: the words of wide steps, initial counters, keystream.
const (
	rowsSize    = 2 * 16 * 32
	countersAt  = rowsSize
	KeyStreamAt = countersAt + 4*32
	maxBlocks   = 16
	avx2Size    = KeyStreamAt + maxBlocks*block
	setSize     = 2 * block
	wideSize    = 8 * block
)

type tables256 struct {
	rotate16, rotate8 Mem    // VPSHUFB controls
	Sigma             Mem    // the constant words of the state
	lanes             Mem    // counter increments of the two blocks in a set
	set               Mem    // counter increments from one set to the next
	counters          [2]Mem // counter increments of the eight blocks in a group
	group             Mem    // counter increments from one group to the next
}

func newTables256(f *amd64.File) *tables256 {
	return &tables256{
		rotate16: quads(f, "rotate16", bytesRotated(16)...),
		rotate8:  quads(f, "rotate8", bytesRotated(8)...),
		Sigma:    words(f, "sigma256", Sigma...),
		lanes:    quads(f, "lanes256", 0, 0, 1, 0),
		set:      quads(f, "set256", 2, 0, 2, 0),
		counters: [2]Mem{quads(f, "countersA256", 0, 1, 4, 5), quads(f, "countersB256", 2, 3, 6, 7)},
		group:    quads(f, "group256", 8, 8, 8, 8),
	}
}

// bytesRotated returns the VPSHUFB control that rotates each 32-bit word to the left.
func bytesRotated(bits int) []uint64 {
	order := make([]uint64, 4)
	for i := range 32 {
		from := i%16&^3 + (i-bits/8)&3
		order[i/8] |= uint64(from) << (i % 8 * 8)
	}
	return order
}

func NewAVX2(f *amd64.File) *AVX2 {
	return &AVX2{tables256: newTables256(f), Steps: Steps{Arithmetic: Arithmetic{Context: f.Context}}, member: chachaMember}
}

// Begin emits code that reserves size bytes of stack memory.
func (k *AVX2) Begin(c *build.Context, size int) {
	k.Context = c
	// size must include every part of the layout above that the kernel uses.
	k.Memory = amd64.Aligned(c, size, 32)
	k.Xor = k.VPXOR
	k.Rotate = k.rotate(k.YMM)
}

// rotate returns a function that emits rotations. register allocates temporaries.
func (k *AVX2) rotate(register func() VecVirtual) func(x Op, bits uint8) {
	return func(x Op, bits uint8) {
		switch bits {
		case 16:
			k.VPSHUFB(k.rotate16, x, x)
		case 8:
			k.VPSHUFB(k.rotate8, x, x)
		default:
			t := register()
			k.VPSLLD(U8(bits), x, t)
			k.VPSRLD(U8(32-bits), x, x)
			k.VPOR(t, x, x)
		}
	}
}

func (k *AVX2) row(group, i int) Mem        { return k.at(32 * (16*group + i)) }
func (k *AVX2) counterRow(group, i int) Mem { return k.at(countersAt + 32*(2*group+i)) }

// KeyStream returns the memory operand in which Store places half of a block.
func (k *AVX2) KeyStream(block, half int) Mem { return k.at(KeyStreamAt + 64*block + 32*half) }

func (k *AVX2) Store(block, half int, v VecVirtual) { k.VMOVDQA(v, k.KeyStream(block, half)) }

// Wide emits code that computes 8*groups blocks of keystream.
func (k *AVX2) Wide(label string, groups int, sink func(block, half int, v VecVirtual)) {
	k.Comment(fmt.Sprintf("%d blocks, one in each lane; a register contains one word of eight blocks.", 8*groups))
	home := make([][16]Op, groups)
	for g := range home {
		for i := range home[g] {
			home[g][i] = k.row(g, i)
			if k.member == chachaMember && (groups == 1 && i != 11 || i/4 == 1) {
				home[g][i] = k.YMM()
			}
		}
	}
	k.beginWide(home)
	k.Loop(label, func() amd64.Code {
		if k.member == salsaMember {
			return k.salsaWideDoubleRound(home)
		}
		return k.wideDoubleRound(home)
	})
	k.spill(home)
	k.Comment("Add the initial state and transpose eight blocks, one half at a time.")
	for g := range groups {
		for half := range 2 {
			// sink must emit code that processes half a block, 32 bytes, in v.
			k.endWide(g, half, home[g][8*half:], func(j int, v VecVirtual) { sink(8*g+j, half, v) })
		}
	}
}

// spill emits code that stores the registers for which spilled reports true.
func (k *AVX2) spill(home [][16]Op) {
	for g := range home {
		for i, r := range home[g] {
			if r, ok := r.(VecVirtual); ok && k.spilled(len(home), g, i) {
				k.VMOVDQA(r, k.row(g, i))
				home[g][i] = k.row(g, i)
			}
		}
	}
}

// spilled reports whether a state word is in memory after spill.
func (k *AVX2) spilled(groups, group, row int) bool {
	return k.member == salsaMember || group > 0 || row >= 8 || groups > 1 && row < 4
}

// WipeRows emits code that clears the stored words, and returns a zero register.
func (k *AVX2) WipeRows(groups int) (zero VecVirtual) {
	zero = k.YMM()
	k.VPXOR(zero, zero, zero)
	for g := range groups {
		for i := range 16 {
			if k.spilled(groups, g, i) {
				k.VMOVDQA(zero, k.row(g, i))
			}
		}
	}
	return zero
}

// beginWide emits code that loads the initial states.
func (k *AVX2) beginWide(home [][16]Op) {
	next, first, second := k.YMM(), k.YMM(), k.YMM()
	k.VPBROADCASTQ(k.Counter(), next)
	for g := range home {
		if g > 0 {
			k.VPADDQ(k.group, next, next)
		}
		// VSHUFPS reorders the counters, for which these tables compensate.
		k.VPADDQ(k.counters[0], next, first)
		k.VPADDQ(k.counters[1], next, second)
		if k.Counters != nil {
			k.Counters(next, first, second)
		}
		for i, order := range []uint8{0x88, 0xdd} {
			to, inRegister := home[g][k.member.counter()[i]].(VecVirtual)
			if !inRegister {
				to = k.YMM()
			}
			k.VSHUFPS(U8(order), second, first, to)
			k.VMOVDQA(to, k.counterRow(g, i))
			if !inRegister {
				k.VMOVDQA(to, home[g][k.member.counter()[i]])
			}
		}
	}
	for i := range 16 {
		if part, _ := k.member.part(i); part == 't' {
			continue
		}
		var t VecVirtual
		for g := range home {
			if to, ok := home[g][i].(VecVirtual); ok {
				k.VPBROADCASTD(k.Initial(i), to)
				continue
			}
			if t == nil {
				t = k.YMM()
				k.VPBROADCASTD(k.Initial(i), t)
			}
			k.VMOVDQA(t, home[g][i])
		}
	}
}

// wideDoubleRound returns a double round, staggered to spread out the rotations.
func (k *AVX2) wideDoubleRound(home [][16]Op) amd64.Code {
	// Delay between quarter rounds in half cycles, assuming one cycle per instruction.
	const distance = 7
	type timed struct {
		at    int
		write func()
	}
	var all []timed
	start := 0
	for round := range 2 {
		for g := range home {
			// Begin with the diagonal whose operands are ready first.
			for _, q := range [2][4]int{{0, 1, 2, 3}, {3, 0, 1, 2}}[round] {
				at := start
				start += distance
				if len(home) == 1 {
					start += 4 - distance
				}
				add := func(dt int, write func()) { all = append(all, timed{at + 2*dt, write}) }
				a, b := home[g][q], home[g][4+(q+round)%4]
				c, d := home[g][8+(q+2*round)%4], home[g][12+(q+3*round)%4]
				for i, code := range k.quarterRound(a, b, c, d) {
					add([]int{0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12}[i], code)
				}
			}
		}
		if len(home) == 1 {
			start = 2 * 14
		}
	}
	slices.SortStableFunc(all, func(x, y timed) int { return x.at - y.at })
	var out amd64.Code
	for _, t := range all {
		out = append(out, t.write)
	}
	return out
}

// quarterRound returns a quarter round in 12 parts. b must be a register.
func (k *AVX2) quarterRound(a, b, c, d Op) amd64.Code {
	register := func(x Op) Op {
		if _, ok := x.(Mem); ok {
			return k.YMM()
		}
		return x
	}
	final := func(r, x Op) {
		if r != x {
			k.VMOVDQA(r, x)
		}
	}
	ra, rc, rd := register(a), register(c), register(d)
	code := amd64.Code{
		func() { k.VPADDD(a, b, ra) },
		func() { k.VPXOR(d, ra, rd) },
		func() { k.Rotate(rd, 16) },
		func() { k.VPADDD(c, rd, rc) },
		func() { k.VPXOR(rc, b, b) },
		func() { k.Rotate(b, 12) },
		func() { k.VPADDD(b, ra, ra); final(ra, a) },
		func() { k.VPXOR(ra, rd, rd) },
		func() { k.Rotate(rd, 8); final(rd, d) },
		func() { k.VPADDD(rd, rc, rc); final(rc, c) },
		func() { k.VPXOR(rc, b, b) },
		func() { k.Rotate(b, 7) },
	}
	if rc != c && ra == a {
		// With only one register for both c and the rotations, store c early.
		for _, i := range []int{3, 9} {
			add, xor := code[i], code[i+1]
			code[i], code[i+1] = func() { add(); final(rc, c); xor() }, func() {}
		}
		code[9] = func() {
			t := k.YMM()
			k.VPADDD(c, rd, t)
			k.VMOVDQA(t, c)
			k.VPXOR(t, b, b)
		}
	}
	return code
}

// endWide emits code that completes half of each block in a group.
func (k *AVX2) endWide(group, half int, words []Op, sink func(j int, v VecVirtual)) {
	var rows [8]VecVirtual
	for i := range rows {
		rows[i] = k.YMM()
		word := 8*half + i
		if part, half := k.member.part(word); part == 't' {
			k.VMOVDQA(k.counterRow(group, half), rows[i])
		} else {
			k.VPBROADCASTD(k.Initial(word), rows[i])
		}
		k.VPADDD(words[i], rows[i], rows[i])
	}
	k.transposeHalf(rows, sink)
}

func (k *AVX2) transposeHalf(rows [8]VecVirtual, sink func(j int, v VecVirtual)) {
	transpose, low, _ := TransposeWords(k.Context, rows[:4], [2]VecVirtual{k.YMM(), k.YMM()})
	transpose.Write()
	transpose, high, _ := TransposeWords(k.Context, rows[4:], [2]VecVirtual{k.YMM(), k.YMM()})
	transpose.Write()
	for j := range 4 {
		for l, order := range []uint8{0x20, 0x31} {
			out := k.YMM()
			k.VPERM2I128(U8(order), high[j], low[j], out)
			sink(4*l+j, out)
		}
	}
}

// A First describes a step that begins with block 0.
type First struct {
	Counters Mem // counter increments of the second set's blocks

	// Key emits code that processes the Poly1305 key in row0 and row1.
	Key func(row0, row1 VecVirtual)
}

// Narrow emits code that computes and stores 2*sets blocks of keystream.
func (k *AVX2) Narrow(label string, sets int, step *First) {
	k.Comment(fmt.Sprintf("%d blocks, two in a set; a register contains one row of a set.", 2*sets))
	s := (&kernel{Arithmetic: k.Arithmetic, register: k.YMM}).newNarrow(sets)
	d := k.YMM()
	nonce := k.YMM()
	k.VPBROADCASTQ(k.Counter(), d)
	k.VPBROADCASTQ(k.Initial(14), nonce)
	k.VPUNPCKLQDQ(nonce, d, d)
	before := 0
	if step != nil {
		// The first block is block 0, which is not stored.
		before = 1
		zero := k.YMM()
		k.VPXOR(zero, zero, zero)
		k.VPBLENDD(U8(1), zero, d, s.d[0])
		if sets > 1 {
			k.VPADDQ(step.Counters, d, s.d[1])
		}
	} else {
		k.VPADDQ(k.lanes, d, s.d[0])
	}
	k.VBROADCASTI128(k.Initial(0), s.a[0])
	k.VBROADCASTI128(k.Initial(4), s.b[0])
	k.VBROADCASTI128(k.Initial(8), s.c[0])
	for i := 1; i < sets; i++ {
		k.VMOVDQA(s.a[0], s.a[i])
		k.VMOVDQA(s.b[0], s.b[i])
		k.VMOVDQA(s.c[0], s.c[i])
		if i > before {
			k.VPADDQ(k.set, s.d[i-1], s.d[i])
		}
	}
	for i := range sets {
		k.VMOVDQA(s.d[i], k.row(0, i))
	}
	k.Loop(label, func() amd64.Code { return NarrowDoubleRound(&k.Arithmetic, s.a, s.b, s.c, s.d) })
	t := k.YMM()
	for j, row := range [][]VecVirtual{s.a, s.b, s.c} {
		k.VBROADCASTI128(k.Initial(4*j), t)
		for i := range sets {
			k.VPADDD(t, row[i], row[i])
		}
	}
	if step != nil {
		// The lower lanes hold the key, the first 32 bytes of block 0.
		step.Key(s.a[0], s.b[0])
	}
	for i := range sets {
		k.VPADDD(k.row(0, i), s.d[i], s.d[i])
		for j, order := range []uint8{0x20, 0x31} {
			to := 2*i + j - before
			if to < 0 {
				continue
			}
			k.VPERM2I128(U8(order), s.b[i], s.a[i], t)
			k.Store(to, 0, t)
			k.VPERM2I128(U8(order), s.d[i], s.c[i], t)
			k.Store(to, 1, t)
		}
	}
}
