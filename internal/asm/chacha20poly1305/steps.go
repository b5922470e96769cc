// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/chacha20"
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
)

// The AVX-512 IFMA kernels compute 32 ChaCha20 blocks at once, in two sets of 16. The
// two sets occupy all 32 registers, and interleaving their dependency chains keeps the
// vector units busy.
//
// Poly1305 runs after the rounds. At that time, registers are free, and the shuffles
// that transpose the keystream leave the multipliers idle. Each of the eight lanes of a
// vector hashes every eighth Poly1305 block. For every 32 blocks, a lane multiplies its
// accumulator h by r^32 and adds its four blocks, multiplied by smaller powers:
//
//	h = h·r^32 + (blocks 1 to 8)·r^24 + (blocks 9 to 16)·r^16 + (blocks 17 to 24)·r^8 + (blocks 25 to 32)
//
// The proof derives all bounds; internal/asm/poly1305/table_ifma.go explains the limbs.

const (
	block        = 64
	setBlocks    = 16
	setBytes     = setBlocks * block
	stepBytes    = 2 * setBytes  // text bytes processed with both sets
	mixedBlocks  = 8 + setBlocks // blocks in two narrow sets and a wide one
	doubleRounds = 10
)

var zmm = amd64.ZMM

type constants struct {
	lanes               [3]Mem // block numbers from 0, from 16 and from 8
	mask52, mask51, one Mem
	mask26, five, clamp Mem
	unit156, unit155    Mem
	sigma               Mem
	quarters, four      Mem
}

func newConstants(f *amd64.File) *constants {
	c := new(constants)
	for set, before := range []uint32{0, setBlocks, mixedBlocks - setBlocks} {
		var numbers []uint32
		for i := range uint32(setBlocks) {
			numbers = append(numbers, before+i)
		}
		c.lanes[set] = amd64.Table(f, []string{"lanesA", "lanesB", "lanesC"}[set], numbers...)
	}
	c.quarters = amd64.Table(f, "quarters", uint32(0), 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0)
	c.four = amd64.Table(f, "four", uint32(4), 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0)
	c.sigma = amd64.Table(f, "sigma", chacha20.Sigma...)
	c.clamp = amd64.Table(f, "clamp", uint64(0x0ffffffc0fffffff), 0x0ffffffc0ffffffc)
	word := func(name string, v uint64) Mem { return amd64.Table(f, name, v) }
	c.mask52, c.mask51 = word("mask52", 1<<52-1), word("mask51", 1<<51-1)
	c.mask26, c.one, c.five = word("mask26", 1<<26-1), word("one", 1), word("five", 5)
	c.unit156, c.unit155 = word("unit156", 5<<26), word("unit155", 5<<25)
	return c
}

type kernel struct {
	chacha20.Arithmetic
	*constants
	state Mem
	stack Mem // aligned to 64 bytes
	x, y  []VecPhysical
	word  func(i int) Mem // returns the memory operand for a word of a message's initial state

	// load and add emit code that loads or adds an initial state word.
	load, add func(set, i int, x VecPhysical)
}

// newKernel begins a function with frame bytes of aligned stack memory.
func newKernel(f *amd64.File, c *constants, name, signature string, frame int, doc ...string) *kernel {
	f.Function(name, signature, doc...)
	k := &kernel{Arithmetic: chacha20.AVX512(f.Context), constants: c, x: zmm[:16], y: zmm[16:]}
	k.state = Mem{Base: amd64.Load(f.Context, "s")}
	if frame > 0 {
		f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
		k.stack = Mem{Base: amd64.Aligned(f.Context, frame, 64)}
	}
	return k
}

func (k *kernel) argument(name string) Mem { return amd64.Argument(k.Context, name) }

func (k *kernel) slot(i int) Mem { return k.stack.Offset(64 * i) }

func (k *kernel) zero(from, to int) {
	k.VPXORQ(Z0, Z0, Z0)
	for i := from; i < to; i++ {
		k.VMOVDQA64(Z0, k.slot(i))
	}
}

// store emits code that saves the registers x to the stack.
func (k *kernel) store(x []VecPhysical, firstSlot int) {
	for i, x := range x {
		k.VMOVDQA64(x, k.slot(firstSlot+i))
	}
}

// fill emits code that loads the registers x from the stack.
func (k *kernel) fill(x []VecPhysical, firstSlot int) {
	for i, x := range x {
		k.VMOVDQA64(k.slot(firstSlot+i), x)
	}
}

// ofMessage assigns consecutive blocks of a message to the lanes.
func (k *kernel) ofMessage(word func(i int) Mem) {
	k.word = word
	k.load = func(set, i int, x VecPhysical) {
		if i != 12 {
			k.VPBROADCASTD(word(i), x)
			return
		}
		k.VMOVDQU64(k.lanes[set], x)
		k.VPADDD_BCST(word(i), x, x)
	}
	k.add = func(set, i int, x VecPhysical) {
		k.VPADDD_BCST(word(i), x, x)
		if i == 12 {
			k.VPADDD(k.lanes[set], x, x)
		}
	}
}

