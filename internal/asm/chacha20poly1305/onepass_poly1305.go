// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/poly1305"
	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
)

// A scalar generates Poly1305 code for general registers.
type scalar struct {
	*build.Context
	h         poly1305.Words
	r0, r1, q Op        // the words of r, and 5·r1/4
	next      GPVirtual // address of the next block
	left      Mem       // number of blocks ready to be hashed
	bmi2      bool      // whether MULX and SHLX are available

	// shortChain shortens multiply's dependency chain at the cost of more instructions.
	shortChain bool

	// shortCode minimizes the number of instructions. It needs BMI2.
	shortCode bool
}

func newScalar(c *build.Context, bmi2 bool) *scalar {
	p := &scalar{Context: c, bmi2: bmi2}
	p.h, p.r0, p.next = poly1305.Words{c.GP64(), c.GP64(), c.GP64()}, c.GP64(), c.GP64()
	p.r1, p.q, p.left = c.AllocLocal(8), c.AllocLocal(8), c.AllocLocal(8)
	return p
}

func (p *scalar) at(i int) Mem { return Mem{Base: p.next, Disp: i} }

func (p *scalar) load(m Mem) {
	for i, h := range p.h {
		p.MOVQ(m.Offset(layout.MessageH+8*i), h)
	}
	p.MOVQ(m.Offset(layout.MessageR), p.r0)
	r1 := p.GP64()
	p.MOVQ(m.Offset(layout.MessageR+8), r1)
	storeR1(p.Context, r1, p.r1, p.q)
	p.MOVQ(U32(0), p.left)
	p.XORQ(p.next, p.next)
}

// storeR1 stores r1, which must be a multiple of 4, and 5·r1/4.
func storeR1(c *build.Context, r1 GPVirtual, toR1, toQ Op) {
	q := c.GP64()
	c.MOVQ(r1, toR1)
	poly1305.FiveQuarters(c, r1, q)
	c.MOVQ(q, toQ)
}

func (p *scalar) save(m Mem) {
	r1 := p.GP64()
	for i, h := range p.h {
		p.MOVQ(h, m.Offset(layout.MessageH+8*i))
	}
	p.MOVQ(p.r0, m.Offset(layout.MessageR))
	p.MOVQ(p.r1, r1)
	p.MOVQ(r1, m.Offset(layout.MessageR+8))
}

// key emits code that computes r and s (RFC 8439, section 2.6).
func (p *scalar) key(m Mem, stream [4]GPVirtual) {
	mask := p.GP64()
	p.MOVQ(U64(0x0ffffffc0fffffff), p.r0)
	p.ANDQ(stream[0], p.r0)
	p.MOVQ(U64(0x0ffffffc0ffffffc), mask)
	p.ANDQ(mask, stream[1])
	storeR1(p.Context, stream[1], p.r1, p.q)
	p.MOVQ(stream[2], m.Offset(layout.MessageS))
	p.MOVQ(stream[3], m.Offset(layout.MessageS+8))
	for _, r := range append(p.h[:], p.next) {
		p.XORL(r.As32(), r.As32())
	}
	p.MOVQ(U32(0), p.left)
}

type product struct {
	*scalar
	poly1305.Product
	low, high poly1305.Word
}

// factor emits code that prepares the multiplications by x.
func (m *product) factor(x poly1305.Word) {
	if m.bmi2 {
		m.MOVQ(x, RDX)
	}
}

// times emits code that multiplies y by x, which factor loaded last.
func (m *product) times(x poly1305.Word, y Op, lo, hi poly1305.Word) {
	if m.bmi2 {
		m.MULXQ(y, lo, hi)
		return
	}
	m.MOVQ(y, RAX)
	m.MULQ(x)
	m.MOVQ(RAX, lo)
	m.MOVQ(RDX, hi)
}

// multiply emits code that sets h to h·r + block, or to h·r.
func (p *scalar) multiply(block ...Op) { p.product(p.shortCode, block) }

