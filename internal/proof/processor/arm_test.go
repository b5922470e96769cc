// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"fmt"
	"strings"

	"github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/isa"
)

// arm defines arm64. R26 contains the address of the state, and R24 is the base
// register of addresses. R18 and R27 to R30 are not loaded.
var arm = &architecture{
	name: "arm64",
	layout: layout{
		words: 31, flags: 248, vectors: 256, width: 16, buffer: 256 + 32*16, size: 256 + 32*16 + bufferSize,
		registers: 32, loaded: 16,
	},
	names: naming{
		base: "R24", index: "R25", spare: []string{"R0", "R1", "R2", "R3"},
		taken:   map[string]bool{"R24": true, "R25": true, "R26": true, "R18": true, "RSP": true},
		general: func(reg string) bool { return reg[0] == 'R' },
		ignored: map[string]string{"RET": isRet},
		more: []string{
			"NOP", "EORW R1<<3, R2, R3", "ADDW $-1, R1",
			// The limits of constants, and halves of vectors, which clear the other
			// half.
			"ADD R1<<63, R2, R3", "EORW R1>>1, R2, R3", "LSR $0, R1, R2", "RORW $0, R1, R2", "UBFX $0, R1, $64, R2", "UBFX $63, R1, $1, R2",
			"EXTR $0, R1, R2, R3", "EXTR $63, R1, R2, R3", "VUSHR $64, V1.D2, V2.D2", "VUSRA $64, V1.D2, V2.D2", "VSRI $64, V1.D2, V2.D2",
			"VSLI $0, V1.S4, V2.S4", "VSRI $4, V1.B8, V2.B8", "VADD V1.S2, V2.S2, V3.S2", "VADDP V1.B16, V2.B16, V3.B16", "VEOR V1.B8, V2.B8, V3.B8",
			"VEXT $7, V1.B8, V2.B8, V3.B8", "VZIP2 V1.B8, V2.B8, V3.B8", "VUZP1 V1.S2, V2.S2, V3.S2", "VTRN2 V1.S2, V2.S2, V3.S2", "VREV64 V1.S2, V2.S2",
			"VMOV V1.B8, V2.B8", "VDUP R2, V1.B8", "VDUP V1.S[3], V2.S2", "VLD1R (R24), [V1.B8]", "VLD2 (R24), [V1.S2, V2.S2]",
		},
	},
	Architecture: arm64.Architecture, operations: arm64.Operations(),
	vectorOffset: 256,
	left:         []string{"R18", "R26", "R27", "R28", "R29", "R30", "RSP"},
	jumped:       "R25", form: armForm, run: armRun,
	flagBits: func(v uint64) [3]uint64 {
		return [3]uint64{isa.CF: v >> 29 & 1, isa.ZF: v >> 30 & 1, isa.LT: v>>31&1 ^ v>>28&1}
	},
	maskFlags: 15 << 28,
}

// armForm returns the text of a function that executes f. If f may jump, R25 records
// whether it did.
func armForm(f *form) string {
	if f.jump {
		return "\t" + f.in.String() + "\n\tMOVD $1, R25\n\tRET\nthere:\n\tMOVD $0, R25\n\tRET\n"
	}
	return "\t" + f.in.String() + "\n\tRET\n"
}

// armRun returns the text of a function that loads the state, calls a form and stores
// the state.
func armRun(l *layout) string {
	var b strings.Builder
	out := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	b.WriteString("TEXT ·run(SB), NOSPLIT, $16-16\n")
	out("MOVD number+0(FP), R0")
	out("MOVD $·forms(SB), R30")
	out("MOVD (R30)(R0<<3), R30")
	out("MOVD state+8(FP), R26")
	for i := range 32 {
		out("FMOVQ %d(R26), F%d", l.vectors+16*i, i)
	}
	out("MOVD %d(R26), R0", l.flags)
	out("MSR R0, NZCV")
	for i := range 26 {
		if i != 18 {
			out("MOVD %d(R26), R%d", 8*i, i)
		}
	}
	out("CALL (R30)")
	for i := range 26 {
		if i != 18 {
			out("MOVD R%d, %d(R26)", i, 8*i)
		}
	}
	out("MRS NZCV, R0")
	out("MOVD R0, %d(R26)", l.flags)
	for i := range 32 {
		out("FMOVQ F%d, %d(R26)", i, l.vectors+16*i)
	}
	out("RET")
	return b.String()
}