func (k *kernel) messageWord(i int) Mem { return k.state.Offset(layout.MessageConstants + 4*i) }

func (k *kernel) begin(x []VecPhysical, set int) {
	for i := range x {
		k.load(set, i, x[i])
	}
}

func (k *kernel) doubleRound(sets ...[]VecPhysical) (out amd64.Code) {
	const perList = 12
	var lists []amd64.Code
	for _, x := range sets {
		lists = append(lists, chacha20.DoubleRound(&k.Arithmetic, x))
	}
	for i := 0; i < len(lists[0]); i += perList {
		for _, list := range lists {
			out = append(out, list[i:i+perList]...)
		}
	}
	return out
}

// output emits code that completes and transposes the blocks in k.x.
func (k *kernel) output(set int, sink func(block int, stream VecPhysical)) {
	k.addInitial(set)
	k.transpose(sink)
}

func (k *kernel) addInitial(set int) {
	for i, x := range k.x {
		k.add(set, i, x)
	}
}

func (k *kernel) transpose(sink func(block int, stream VecPhysical)) {
	free := [2]VecPhysical(k.y) // overwritten, so the other set must not be there
	// Lane l of rows[g][j] contains words 4g to 4g+3 of block 4l+j.
	var rows [4][4]VecPhysical
	for g := range rows {
		var transpose amd64.Code
		transpose, rows[g], free = chacha20.TransposeWords(k.Context, k.x[4*g:4*g+4], free)
		transpose.Write()
	}
	for j := range 4 {
		a, b, c, d := rows[0][j], rows[1][j], rows[2][j], rows[3][j]
		for l, stream := range k.transposeLanes(a, b, c, d, free) {
			sink(4*l+j, stream)
		}
		free = [2]VecPhysical{free[1], c}
	}
}

func generateAVX512(f *amd64.File) *constants {
	c := newConstants(f)
	generateStream(f, c)
	generateXOR(f)
	generateSteps(f, c)
	generateHalvedSteps(f, c)
	generateSubkeys(f, c)
	generateBlockLanes(f, c)
	generateTexts(f, c)
	generateTags(f, c)
	generateShort(f, c)
	return c
}

func generateStream(f *amd64.File, c *constants) {
	k := newKernel(f, c, "keyStreamAVX512IFMA", "func(s *message, stream *byte, n int)", setBytes,
		"keyStreamAVX512IFMA computes n blocks of keystream and adds n to the counter. n must be at",
		"most 32. It stores 4, 8, 16, 24 or 32 blocks.")
	k.ofMessage(k.messageWord)
	n, to := amd64.Load(f.Context, "n"), Mem{Base: amd64.Load(f.Context, "stream")}
	store := func(before int) func(int, VecPhysical) {
		return func(i int, stream VecPhysical) { f.VMOVDQU64(stream, to.Offset(block*(before+i))) }
	}
	for _, above := range []struct {
		blocks int
		label  LabelRef
	}{{mixedBlocks, "wide"}, {setBlocks, "mixed"}, {8, "narrow4"}, {4, "narrow2"}} {
		f.CMPQ(n, U8(above.blocks))
		f.JA(above.label)
	}
	for _, sets := range []int{1, 2, 4} {
		if sets > 1 {
			f.Label(fmt.Sprintf("narrow%d", sets))
		}
		s := k.newNarrow(sets, zmm[:])
		s.begin(k.quarters)
		k.repeat(fmt.Sprintf("narrowRounds%d", sets), s.doubleRound())
		s.end(to)
		f.JMP(LabelRef("done"))
	}

	f.Comment("Compute 8 blocks, including block 0, and then 16: enough for a packet of 1420 bytes. The 8",
		"blocks come first because block 0 is ready sooner if there is less to transpose.")
	f.Label("mixed")
	s := k.newNarrow(2, zmm[setBlocks:])
	s.begin(k.quarters)
	k.begin(k.x, 2)
	k.repeat("mixedRounds", chacha20.DoubleRound(&k.Arithmetic, k.x).Spread(s.doubleRound()))
	s.end(to)
	k.output(2, store(mixedBlocks-setBlocks))
	f.JMP(LabelRef("done"))

	f.Label("wide")
	k.begin(k.x, 0)
	k.begin(k.y, 1)
	k.repeat("rounds", k.doubleRound(k.x, k.y))
	k.store(k.y, 0)
	k.output(0, store(0))
	k.fill(k.x, 0)
	k.output(1, store(setBlocks))
	f.Comment("Clear the state on the stack.")
	k.zero(0, setBlocks)

	f.Label("done")
	f.ADDL(n.As32(), k.state.Offset(layout.MessageCounter))
	f.VZEROUPPER()
	f.RET()
}

func (k *kernel) repeat(label string, doubleRound amd64.Code) {
	amd64.Loop(k.Context, label, doubleRounds, k.GP64(), doubleRound.Write)
}

// A narrowKernel emits code with one row of several blocks per register.
type narrowKernel struct {
	*kernel
	rows    [4][]VecPhysical // rows a to d of each set
	initial []VecPhysical    // initial rows a to c, the same in all sets
	d       []VecPhysical    // initial row d of each set
	free    [2]VecPhysical
}

