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
// the scalar multiplier. A step makes key stream for 2, 4, 6, 8 or 16 blocks. Its loop
// over the double rounds has two bodies: in the first, some blocks of Poly1305 are spread
// between the instructions of ChaCha20, and where there are none left to hash, the second has
// ChaCha20 alone.
//
// When sealing, a step hashes what the steps before encrypted; when opening, what it
// is going to decrypt itself. The first step has Poly1305's key in its block 0, and the
// beginning of the text in the others, so that a short message takes ChaCha20's time once.
type avx2 struct {
	*build.Context
	cipher   *chacha20.AVX2
	message  GPVirtual // while a step is not in its loop, as key
	key      GPVirtual
	dst, src Mem // of what is left
	n        Mem // bytes left
	skip     Mem // bytes of key stream that are not for the text: 64 in the first step, then 0
	size     Mem // of the step in hand
	rounds   Mem // left
	wide     Mem // whether there was a step of 16 blocks

	poly *scalar
}

func generateAVX2(f *amd64.File) {
	cipher := chacha20.NewAVX2(f)
	f.Function("cryptAVX2", "func(m *messageAVX2, key *[32]byte, dst, src *byte, n int, ad *byte, adLen int, flags int)",
		"cryptAVX2 seals or opens a part of a message, and hashes additional data before that.",
		"Together they have at most 64 KiB. In all calls but the last, n is a multiple of 64",
		"and adLen one of 16.")
	f.Attributes(0) // a frame this large needs the check of the stack's size that NOSPLIT leaves out
	k := &avx2{Context: f.Context, cipher: cipher}
	cipher.Begin(f.Context)
	k.dst, k.src, k.n = amd64.Argument(k.Context, "dst"), amd64.Argument(k.Context, "src"), amd64.Argument(k.Context, "n")
	for _, local := range []*Mem{&k.skip, &k.size, &k.rounds, &k.wide} {
		*local = k.AllocLocal(8)
	}
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
	k.loadMessage()
	k.poly.load(Mem{Base: k.message})
	k.MOVQ(U32(0), k.wide)
	k.MOVQ(U32(0), k.skip)
	k.TESTQ(U32(first), amd64.Argument(k.Context, "flags"))
	k.JZ(LabelRef("additional"))
	k.MOVQ(U32(block), k.skip)
	k.steps()

	k.Comment("The first step has the key of Poly1305.")
	k.Label("stored")
	k.CMPQ(k.skip, U8(0))
	k.JE(LabelRef("text"))
	k.loadMessage()
	k.poly.key(Mem{Base: k.message}, cipher.KeyStream(0, 0))
	k.additional()
	k.text()
	k.end()
}

func (k *avx2) loadMessage() {
	k.message, k.key = k.GP64(), k.GP64()
	k.MOVQ(amd64.Argument(k.Context, "m"), k.message)
	k.MOVQ(amd64.Argument(k.Context, "key"), k.key)
}

func (k *avx2) isOpening(label string) {
	k.TESTQ(U32(opened), amd64.Argument(k.Context, "flags"))
	k.JNZ(LabelRef(label))
}

// steps writes the choice of the next step, and all of them.
func (k *avx2) steps() {
	const (
		narrow = 2 * block
		eight  = 8 * block
	)
	need := k.GP64()
	k.Label("next")
	k.MOVQ(k.n, need)
	k.ADDQ(k.skip, need)
	k.JZ(LabelRef("end"))
	k.CMPQ(need, U32(2*eight))
	k.JAE(LabelRef("long"))
	for sets := 1; sets <= 3; sets++ {
		k.CMPQ(need, U32(sets*narrow))
		k.JBE(LabelRef(fmt.Sprintf("step%d", 2*sets)))
	}
	k.JMP(LabelRef("step8"))

	k.Comment("When opening, what the first step decrypts is hashed after it, so it is a short one.")
	k.Label("long")
	k.CMPQ(k.skip, U8(0))
	k.JE(LabelRef("step16"))
	k.isOpening("step8")
	k.step16()

	for sets := 1; sets <= 3; sets++ {
		k.Label(fmt.Sprintf("step%d", 2*sets))
		k.beginStored(sets * narrow)
		k.loop(4, nil)
		k.cipher.Narrow(fmt.Sprintf("rounds%d", 2*sets), sets)
		k.JMP(LabelRef("stored"))
	}
	k.Label("step8")
	k.beginStored(eight)
	k.loop(4, nil)
	k.cipher.Wide("rounds8", 1, k.cipher.Store)
	k.cipher.Wipe(0, 16*32)
	k.JMP(LabelRef("stored"))
}

// loop sets how the loops of ChaCha20 are written: with so many blocks of Poly1305 in each
// iteration, and more after it.
func (k *avx2) loop(blocks int, after func()) {
	k.cipher.Loop = func(label string, doubleRound func() amd64.Code) {
		k.MOVQ(U32(10), k.rounds)
		k.Label(label)
		k.CMPQ(k.poly.left, U8(blocks))
		k.JB(LabelRef(label + "Alone"))
		k.SUBQ(U8(blocks), k.poly.left)
		var hash amd64.Code
		for i := range blocks {
			hash = append(hash, k.poly.block(k.poly.at(16*i), k.poly.at(16*i+8))...)
		}
		doubleRound().Spread(hash).Write()
		k.ADDQ(U32(16*blocks), k.poly.next)
		k.DECQ(k.rounds)
		k.JNZ(LabelRef(label))
		k.JMP(LabelRef(label + "Done"))
		k.Label(label + "Alone")
		doubleRound().Write()
		k.DECQ(k.rounds)
		k.JNZ(LabelRef(label + "Alone"))
		k.Label(label + "Done")
		k.loadMessage()
		if after != nil {
			after()
		}
	}
}