func (p *scalar) product(shortCode bool, block []Op) {
	// h is partially reduced: for its bounds, see multiply in internal/poly1305.
	m := &product{scalar: p}
	for _, r := range []*poly1305.Word{&m.Lo0, &m.Hi0, &m.Lo1, &m.Hi1, &m.low, &m.high, &m.Rest} {
		*r = p.GP64()
	}
	m.H, m.Over = p.h, m.low
	switch {
	case p.shortChain:
		m.shorten(block)
	case shortCode:
		m.fewest(block)
	default:
		m.words(block)
	}
}

func (m *product) words(block []Op) {
	h0, h1, h2 := m.H[0], m.H[1], m.H[2]
	m.factor(h0)
	m.times(h0, m.r0, m.Lo0, m.Hi0)
	m.times(h0, m.r1, m.Lo1, m.Hi1)
	// Adding the block before the reduction overlaps it with the multiplication.
	m.addBlock(block)
	m.factor(h1)
	m.times(h1, m.r0, m.low, m.high)
	m.MOVQ(h2, m.Rest)
	m.IMULQ(m.r0, h2)
	m.ADDQ(m.low, m.Lo1)
	m.ADCQ(m.high, m.Hi1)
	m.times(h1, m.q, m.low, m.high)
	m.IMULQ(m.q, m.Rest)
	m.ADDQ(m.low, m.Lo0)
	m.ADCQ(m.high, m.Hi0)
	m.Fold(m.Context, block != nil)
}

// fewest emits the variant of multiply with the fewest instructions.
func (m *product) fewest(block []Op) {
	h0, h1, h2 := m.H[0], m.H[1], m.H[2]
	m.MOVQ(h0, RDX)
	m.MULXQ(m.r0, m.Lo0, m.Hi0)
	m.MULXQ(m.r1, m.Lo1, m.Hi1)
	m.addBlock(block)
	m.MOVQ(h1, RDX)
	m.MULXQ(m.r0, h1, m.high)
	m.MOVQ(h2, m.Rest)
	m.IMULQ(m.r0, h2)
	m.ADDQ(m.Lo1, h1)
	m.ADCQ(m.high, m.Hi1)
	m.MULXQ(m.q, m.low, m.high)
	// h2 ≤ 9 and q < 1.25·2^60, so the product fits in 64 bits.
	m.IMULQ(m.q, m.Rest)
	// Hi0 is below 2^60 before the addition, so the sum cannot overflow.
	m.ADDQ(m.Rest, m.Hi0)
	m.ADDQ(m.low, m.Lo0)
	m.ADCQ(m.high, m.Hi0)
	if block == nil {
		m.ADDQ(m.Hi0, h1)
		m.ADCQ(m.Hi1, h2)
	} else {
		m.ADDQ(m.Hi1, h2)
	}
	m.H.Five(m.Context, h0)
	if block != nil { // not on the longest chain
		m.ADDQ(m.Hi0, h1)
		m.ADCQ(U8(0), h2)
	}
	m.H.Add(m.Context, m.Lo0)
}

func (m *product) addBlock(block []Op) {
	if block != nil {
		m.ADDQ(block[0], m.Lo0)
		m.ADCQ(U8(0), m.Hi0)
		m.ADDQ(block[1], m.Lo1)
		m.ADCQ(U8(1), m.Hi1)
	}
}

