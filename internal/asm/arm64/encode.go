// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import "fmt"

// Encodings that Go's assembler lacks (Arm Architecture Reference Manual, section
// C4.1).

const (
	upper = 1 << 30 // bit Q, which selects the upper halves of the narrow operands

	umull    = 0x2ea0c000 // multiplies 32 by 32 to 64 bits
	umlal    = 0x2ea08000 // adds the products to the destination
	umullOne = 0x2f80a000 // multiplies by one lane
	umlalOne = 0x2f802000
	xtn      = 0x0ea12800 // narrows 64 to 32 bits
	shrn     = 0x0f008400
)

// VUMULL sets d to 64-bit products of the lower two words.
func (f *File) VUMULL(m, n, d V) { f.long("VUMULL", umull, m, n, d) }

func (f *File) VUMULL2(m, n, d V) { f.long("VUMULL2", umull|upper, m, n, d) }

// VUMLAL adds the products of VUMULL to d.
func (f *File) VUMLAL(m, n, d V) { f.long("VUMLAL", umlal, m, n, d) }

func (f *File) VUMLAL2(m, n, d V) { f.long("VUMLAL2", umlal|upper, m, n, d) }

// VUMULLOne multiplies the lower two words of n by word i of m.
func (f *File) VUMULLOne(m V, i int, n, d V) { f.longOne("VUMULL", umullOne, m, i, n, d) }

func (f *File) VUMULL2One(m V, i int, n, d V) { f.longOne("VUMULL2", umullOne|upper, m, i, n, d) }

// VUMLALOne adds the products of VUMULLOne to d.
func (f *File) VUMLALOne(m V, i int, n, d V) { f.longOne("VUMLAL", umlalOne, m, i, n, d) }

func (f *File) VUMLAL2One(m V, i int, n, d V) { f.longOne("VUMLAL2", umlalOne|upper, m, i, n, d) }

// VXTN narrows n's doublewords to words and clears d's upper half.
func (f *File) VXTN(n, d V) {
	f.word(xtn|n.number()<<5|d.number(), "VXTN", n.D2(), d.S2())
}

// VXTN2 narrows n's doublewords into d's upper half.
func (f *File) VXTN2(n, d V) {
	f.word(xtn|upper|n.number()<<5|d.number(), "VXTN2", n.D2(), d.S4())
}

// VSHRN is VXTN after a right shift by 1 to 32 bits.
func (f *File) VSHRN(shift int, n, d V) {
	f.word(shrn|right32(shift)|n.number()<<5|d.number(), "VSHRN", shift, n.D2(), d.S2())
}

// VSHRN2 is VXTN2 after a right shift by 1 to 32 bits.
func (f *File) VSHRN2(shift int, n, d V) {
	f.word(shrn|upper|right32(shift)|n.number()<<5|d.number(), "VSHRN2", shift, n.D2(), d.S4())
}

// long writes an instruction that widens words of n and m to doublewords.
func (f *File) long(mnemonic string, opcode uint32, m, n, d V) {
	lanes := V.S2
	if opcode&upper != 0 {
		lanes = V.S4
	}
	f.word(opcode|m.number()<<16|n.number()<<5|d.number(), mnemonic, lanes(m), lanes(n), d.D2())
}

// longOne writes a widening instruction with word i of m.
func (f *File) longOne(mnemonic string, opcode uint32, m V, i int, n, d V) {
	if i < 0 || i > 3 {
		panic(fmt.Sprintf("arm64: no word %d in a vector register", i))
	}
	lanes := V.S2
	if opcode&upper != 0 {
		lanes = V.S4
	}
	index := uint32(i>>1<<11 | i&1<<21)
	f.word(opcode|index|m.number()<<16|n.number()<<5|d.number(), mnemonic, m.S(i), lanes(n), d.D2())
}

// right32 returns the immh:immb field for a narrowing right shift.
func right32(shift int) uint32 {
	if shift < 1 || shift > 32 {
		panic(fmt.Sprintf("arm64: shift by %d, want 1 to 32", shift))
	}
	return uint32(64-shift) << 16
}

func (f *File) word(encoding uint32, mnemonic string, operands ...any) {
	f.Op("WORD", fmt.Sprintf("$0x%08x // %s %s", encoding, mnemonic, list(operands)))
}
