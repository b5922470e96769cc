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
	wide   Mem    // 0 after steps of up to 3 blocks of text, 1 after up to 6, 2 or 3 after 8
	keyed  [2]Mem // counter increments of the blocks in a step that includes block 0
}

const (
	eight = 8 * block
	keyed = eight - block // number of text bytes in a step that includes block 0
)

func generateAVX2(f *amd64.File, c *constants) *chacha20.AVX2 {
	cipher := chacha20.NewAVX2(f)
	beginOnePass(f, "cryptAVX2",
		"cryptAVX2 hashes adLen bytes of additional data, and then seals or opens n bytes of text.",
		"n + adLen must be at most 64 KiB. Except in a message's last call, n must be a multiple of",
		"1024 and adLen a multiple of 16. m points to the counter of a onePass.")
	k := &avx2{cipher: cipher}
	k.onePass = onePass{Context: f.Context, steps: &cipher.Steps, waiting: eight / 16}
	k.keyed[0] = amd64.Table(f, "keyedA256", uint64(0), 0, 3, 4)
	k.keyed[1] = amd64.Table(f, "keyedB256", uint64(1), 2, 5, 6)
	first := &chacha20.First{
		Counters: amd64.Table(f, "first256", uint64(1), 0, 2, 0),
		Key:      func(low, high VecVirtual) { k.vectorKey(c.clamp, low.AsX(), high.AsX()) },
	}
	cipher.Begin(f.Context, chacha20.KeyStreamAt+eight)
	k.setOperands(cipher.Sigma, &k.wide)
	k.block0 = chacha20.NewBlock(k.Context)
	k.poly = newScalar(k.Context, true)
	k.poly.shortCode = true
	k.MOVQ(U32(0), k.wide)
	k.start(0)
	k.allSteps(first)
	k.additional()
	k.end(k.YMM(), k.leave)
	return cipher
}

func (k *avx2) leave() {
	k.CMPQ(k.wide, U8(1))
	k.JB(LabelRef("narrow"))
	k.JE(LabelRef("middle"))
	k.cipher.WipeRows(1)
	k.cipher.Wipe(0, 3*32) // the proof cannot show that these counters are public
	k.cipher.Wipe(chacha20.KeyStreamAt-block, chacha20.KeyStreamAt)
	k.cipher.Wipe(chacha20.KeyStreamAt+6*block, chacha20.KeyStreamAt+eight)
	k.Label("middle")
	k.cipher.Wipe(chacha20.KeyStreamAt+3*block, chacha20.KeyStreamAt+6*block)
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt, chacha20.KeyStreamAt+3*block)
	k.VZEROUPPER()
	k.RET()
}

func (k *avx2) allSteps(first *chacha20.First) {
	n := k.GP64()
	k.Label("choose")
	k.MOVQ(k.n, n)
	for sets := 1; sets <= 3; sets++ {
		k.ifAtMost(n, (2*sets-1)*block, fmt.Sprintf("keyed%d", 2*sets))
	}
	k.unlessFlag(layout.LastCall, "first8")
	k.ifAtMost(n, keyed, "keyed8")
	// Without a key, rounds cannot hash ciphertext, so open few blocks.
	k.ifFlag(layout.Opening, "keyed4")
	k.JMP(LabelRef("keyed8"))
	k.Label("next")
	k.ifZero(k.n, "end")
	k.Label("others")
	k.MOVQ(k.n, n)
	for blocks := 2; blocks <= 6; blocks += 2 {
		k.ifAtMost(n, blocks*block, fmt.Sprintf("step%d", blocks))
	}
	k.JMP(LabelRef("step8"))
	k.step8()
	for sets := 1; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", 2*sets))
		k.begin(2 * sets * block)
		k.loop(4, 0, nil) // never the first step
		k.cipher.Narrow(fmt.Sprintf("rounds%d", 2*sets), sets, nil)
		if sets > 1 {
			k.ORQ(U8(1), k.wide)
		}
		k.cipher.Count(2 * sets)
		k.JMP(LabelRef("text"))
	}
	for sets := 1; sets <= 3; sets++ {
		k.stepKeyed(sets, first)
	}
}

// stepKeyed emits a first step that computes the given number of two-block sets.
func (k *avx2) stepKeyed(sets int, first *chacha20.First) {
	name := fmt.Sprintf("keyed%d", 2*sets)
	k.Label(name)
	k.loadMessage()
	k.MOVQ(U32(2*sets-1)*block, k.size)
	k.steps.Loop = func(label string, doubleRound func() amd64.Code) {
		amd64.Loop(k.Context, label, doubleRounds/2, k.rounds, func() {
			doubleRound().Write()
			doubleRound().Write()
		})
	}
	k.cipher.Narrow(name+"Rounds", sets, first)
	if sets > 2 {
		k.ORQ(U8(1), k.wide)
	}
	if sets == 2 { // no other step follows the other numbers of blocks
		k.cipher.Count(2*sets - 1)
	}
	k.JMP(LabelRef("additionalFirst"))
}