// newNarrow assigns registers: five to each set, and five that all sets share.
func (k *kernel) newNarrow(sets int, registers []VecPhysical) *narrowKernel {
	s := &narrowKernel{kernel: k}
	take := func(n int) (r []VecPhysical) {
		r, registers = registers[:n], registers[n:]
		return r
	}
	for r := range s.rows {
		s.rows[r] = take(sets)
	}
	s.initial, s.d, s.free = take(3), take(sets), [2]VecPhysical(take(2))
	return s
}

// begin emits code that loads the initial rows.
func (s *narrowKernel) begin(numbers Mem) {
	for r, v := range s.initial {
		s.VBROADCASTI32X4(s.word(4*r), v)
		for _, x := range s.rows[r] {
			s.VMOVDQA64(v, x)
		}
	}
	// The caller stored counter and nonce separately, so a single load would stall.
	s.VPBROADCASTQ(s.word(12), s.d[0])
	s.VPBROADCASTQ(s.word(14), s.free[0])
	s.VPUNPCKLQDQ(s.free[0], s.d[0], s.d[0])
	// numbers contains the counter increments of the first set's blocks.
	s.VPADDD(numbers, s.d[0], s.d[0])
	for i, d := range s.d {
		if i > 0 {
			s.VPADDD(s.four, s.d[i-1], d)
		}
		s.VMOVDQA64(d, s.rows[3][i])
	}
}

func (s *narrowKernel) blocks() int { return len(s.d) * int(s.free[0].Size()) / 16 }

func (s *narrowKernel) doubleRound() amd64.Code {
	return chacha20.NarrowDoubleRound(&s.Arithmetic, s.rows[0], s.rows[1], s.rows[2], s.rows[3])
}

func (s *narrowKernel) end(to Mem) {
	for i, d := range s.d {
		for r, v := range s.initial {
			s.VPADDD(v, s.rows[r][i], s.rows[r][i])
		}
		s.VPADDD(d, s.rows[3][i], s.rows[3][i])
		if s.free[0].Size() == 32 {
			for l, order := range []uint8{0x20, 0x31} {
				for half := range 2 {
					s.VPERM2I128(U8(order), s.rows[2*half+1][i], s.rows[2*half][i], s.free[half])
					s.VMOVDQU(s.free[half], to.Offset(block*l+32*half))
				}
			}
			continue
		}
		for l, stream := range s.transposeLanes(s.rows[0][i], s.rows[1][i], s.rows[2][i], s.rows[3][i], s.free) {
			s.VMOVDQU64(stream, to.Offset(4*block*i+block*l))
		}
	}
}

// transposeLanes emits code that transposes 128-bit lanes and overwrites all its
// arguments.
func (k *kernel) transposeLanes(a, b, c, d VecPhysical, free [2]VecPhysical) [4]VecPhysical {
	ab01, cd01 := free[0], free[1]
	k.VSHUFI32X4(U8(0x44), b, a, ab01)
	k.VSHUFI32X4(U8(0xee), b, a, a)
	k.VSHUFI32X4(U8(0x44), d, c, cd01)
	k.VSHUFI32X4(U8(0xee), d, c, c)
	k.VSHUFI32X4(U8(0x88), cd01, ab01, b)
	k.VSHUFI32X4(U8(0xdd), cd01, ab01, ab01)
	k.VSHUFI32X4(U8(0x88), c, a, d)
	k.VSHUFI32X4(U8(0xdd), c, a, a)
	return [4]VecPhysical{b, ab01, d, a}
}

func generateXOR(f *amd64.File) {
	f.Function("xorAVX512IFMA", "func(dst, src, stream *byte, n int)",
		"xorAVX512IFMA sets n bytes of dst to src XOR stream.")
	dst, src := amd64.Load(f.Context, "dst"), amd64.Load(f.Context, "src")
	at, n := amd64.Load(f.Context, "stream"), amd64.Load(f.Context, "n")
	f.SUBQ(U8(block), n)
	f.JB(LabelRef("partial"))
	f.Label("next")
	f.VMOVDQU64(Mem{Base: at}, Z0)
	f.VPXORQ(Mem{Base: src}, Z0, Z0)
	f.VMOVDQU64(Z0, Mem{Base: dst})
	for _, p := range []GPVirtual{at, src, dst} {
		f.ADDQ(U8(block), p)
	}
	f.SUBQ(U8(block), n)
	f.JAE(LabelRef("next"))

	f.Label("partial")
	f.ADDQ(U8(block), n)
	f.JZ(LabelRef("done"))
	amd64.LowestBits(f.Context, n, f.GP64(), K1)
	f.VMOVDQU8_Z(Mem{Base: src}, K1, Z0)
	f.VMOVDQU8_Z(Mem{Base: at}, K1, Z1)
	f.VPXORQ(Z1, Z0, Z0)
	f.VMOVDQU8(Z0, K1, Mem{Base: dst})
	f.Label("done")
	f.VZEROUPPER()
	f.RET()
}