// step16 writes the step of 16 blocks, which encrypts directly. If it is the first, block 0
// is the key.
func (k *avx2) step16() {
	const size = 16 * block
	k.Comment("All begins block 0 before the text if that is the key.")
	from, to := k.GP64(), k.GP64()
	k.Label("step16")
	k.loadMessage()
	k.MOVQ(U32(1), k.wide)
	k.MOVQ(k.skip, from)
	k.SUBQ(from, k.src)
	k.SUBQ(from, k.dst)
	k.ADDQ(from, k.n)
	k.hashNext(size, "step16")
	k.loop(7, func() {
		k.TESTQ(U32(opened), amd64.Argument(k.Context, "flags"))
		k.JZ(LabelRef("sealing16"))
		k.poly.blocks("hash16")
		k.Label("sealing16")
		k.MOVQ(k.src, from)
		k.MOVQ(k.dst, to)
	})
	k.cipher.Wide("rounds16", 2, func(b, half int, v VecVirtual) {
		at := 64*b + 32*half
		xor := func() {
			k.VPXOR(Mem{Base: from, Disp: at}, v, v)
			k.VMOVDQU(v, Mem{Base: to, Disp: at})
		}
		if b > 0 {
			xor()
			return
		}
		isText, done := fmt.Sprintf("isText%d", half), fmt.Sprintf("done%d", half)
		k.CMPQ(k.skip, U8(0))
		k.JE(LabelRef(isText))
		if half == 0 {
			k.cipher.Store(b, half, v)
		}
		k.JMP(LabelRef(done))
		k.Label(isText)
		xor()
		k.Label(done)
	})
	k.ADDQ(U32(size), k.src)
	k.ADDQ(U32(size), k.dst)
	k.SUBQ(U32(size), k.n)
	k.CMPQ(k.skip, U8(0))
	k.JNE(LabelRef("key16"))
	k.isOpening("next")
	k.ADDQ(U8(size/16), k.poly.left)
	k.JMP(LabelRef("next"))
	k.Label("key16")
	k.poly.key(Mem{Base: k.message}, k.cipher.KeyStream(0, 0))
	k.hashAdditional("16")
	k.MOVQ(k.dst, k.poly.next)
	k.SUBQ(U32(size-block), k.poly.next)
	k.MOVQ(U32((size-block)/16), k.poly.left)
	k.MOVQ(U32(0), k.skip)
	k.JMP(LabelRef("next"))
}

// hashNext lets the next step hash what it is going to decrypt, if that is the text alone.
func (k *avx2) hashNext(size int, label string) {
	left := k.GP64()
	skip := LabelRef(label + "Sealing")
	k.TESTQ(U32(opened), amd64.Argument(k.Context, "flags"))
	k.JZ(skip)
	k.CMPQ(k.skip, U8(0))
	k.JNE(skip)
	k.MOVQ(k.src, k.poly.next)
	k.MOVQ(U32(size), left)
	k.CMPQ(left, k.n)
	k.CMOVQHI(k.n, left)
	k.SHRQ(U8(4), left)
	k.MOVQ(left, k.poly.left)
	k.Label(string(skip))
}

// beginStored begins a step that stores its key stream.
func (k *avx2) beginStored(size int) {
	k.loadMessage()
	k.MOVQ(U32(size), k.size)
	k.hashNext(size, fmt.Sprintf("step%d", size/block))
}

// additional hashes the additional data.
func (k *avx2) additional() {
	k.Label("additional")
	k.hashAdditional("")
	k.MOVQ(k.dst, k.poly.next)
	k.CMPQ(k.skip, U8(0))
	k.JE(LabelRef("next"))
	k.isOpening("hashFirst")
	k.JMP(LabelRef("text"))
	k.Label("hashFirst")
	k.MOVQ(k.src, k.poly.next)
	left := k.GP64()
	k.MOVQ(k.size, left)
	k.SUBQ(U8(block), left)
	k.CMPQ(left, k.n)
	k.CMOVQHI(k.n, left)
	k.SHRQ(U8(4), left)
	k.MOVQ(left, k.poly.left)
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
	k.SUBQ(k.skip, length)
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
	k.ADDQ(k.skip, stream)
	k.MOVQ(k.dst, dst)
	k.MOVQ(k.src, src)
	k.MOVQ(U32(0), k.skip)
	k.cipher.XORStored("text", dst, src, length, stream)
	k.MOVQ(dst, k.dst)
	k.MOVQ(src, k.src)
	k.JMP(LabelRef("next"))
}

// end hashes what is left, and makes the tag.
func (k *avx2) end() {
	k.Label("end")
	k.isOpening("hashed")
	k.poly.blocks("hashLast")
	k.Label("hashed")
	k.loadMessage()
	flags := amd64.Argument(k.Context, "flags")
	k.TESTQ(U32(last), flags)
	k.JZ(LabelRef("save"))
	length := k.GP64()
	k.isOpening("lengths")
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
	k.Label("narrow")
	k.cipher.Wipe(chacha20.KeyStreamAt, chacha20.KeyStreamAt+8*block)
	k.VZEROUPPER()
	k.RET()
}
