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

// An avx2 writes cryptAVX2, whose steps are 2, 4, 6, 8 or 16 blocks, or 3 or 5 with the key's.
type avx2 struct {
	onePass
	cipher *chacha20.AVX2
	wide   Mem // whether there was a step of 16 blocks
}

const (
	set   = 2 * block
	eight = 8 * block
)

func generateAVX2(f *amd64.File) *chacha20.AVX2 {
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
	return cipher
}

// leave clears what steps left on the stack, and returns.
func (k *avx2) leave() {
	k.CMPQ(k.wide, U8(0))
	k.JE(LabelRef("narrow"))
	k.cipher.Wipe(0, 2*16*32)
	k.cipher.Wipe(chacha20.KeyStreamAt+eight, chacha20.KeyStreamAt+2*eight)
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt-block, chacha20.KeyStreamAt+eight)
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
	k.chooseKeyed(n)
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

	k.Label("step8")
	k.begin(eight)
	k.loop(4, 2, nil)
	k.cipher.Wide("rounds8", 1, k.cipher.Store)
	k.cipher.Count(8)
	k.cipher.Wipe(0, 16*32)
	k.JMP(LabelRef("text"))
	k.step16()
	for sets := 1; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", 2*sets))
		k.begin(sets * set)
		k.loop(4, 1+sets/3, nil)
		k.cipher.Narrow(fmt.Sprintf("rounds%d", 2*sets), sets, false)
		k.cipher.Count(2 * sets)
		k.JMP(LabelRef("stored"))
	}
	k.stepKeyed(2)
	k.stepKeyed(3)
	k.keyAlone()
}

// chooseKeyed chooses the first steps whose vectors have the key's block, too. It does not take longer
// there than without it if a set has room, and spares the step the general registers' instructions: when
// it seals, there is nothing to hash yet that would need them. Of nine blocks of text, the others
// are a step of four when sealed, which hashes the first five, and of six when opened.
func (k *avx2) chooseKeyed(n GPVirtual) {
	k.CMPQ(k.isFirst, U8(0))
	k.JE(LabelRef("keyApart"))
	k.CMPQ(n, U32(3*block))
	k.JBE(LabelRef("keyed4"))
	k.CMPQ(n, U32(4*block))
	k.JBE(LabelRef("keyApart"))
	k.CMPQ(n, U32(9*block))
	k.JA(LabelRef("keyApart"))
	k.ifFlag(opened, "opened9")
	k.CMPQ(n, U32(5*block))
	k.JBE(LabelRef("keyed6"))
	k.CMPQ(n, U32(8*block))
	k.JA(LabelRef("keyed6"))
	k.JMP(LabelRef("keyApart"))
	k.Label("opened9")
	k.CMPQ(n, U32(8*block))
	k.JA(LabelRef("keyed4"))
	k.Label("keyApart")
}

// stepKeyed writes a first step of so many sets, of which the first block has the key.
func (k *avx2) stepKeyed(sets int) {
	name := fmt.Sprintf("keyed%d", 2*sets)
	k.Label(name)
	k.loadMessage()
	k.MOVQ(U32(2*sets-1)*block, k.size)
	k.steps.Loop = func(label string, doubleRound func() amd64.Code) {
		k.MOVQ(U32(10), k.rounds)
		k.Label(label)
		doubleRound().Write()
		k.DECQ(k.rounds)
		k.JNZ(LabelRef(label))
		k.loadMessage()
	}
	k.cipher.Narrow(name+"Rounds", sets, true)
	k.cipher.Count(2*sets - 1)
	var key [4]GPVirtual
	for i := range key {
		key[i] = k.GP64()
		k.MOVQ(k.cipher.KeyStream(-1, 0).Offset(8*i), key[i])
	}
	k.poly.key(Mem{Base: k.message}, key)
	k.JMP(LabelRef("additional"))
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
