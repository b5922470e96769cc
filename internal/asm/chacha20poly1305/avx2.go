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
)

// Offsets in the Go code's messageAVX2.
const (
	counterAt = 0
	nonceAt   = counterAt + 8
	hAt       = nonceAt + 8
	rAt       = hAt + 3*8
	sAt       = rAt + 2*8
	lengthsAt = sAt + 2*8
	tagAt     = lengthsAt + 2*8
)

// Flags of cryptAVX2, and the names that the Go code gives them.
const (
	first  = 1 << iota // firstCall
	last               // lastCall
	opened             // opening
)

// An avx2 writes cryptAVX2: steps of ChaCha20 in vectors, and in their shadow Poly1305 on
// the scalar multiplier. A step makes key stream for 2, 4, 6, 8, 9 or 16 blocks of text.
//
// In the first step, the block for Poly1305's key is in general registers, at the same
// time, so that a short message takes ChaCha20's time once. Afterwards the loop over the
// double rounds has two bodies: one where some blocks of Poly1305 are spread between
// the instructions of ChaCha20, and one with ChaCha20 alone, when there are none left to hash.
//
// When sealing, a step hashes what the steps before encrypted; when opening, what it
// is going to decrypt itself.
type avx2 struct {
	*build.Context
	cipher       *chacha20.AVX2
	message, key GPVirtual // while a step is not in its loop
	dst, src     Mem       // of what is left
	n            Mem       // bytes left
	isFirst      Mem       // whether there is no key yet
	size         Mem       // of the step in hand
	rounds       Mem       // left
	wide         Mem       // whether there was a step of 16 blocks
	ninth        Mem       // the counter of the block after eight

	block0 *chacha20.Block // has Poly1305's key
	poly   *scalar
}

const (
	set   = 2 * block
	eight = 8 * block
)

func generateAVX2(f *amd64.File) {
	cipher := chacha20.NewAVX2(f)
	f.Function("cryptAVX2", "func(m *messageAVX2, key *[32]byte, dst, src *byte, n int, ad *byte, adLen int, flags int)",
		"cryptAVX2 seals or opens a part of a message, and hashes additional data before that.",
		"Together they have at most 64 KiB. In all calls but the last, n is a multiple of 1024",
		"and adLen one of 16.")
	f.Attributes(0) // a frame this large needs the check of the stack's size that NOSPLIT leaves out
	k := &avx2{Context: f.Context, cipher: cipher}
	cipher.Begin(f.Context, chacha20.AVX2Size)
	k.dst, k.src, k.n = amd64.Argument(k.Context, "dst"), amd64.Argument(k.Context, "src"), amd64.Argument(k.Context, "n")
	for _, local := range []*Mem{&k.isFirst, &k.size, &k.rounds, &k.wide} {
		*local = k.AllocLocal(8)
	}
	k.block0 = chacha20.NewBlock(k.Context)
	cipher.Initial = func(i int) Mem {
		switch {
		case i < 4:
			return cipher.Sigma.Offset(4 * i)
		case i < 12:
			return Mem{Base: k.key, Disp: 4 * (i - 4)}
		default:
			return Mem{Base: k.message, Disp: nonceAt + 4*(i-14)}
		}
	}
	cipher.Counter = func() Mem { return Mem{Base: k.message, Disp: counterAt} }
	k.poly = newScalar(k.Context)
	k.ninth = k.AllocLocal(8)
	k.MOVQ(U32(0), k.wide)
	k.MOVQ(U32(1), k.isFirst)
	k.ifFlag(first, "choose")
	k.MOVQ(U32(0), k.isFirst)
	k.loadMessage()
	k.poly.load(Mem{Base: k.message})
	k.JMP(LabelRef("additional"))
	k.steps()
	k.additional()
	k.text()
	k.end()
}

func (k *avx2) loadMessage() {
	k.message, k.key = k.GP64(), k.GP64()
	k.MOVQ(amd64.Argument(k.Context, "m"), k.message)
	k.MOVQ(amd64.Argument(k.Context, "key"), k.key)
}

// ifFlag jumps if a flag is set.
func (k *avx2) ifFlag(flag uint32, label string) {
	k.TESTQ(U32(flag), amd64.Argument(k.Context, "flags"))
	k.JNZ(LabelRef(label))
}