// vectorKey emits code that computes r and s, and sets h to 0.
func (k *avx2) vectorKey(clamp Mem, r, s Register) {
	r1, clamped := k.GP64(), k.XMM()
	k.VPAND(clamp, r, clamped)
	k.VMOVQ(clamped, k.poly.r0)
	k.VPEXTRQ(U8(1), clamped, r1)
	storeR1(k.Context, r1, k.poly.r1, k.poly.q)
	k.VMOVDQU(s, k.message.Offset(layout.MessageS))
	for _, h := range k.poly.h {
		k.XORL(h.As32(), h.As32())
	}
}

func (k *avx2) step8() {
	from, to := k.GP64(), k.GP64()
	k.Label("keyed8")
	k.MOVQ(U32(1), k.isFirst)
	k.MOVQ(U32(keyed), k.size)
	k.MOVQ(U32(0), k.poly.left)
	k.JMP(LabelRef("make8"))
	k.Label("first8")
	k.MOVQ(U32(1), k.isFirst)
	k.Label("step8")
	k.begin(eight)
	k.Label("make8")
	k.ORQ(U8(2), k.wide)
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
	k.MOVQ(U32(0), k.isFirst)
	k.JMP(LabelRef("additionalFirst"))
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

// direct8 emits code that selects the source and destination of eight blocks.
func (k *avx2) direct8(from, to GPVirtual) {
	k.LEAQ(k.cipher.KeyStream(-1, 0), to)
	k.CMPQ(k.isFirst, U8(0))
	k.JNE(LabelRef("store8"))
	k.LEAQ(k.cipher.KeyStream(0, 0), to)
	k.direct(8, from, to, func() {
		// XOR with zeros on the stack stores plain keystream there.
		k.MOVQ(to, from)
		k.cipher.Wipe(chacha20.KeyStreamAt-block, chacha20.KeyStreamAt+eight)
	})
}

func (k *avx2) additional() {
	k.Label("additional")
	k.hashAdditional("")
	k.MOVQ(k.dst, k.poly.next)
	k.JMP(LabelRef("next"))
	k.Label("additionalFirst")
	k.hashAdditional("First")
	k.ifZero(k.n, "end")
	length := k.stepLength(k.size)
	begin := func(text Mem) {
		k.MOVQ(text, k.poly.next)
		k.MOVQ(length, k.poly.left)
		k.SHRQ(U8(4), k.poly.left)
	}
	k.ifFlag(layout.Opening, "decryptFirst")
	begin(k.dst)
	k.JMP(LabelRef("crypt"))
	k.Label("decryptFirst")
	begin(k.src)
	k.JMP(LabelRef("decrypt"))
	k.text(length)
}

func (k *avx2) text(length GPVirtual) {
	k.Label("text")
	k.MOVQ(k.stepLength(k.size), length)
	k.ifFlag(layout.Opening, "decrypt")
	k.hashLater(length)
	k.JMP(LabelRef("crypt"))
	k.Label("decrypt")
	k.poly.pairs("hashText")
	k.poly.partial("decrypt", length)
	k.Label("crypt")
	k.SUBQ(length, k.n)
	dst, src := k.GP64(), k.GP64()
	k.MOVQ(k.dst, dst)
	k.MOVQ(k.src, src)
	k.SUBQ(U8(block), length)
	k.JB(LabelRef("short"))
	k.xorOverlapping(dst, src, length)
	k.ifZero(k.n, "end")
	k.Comment("More text follows the first step.")
	k.LEAQ(Mem{Base: dst, Index: length, Scale: 1, Disp: block}, dst)
	k.LEAQ(Mem{Base: src, Index: length, Scale: 1, Disp: block}, src)
	k.MOVQ(dst, k.dst)
	k.MOVQ(src, k.src)
	k.JMP(LabelRef("others"))
	k.Label("short")
	stream := k.GP64()
	k.LEAQ(k.cipher.KeyStream(0, 0), stream)
	k.cipher.XORTail("text", dst, src, length, stream)
}

// xorOverlapping emits code that encrypts n + 64 bytes.
func (k *avx2) xorOverlapping(dst, src, n GPVirtual) {
	at, v, last := k.GP64(), [2]VecVirtual{k.YMM(), k.YMM()}, [2]VecVirtual{k.YMM(), k.YMM()}
	half := func(m Mem, half int, index GPVirtual) Mem {
		m.Disp, m.Index, m.Scale = m.Disp+32*half, index, 1
		return m
	}
	from, to, stream := Mem{Base: src}, Mem{Base: dst}, k.cipher.KeyStream(0, 0)
	for i := range last { // before dst, which may be src, is overwritten
		k.VMOVDQU(half(from, i, n), last[i])
	}
	k.XORL(at.As32(), at.As32())
	k.Label("textBlocks")
	for i := range v {
		k.VMOVDQU(half(stream, i, at), v[i])
		k.VPXOR(half(from, i, at), v[i], v[i])
	}
	k.ADDQ(U8(block), at)
	k.CMPQ(at, n)
	k.JAE(LabelRef("textLast"))
	for i := range v {
		k.VMOVDQU(v[i], half(to, i, at).Offset(-block))
	}
	k.JMP(LabelRef("textBlocks"))
	k.Label("textLast")
	// Poly1305 soon loads the other block, so store the overlapping part first.
	for i := range last {
		k.VPXOR(half(stream, i, n), last[i], last[i])
		k.VMOVDQU(last[i], half(to, i, n))
	}
	for i := range v {
		k.VMOVDQU(v[i], half(to, i, at).Offset(-block))
	}
}
