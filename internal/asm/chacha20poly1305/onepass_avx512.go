// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/chacha20"
)

// A shortPass writes cryptAVX512, a onePass of one step: the key's block and all of the text's, in the
// same vectors if there is room. A message that is so short takes ChaCha20's time once, and then Poly1305's.
// On Zen 4, llvm-mca gives a double round of 2, 4, 8 and 16 blocks 26, 28, 40 and 48 cycles.
type shortPass struct {
	onePass
	vectors *kernel
	cipher  *chacha20.AVX2
	made    Mem // bytes of key stream that are asked for
	stream  Mem // where the text's begins
	after   Mem // what the blocks of a set add to the key's number
}

const shortBlocks = 16 // at most, with the key's

func generateShortPass(f *amd64.File, c *constants, cipher *chacha20.AVX2) {
	beginOnePass(f, "cryptAVX512",
		"cryptAVX512 seals or opens a message in one call, or the text of one whose key of Poly1305 is there,",
		"which it seals. The text has at most 960 bytes, and additional data as many that both have 64 KiB.",
		"M points to the counter of a onePass: block 0, which has the key, if that is not there, or is the text's first.")
	k := &shortPass{onePass: onePass{Context: f.Context, steps: new(chacha20.Steps), whole: true}, cipher: cipher}
	k.keyStream = k
	k.vectors = &kernel{Arithmetic: chacha20.AVX512(f.Context), constants: c, x: zmm[:16], y: zmm[16:]}
	k.vectors.stack = Mem{Base: amd64.Aligned(f.Context, shortBlocks*block, 64)}
	k.after = amd64.Table(f, "after", uint32(1), 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0)
	k.function(c.sigma)
	k.made, k.stream = k.AllocLocal(8), k.AllocLocal(8)
	k.poly = newScalar(k.Context, true)
	k.block0 = chacha20.NewBlock(k.Context)
	k.MOVQ(U32(0), k.made)
	k.start()
	k.step()
	k.additional()
	k.text()
	k.end(Y0, k.leave)
}

// step writes the choice of the step, and all of them. Where one block is too many for a step, it is the
// key's, which general registers make in the meantime.
func (k *shortPass) step() {
	n, made := k.choose(), k.GP64()
	k.MOVQ(n, k.size)
	k.MOVQ(k.isFirst, made)
	k.SHLQ(U8(6), made)
	k.ADDQ(n, made)
	k.MOVQ(made, k.made)
	k.ifAtMost(made, 2*block, "step2")
	for _, blocks := range []int{4, 8} {
		k.ifAtMost(made, blocks*block, fmt.Sprintf("step%d", blocks))
		k.ifAtMost(n, blocks*block, fmt.Sprintf("apart%d", blocks))
	}
	k.wide()
	for sets := 2; sets >= 1; sets-- {
		// Of one set, the units that shift can do more than rotate.
		ternary := func(bits uint8) bool { return sets == 1 && bits%8 == 0 }
		k.apart(k.narrow(sets, zmm[:], ternary))
		k.together(k.narrow(sets, zmm[:], ternary))
		k.JMP(LabelRef("stored"))
	}
	k.together(k.narrow(1, []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9}, func(uint8) bool { return true }))
	k.Label("stored")
	k.MOVQ(k.vectors.stack.Base, k.stream)
	k.ifZero(k.isFirst, "text")
	k.ADDQ(U8(block), k.stream)
	k.storedKey(k.vectors.stack)
}

// narrow returns sets of blocks, and which of their rotations are off the chain.
func (k *shortPass) narrow(sets int, registers []VecPhysical, ternary func(bits uint8) bool) *narrow {
	of := *k.vectors
	s := of.newNarrow(sets, registers)
	s.word = k.steps.Initial
	off := s.Ternary(s.free[0], s.free[1])
	s.Step = func(sum, addend, x Op, bits uint8) amd64.Code {
		if ternary(bits) {
			return off(sum, addend, x, bits)
		}
		return nil
	}
	return s
}

// together makes the key's block with the text's.
func (k *shortPass) together(s *narrow) {
	blocks := s.blocks()
	k.Label(fmt.Sprintf("step%d", blocks))
	k.loadMessage()
	s.begin()
	s.repeat(fmt.Sprintf("rounds%d", blocks), s.doubleRound())
	s.end(k.vectors.stack)
}

// apart makes the key's block in general registers.
func (k *shortPass) apart(s *narrow) {
	label := fmt.Sprintf("apart%d", s.blocks())
	k.Label(label)
	s.numbers = k.after
	k.loadMessage()
	s.begin()
	k.beginKey()
	doubleRound := s.doubleRound().Spread(k.block0.DoubleRound())
	amd64.Loop(k.Context, label+"Rounds", doubleRounds, k.rounds, doubleRound.Write)
	k.endKey()
	s.end(k.vectors.stack)
	k.MOVQ(k.vectors.stack.Base, k.stream)
	k.JMP(LabelRef("additional"))
}

// wide writes the step of 16 blocks, one in each lane.
func (k *shortPass) wide() {
	v := k.vectors
	k.loadMessage()
	v.ofMessage(k.steps.Initial)
	v.begin(v.x, 0)
	v.repeat("rounds16", v.doubleRound(v.x))
	v.output(0, func(i int, stream VecPhysical) amd64.Code {
		return amd64.Code{func() { k.VMOVDQU64(stream, v.stack.Offset(block*i)) }}
	}).Write()
	k.JMP(LabelRef("stored"))
}

// KeyStream is where the blocks are.
func (k *shortPass) KeyStream(b, part int) Mem { return k.vectors.stack.Offset(block*b + 32*part) }

// XORStored is that for AVX2, from where the text's key stream begins.
func (k *shortPass) XORStored(label string, dst, src, n, stream GPVirtual) {
	k.MOVQ(k.stream, stream)
	k.cipher.XORStored(label, dst, src, n, stream)
}

// leave clears as much of the stack as the step used, and returns.
func (k *shortPass) leave() {
	k.VPXOR(Y0, Y0, Y0)
	from := 0
	for _, blocks := range []int{2, 4, 8, shortBlocks} {
		if from > 0 {
			k.ifAtMost(k.made, block*from, "left")
		}
		for ; from < blocks; from++ {
			k.VMOVDQU64(Z0, k.vectors.stack.Offset(block*from))
		}
	}
	k.Label("left")
	k.VZEROUPPER()
	k.RET()
}
