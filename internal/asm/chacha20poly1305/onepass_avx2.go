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

// An avx2 writes cryptAVX2, whose steps are 2, 4, 6 or 8 blocks, or 4, 6 or 8 with the key's among them.
type avx2 struct {
	onePass
	cipher *chacha20.AVX2
	wide   Mem    // whether there was a step of eight blocks
	keyed  [2]Mem // what the blocks after the key's add to the counter, as the cipher has them
}

const (
	set   = 2 * block
	eight = 8 * block
	keyed = eight - block // of text, with the key's block
)

func generateAVX2(f *amd64.File) *chacha20.AVX2 {
	cipher := chacha20.NewAVX2(f)
	f.Function("cryptAVX2", "func(m *uint64, key *[32]byte, dst, src *byte, n int, ad *byte, adLen int, flags int)",
		"cryptAVX2 seals or opens a part of a message, and hashes additional data before that.",
		"Together they have at most 64 KiB. In all calls but the last, n is a multiple of 1024",
		"and adLen one of 16. M points to the counter of a onePass.")
	f.Attributes(0) // a frame this large needs the check of the stack's size that NOSPLIT leaves out
	k := &avx2{onePass: onePass{Context: f.Context, steps: &cipher.Steps, keyStream: cipher, waiting: eight / 16}, cipher: cipher}
	k.keyed = [2]Mem{
		amd64.Table(f, "keyedA256", uint64(0), 0, 3, 4),
		amd64.Table(f, "keyedB256", uint64(1), 2, 5, 6),
	}
	cipher.Begin(f.Context, chacha20.KeyStreamAt+eight)
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
	k.cipher.WipeRows(1)
	k.cipher.Wipe(chacha20.KeyStreamAt+3*set, chacha20.KeyStreamAt+eight)
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt-block, chacha20.KeyStreamAt+3*set)
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
	k.CMPQ(n, U32(set))
	k.JBE(LabelRef("step2"))
	k.chooseKeyed(n)
	k.Comment("Of six blocks, the first step can hash in its second half.")
	k.CMPQ(n, U32(3*set))
	k.JA(LabelRef("step8"))
	k.CMPQ(n, U32(2*set))
	k.JA(LabelRef("step6"))
	k.CMPQ(k.isFirst, U8(0))
	k.JE(LabelRef("step4"))
	k.ifFlag(opened, "step6")
	k.JMP(LabelRef("step4"))

	k.step8()
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
// there than without it if there is room, and spares the step the general registers' instructions: when
// it seals, there is nothing to hash yet that would need them. Of twelve blocks, eight are sealed first, and
// four hash these; of nine to eleven, three are opened, and the others hash at once. Calls but the last
// begin with whole steps, as they end with them.
func (k *avx2) chooseKeyed(n GPVirtual) {
	k.CMPQ(k.isFirst, U8(0))
	k.JE(LabelRef("keyApart"))
	k.CMPQ(n, U32(3*block))
	k.JBE(LabelRef("keyed4"))
	k.ifFlag(opened, "opened9")
	k.CMPQ(n, U32(4*block))
	k.JBE(LabelRef("keyApart"))
	k.CMPQ(n, U32(5*block))
	k.JBE(LabelRef("keyed6"))
	k.TESTQ(U32(last), amd64.Argument(k.Context, "flags"))
	k.JZ(LabelRef("keyApart"))
	k.CMPQ(n, U32(11*block))
	k.JBE(LabelRef("keyed8"))
	k.CMPQ(n, U32(12*block))
	k.JA(LabelRef("keyed8"))
	k.JMP(LabelRef("keyApart"))
	k.Label("opened9")
	k.CMPQ(n, U32(8*block))
	k.JBE(LabelRef("keyApart"))
	k.CMPQ(n, U32(11*block))
	k.JBE(LabelRef("keyed4"))
	k.Label("keyApart")
}

// stepKeyed writes a first step of so many sets, of which the first block has the key.
func (k *avx2) stepKeyed(sets int) {
	name := fmt.Sprintf("keyed%d", 2*sets)
	k.Label(name)
	k.loadMessage()
	k.MOVQ(U32(2*sets-1)*block, k.size)
	k.steps.Loop = func(label string, doubleRound func() amd64.Code) {
		chacha20.Repeat(k.Context, label, doubleRounds, k.rounds, doubleRound())
		k.loadMessage()
	}
	k.cipher.Narrow(name+"Rounds", sets, true)
	k.cipher.Count(2*sets - 1)
	k.storedKey()
}

