// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/chacha20"
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
)

// A onePass generates a kernel that encrypts and authenticates in one pass.
type onePass struct {
	*build.Context
	steps        *chacha20.Steps
	message, key Mem // arguments, loaded outside the loop over the rounds
	dst, src     Mem // addresses of the remaining text
	n            Mem // number of remaining text bytes
	isFirst      Mem // 1 until Poly1305's key is known, then 0
	size         Mem // number of text bytes in the current step
	rounds       Mem // number of remaining double rounds
	waiting      int // maximum number of unhashed blocks when a step begins, if known
	pause        int // if not 0, hash nothing when this number of double rounds remains

	block0 *chacha20.Block // generates block 0, which contains Poly1305's key
	poly   *scalar
}

func beginOnePass(f *amd64.File, name string, doc ...string) {
	const signature = "func(m *uint64, key *[32]byte, dst, src *byte, n int, ad *byte, adLen int, flags int)"
	f.Function(name, signature, doc...)
	f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
}

// setOperands sets k's memory operands and allocates 8 bytes for each local.
func (k *onePass) setOperands(sigma Mem, locals ...*Mem) {
	k.dst, k.src, k.n = amd64.Argument(k.Context, "dst"), amd64.Argument(k.Context, "src"), amd64.Argument(k.Context, "n")
	for _, local := range append([]*Mem{&k.isFirst, &k.size, &k.rounds}, locals...) {
		*local = k.AllocLocal(8)
	}
	k.steps.Initial = func(i int) Mem {
		switch {
		case i < 4:
			return sigma.Offset(4 * i)
		case i < 12:
			return k.key.Offset(4 * (i - 4))
		default:
			return k.message.Offset(layout.MessageNonce + 4*(i-14))
		}
	}
	k.steps.Counter = func() Mem { return k.message.Offset(layout.MessageCounter) }
}

// start emits the beginning of the function, which starts or continues a message.
func (k *onePass) start(isFirst uint32) {
	k.MOVQ(U32(isFirst), k.isFirst)
	k.ifFlag(layout.FirstCall, "choose")
	if isFirst > 0 {
		k.MOVQ(U32(0), k.isFirst)
	}
	k.loadMessage()
	// An earlier call stored h and r.
	k.poly.load(k.message)
	k.JMP(LabelRef("additional"))
}

func (k *onePass) loadMessage() {
	// The argument m points to the counter.
	k.message, k.key = Mem{Base: k.GP64(), Disp: -layout.MessageCounter}, Mem{Base: k.GP64()}
	k.MOVQ(amd64.Argument(k.Context, "m"), k.message.Base)
	k.MOVQ(amd64.Argument(k.Context, "key"), k.key.Base)
}

func (k *onePass) ifFlag(flag uint32, label string) {
	k.TESTQ(U32(flag), amd64.Argument(k.Context, "flags"))
	k.JNZ(LabelRef(label))
}

func (k *onePass) unlessFlag(flag uint32, label string) {
	k.TESTQ(U32(flag), amd64.Argument(k.Context, "flags"))
	k.JZ(LabelRef(label))
}

func (k *onePass) ifZero(x Op, label string) {
	k.CMPQ(x, U8(0))
	k.JE(LabelRef(label))
}

func (k *onePass) ifAtMost(x Op, n int, label string) {
	k.CMPQ(x, U32(n))
	k.JBE(LabelRef(label))
}

// choose emits code that leaves the loop if no text remains.
func (k *onePass) choose() (n GPVirtual) {
	n = k.GP64()
	k.Label("next")
	k.ifZero(k.n, "end")
	k.Label("choose")
	k.MOVQ(k.n, n)
	// The caller must emit code that chooses the step for n.
	return n
}

func (k *onePass) begin(size int) {
	k.loadMessage()
	k.MOVQ(U32(size), k.size)
	label := fmt.Sprintf("begin%d", size/block)
	k.CMPQ(k.isFirst, U8(0))
	k.JNE(LabelRef(label))
	k.unlessFlag(layout.Opening, label)
	k.hashStep()
	k.Label(label)
}

func (k *onePass) hashStep() {
	k.MOVQ(k.src, k.poly.next)
	left := k.stepLength(k.size)
	k.SHRQ(U8(4), left)
	k.MOVQ(left, k.poly.left)
}

