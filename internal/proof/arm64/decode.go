// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package arm64

import (
	"fmt"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
)

// numbered lists instructions that Go's assembler does not name (Arm manual, C4.1).
var numbered = []struct {
	mask, value uint32
	text        string
}{
	{0xbfe0fc00, 0x2ea0c000, "VUMULL{2} Vm.Tb, Vn.Tb, Vd.D2"},
	{0xbfe0fc00, 0x2ea08000, "VUMLAL{2} Vm.Tb, Vn.Tb, Vd.D2"},
	{0xbfc0f400, 0x2f802000, "VUMLAL{2} Vm.S[i], Vn.Tb, Vd.D2"},
	{0xbffffc00, 0x0ea12800, "VXTN{2} Vn.D2, Vd.Tb"},
	{0xbfe0fc00, 0x0f208400, "VSHRN{2} $k, Vn.D2, Vd.Tb"},
}

// Decode decodes a WORD. It returns every other instruction unchanged.
func Decode(in *asm.Instr) *asm.Instr {
	if in.Op != "WORD" {
		return in
	}
	if len(in.Args) != 1 || in.Args[0].Kind != asm.Immediate {
		machine.Fail("WORD must have one constant operand")
	}
	v := uint32(in.Args[0].Imm)
	// With suffix 2, the narrow operands name whole vectors.
	two, narrow := "", "S2"
	if v>>30&1 == 1 {
		two, narrow = "2", "S4"
	}
	parts := strings.NewReplacer(
		"{2}", two, "Tb", narrow, "Vd", fmt.Sprint("V", v&31), "Vn", fmt.Sprint("V", v>>5&31), "Vm", fmt.Sprint("V", v>>16&31),
		"[i]", fmt.Sprintf("[%d]", v>>11&1<<1|v>>21&1), // bits H and L
		"$k", fmt.Sprint("$", 64-v>>16&127), // for words: 64 minus immh:immb
	)
	for _, row := range numbered {
		if v&row.mask == row.value {
			f, err := asm.Parse("WORD", "TEXT ·word(SB), $0-0\n"+parts.Replace(row.text))
			if err == nil {
				return &f.Funcs[0].Code[0]
			}
		}
	}
	machine.Fail("unknown instruction WORD %#08x", v)
	return nil
}
