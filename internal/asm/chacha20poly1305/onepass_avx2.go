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

// An avx2 writes cryptAVX2, whose steps are 2, 4, 6 or 8 blocks, or as many with the key's among them.
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
	beginOnePass(f, "cryptAVX2",
		"cryptAVX2 seals or opens a part of a message, and hashes additional data before that.",
		"Together they have at most 64 KiB. In all calls but the last, n is a multiple of 1024",
		"and adLen one of 16. M points to the counter of a onePass.")
	k := &avx2{cipher: cipher}
	k.onePass = onePass{Context: f.Context, steps: &cipher.Steps, keyStream: cipher, waiting: eight / 16}
	k.keyed[0] = amd64.Table(f, "keyedA256", uint64(0), 0, 3, 4)
	k.keyed[1] = amd64.Table(f, "keyedB256", uint64(1), 2, 5, 6)
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
	k.end(k.YMM(), k.leave)
	return cipher
}

// leave clears what steps left on the stack, and returns.
func (k *avx2) leave() {
	k.ifZero(k.wide, "narrow")
	k.cipher.WipeRows(1)
	k.cipher.Wipe(chacha20.KeyStreamAt+3*set, chacha20.KeyStreamAt+eight)
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt-block, chacha20.KeyStreamAt+3*set)
	k.VZEROUPPER()
	k.RET()
}

// allSteps writes the choice of the next step, and all of them.
func (k *avx2) allSteps() {
	n := k.choose()
	k.TESTQ(n, n)
	k.JZ(LabelRef("keyAlone"))
	k.chooseKeyed(n)
	k.ifAtMost(n, set, "step2")
	k.Comment("Of six blocks, the first step can hash in its second half.")
	k.CMPQ(n, U32(3*set))
	k.JA(LabelRef("step8"))
	k.CMPQ(n, U32(2*set))
	k.JA(LabelRef("step6"))
	k.ifZero(k.isFirst, "step4")
	k.ifFlag(opened, "step6")
	k.JMP(LabelRef("step4"))

	k.step8()
	for sets := 1; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", 2*sets))
		k.begin(sets * set)
		k.loop(4, sets-1, nil) // two blocks are never a first step
		k.cipher.Narrow(fmt.Sprintf("rounds%d", 2*sets), sets, false)
		k.cipher.Count(2 * sets)
		k.JMP(LabelRef("stored"))
	}
	for sets := 1; sets <= 3; sets++ {
		k.stepKeyed(sets)
	}
	k.keyAlone()
}

// chooseKeyed chooses the first steps whose vectors have the key's block, too. It does not take longer
// there than without it if there is room, and spares the step the general registers' instructions: when
// it seals, there is nothing to hash yet that would need them. Of twelve blocks, eight are sealed first, and
// four hash these; of nine to eleven, three are opened, and the others hash at once. Calls but the last
// begin with whole steps, as they end with them.
func (k *avx2) chooseKeyed(n GPVirtual) {
	k.ifZero(k.isFirst, "keyApart")
	k.ifAtMost(n, block, "keyed2")
	k.ifAtMost(n, 3*block, "keyed4")
	k.ifFlag(opened, "opened9")
	k.ifAtMost(n, 4*block, "keyApart")
	k.ifAtMost(n, 5*block, "keyed6")
	k.unlessFlag(last, "keyApart")
	k.ifAtMost(n, 11*block, "keyed8")
	k.CMPQ(n, U32(12*block))
	k.JA(LabelRef("keyed8"))
	k.JMP(LabelRef("keyApart"))
	k.Label("opened9")
	k.ifAtMost(n, 8*block, "keyApart")
	k.ifAtMost(n, 11*block, "keyed4")
	k.Label("keyApart")
}

// stepKeyed writes a first step of so many sets, of which the first block has the key.
func (k *avx2) stepKeyed(sets int) {
	name := fmt.Sprintf("keyed%d", 2*sets)
	k.Label(name)
	k.loadMessage()
	k.MOVQ(U32(2*sets-1)*block, k.size)
	k.steps.Loop = func(label string, doubleRound func() amd64.Code) {
		amd64.Loop(k.Context, label, doubleRounds, k.rounds, doubleRound().Write)
		k.loadMessage()
	}
	k.cipher.Narrow(name+"Rounds", sets, true)
	if sets > 1 { // and no step comes after one block of text
		k.cipher.Count(2*sets - 1)
	}
	k.storedKey(k.cipher.KeyStream(-1, 0))
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
	k.cipher.Wide("rounds8", 1, k.cipher.Direct(to, from))
	k.pause = 0
	k.CMPQ(k.isFirst, U8(0))
	k.JNE(LabelRef("made8"))
	k.cipher.Count(8)
	k.stepped(eight)
	k.Label("made8")
	k.cipher.Count(7)
	k.storedKey(k.cipher.KeyStream(-1, 0))
	k.JMP(LabelRef("additional"))
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
