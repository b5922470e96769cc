// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/chacha20"
)

// A text of up to a block waits for two blocks of key stream, one for the key of Poly1305 and
// one for the text, and each is a chain of 240 instructions that wait for each other. On Zen 5
// an instruction takes a cycle with general registers and two with vectors, so general
// registers make the first block while a vector makes half of the second, and then the other
// half. What Poly1305 does with the key and the additional data runs next to that.
//
// General registers hold 14 of the 16 words. The other two, of row c, are in memory, and in a
// register while their quarter rounds last, which never come at the same time.

// short is the kernel in the making.
type short struct {
	*kernel
	words                                [16]GPPhysical // of words 10 and 11 the same, for a while
	kept                                 [12]Mem        // of words 10 and 11
	count, second, text, mask, out, data Mem
	r0, r1, q, s0, s1, h                 Mem
	key, nonce                           Mem // arguments
}

var sigma = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"

// quarterRound is one on general registers.
func (k *short) quarterRound(a, b, c, d int) (out amd64.Code) {
	x := func(i int) Register { return k.words[i].As32() }
	step := func(sum, addend, y int, bits uint8) {
		out = append(out,
			func() { k.ADDL(x(addend), x(sum)) },
			func() { k.XORL(x(sum), x(y)) },
			func() { k.ROLL(U8(bits), x(y)) })
	}
	step(a, b, d, 16)
	step(c, d, b, 12)
	step(a, b, d, 8)
	step(c, d, b, 7)
	if c == 10 || c == 11 {
		out = append(amd64.Code{func() { k.MOVL(k.kept[c], x(c)) }}, out...)
		out = append(out, func() { k.MOVL(x(c), k.kept[c]) })
	}
	return out
}

// doubleRound is one on general registers.
func (k *short) doubleRound() amd64.Code {
	var out amd64.Code
	for diagonal := range 2 {
		q := func(i int) amd64.Code {
			turn := func(n int) int { return (i + n*diagonal) % 4 }
			return k.quarterRound(i, 4+turn(1), 8+turn(2), 12+turn(3))
		}
		// Pairs of quarter rounds, with one of the words in memory in each.
		out = append(out, q(0).Spread(q(2))...)
		out = append(out, q(1).Spread(q(3))...)
	}
	return out
}

