// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package arm64 defines the arm64 instructions of kernels and rejects all others.
package arm64

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Offsets of SP and the vector registers in State.Regs.
const (
	stackPointer = 31 * 8
	vectors      = 32 * 8
)

var layout = machine.NewLayout(strings.Fields("R0 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 "+
	"R16 R17 R18 R19 R20 R21 R22 R23 R24 R25 R26 R27 R28 R29 R30 RSP"), "V", 32, 16, "", 0)

// Architecture describes arm64.
var Architecture = &isa.Architecture{
	// Functions save the link register in the 8 bytes below the frame.
	Layout: layout, Stack: stackPointer, Below: 8, Sets: Sets,
	// No accepted instruction names a reserved register, so nothing is left to check.
	End:    func(_, _ *machine.State, _ *asm.Func) {},
	Decode: Decode, Row: row, Check: check, Register: register,
	SetVector: func(x *isa.Instr, o *isa.Operand, b []term.Byte) { x.SetBytes(o.At, 16, b) },
}

// Operations lists the instructions that have a meaning.
func Operations() []string { return slices.Sorted(maps.Keys(rows)) }

// sizes maps instructions to the sizes of their operands in bytes, if these are not 8.
var sizes = isa.NewTable(map[string]int{
	"MOVB MOVBU": 1, "MOVH MOVHU": 2, "MOVW MOVWU LDPW STPW ADDW EORW RORW REVW": 4, "FMOVQ FLDPQ FSTPQ": 16,
})

func row(x *isa.Instr) isa.Row {
	row, ok := rows[x.Name]
	machine.Refuse(!ok, "unknown instruction: to define it, add a row to arm64/rows.go")
	x.N = cmp.Or(sizes[x.Name], 8)
	x.PostIndex, x.PreIndex = x.Suffix == "P", x.Suffix == "W"
	machine.Refuse(x.Suffix != "" && !x.PostIndex && !x.PreIndex, "unsupported suffix %s", x.Suffix)
	return row
}

var (
	ofBytes = strings.Fields("VMOVI AESE AESMC VEXT VTBL")
	// The assembler accepts VTBL on 8-byte vectors, but the table still has 16 bytes.
	ofWhole = strings.Fields("AESE AESMC VTBL")
)

// check rejects operands that the form allows but the instruction does not.
func check(x *isa.Instr, _ string) {
	wrong := x.N != 1 || x.Args[0].Kind == 'i' && x.Args[0].Imm > 255
	machine.Refuse(wrong && slices.Contains(ofBytes, x.Name), "unsupported instruction form")
	machine.Refuse(x.Size != 16 && slices.Contains(ofWhole, x.Name), "unsupported instruction form")
	changes := x.PreIndex || x.PostIndex
	i := slices.IndexFunc(x.Args, func(o isa.Operand) bool { return o.Kind == 'm' })
	if i < 0 {
		machine.Refuse(changes, "unsupported instruction form")
		return
	}
	m := &x.Args[i]
	machine.Refuse(m.Index >= 0 || changes && (m.Base < 0 || m.Base == stackPointer), "unsupported address form")
	for _, o := range x.Args {
		machine.Refuse(changes && o.Kind == 'w' && o.At == m.Base, "updates a base register that is also another operand")
	}
}

// Sets lists the instruction sets, named as in internal/cpu, that an instruction needs.
func Sets(in *asm.Instr) []string {
	switch op := Decode(in).Op; {
	case strings.HasPrefix(op, "AES"):
		return []string{"AES", "ASIMD"}
	case strings.ContainsAny(op[:1], "VF"): // only their rows have vector operands
		return []string{"ASIMD"}
	}
	return nil
}

// lanes maps arrangements to vector size (0 for an element) and lane size.
var lanes = map[string][2]int{
	"B16": {16, 1}, "B8": {8, 1}, "H8": {16, 2}, "H4": {8, 2}, "S4": {16, 4}, "S2": {8, 4}, "D2": {16, 8},
	"B": {0, 1}, "H": {0, 2}, "S": {0, 4}, "D": {0, 8},
}

func register(o *asm.Operand) isa.Operand {
	at, lane := layout.At(strings.Replace(o.Reg, "F", "V", 1)), lanes[o.Arrangement]
	switch {
	case o.Reg == "ZR":
		return isa.Operand{Kind: 'w', At: -1}
	case at < 0 || at == 8*18 || at >= 8*27 && at < stackPointer: // reserved for the platform, the assembler or Go
	case o.Shift != "":
		return isa.Operand{Kind: 's', At: at, Shift: o.Shift, By: int(o.Amount)}
	case at <= stackPointer:
		return isa.Operand{Kind: 'w', At: at}
	case o.Reg[0] == 'F':
		return isa.Operand{Kind: 'f', At: at}
	case lane[0] > 0:
		return isa.Operand{Kind: 'v', At: at, Size: lane[0], Lane: lane[1]}
	case lane[1] > 0 && o.Lane >= 0 && int(o.Lane) < 16/lane[1]:
		return isa.Operand{Kind: 'e', At: at + lane[1]*int(o.Lane), Lane: lane[1]}
	}
	machine.Fail("unsupported register %s", o.Reg)
	return isa.Operand{}
}

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
	machine.Refuse(len(in.Args) != 1 || in.Args[0].Kind != asm.Immediate, "WORD must have one constant operand")
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
			f, _ := asm.Parse("WORD", "TEXT ·word(SB), $0-0\n"+parts.Replace(row.text)) // every number has a valid text
			return &f.Funcs[0].Code[0]
		}
	}
	machine.Fail("unknown instruction WORD %#08x", v)
	return nil
}
