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

// An avx2 writes cryptAVX2, whose steps are 2, 4, 6, 8, 9 or 16 blocks.
type avx2 struct {
	onePass
	cipher *chacha20.AVX2
	wide   Mem // whether there was a step of 16 blocks
	ninth  Mem // the counter of the block after eight
}

const (
	set   = 2 * block
	eight = 8 * block
)

func generateAVX2(f *amd64.File) {
	cipher := chacha20.NewAVX2(f)
	f.Function("cryptAVX2", "func(m *uint64, key *[32]byte, dst, src *byte, n int, ad *byte, adLen int, flags int)",
		"cryptAVX2 seals or opens a part of a message, and hashes additional data before that.",
		"Together they have at most 64 KiB. In all calls but the last, n is a multiple of 1024",
		"and adLen one of 16. M points to the counter of a onePass.")
	f.Attributes(0) // a frame this large needs the check of the stack's size that NOSPLIT leaves out
	k := &avx2{onePass: onePass{Context: f.Context, steps: &cipher.Steps, keyStream: cipher}, cipher: cipher}
	cipher.Begin(f.Context, chacha20.AVX2Size)
	k.function(cipher.Sigma)
	k.wide = k.AllocLocal(8)
	k.block0 = chacha20.NewBlock(k.Context)
	k.poly = newScalar(k.Context, true)
	k.ninth = k.AllocLocal(8)
	k.MOVQ(U32(0), k.wide)
	k.start()
	k.allSteps()
	k.additional()
	k.text()
	k.end(func(m Mem) {
		zero := k.YMM()
		k.VPXOR(zero, zero, zero)
		k.VMOVDQU(zero, m.Offset(hAt))
		k.VMOVDQU(zero, m.Offset(lengthsAt-32))
	}, k.leave)
}

// leave clears what steps left on the stack, and returns.
func (k *avx2) leave() {
	k.CMPQ(k.wide, U8(0))
	k.JE(LabelRef("narrow"))
	k.cipher.Wipe(0, 2*16*32)
	k.cipher.Wipe(chacha20.KeyStreamAt+eight+block, chacha20.KeyStreamAt+2*eight)
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt, chacha20.KeyStreamAt+eight+block)
	k.VZEROUPPER()
	k.RET()
}

// allSteps writes the choice of the next step, and all of them.
func (k *avx2) allSteps() {
	n := k.GP64()
	k.Label("next")
	k.CMPQ(k.n, U8(0))
	k.JE(LabelRef("end"))
	k.Label("choose")
	k.MOVQ(k.n, n)
	k.TESTQ(n, n)
	k.JZ(LabelRef("keyAlone"))
	k.CMPQ(n, U32(2*eight))
	k.JAE(LabelRef("step16"))
	k.CMPQ(n, U32(set))
	k.JBE(LabelRef("step2"))
	k.Comment("Of six blocks, the first step can hash in its second half.")
	k.CMPQ(n, U32(3*set))
	k.JA(LabelRef("above6"))
	k.CMPQ(n, U32(2*set))
	k.JA(LabelRef("step6"))
	k.CMPQ(k.isFirst, U8(0))
	k.JE(LabelRef("step4"))
	k.ifFlag(opened, "step6")
	k.JMP(LabelRef("step4"))
	k.Label("above6")
	k.CMPQ(n, U32(eight))
	k.JBE(LabelRef("step8"))
	k.Comment("What is opened can be hashed now. What is sealed is hashed by the next step, so two are better.")
	k.ifFlag(opened, "step16")
	k.Comment("But a step for one block would take as long as all of it.")
	k.CMPQ(n, U32(eight+block))
	k.JA(LabelRef("step8"))
	k.CMPQ(k.isFirst, U8(0))
	k.JNE(LabelRef("step9"))

	k.Label("step8")
	k.begin(eight)
	k.loop(4, 2, nil)
	k.cipher.Wide("rounds8", 1, k.cipher.Store)
	k.cipher.Count(8)
	k.cipher.Wipe(0, 16*32)
	k.JMP(LabelRef("text"))
	k.step9()
	k.step16()
	for sets := 1; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", 2*sets))
		k.begin(sets * set)
		k.loop(4, 1+sets/3, nil)
		k.cipher.Narrow(fmt.Sprintf("rounds%d", 2*sets), sets)
		k.cipher.Count(2 * sets)
		k.JMP(LabelRef("stored"))
	}
	k.keyAlone()
}