// generateShort writes the function for a text of up to a block.
func generateShort(f *amd64.File, c *constants) {
	f.Function("shortAVX512IFMA", "func(tag *[16]byte, dst, src *byte, n int, ad *byte, adLen int, key *[32]byte, nonce *[12]byte, open int)",
		"shortAVX512IFMA encrypts n bytes, at most 64, and computes the tag of them and of adLen bytes of",
		"additional data, at most 16. If open is 1, not 0, it decrypts, and the tag is that of src.")
	k := &short{kernel: &kernel{constants: c}}
	k.Arithmetic = chacha20.Arithmetic{
		Context: f.Context,
		Xor:     func(a, b, to Op) { f.VPXOR(a, b, to) },
		Rotate:  func(x Op, bits uint8) { f.VPROLD(U8(bits), x, x) },
	}
	k.words = [16]GPPhysical{RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R15, R15, R11, R12, R13, R14}
	frame := f.AllocLocal(64*4 + 16 + 64 + 32)
	k.second, k.text, k.mask, k.out, k.data = frame, frame.Offset(64), frame.Offset(128), frame.Offset(192), frame.Offset(256)
	poly := frame.Offset(272)
	k.r0, k.r1, k.q, k.s0, k.s1, k.h = poly, poly.Offset(8), poly.Offset(16), poly.Offset(24), poly.Offset(32), poly.Offset(40)
	rest := frame.Offset(336)
	k.count, k.kept[10], k.kept[11] = rest, rest.Offset(8), rest.Offset(12)
	argument := func(name string) Mem { return amd64.Argument(f.Context, name) }
	k.key, k.nonce = argument("key"), argument("nonce")

	f.Comment("The text with zeros after it, and which of its bytes there are.")
	f.VPXORQ(Z4, Z4, Z4)
	f.MOVQ(argument("n"), RCX)
	f.MOVQ(I32(-1), RAX)
	f.BZHIQ(RCX, RAX, RAX)
	f.KMOVQ(RAX, K1)
	f.TESTQ(RCX, RCX)
	f.JZ(LabelRef("noText"))
	f.MOVQ(argument("src"), RSI)
	f.VMOVDQU8_Z(Mem{Base: RSI}, K1, Z4)
	f.Label("noText")
	f.VMOVDQU64(Z4, k.text)
	f.VPTERNLOGD(U8(0xff), Z5, Z5, Z5)
	f.VMOVDQU8_Z(Z5, K1, Z5)
	f.VMOVDQU64(Z5, k.mask)
	f.MOVQ(argument("adLen"), RCX)
	f.TESTQ(RCX, RCX)
	f.JZ(LabelRef("noData"))
	f.MOVQ(argument("ad"), RSI)
	f.MOVQ(I32(-1), RAX)
	f.BZHIQ(RCX, RAX, RAX)
	f.KMOVQ(RAX, K2)
	f.VMOVDQU8_Z(Mem{Base: RSI}, K2, X4)
	f.VMOVDQU(X4, k.data)
	f.Label("noData")

	f.Comment("The second block's state in vectors, the first one's in words.")
	f.MOVQ(k.key, R15)
	f.MOVQ(k.nonce, R14)
	f.VMOVDQU(k.quarters.Offset(16), X3) // 1, 0, 0, 0
	f.VMOVQ(Mem{Base: R14}, X4)
	f.VPINSRD(U8(2), Mem{Base: R14, Disp: 8}, X4, X4)
	f.VPSLLDQ(U8(4), X4, X4)
	f.VPADDD(X4, X3, X3)
	f.VMOVDQU(c.sigma, X0)
	f.VMOVDQU(Mem{Base: R15}, X1)
	f.VMOVDQU(Mem{Base: R15, Disp: 16}, X2)
	for _, i := range []int{10, 11} {
		f.MOVL(Mem{Base: R15, Disp: 4 * (i - 4)}, EAX)
		f.MOVL(EAX, k.kept[i])
	}
	for i := range 4 {
		f.MOVL(U32(sigma[i]), k.words[i].As32())
	}
	for i := 4; i < 10; i++ {
		f.MOVL(Mem{Base: R15, Disp: 4 * (i - 4)}, k.words[i].As32())
	}
	f.XORL(k.words[12].As32(), k.words[12].As32())
	for i := range 3 { // the last is the register of the pointer
		f.MOVL(Mem{Base: R14, Disp: 4 * i}, k.words[13+i].As32())
	}
	f.MOVQ(U32(doubleRounds/2), k.count)
	f.Label("firstRounds")
	scalar := append(k.doubleRound(), k.doubleRound()...)
	vector := chacha20.NarrowDoubleRound(&k.Arithmetic, []VecPhysical{X0}, []VecPhysical{X1}, []VecPhysical{X2}, []VecPhysical{X3})
	scalar.Spread(vector).Write()
	f.DECQ(k.count)
	f.JNZ(LabelRef("firstRounds"))
	for i, x := range []VecPhysical{X0, X1, X2, X3} {
		f.VMOVDQU(x, k.second.Offset(16*i))
	}

	f.Comment("The key of Poly1305, and what it makes of the additional data.")
	f.MOVQ(k.key, R15)
	for i := range 8 {
		if i < 4 {
			f.ADDL(U32(sigma[i]), k.words[i].As32())
		} else {
			f.ADDL(Mem{Base: R15, Disp: 4 * (i - 4)}, k.words[i].As32())
		}
	}
	var pairs [4]GPPhysical
	for i := range pairs {
		low, high := k.words[2*i], k.words[2*i+1]
		f.SHLQ(U8(32), high)
		f.ORQ(low, high)
		pairs[i] = high
	}
	p := &shortPoly{short: k, r0: R8, r1: R9, q: R10, h0: R11, h1: R12, h2: R13, lo0: RAX, hi0: RBX, lo1: RCX, hi1: RSI, a: RDI, b: RBP, t: R14}
	f.MOVQ(pairs[2], k.s0)
	f.MOVQ(pairs[3], k.s1)
	f.MOVQ(U64(0x0ffffffc0fffffff), R14)
	f.ANDQ(R14, pairs[0])
	f.MOVQ(U64(0x0ffffffc0ffffffc), R14)
	f.ANDQ(R14, pairs[1])
	f.MOVQ(pairs[0], k.r0)
	f.MOVQ(pairs[1], k.r1)
	f.MOVQ(pairs[1], R14)
	f.SHRQ(U8(2), R14)
	f.ADDQ(pairs[1], R14)
	f.MOVQ(R14, k.q)
	p.load()
	f.XORL(p.h0.As32(), p.h0.As32())
	f.XORL(p.h1.As32(), p.h1.As32())
	f.XORL(p.h2.As32(), p.h2.As32())
	f.MOVQ(argument("adLen"), RAX)
	f.TESTQ(RAX, RAX)
	f.JZ(LabelRef("noBlock"))
	p.block(k.data, k.data.Offset(8))
	f.Label("noBlock")
	for i, h := range []GPPhysical{p.h0, p.h1, p.h2} {
		f.MOVQ(h, k.h.Offset(8*i))
	}
	f.MOVQ(argument("n"), RAX)
	f.TESTQ(RAX, RAX)
	f.JZ(LabelRef("lengths"))

	f.Comment("The other half of the second block.")
	for i := range 16 {
		if i == 10 || i == 11 {
			f.MOVL(k.second.Offset(4*i), R15L)
			f.MOVL(R15L, k.kept[i])
		} else {
			f.MOVL(k.second.Offset(4*i), k.words[i].As32())
		}
	}
	f.MOVQ(U32(doubleRounds/2), k.count)
	f.Label("secondRounds")
	k.doubleRound().Write()
	f.DECQ(k.count)
	f.JNZ(LabelRef("secondRounds"))

	f.Comment("The result in words of 64 bits.")
	f.MOVQ(k.key, R15)
	f.ADDL(U8(1), k.words[12].As32())
	for i := range 10 {
		if i < 4 {
			f.ADDL(U32(sigma[i]), k.words[i].As32())
		} else {
			f.ADDL(Mem{Base: R15, Disp: 4 * (i - 4)}, k.words[i].As32())
		}
	}
	f.MOVQ(k.nonce, R15)
	for i := range 3 {
		f.ADDL(Mem{Base: R15, Disp: 4 * i}, k.words[13+i].As32())
	}
	store := func(i int, low, high GPPhysical) {
		f.SHLQ(U8(32), high)
		f.ORQ(low, high)
		f.XORQ(k.text.Offset(8*i), high)
		f.ANDQ(k.mask.Offset(8*i), high)
		f.MOVQ(high, k.out.Offset(8*i))
	}
	for i := range 8 {
		if i != 5 {
			store(i, k.words[2*i], k.words[2*i+1])
		}
	}
	f.MOVQ(k.key, R15)
	f.MOVL(k.kept[10], EAX)
	f.MOVL(k.kept[11], EBX)
	f.ADDL(Mem{Base: R15, Disp: 4 * 6}, EAX)
	f.ADDL(Mem{Base: R15, Disp: 4 * 7}, EBX)
	store(5, RAX, RBX)

	f.Comment("Poly1305 reads the ciphertext.")
	p.load()
	for i, h := range []GPPhysical{p.h0, p.h1, p.h2} {
		f.MOVQ(k.h.Offset(8*i), h)
	}
	f.LEAQ(k.out, R15)
	f.LEAQ(k.text, RAX)
	f.CMPQ(argument("open"), U8(1))
	f.CMOVQEQ(RAX, R15)
	for i := range 4 {
		if i > 0 {
			f.CMPQ(argument("n"), U8(16*i))
			f.JBE(LabelRef("lengths"))
		}
		p.block(Mem{Base: R15, Disp: 16 * i}, Mem{Base: R15, Disp: 16*i + 8})
	}
	f.Label("lengths")
	p.block(argument("adLen"), argument("n"))

	f.Comment("h - p = h + 5 - 2^130, if that is not negative, plus s.")
	f.MOVQ(p.h0, RAX)
	f.MOVQ(p.h1, RBX)
	f.ADDQ(U8(5), RAX)
	f.ADCQ(U8(0), RBX)
	f.ADCQ(U8(0), p.h2)
	f.SHRQ(U8(2), p.h2)
	f.CMOVQNE(RAX, p.h0)
	f.CMOVQNE(RBX, p.h1)
	f.ADDQ(k.s0, p.h0)
	f.ADCQ(k.s1, p.h1)
	f.MOVQ(argument("tag"), RSI)
	f.MOVQ(p.h0, Mem{Base: RSI})
	f.MOVQ(p.h1, Mem{Base: RSI, Disp: 8})
	f.CMPQ(argument("n"), U8(0))
	f.JEQ(LabelRef("wipe"))
	f.MOVQ(argument("dst"), RDI)
	f.VMOVDQU64(k.out, Z0)
	f.VMOVDQU8(Z0, K1, Mem{Base: RDI})

	f.Label("wipe")
	f.VPXORQ(Z0, Z0, Z0)
	for _, m := range []Mem{k.second, k.text, k.out, poly} {
		f.VMOVDQU64(Z0, m)
	}
	f.MOVQ(U32(0), k.kept[10])
	f.VZEROUPPER()
	f.RET()
}