// stepLength emits code that computes the smaller of size and k.n.
func (k *onePass) stepLength(size Op) (n GPVirtual) {
	n = k.GP64()
	k.MOVQ(size, n)
	k.CMPQ(n, k.n)
	k.CMOVQHI(k.n, n)
	return n
}

func (k *onePass) beginKey(counter bool) {
	k.block0.Load(amd64.Argument(k.Context, "key"), amd64.Argument(k.Context, "m"), counter)
}

func (k *onePass) endKey() {
	k.loadMessage()
	k.poly.key(k.message, k.block0.Half(k.key))
	k.block0.Wipe()
}

func (k *onePass) storedKey(stream Mem) {
	k.loadMessage()
	var key [4]GPVirtual
	for i := range key {
		key[i] = k.GP64()
		k.MOVQ(stream.Offset(8*i), key[i])
	}
	k.poly.key(k.message, key)
}

func (k *onePass) withKey(label string, keyRounds int, doubleRound func() amd64.Code) {
	k.ifZero(k.isFirst, label+"HaveKey")
	k.beginKey(false)
	var key amd64.Code
	for range keyRounds {
		key = append(key, k.block0.DoubleRound()...)
	}
	// Each iteration computes keyRounds double rounds of block 0.
	amd64.Loop(k.Context, label+"Key", doubleRounds/keyRounds, k.rounds, doubleRound().Spread(key).Write)
	k.endKey()
	if keyRounds == 1 {
		k.JMP(LabelRef(label + "Done"))
		return
	}
	k.hashAdditional(label)
	k.MOVQ(U32(0), k.isFirst)
	k.MOVQ(k.dst, k.poly.next)
	k.MOVQ(U32(doubleRounds-doubleRounds/keyRounds), k.rounds)
	k.unlessFlag(layout.Opening, label)
	k.hashStep()
	k.JMP(LabelRef(label))
}

// loop sets k.steps.Loop, whose double rounds also hash Poly1305 blocks.
func (k *onePass) loop(blocks, keyRounds int, after func()) {
	k.steps.Loop = func(label string, doubleRound func() amd64.Code) {
		name := func(what string) LabelRef { return LabelRef(label + what) }
		// The first step computes the Poly1305 key before it begins to hash.
		if keyRounds > 0 {
			k.withKey(label, keyRounds, doubleRound)
			k.Label(label + "HaveKey")
		}
		k.MOVQ(U32(doubleRounds), k.rounds)
		k.Label(label)
		alone := name("Alone")
		if k.pause > 0 {
			k.CMPQ(k.rounds, U8(k.pause))
			k.JE(alone)
		}
		k.CMPQ(k.poly.left, U8(blocks))
		k.JB(alone)
		k.SUBQ(U8(blocks), k.poly.left)
		doubleRound().Spread(k.poly.unrolled(blocks)).Write()
		k.ADDQ(U32(16*blocks), k.poly.next)
		k.DECQ(k.rounds)
		if keyRounds < 2 && k.waiting > 0 && k.waiting < doubleRounds*blocks {
			k.JMP(LabelRef(label)) // the blocks run out before the last double round
		} else {
			k.JNZ(LabelRef(label))
			k.JMP(name("Done"))
		}
		k.Label(string(alone))
		doubleRound().Write()
		k.DECQ(k.rounds)
		if k.pause > 0 {
			alone = LabelRef(label) // iterations that hash follow the pause
		}
		k.JNZ(alone)
		k.Label(label + "Done")
		k.loadMessage()
		if after != nil {
			after()
		}
	}
}

func (k *onePass) additional() {
	k.Label("additional")
	k.hashAdditional("")
	k.MOVQ(k.dst, k.poly.next)
	k.ifZero(k.isFirst, "next")
	k.MOVQ(U32(0), k.isFirst)
	k.ifZero(k.n, "end")
	k.unlessFlag(layout.Opening, "text")
	k.hashStep()
}