// steps writes the choice of the next step, and all of them.
func (k *avx2) steps() {
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
	k.Comment("No text: the key's block alone.")
	k.Label("keyAlone")
	k.beginKey()
	k.MOVQ(U32(10), k.rounds)
	k.Label("keyAloneRounds")
	k.block0.DoubleRound().Write()
	k.DECQ(k.rounds)
	k.JNZ(LabelRef("keyAloneRounds"))
	k.endKey()
	k.Label("stored")
	k.CMPQ(k.isFirst, U8(0))
	k.JE(LabelRef("text"))
}

// begin begins a step that makes so many bytes of key stream. If it opens, and there is a
// key, it hashes what it is going to decrypt.
func (k *avx2) begin(size int) {
	k.loadMessage()
	k.MOVQ(U32(size), k.size)
	label := LabelRef(fmt.Sprintf("begin%d", size/block))
	k.CMPQ(k.isFirst, U8(0))
	k.JNE(label)
	k.TESTQ(U32(opened), amd64.Argument(k.Context, "flags"))
	k.JZ(label)
	k.hashStep()
	k.Label(string(label))
}

// hashStep makes the blocks ready that the step in hand is going to decrypt.
func (k *avx2) hashStep() {
	left := k.GP64()
	k.MOVQ(k.src, k.poly.next)
	k.MOVQ(k.size, left)
	k.CMPQ(left, k.n)
	k.CMOVQHI(k.n, left)
	k.SHRQ(U8(4), left)
	k.MOVQ(left, k.poly.left)
}

// beginKey begins block 0. The first four bytes of the nonce are where the counter's
// upper half is.
func (k *avx2) beginKey() {
	var d [4]func(p GPVirtual) Mem
	for i := 1; i < 4; i++ {
		d[i] = func(p GPVirtual) Mem {
			k.MOVQ(amd64.Argument(k.Context, "m"), p)
			return Mem{Base: p, Disp: counterAt + 4*i}
		}
	}
	k.block0.Load(amd64.Argument(k.Context, "key"), d)
}

func (k *avx2) endKey() {
	k.loadMessage()
	k.poly.key(Mem{Base: k.message}, k.block0.Half(Mem{Base: k.key}))
	k.block0.Wipe()
}

// loop sets how the loops of ChaCha20 are written: with so many blocks of Poly1305 in each
// iteration, and more after it. In the first step, an iteration has so many double rounds
// of the key's block. If that is ready before the end, the other iterations can have
// Poly1305.
func (k *avx2) loop(blocks, keyRounds int, after func()) {
	k.cipher.Loop = func(label string, doubleRound func() amd64.Code) {
		name := func(what string) LabelRef { return LabelRef(label + what) }
		k.CMPQ(k.isFirst, U8(0))
		k.JE(name("HaveKey"))
		k.beginKey()
		k.MOVQ(U32(10/keyRounds), k.rounds)
		k.Label(label + "Key")
		var key amd64.Code
		for range keyRounds {
			key = append(key, k.block0.DoubleRound()...)
		}
		doubleRound().Spread(key).Write()
		k.DECQ(k.rounds)
		k.JNZ(name("Key"))
		k.endKey()
		if keyRounds == 1 {
			k.JMP(name("Done"))
		} else {
			k.hashAdditional(label)
			k.MOVQ(U32(0), k.isFirst)
			k.MOVQ(k.dst, k.poly.next)
			k.MOVQ(U32(10-10/keyRounds), k.rounds)
			k.TESTQ(U32(opened), amd64.Argument(k.Context, "flags"))
			k.JZ(LabelRef(label))
			k.hashStep()
			k.JMP(LabelRef(label))
		}
		k.Label(label + "HaveKey")
		k.MOVQ(U32(10), k.rounds)
		k.Label(label)
		k.CMPQ(k.poly.left, U8(blocks))
		k.JB(name("Alone"))
		k.SUBQ(U8(blocks), k.poly.left)
		var hash amd64.Code
		for i := range blocks {
			hash = append(hash, k.poly.block(k.poly.at(16*i), k.poly.at(16*i+8))...)
		}
		doubleRound().Spread(hash).Write()
		k.ADDQ(U32(16*blocks), k.poly.next)
		k.DECQ(k.rounds)
		k.JNZ(LabelRef(label))
		k.JMP(name("Done"))
		k.Label(label + "Alone")
		doubleRound().Write()
		k.DECQ(k.rounds)
		k.JNZ(name("Alone"))
		k.Label(label + "Done")
		k.loadMessage()
		if after != nil {
			after()
		}
	}
}