// shortPoly is Poly1305 with all in registers.
type shortPoly struct {
	*short
	r0, r1, q, h0, h1, h2, lo0, hi0, lo1, hi1, a, b, t GPPhysical
}

func (p *shortPoly) load() {
	p.MOVQ(p.short.r0, p.r0)
	p.MOVQ(p.short.r1, p.r1)
	p.MOVQ(p.short.q, p.q)
}

// block adds a block to h, which it multiplies by r; see the comment of multiply in plain Go, in
// package poly1305, for why nothing overflows.
func (p *shortPoly) block(low, high Mem) {
	p.ADDQ(low, p.h0)
	p.ADCQ(high, p.h1)
	p.ADCQ(U8(1), p.h2)
	p.MOVQ(p.r0, RDX)
	p.MULXQ(p.h0, p.lo0, p.hi0)
	p.MULXQ(p.h1, p.lo1, p.hi1)
	p.MOVQ(p.r1, RDX)
	p.MULXQ(p.h0, p.a, p.b)
	p.ADDQ(p.a, p.lo1)
	p.ADCQ(p.b, p.hi1)
	p.MOVQ(p.q, RDX)
	p.MULXQ(p.h1, p.a, p.b)
	p.MOVQ(p.h2, p.t)
	p.IMULQ(p.q, p.t)
	p.IMULQ(p.r0, p.h2)
	p.ADDQ(p.t, p.lo1)
	p.ADCQ(p.h2, p.hi1)
	p.ADDQ(p.a, p.lo0)
	p.ADCQ(p.b, p.hi0)
	p.ADDQ(p.hi0, p.lo1)
	p.ADCQ(U8(0), p.hi1)
	p.MOVQ(p.hi1, p.h2)
	p.ANDL(U8(3), p.h2.As32())
	p.MOVQ(p.hi1, p.t)
	p.ANDQ(I8(-4), p.t)
	p.SHRQ(U8(2), p.hi1)
	p.ADDQ(p.hi1, p.t)
	p.MOVQ(p.lo0, p.h0)
	p.MOVQ(p.lo1, p.h1)
	p.ADDQ(p.t, p.h0)
	p.ADCQ(U8(0), p.h1)
	p.ADCQ(U8(0), p.h2)
}