func (k *onePass) hashAdditional(label string) {
	amd64.Place(k.Context, "data"+label)
	length := k.GP64()
	k.MOVQ(amd64.Argument(k.Context, "ad"), k.poly.next)
	k.MOVQ(amd64.Argument(k.Context, "adLen"), length)
	k.MOVQ(length, k.poly.left)
	k.SHRQ(U8(4), k.poly.left)
	k.poly.blocks("hashAdditional" + label)
	k.poly.partial("additional"+label, length)
}

func (k *onePass) stepped(size int) {
	k.CMPQ(k.n, U32(size))
	k.JB(LabelRef("text"))
	k.ADDQ(U32(size), k.src)
	k.ADDQ(U32(size), k.dst)
	k.SUBQ(U32(size), k.n)
	amd64.Place(k.Context, "stepped")
	k.ifFlag(layout.Opening, "next")
	k.ADDQ(U8(size/16), k.poly.left)
	k.JMP(LabelRef("next"))
}

// text emits code that hashes text and XORs it with the stored keystream.
func (k *onePass) text(stored Mem, xor func(label string, dst, src, n, stream GPVirtual)) {
	k.Label("text")
	length := k.stepLength(k.size)
	k.unlessFlag(layout.Opening, "encrypt")
	k.poly.blocks("hashText")
	k.poly.partial("decrypt", length)
	k.JMP(LabelRef("crypt"))
	k.Label("encrypt")
	k.hashLater(length)
	k.Label("crypt")
	k.SUBQ(length, k.n)
	dst, src, stream := k.GP64(), k.GP64(), k.GP64()
	k.LEAQ(stored, stream)
	k.MOVQ(k.dst, dst)
	k.MOVQ(k.src, src)
	xor("text", dst, src, length, stream)
	k.MOVQ(dst, k.dst)
	k.MOVQ(src, k.src)
	k.JMP(LabelRef("next"))
}

// direct emits code that points src and dst at the next step's text, or at the stack if
// the text is shorter than the step.
func (k *onePass) direct(blocks int, src, dst GPVirtual, store func()) {
	name := func(what string) string { return fmt.Sprint(what, blocks) }
	k.CMPQ(k.n, U32(blocks*block))
	k.JB(LabelRef(name("store")))
	k.poly.blocks(name("hash"))
	k.MOVQ(k.src, src)
	k.MOVQ(k.dst, dst)
	k.JMP(LabelRef(name("end")))
	k.Label(name("store"))
	// store must point src and dst at zeros, so that the step's XOR stores keystream.
	store()
	k.Label(name("end"))
}

// hashLater emits code that adds the whole blocks in length bytes to k.poly.left.
func (k *onePass) hashLater(length GPVirtual) {
	blocks := k.GP64()
	k.MOVQ(length, blocks)
	k.SHRQ(U8(4), blocks)
	k.ADDQ(blocks, k.poly.left)
}

// end emits code that hashes the remaining blocks and stores the tag.
func (k *onePass) end(zero Register, leave func()) {
	k.Label("end")
	k.ifFlag(layout.Opening, "hashed")
	if k.poly.shortCode {
		k.poly.pairs("hashLast")
	} else {
		k.poly.blocks("hashLast")
	}
	k.Label("hashed")
	k.loadMessage()
	// If the message continues in a later call, store h and r instead.
	k.unlessFlag(layout.LastCall, "save")
	length := k.GP64()
	k.ifFlag(layout.Opening, "lengths")
	k.MOVQ(k.message.Offset(layout.MessageLengths+8), length)
	k.poly.partial("encrypt", length)
	k.Label("lengths")
	k.poly.multiply(k.message.Offset(layout.MessageLengths), k.message.Offset(layout.MessageLengths+8))
	k.poly.tag(k.message)
	k.Comment("Clear h, r and s.")
	k.VPXOR(zero, zero, zero)
	size := int(zero.Size())
	for at := layout.MessageH; at < layout.MessageLengths; at += size {
		k.VMOVDQU(zero, k.message.Offset(min(at, layout.MessageLengths-size)))
	}
	k.JMP(LabelRef("wipe"))
	k.Label("save")
	k.poly.save(k.message)
	k.Label("wipe")
	k.MOVQ(U32(0), k.poly.r1)
	k.MOVQ(U32(0), k.poly.q)
	// leave must clear the stack and return.
	leave()
}
