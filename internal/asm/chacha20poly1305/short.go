// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/chacha20"
	"github.com/unimac/unimac/internal/asm/poly1305"
)

// A text of up to one block needs two blocks of keystream, each a long dependency
// chain. General registers have shorter latency on some processors, so they compute 8
// of the 10 double rounds of block 0, while a vector computes 4 of block 1. Then the
// blocks exchange registers. Block 0, which contains the key, is completed first.
//
// Words 10 and 11 of the block in general registers share a register and are otherwise
// in memory.

type short struct {
	*kernel
	words                            [16]GPPhysical // words 10 and 11 share a register
	count, first, second, text, mask Mem
	out, data, r, s                  Mem
}

// doubleRound emits a scalar double round of one block.
func (k *short) doubleRound(state Mem) {
	for diagonal := range 2 {
		q := func(i int) amd64.Code {
			column := func(n int) int { return (i + n*diagonal) % 4 }
			return k.quarterRound(state, i, 4+column(1), 8+column(2), 12+column(3))
		}
		// Each pair of quarter rounds uses only one of words 10 and 11.
		q(0).Spread(q(2)).Write()
		q(1).Spread(q(3)).Write()
	}
}

func (k *short) quarterRound(state Mem, a, b, c, d int) amd64.Code {
	x := func(i int) Register { return k.words[i].As32() }
	step := func(sum, addend, y int, bits uint8) {
		k.ADDL(x(addend), x(sum))
		k.XORL(x(sum), x(y))
		k.ROLL(U8(bits), x(y))
	}
	return amd64.Record(k.Context, func() {
		// Words 10 and 11 share a register, so memory holds their values.
		inMemory := c == 10 || c == 11
		if inMemory {
			k.MOVL(state.Offset(4*c), x(c))
		}
		step(a, b, d, 16)
		step(c, d, b, 12)
		step(a, b, d, 8)
		step(c, d, b, 7)
		if inMemory {
			k.MOVL(x(c), state.Offset(4*c))
		}
	})
}

func generateShort(f *amd64.File, c *constants) {
	f.Function("shortAVX512IFMA",
		"func(tag *[16]byte, dst, src *byte, n int, ad *byte, adLen int, key *[32]byte, nonce *[12]byte, open int)",
		"shortAVX512IFMA encrypts n bytes and computes the tag of the ciphertext and of adLen bytes of",
		"additional data. n must be 1 to 64, and adLen at most 16. If open is 1 instead of 0,",
		"shortAVX512IFMA decrypts, and src is the ciphertext.")
	k := &short{kernel: &kernel{Arithmetic: chacha20.AVX512(f.Context), constants: c}}
	k.Xor = f.VPXOR
	k.words = [16]GPPhysical{RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R15, R15, R11, R12, R13, R14}
	frame := f.AllocLocal(64*5 + 16*4)
	k.first, k.second, k.text = frame, frame.Offset(64), frame.Offset(128)
	k.mask, k.out = frame.Offset(192), frame.Offset(256)
	k.data, k.r, k.s, k.count = frame.Offset(320), frame.Offset(336), frame.Offset(352), frame.Offset(368)
	k.loadText()
	k.loadStates()
	k.rounds("firstRounds", k.first, 4, 2)
	k.change()
	k.rounds("secondRounds", k.second, 2, 3)
	k.endBlocks()
	k.finish(k.hash())
}

var shortRows = [4]VecPhysical{X0, X1, X2, X3}

func (k *short) loadText() {
	k.Comment("Load the text, padded with zeros, and a mask of its bytes.")
	k.MOVQ(k.argument("n"), RCX)
	amd64.LowestBits(k.Context, RCX, RAX, K1)
	k.MOVQ(k.argument("src"), RSI)
	k.VMOVDQU8_Z(Mem{Base: RSI}, K1, Z4)
	k.VMOVDQU64(Z4, k.text)
	k.VPTERNLOGD(U8(0xff), Z5, Z5, Z5)
	k.VMOVDQU8_Z(Z5, K1, Z5)
	k.VMOVDQU64(Z5, k.mask)
	k.MOVQ(k.argument("adLen"), RCX)
	k.TESTQ(RCX, RCX)
	k.JZ(LabelRef("noData"))
	k.MOVQ(k.argument("ad"), RSI)
	amd64.LowestBits(k.Context, RCX, RAX, K2)
	k.VMOVDQU8_Z(Mem{Base: RSI}, K2, X4)
	k.VMOVDQU(X4, k.data)
	k.Label("noData")
}