// shorten emits the variant of multiply with the shortest dependency chain.
func (m *product) shorten(block []Op) {
	h0, h1, h2, top := m.H[0], m.H[1], m.H[2], m.Hi1
	m.MOVQ(m.r1, RDX)
	m.MULXQ(h0, m.Lo1, m.Hi1)
	m.MOVQ(m.r0, RDX)
	m.MULXQ(h1, m.low, m.high)
	m.MULXQ(h0, m.Lo0, m.Hi0)
	blockLoaded := false
	if block != nil {
		_, blockLoaded = block[0].(Register)
	}
	if blockLoaded { // Rest needs one of the block's registers
		m.addBlock(block)
	}
	// The reduction depends on the upper word, so compute it first.
	m.MOVQ(h2, m.Rest)
	m.IMULQ(m.r0, h2)
	if !blockLoaded {
		m.addBlock(block)
	}
	m.ADDQ(h2, m.high)
	m.ADDQ(m.low, m.Lo1)
	m.ADCQ(m.high, top)
	m.MOVQ(m.q, RDX)
	m.MULXQ(h1, m.low, m.high)
	m.IMULQ(RDX, m.Rest)
	m.ADDQ(m.Rest, m.Hi0)
	m.ADDQ(m.low, m.Lo0)
	m.ADCQ(m.high, m.Hi0)
	if block == nil {
		m.ADDQ(m.Hi0, m.Lo1)
		m.ADCQ(U8(0), top)
	}
	m.MOVQ(top, m.Over)
	m.MOVL(top.As32(), h2.As32())
	m.SHRQ(U8(2), m.Over)
	m.ANDL(U8(3), h2.As32())
	m.ANDQ(I8(-4), top)
	// 4·(top>>2) + top>>2 is 5·(top>>2).
	m.LEAQ(Mem{Base: top, Index: m.Over, Scale: 1}, m.Over)
	if block != nil { // not on the longest chain
		m.ADDQ(m.Hi0, m.Lo1)
		m.ADCQ(U8(0), h2)
	}
	m.MOVQ(m.Lo0, h0)
	m.MOVQ(m.Lo1, h1)
	m.H.Add(m.Context, m.Over)
}

// unrolled returns code that hashes the given number of blocks without a loop.
func (p *scalar) unrolled(blocks int) amd64.Code {
	return amd64.Record(p.Context, func() {
		for i := range blocks {
			// Beside vector code, shortCode would be slower.
			p.product(false, []Op{p.at(16 * i), p.at(16*i + 8)})
		}
	})
}

// hash emits code that hashes the given number of blocks and skips them.
func (p *scalar) hash(blocks int) {
	for i := range blocks {
		p.multiply(p.at(16*i), p.at(16*i+8))
	}
	p.ADDQ(U8(16*blocks), p.next)
}

func (p *scalar) blocks(label string) {
	p.CMPQ(p.left, U8(0))
	p.JE(LabelRef(label + "Done"))
	p.Label(label)
	p.hash(1)
	p.DECQ(p.left)
	p.JNZ(LabelRef(label))
	p.Label(label + "Done")
}

// pairs is like blocks, but hashes two blocks per iteration.
func (p *scalar) pairs(label string) {
	p.SUBQ(U8(2), p.left)
	p.JB(LabelRef(label + "Odd"))
	p.Label(label)
	p.hash(2)
	p.SUBQ(U8(2), p.left)
	p.JAE(LabelRef(label))
	p.Label(label + "Odd")
	p.TESTQ(U32(1), p.left)
	p.JZ(LabelRef(label + "Done"))
	p.hash(1)
	// Unlike after blocks, p.left need not be 0 here.
	p.Label(label + "Done")
}