// step9 writes the step of 9 blocks, which is the first one. The ninth of them is in general registers,
// and then the key's block.
func (k *avx2) step9() {
	k.Label("step9")
	k.loadMessage()
	k.MOVQ(U32(eight+block), k.size)
	k.cipher.Loop = func(label string, doubleRound func() amd64.Code) {
		counter := k.GP64()
		k.MOVQ(k.cipher.Counter(), counter)
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
	k.ifFlag(opened, "next")
	k.ADDQ(U8(size/16), k.poly.left)
	k.JMP(LabelRef("next"))
}

// additional hashes the additional data, after the first step or without a step.
func (k *avx2) additional() {
	k.Label("additional")
	k.hashAdditional("")
	k.MOVQ(k.dst, k.poly.next)
	k.CMPQ(k.isFirst, U8(0))
	k.JE(LabelRef("next"))
	k.MOVQ(U32(0), k.isFirst)
	k.CMPQ(k.n, U8(0))
	k.JE(LabelRef("end"))
	k.TESTQ(U32(opened), amd64.Argument(k.Context, "flags"))
	k.JZ(LabelRef("text"))
	k.hashStep()
}

func (k *avx2) hashAdditional(label string) {
	length := k.GP64()
	k.MOVQ(amd64.Argument(k.Context, "ad"), k.poly.next)
	k.MOVQ(amd64.Argument(k.Context, "adLen"), length)
	k.MOVQ(length, k.poly.left)
	k.SHRQ(U8(4), k.poly.left)
	k.poly.blocks("hashAdditional" + label)
	k.poly.partial("additional"+label, length)
}

// text hashes what is left of a step that opens, and then decrypts, or encrypts.
func (k *avx2) text() {
	k.Label("text")
	length := k.GP64()
	k.MOVQ(k.size, length)
	k.CMPQ(length, k.n)
	k.CMOVQHI(k.n, length)
	k.TESTQ(U32(opened), amd64.Argument(k.Context, "flags"))
	k.JZ(LabelRef("encrypt"))
	k.poly.blocks("hashText")
	k.poly.partial("decrypt", length)
	k.JMP(LabelRef("crypt"))
	k.Label("encrypt")
	add := k.GP64()
	k.MOVQ(length, add)
	k.SHRQ(U8(4), add)
	k.ADDQ(add, k.poly.left)
	k.Label("crypt")
	k.SUBQ(length, k.n)
	dst, src, stream := k.GP64(), k.GP64(), k.GP64()
	k.LEAQ(k.cipher.KeyStream(0, 0), stream)
	k.MOVQ(k.dst, dst)
	k.MOVQ(k.src, src)
	k.cipher.XORStored("text", dst, src, length, stream)
	k.MOVQ(dst, k.dst)
	k.MOVQ(src, k.src)
	k.JMP(LabelRef("next"))
}

// end hashes what is left, and makes the tag.
func (k *avx2) end() {
	k.Label("end")
	k.ifFlag(opened, "hashed")
	k.poly.blocks("hashLast")
	k.Label("hashed")
	k.loadMessage()
	k.TESTQ(U32(last), amd64.Argument(k.Context, "flags"))
	k.JZ(LabelRef("save"))
	length := k.GP64()
	k.ifFlag(opened, "lengths")
	k.MOVQ(Mem{Base: k.message, Disp: lengthsAt + 8}, length)
	k.poly.partial("encrypt", length)
	k.Label("lengths")
	k.poly.block(Mem{Base: k.message, Disp: lengthsAt}, Mem{Base: k.message, Disp: lengthsAt + 8}).Write()
	k.poly.tag(Mem{Base: k.message})
	k.Comment("H, r and s.")
	zero := k.YMM()
	k.VPXOR(zero, zero, zero)
	k.VMOVDQU(zero, Mem{Base: k.message, Disp: hAt})
	k.VMOVDQU(zero, Mem{Base: k.message, Disp: lengthsAt - 32})
	k.JMP(LabelRef("wipe"))
	k.Label("save")
	k.poly.save(Mem{Base: k.message})
	k.Label("wipe")
	k.poly.wipe()
	k.CMPQ(k.wide, U8(0))
	k.JE(LabelRef("narrow"))
	k.cipher.Wipe(0, 2*16*32)
	k.cipher.Wipe(chacha20.KeyStreamAt+eight+block, chacha20.KeyStreamAt+2*eight)
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt, chacha20.KeyStreamAt+eight+block)
	k.VZEROUPPER()
	k.RET()
}