func (k *short) loadStates() {
	k.Comment("Load the second block's state into vectors, and the first block's into general registers.")
	k.MOVQ(k.argument("key"), R15)
	k.MOVQ(k.argument("nonce"), R14)
	k.VMOVDQU(k.quarters.Offset(16), X3) // the words 1, 0, 0, 0
	k.VMOVQ(Mem{Base: R14}, X4)
	k.VPINSRD(U8(2), Mem{Base: R14, Disp: 8}, X4, X4)
	k.VPSLLDQ(U8(4), X4, X4)
	k.VPADDD(X4, X3, X3)
	k.VMOVDQU(k.sigma, X0)
	k.VMOVDQU(Mem{Base: R15}, X1)
	k.VMOVDQU(Mem{Base: R15, Disp: 16}, X2)
	k.MOVQ(Mem{Base: R15, Disp: 4 * 6}, RAX)
	k.MOVQ(RAX, k.first.Offset(4*10))
	for i := range 4 {
		k.MOVL(U32(chacha20.Sigma[i]), k.words[i].As32())
	}
	for i := 4; i < 10; i++ {
		k.MOVL(Mem{Base: R15, Disp: 4 * (i - 4)}, k.words[i].As32())
	}
	k.XORL(k.words[12].As32(), k.words[12].As32())
	for i := range 3 { // the last word replaces the pointer in its register
		k.MOVL(Mem{Base: R14, Disp: 4 * i}, k.words[13+i].As32())
	}
}

// rounds emits a loop with scalarRounds scalar double rounds per vector double round.
func (k *short) rounds(label string, state Mem, times, scalarRounds int) {
	scalar := amd64.Record(k.Context, func() {
		for range scalarRounds {
			k.doubleRound(state)
		}
	})
	vector := chacha20.NarrowDoubleRound(&k.Arithmetic, shortRows[:1], shortRows[1:2], shortRows[2:3], shortRows[3:])
	amd64.Loop(k.Context, label, times, k.count, scalar.Spread(vector).Write)
}

// change emits code that exchanges the blocks in general and vector registers.
func (k *short) change() {
	k.Comment("Exchange the blocks. Words 10 and 11 are already in memory.")
	for i, x := range shortRows {
		k.VMOVDQU(x, k.second.Offset(16*i))
	}
	for i, x := range k.words {
		if i != 10 && i != 11 {
			k.MOVL(x.As32(), k.first.Offset(4*i))
			k.MOVL(k.second.Offset(4*i), x.As32())
		}
	}
	for i, x := range shortRows {
		k.VMOVDQU(k.first.Offset(16*i), x)
	}
}

// endBlocks emits code that completes both blocks and encrypts the text.
func (k *short) endBlocks() {
	k.Comment("Load the Poly1305 key.")
	k.MOVQ(k.argument("key"), R15)
	k.VPADDD(k.sigma, X0, X0)
	k.VPADDD(Mem{Base: R15}, X1, X1)
	k.VPAND(k.clamp, X0, X0)
	k.VMOVDQU(X0, k.r)
	k.VMOVDQU(X1, k.s)

	k.Comment("Combine the keystream in 64-bit words.")
	k.ADDL(U8(1), k.words[12].As32())
	for i := range 10 {
		if i < 4 {
			k.ADDL(U32(chacha20.Sigma[i]), k.words[i].As32())
		} else {
			k.ADDL(Mem{Base: R15, Disp: 4 * (i - 4)}, k.words[i].As32())
		}
	}
	k.MOVQ(k.argument("nonce"), R15)
	for i := range 3 {
		k.ADDL(Mem{Base: R15, Disp: 4 * i}, k.words[13+i].As32())
	}
	store := func(i int, low, high GPPhysical) {
		k.SHLQ(U8(32), high)
		k.ORQ(low, high)
		k.XORQ(k.text.Offset(8*i), high)
		k.ANDQ(k.mask.Offset(8*i), high)
		k.MOVQ(high, k.out.Offset(8*i))
	}
	for i := range 8 {
		if i != 5 {
			store(i, k.words[2*i], k.words[2*i+1])
		}
	}
	k.MOVQ(k.argument("key"), R15)
	k.MOVL(k.second.Offset(4*10), EAX)
	k.MOVL(k.second.Offset(4*11), EBX)
	k.ADDL(Mem{Base: R15, Disp: 4 * 6}, EAX)
	k.ADDL(Mem{Base: R15, Disp: 4 * 7}, EBX)
	store(5, RAX, RBX)
}