func (p *scalar) partial(label string, n GPVirtual) {
	name := func(what any) LabelRef { return LabelRef(fmt.Sprintf("%sPartial%v", label, what)) }
	if p.shortCode {
		p.overlapping(name, n)
		return
	}
	word, part, shift, at := [2]GPVirtual{p.GP64(), p.GP64()}, p.GP64(), p.GP64(), p.GP64()
	p.TESTQ(U32(15), n)
	p.JZ(name("Done"))
	p.XORL(word[0].As32(), word[0].As32())
	p.XORL(word[1].As32(), word[1].As32())
	p.XORL(shift.As32(), shift.As32())
	p.MOVQ(p.next, at)
	p.TESTQ(U32(8), n)
	p.JZ(name(8))
	p.MOVQ(Mem{Base: at}, word[0])
	p.ADDQ(U8(8), at)
	p.Label(string(name(8)))
	for _, piece := range []struct {
		size uint32
		load func(m, to Op)
	}{{4, p.MOVL}, {2, p.MOVWLZX}, {1, p.MOVBLZX}} {
		p.TESTQ(U32(piece.size), n)
		p.JZ(name(piece.size))
		piece.load(Mem{Base: at}, part.As32())
		if p.bmi2 {
			p.SHLXQ(shift, part, part)
		} else {
			p.MOVQ(shift, RCX)
			p.SHLQ(CL, part)
		}
		p.ORQ(part, word[1])
		if piece.size > 1 {
			p.ADDQ(U8(piece.size), at)
			p.ADDQ(U8(8*piece.size), shift)
		}
		p.Label(string(name(piece.size)))
	}
	p.Comment("If the block has fewer than 8 bytes, they form its first word.")
	p.XORL(part.As32(), part.As32())
	p.TESTQ(U32(8), n)
	p.CMOVQEQ(word[1], word[0])
	p.CMOVQEQ(part, word[1])
	p.multiply(word[0], word[1])
	p.Label(string(name("Done")))
}

// overlapping implements partial for shortCode. It loads words that may overlap.
func (p *scalar) overlapping(name func(what any) LabelRef, n GPVirtual) {
	word, rest, last := [2]GPVirtual{p.GP64(), p.GP64()}, p.GP64(), p.GP64()
	at := func(size int) Mem { return Mem{Base: p.next, Index: rest, Scale: 1, Disp: -size} }
	p.MOVQ(n, rest)
	p.ANDQ(U8(15), rest)
	p.JZ(name("Done"))
	p.CMPQ(rest, U8(8))
	p.JB(name("Below8"))
	p.MOVQ(p.at(0), word[0])
	p.MOVQ(at(8), word[1])
	p.Comment("Shift by 8·(16-rest) bits, in two steps because this may be 64.")
	p.XORQ(U8(15), rest)
	p.SHLQ(U8(3), rest)
	p.SHRQ(U8(8), word[1])
	p.SHRXQ(rest, word[1], word[1])
	p.JMP(name("Add"))
	p.Label(string(name("Below8")))
	p.XORL(word[1].As32(), word[1].As32())
	for _, half := range []struct {
		size int
		load func(m, to Op)
	}{{4, p.MOVL}, {2, p.MOVWLZX}} {
		below := name(fmt.Sprintf("Below%d", half.size))
		p.CMPQ(rest, U8(half.size))
		p.JB(below)
		half.load(p.at(0), word[0].As32())
		half.load(at(half.size), last.As32())
		p.SUBQ(U8(half.size), rest)
		p.SHLQ(U8(3), rest)
		p.SHLXQ(rest, last, last)
		p.ORQ(last, word[0])
		p.JMP(name("Add"))
		p.Label(string(below))
	}
	p.MOVBLZX(p.at(0), word[0].As32())
	p.Label(string(name("Add")))
	p.multiply(word[0], word[1])
	p.Label(string(name("Done")))
}

func (p *scalar) tag(m Mem) {
	p.multiply()
	p.Comment("Replace h with h + 5 if h + 5 is at least 2^130.")
	addS(p.Context, p.h, poly1305.Words{p.GP64(), p.GP64(), p.GP64()}, m.Offset(layout.MessageS))
	p.MOVQ(p.h[0], m.Offset(layout.OnePassTag))
	p.MOVQ(p.h[1], m.Offset(layout.OnePassTag+8))
}

// addS emits code that fully reduces h and adds s. It overwrites g.
func addS(c *build.Context, h, g poly1305.Words, s Mem) {
	for i := range g {
		c.MOVQ(h[i], g[i])
	}
	c.ADDQ(U8(5), g[0])
	c.ADCQ(U8(0), g[1])
	c.ADCQ(U8(0), g[2])
	c.SHRQ(U8(2), g[2])
	c.CMOVQNE(g[0], h[0])
	c.CMOVQNE(g[1], h[1])
	c.ADDQ(s, h[0])
	c.ADCQ(s.Offset(8), h[1])
}