// step9 writes the step of 9 blocks, which is the first one. The ninth of them is in general registers,
// and then the key's block.
func (k *avx2) step9() {
	k.Label("step9")
	k.loadMessage()
	k.MOVQ(U32(eight+block), k.size)
	k.steps.Loop = func(label string, doubleRound func() amd64.Code) {
		counter := k.GP64()
		k.MOVQ(k.steps.Counter(), counter)
		k.ADDQ(U8(8), counter)
		k.MOVQ(counter, k.ninth)
		var d [4]func(p GPVirtual) Mem
		for i := range d {
			d[i] = func(p GPVirtual) Mem {
				if i < 2 {
					return k.ninth.Offset(4 * i)
				}
				k.MOVQ(amd64.Argument(k.Context, "m"), p)
				return Mem{Base: p, Disp: nonceAt + 4*(i-2)}
			}
		}
		key := amd64.Argument(k.Context, "key")
		k.block0.Load(key, d)
		k.half(label+"Ninth", doubleRound)
		k.block0.Store(k.cipher.KeyStream(8, 0), key, d)
		k.beginKey()
		k.half(label+"Key", doubleRound)
		k.endKey()
	}
	k.cipher.Wide("rounds9", 1, k.cipher.Store)
	k.cipher.Count(8)
	k.cipher.Wipe(0, 16*32)
	k.JMP(LabelRef("additional"))
}

// half writes half of the double rounds, and all of the block's.
func (k *avx2) half(label string, doubleRound func() amd64.Code) {
	k.MOVQ(U32(5), k.rounds)
	k.Label(label)
	doubleRound().Spread(append(k.block0.DoubleRound(), k.block0.DoubleRound()...)).Write()
	k.DECQ(k.rounds)
	k.JNZ(LabelRef(label))
}

// step16 writes the step of 16 blocks, which encrypts directly if there is so much text.
// Otherwise it encrypts zeros in the place of the key stream.
func (k *avx2) step16() {
	const size = 2 * eight
	from, to := k.GP64(), k.GP64()
	k.Label("step16")
	k.MOVQ(U32(1), k.wide)
	k.begin(size)
	k.loop(7, 2, func() {
		k.CMPQ(k.n, U32(size))
		k.JB(LabelRef("store16"))
		k.poly.blocks("hash16")
		k.MOVQ(k.src, from)
		k.MOVQ(k.dst, to)
		k.JMP(LabelRef("end16"))
		k.Label("store16")
		k.cipher.Wipe(chacha20.KeyStreamAt, chacha20.KeyStreamAt+size)
		k.LEAQ(k.cipher.KeyStream(0, 0), from)
		k.MOVQ(from, to)
		k.Label("end16")
	})
	k.cipher.Wide("rounds16", 2, func(b, half int, v VecVirtual) {
		at := 64*b + 32*half
		k.VPXOR(Mem{Base: from, Disp: at}, v, v)
		k.VMOVDQU(v, Mem{Base: to, Disp: at})
	})
	k.cipher.Count(16)
	k.CMPQ(k.n, U32(size))
	k.JB(LabelRef("text"))
	k.ADDQ(U32(size), k.src)
	k.ADDQ(U32(size), k.dst)
	k.SUBQ(U32(size), k.n)
	amd64.Place(k.Context, "stepped")
	k.ifFlag(opened, "next")
	k.ADDQ(U8(size/16), k.poly.left)
	k.JMP(LabelRef("next"))
}
