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

// An avx2 generates cryptAVX2, whose steps compute 2, 4, 6 or 8 blocks.
type avx2 struct {
	onePass
	cipher *chacha20.AVX2
	wide   Mem    // set if a step of eight blocks was executed
	keyed  [2]Mem // counter increments of the blocks in a step that includes block 0
}

const (
	set   = 2 * block
	eight = 8 * block
	keyed = eight - block // number of text bytes in a step that includes block 0
)

func generateAVX2(f *amd64.File) *chacha20.AVX2 {
	cipher := chacha20.NewAVX2(f)
	beginOnePass(f, "cryptAVX2",
		"cryptAVX2 hashes adLen bytes of additional data, and then seals or opens n bytes of text.",
		"n + adLen must be at most 64 KiB. Except in a message's last call, n must be a multiple of",
		"1024 and adLen a multiple of 16. m points to the counter of a onePass.")
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

func (k *avx2) leave() {
	k.ifZero(k.wide, "narrow")
	k.cipher.WipeRows(1)
	k.cipher.Wipe(0, 3*32) // the proof cannot show that these counters are public
	k.cipher.Wipe(chacha20.KeyStreamAt+3*set, chacha20.KeyStreamAt+eight)
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt-block, chacha20.KeyStreamAt+3*set)
	k.VZEROUPPER()
	k.RET()
}

func (k *avx2) allSteps() {
	n := k.choose()
	k.chooseFirst(n)
	for blocks := 2; blocks <= 6; blocks += 2 {
		k.ifAtMost(n, blocks*block, fmt.Sprintf("step%d", blocks))
	}
	k.JMP(LabelRef("step8"))
	k.step8()
	for sets := 1; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", 2*sets))
		k.begin(sets * set)
		k.loop(4, 0, nil) // never the first step
		k.cipher.Narrow(fmt.Sprintf("rounds%d", 2*sets), sets, false)
		k.cipher.Count(2 * sets)
		k.JMP(LabelRef("text"))
	}
	for sets := 1; sets <= 3; sets++ {
		k.stepKeyed(sets)
	}
}

// chooseFirst emits code that chooses the first step. When opening a long text, the
// first step computes only four blocks, because it cannot hash ciphertext during its
// rounds, as later steps do.
func (k *avx2) chooseFirst(n GPVirtual) {
	k.ifZero(k.isFirst, "others")
	for sets := 1; sets <= 3; sets++ {
		k.ifAtMost(n, (2*sets-1)*block, fmt.Sprintf("keyed%d", 2*sets))
	}
	k.unlessFlag(layout.LastCall, "others")
	k.ifAtMost(n, keyed, "keyed8")
	k.ifFlag(layout.Opening, "keyed4")
	k.JMP(LabelRef("keyed8"))
	k.Label("others")
}

// stepKeyed emits a first step that computes the given number of two-block sets.
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
	if sets > 1 { // a single block of text is followed by no other step
		k.cipher.Count(2*sets - 1)
	}
	k.storedKey(k.cipher.KeyStream(-1, 0))
	k.JMP(LabelRef("additional"))
}

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

// direct8 emits code that selects the source and destination of eight blocks. In the
// first step, or if fewer than eight blocks of text remain, both are a buffer of zeros
// on the stack, so that the XOR leaves the keystream in the buffer.
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
