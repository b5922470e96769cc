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

// An avx512 generates cryptAVX512, which computes 2 to 16 blocks per step.
type avx512 struct {
	onePass
	vectors *kernel
	stored  Mem // bound on the number of keystream bytes on the stack
	stream  Mem // address of the stored keystream for the text
	after   Mem // numbers 1 to 4, which a set's blocks add to block 0's counter
}

const (
	sealedStep = 7 * block                 // number of text bytes in the first step that seals a short text
	sealedMost = sealedStep + setBytes - 1 // length of the longest text that is sealed in steps of at most 8 blocks
	openedStep = 3 * block                 // number of text bytes in the first step that opens a long text
	openedMost = 6 * block                 // length of the longest text that is opened in one step

	// outputHashes is the number of Poly1305 blocks hashed during a transposition.
	outputHashes = 4
)

func generateOnePassAVX512(f *amd64.File, c *constants, cipher *chacha20.AVX2) {
	beginOnePass(f, "cryptAVX512",
		"cryptAVX512 is cryptAVX2 for AVX-512, but a first call begins with the counter of block 0.")
	k := &avx512{onePass: onePass{Context: f.Context, steps: &chacha20.Steps{Arithmetic: chacha20.AVX512(f.Context)}}}
	k.vectors = &kernel{Arithmetic: chacha20.AVX512(f.Context), constants: c, x: zmm[:16], y: zmm[16:]}
	k.vectors.stack = Mem{Base: amd64.Aligned(f.Context, setBytes, 64)}
	k.after = amd64.Table(f, "after", uint32(1), 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0)
	k.setOperands(c.sigma, &k.stored, &k.stream)
	k.vectors.ofMessage(k.steps.Initial)
	k.poly = newScalar(k.Context, true)
	k.poly.shortChain = true
	k.block0 = chacha20.NewBlock(k.Context)
	k.MOVQ(U32(0), k.stored)
	k.start(1)
	k.allSteps()
	k.additional()
	k.text(k.vectors.stack, func(label string, dst, src, n, stream GPVirtual) {
		k.MOVQ(k.stream, stream)
		cipher.XORStored(label, dst, src, n, stream)
	})
	k.end(Y0, k.leave)
}

func (k *avx512) allSteps() {
	n, made := k.choose(), k.GP64()
	k.MOVQ(n, k.size)
	k.MOVQ(n, made)
	k.ifZero(k.isFirst, "others")
	k.MOVQ(U32(0), k.poly.left)
	k.ADDQ(U8(block), made)
	k.ifAtMost(made, 2*block, "step2")
	k.ifAtMost(made, 4*block, "step4")
	k.ifAtMost(n, 4*block, "apart4")
	k.ifFlag(layout.Opening, "openedFirst")
	k.ifAtMost(made, 8*block, "step8")
	k.ifAtMost(n, 8*block, "apart8")
	k.ifAtMost(n, sealedMost, "sealedFirst")
	k.keyed16()
	k.Comment("The next step hashes the output of this short step or, when opening, its own input.")
	k.Label("sealedFirst")
	k.MOVQ(U32(sealedStep), k.size)
	k.JMP(LabelRef("sealed"))
	k.Label("sealedNext")
	k.MOVQ(U32(8*block), k.size)
	k.Label("sealed")
	k.MOVQ(U32(8*block), made)
	k.JMP(LabelRef("step8"))
	k.Label("openedFirst")
	k.ifAtMost(n, openedMost, "step8")
	k.MOVQ(U32(openedStep), k.size)
	k.MOVQ(U32(openedStep+block), made)
	k.JMP(LabelRef("step4"))
	k.Label("others")
	k.unlessFlag(layout.Opening, "encrypted")
	k.MOVQ(U32(setBytes), k.size)
	k.hashStep()
	k.Label("encrypted")
	for _, blocks := range []int{2, 4, 8} {
		k.ifAtMost(made, blocks*block, fmt.Sprintf("step%d", blocks))
	}
	k.CMPQ(n, U32(setBytes))
	k.JAE(LabelRef("step16"))
	k.ifAtMost(k.poly.left, 8*block/16, "sealedNext") // 16 blocks take longer than hashing 32
	k.Label("step16")
	k.step16()
	for sets := 2; sets >= 1; sets-- {
		// With one set, the shift units are idle often enough for Ternary.
		ternary := func(bits uint8) bool { return sets == 1 && bits%8 == 0 }
		s := k.narrow(sets, zmm[:], ternary)
		k.withBlock0(s, made)
		k.together(s, made)
		k.JMP(LabelRef("stored"))
	}
	k.together(k.narrow(1, []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9}, func(uint8) bool { return true }), made)
	k.Label("stored")
	k.MOVQ(k.vectors.stack.Base, k.stream)
	k.ifZero(k.isFirst, "text")
	k.ADDQ(U8(block), k.stream)
	k.storedKey(k.vectors.stack)
}