// storedKey takes the key from the block before the text's, and goes on.
func (k *avx2) storedKey() {
	k.loadMessage()
	var key [4]GPVirtual
	for i := range key {
		key[i] = k.GP64()
		k.MOVQ(k.cipher.KeyStream(-1, 0).Offset(8*i), key[i])
	}
	k.poly.key(Mem{Base: k.message}, key)
	k.JMP(LabelRef("additional"))
}

// step8 writes the step of eight blocks, of which the first may be the key's. It encrypts directly if there is so
// much text, and otherwise zeros in the place of the key stream. Of 32 blocks of Poly1305, 16 go with four double
// rounds, and the others with four more after one without any. With three in each, 4 KiB and more take 0.99 of the
// time, but a first step that opens, which has five double rounds left when it has the key, hashes fewer: to open
// 512 bytes takes 1.05.
func (k *avx2) step8() {
	from, to := k.GP64(), k.GP64()
	k.Label("keyed8")
	k.MOVQ(U32(keyed), k.size)
	k.MOVQ(U32(0), k.poly.left)
	k.JMP(LabelRef("make8"))
	k.Label("step8")
	k.begin(eight)
	k.Label("make8")
	k.MOVQ(U32(1), k.wide)
	k.loadMessage()
	k.pause = 6
	k.loop(4, 2, func() { k.direct8(from, to) })
	loop := k.steps.Loop
	k.steps.Loop = func(label string, doubleRound func() amd64.Code) {
		k.MOVQ(U32(doubleRounds), k.rounds)
		k.CMPQ(k.size, U32(keyed))
		k.JE(LabelRef(label))
		loop(label, doubleRound)
	}
	k.cipher.Counters = k.counters8
	k.cipher.Wide("rounds8", 1, func(b, half int, v VecVirtual) {
		at := 64*b + 32*half
		k.VPXOR(Mem{Base: from, Disp: at}, v, v)
		k.VMOVDQU(v, Mem{Base: to, Disp: at})
	})
	k.pause = 0
	k.CMPQ(k.isFirst, U8(0))
	k.JNE(LabelRef("made8"))
	k.cipher.Count(8)
	k.CMPQ(k.n, U32(eight))
	k.JB(LabelRef("text"))
	k.ADDQ(U32(eight), k.src)
	k.ADDQ(U32(eight), k.dst)
	k.SUBQ(U32(eight), k.n)
	amd64.Place(k.Context, "stepped")
	k.ifFlag(opened, "next")
	k.ADDQ(U8(eight/16), k.poly.left)
	k.JMP(LabelRef("next"))
	k.Label("made8")
	k.cipher.Count(7)
	k.storedKey()
}

// counters8 gives the key's block the upper half of the counter alone, and the others what is next.
func (k *avx2) counters8(next, first, second VecVirtual) {
	k.CMPQ(k.size, U32(eight))
	k.JE(LabelRef("counted8"))
	zero := k.YMM()
	k.VPXOR(zero, zero, zero)
	k.VPADDQ(k.keyed[0], next, first)
	k.VPADDQ(k.keyed[1], next, second)
	k.VPBLENDD(U8(1), zero, first, first)
	k.Label("counted8")
}

// direct8 hashes what a step of eight blocks has not, and says from where to where it encrypts.
func (k *avx2) direct8(from, to GPVirtual) {
	k.LEAQ(k.cipher.KeyStream(-1, 0), to)
	k.CMPQ(k.isFirst, U8(0))
	k.JNE(LabelRef("store8"))
	k.LEAQ(k.cipher.KeyStream(0, 0), to)
	k.CMPQ(k.n, U32(eight))
	k.JB(LabelRef("store8"))
	k.poly.blocks("hash8")
	k.MOVQ(k.src, from)
	k.MOVQ(k.dst, to)
	k.JMP(LabelRef("end8"))
	k.Label("store8")
	k.MOVQ(to, from)
	k.cipher.Wipe(chacha20.KeyStreamAt-block, chacha20.KeyStreamAt+eight)
	k.Label("end8")
}