func (k *short) hash() *product {
	k.Comment("Hash the additional data, and then each block of the text.")
	p := &product{scalar: &scalar{Context: k.Context, r0: R8, r1: R9, q: R10}, low: RDI, high: RBP}
	p.H, p.Over = poly1305.Words{R11, R12, R13}, p.low
	p.Lo0, p.Hi0, p.Lo1, p.Hi1, p.Rest = RAX, RBX, RCX, RSI, R14
	poly1305.LoadR(k.Context, k.r, R8, R9, R10)
	k.Comment("Select the ciphertext for Poly1305.")
	k.LEAQ(k.out, R15)
	k.LEAQ(k.text, RAX)
	k.CMPQ(k.argument("open"), U8(1))
	k.CMOVQEQ(RAX, R15)
	k.MOVL(U32(1), p.H[2].As32())
	amd64.Place(k.Context, "keyed")
	k.CMPQ(k.argument("adLen"), U8(0))
	k.JEQ(LabelRef("noBlock"))
	k.MOVQ(k.data, p.H[0])
	k.MOVQ(k.data.Offset(8), p.H[1])
	p.inRegisters(Mem{Base: R15}, Mem{Base: R15, Disp: 8})
	k.JMP(LabelRef("next"))
	k.Label("noBlock")
	k.MOVQ(Mem{Base: R15}, p.H[0])
	k.MOVQ(Mem{Base: R15, Disp: 8}, p.H[1])
	k.Label("next")
	for i := 1; i < 4; i++ {
		k.CMPQ(k.argument("n"), U8(16*i))
		k.JBE(LabelRef("lengths"))
		p.inRegisters(Mem{Base: R15, Disp: 16 * i}, Mem{Base: R15, Disp: 16*i + 8})
	}
	k.Label("lengths")
	p.inRegisters(k.argument("adLen"), k.argument("n"))
	p.inRegisters()
	return p
}

func (k *short) finish(p *product) {
	k.Comment("Subtract p = 2^130 - 5 from h if h is at least p, and add s.")
	addS(k.Context, p.H, poly1305.Words{RAX, RBX, p.H[2]}, k.s)
	k.MOVQ(k.argument("tag"), RSI)
	k.MOVQ(p.H[0], Mem{Base: RSI})
	k.MOVQ(p.H[1], Mem{Base: RSI, Disp: 8})
	k.MOVQ(k.argument("dst"), RDI)
	k.VMOVDQU64(k.out, Z0)
	k.VMOVDQU8(Z0, K1, Mem{Base: RDI})

	k.VPXORQ(Z0, Z0, Z0)
	for _, m := range []Mem{k.first, k.second, k.text, k.out} {
		k.VMOVDQU64(Z0, m)
	}
	k.VMOVDQU(Y0, k.r)
	k.VZEROUPPER()
	k.RET()
}

// inRegisters emits the variant of multiply for r and 5·r1/4 in registers.
func (m *product) inRegisters(block ...Op) {
	m.MOVQ(m.r0, RDX)
	m.MULXQ(m.H[0], m.Lo0, m.Hi0)
	m.MULXQ(m.H[1], m.Lo1, m.Hi1)
	m.addBlock(block)
	m.MOVQ(m.r1, RDX)
	m.MULXQ(m.H[0], m.low, m.high)
	m.ADDQ(m.low, m.Lo1)
	m.ADCQ(m.high, m.Hi1)
	m.MOVQ(m.q, RDX)
	m.MULXQ(m.H[1], m.low, m.high)
	m.ADDQ(m.low, m.Lo0)
	m.ADCQ(m.high, m.Hi0)
	m.MOVQ(m.q, m.Rest)
	m.IMULQ(m.H[2], m.Rest)
	m.IMULQ(m.r0, m.H[2])
	m.Fold(m.Context, block != nil)
}