// narrow returns a generator for steps in the narrow layout.
func (k *avx512) narrow(sets int, registers []VecPhysical, ternary func(bits uint8) bool) *narrowKernel {
	of := *k.vectors
	s := of.newNarrow(sets, registers)
	off := s.Ternary(s.free[0], s.free[1])
	s.Step = func(sum, addend, x Op, bits uint8) amd64.Code {
		if ternary(bits) {
			return off(sum, addend, x, bits)
		}
		return nil
	}
	return s
}

func (k *avx512) together(s *narrowKernel, made GPVirtual) {
	blocks := s.blocks()
	k.Label(fmt.Sprintf("step%d", blocks))
	k.loadMessage()
	s.begin(s.quarters)
	k.ORQ(made, k.stored)
	k.SHRQ(U8(6), made)
	k.ADDL(made.As32(), k.steps.Counter())
	k.loop(3, 0, nil)
	k.steps.Loop(fmt.Sprintf("rounds%d", blocks), s.doubleRound)
	s.end(k.vectors.stack)
}

// withBlock0 emits a first step that computes block 0 in general registers.
func (k *avx512) withBlock0(s *narrowKernel, made GPVirtual) {
	label := fmt.Sprintf("apart%d", s.blocks())
	k.Label(label)
	k.loadMessage()
	s.begin(k.after)
	k.ORQ(made, k.stored) // no later step needs the counter
	k.beginKey(true)
	doubleRound := s.doubleRound().Spread(k.block0.DoubleRound())
	amd64.Loop(k.Context, label+"Rounds", doubleRounds, k.rounds, doubleRound.Write)
	k.endKey()
	s.end(k.vectors.stack)
	k.MOVQ(k.vectors.stack.Base, k.stream)
	k.JMP(LabelRef("additional"))
}

func (k *avx512) keyed16() {
	v := k.vectors
	k.loadMessage()
	v.begin(v.x, 0)
	k.MOVQ(U32(setBytes), k.stored)
	k.MOVQ(U32(setBytes-block), k.size)
	v.repeat("keyedRounds16", v.doubleRound(v.x))
	v.output(0, func(i int, stream VecPhysical) { k.VMOVDQU64(stream, v.stack.Offset(block*i)) })
	k.ADDL(U8(setBlocks), k.steps.Counter())
	k.JMP(LabelRef("stored"))
}

func (k *avx512) step16() {
	v := k.vectors
	from, to := k.GP64(), k.GP64()
	k.loadMessage()
	k.MOVQ(U32(setBytes), k.size)
	v.begin(v.x, 0)
	k.loop(6, 0, nil)
	k.steps.Loop("rounds16", func() amd64.Code { return v.doubleRound(v.x) })
	v.addInitial(0)
	k.MOVQ(k.src, from)
	k.MOVQ(k.dst, to)
	output := amd64.Record(k.Context, func() {
		v.transpose(func(i int, stream VecPhysical) {
			k.VPXORD(Mem{Base: from, Disp: block * i}, stream, stream)
			k.VMOVDQU64(stream, Mem{Base: to, Disp: block * i})
		})
	})
	k.CMPQ(k.n, U32(setBytes))
	// With less text, only store the keystream on the stack.
	k.JB(LabelRef("store16"))
	k.CMPQ(k.poly.left, U8(outputHashes))
	k.JB(LabelRef("output16"))
	k.SUBQ(U8(outputHashes), k.poly.left)
	output.Spread(k.poly.unrolled(outputHashes)).Write()
	k.ADDQ(U8(16*outputHashes), k.poly.next)
	k.JMP(LabelRef("end16"))
	k.Label("store16")
	k.MOVQ(v.stack.Base, from)
	k.MOVQ(v.stack.Base, to)
	k.MOVQ(U32(setBytes), k.stored)
	k.VPXORD(v.y[0], v.y[0], v.y[0])
	for i := range setBlocks {
		k.VMOVDQU64(v.y[0], v.stack.Offset(block*i))
	}
	k.Label("output16")
	output.Write()
	k.Label("end16")
	k.loadMessage()
	blocks := k.stepLength(U32(setBytes))
	k.SHRQ(U8(6), blocks)
	k.ADDL(blocks.As32(), k.steps.Counter())
	k.MOVQ(v.stack.Base, k.stream)
	k.stepped(setBytes)
}

func (k *avx512) leave() {
	k.VPXOR(Y0, Y0, Y0)
	from := 0
	for _, blocks := range []int{2, 4, 8, setBlocks} {
		if from > 0 {
			k.ifAtMost(k.stored, block*from, "left")
		}
		for ; from < blocks; from++ {
			k.VMOVDQU64(Z0, k.vectors.stack.Offset(block*from))
		}
	}
	k.Label("left")
	k.VZEROUPPER()
	k.RET()
}
