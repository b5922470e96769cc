// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"fmt"
	"math/bits"

	"github.com/unimac/unimac/internal/proof/asm"
)

// Decode returns what a WORD is: an instruction that Go's assembler has no name for,
// by the tables of the Arm Architecture Reference Manual, section C4.1 (advanced
// SIMD). Its operands are in the assembler's order.
func Decode(in *asm.Instr) (*asm.Instr, error) {
	if len(in.Args) != 1 || in.Args[0].Kind != asm.Immediate {
		return nil, fmt.Errorf("WORD is not one constant")
	}
	v := uint32(in.Args[0].Imm)
	out := &asm.Instr{Line: in.Line}
	upper := v>>30&1 == 1
	// The narrow side has half of a vector, or all of it for the forms with 2.
	narrow := "S2"
	if upper {
		narrow = "S4"
	}
	vector := func(n uint32, arrangement string) asm.Operand {
		return asm.Operand{Kind: asm.Register, Reg: fmt.Sprintf("V%d", n&31), Arrangement: arrangement, Lane: -1}
	}
	d, n, m, length := v, v>>5, v>>16, v>>22&3
	switch {
	case v&0xbf20fc00 == 0x2e20c000 && length == 2, v&0xbf20fc00 == 0x2e208000 && length == 2:
		// Three different: UMULL, UMLAL.
		out.Op = map[bool]string{true: "VUMULL", false: "VUMLAL"}[v>>14&1 == 1]
		out.Args = []asm.Operand{vector(m, narrow), vector(n, narrow), vector(d, "D2")}
	case v&0xbf00f400 == 0x2f002000 && length == 2, v&0xbf00f400 == 0x2f00a000 && length == 2:
		// Vector by indexed element: UMLAL, UMULL. Of words, the index is H and L.
		out.Op = map[bool]string{true: "VUMULL", false: "VUMLAL"}[v>>15&1 == 1]
		element := vector(m, "S")
		element.Lane = int64(v>>11&1<<1 | v>>21&1)
		out.Args = []asm.Operand{element, vector(n, narrow), vector(d, "D2")}
	case v&0xbf3ffc00 == 0x0e212800 && length == 2:
		out.Op, out.Args = "VXTN", []asm.Operand{vector(n, "D2"), vector(d, narrow)}
	case v&0xbf80fc00 == 0x0f008400 && bits.Len32(v>>19&15) == 3:
		// Shift right, narrow: of words, the amount is 64 less immh and immb.
		amount := asm.Operand{Kind: asm.Immediate, Imm: int64(64 - v>>16&127)}
		out.Op, out.Args = "VSHRN", []asm.Operand{amount, vector(n, "D2"), vector(d, narrow)}
	default:
		return nil, fmt.Errorf("WORD %#08x is not known", v)
	}
	if upper {
		out.Op += "2"
	}
	return out, nil
}
