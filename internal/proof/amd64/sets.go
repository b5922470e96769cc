// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
)

// A class lists the instruction sets that operations need, or - if they lack the operands.
type class struct {
	x    string // for operands of up to 128 bits
	y    string // for 256-bit operands
	evex string // for EVEX encodings; below 512 bits, AVX512VL is added
}

// classes maps the operations to what they need.
var classes = isa.NewTable(map[string]class{
	"MOVQ MOVL MOVW MOVB MOVBQZX MOVBLZX MOVWQZX MOVWLZX LEAQ ADDL ADDQ ADCQ SUBQ ANDL ANDQ ORL ORQ " +
		"XORB XORW XORL XORQ CMPQ TESTQ INCQ DECQ NEGQ SHLQ SHRQ RORQ ROLL BSWAPL MULQ IMULQ IMUL3Q NOP " +
		"RET JMP JB JAE JE JEQ JZ JNE JNZ JBE JA JLE": {"", "-", "-"},
	"CMOVQCS CMOVQCC CMOVQEQ CMOVQNE CMOVQLT CMOVQHI": {"CMOV", "-", "-"},
	"MULXQ SHLXQ SHRXQ BZHIQ":                         {"BMI2", "-", "-"},
	"MOVOU MOVOA PADDD PADDQ PSUBQ PMULULQ PXOR POR PAND PSLLL PSRLL PSLLQ PSRLQ PSHUFD PUNPCKLLQ " +
		"PUNPCKLQDQ PUNPCKHQDQ": {"SSE2", "-", "-"},
	"SHUFPS":                            {"SSE", "-", "-"},
	"PREFETCHT0 PREFETCHT1":             {"MMX+", "-", "-"},
	"PSHUFB":                            {"SSSE3", "-", "-"},
	"PINSRQ PEXTRQ PEXTRD BLENDVPD":     {"SSE4.1", "-", "-"},
	"AESENC AESENCLAST AESKEYGENASSIST": {"AES", "-", "-"},
	"VZEROUPPER":                        {"AVX", "-", "-"},
	"VMOVDQU VMOVDQA VSHUFPS VSHUFPD VMOVQ VMOVD": {"AVX", "AVX", "AVX512F"},
	"VBLENDVPD":                       {"AVX", "AVX", "-"},
	"VPINSRD VPINSRQ VPEXTRD VPEXTRQ": {"AVX", "-", "AVX512DQ"},
	"VPXOR VPAND VPOR":                {"AVX", "AVX2", "-"},
	"VPADDD VPADDQ VPSUBD VPSUBQ VPMULUDQ VPSLLD VPSLLQ VPSRLD VPSRLQ VPCMPEQD VPSHUFD VPUNPCKLDQ " +
		"VPUNPCKHDQ VPUNPCKLQDQ VPUNPCKHQDQ": {"AVX", "AVX2", "AVX512F"},
	"VPSHUFB VPSLLDQ VPSRLDQ":   {"AVX", "AVX2", "AVX512BW"},
	"VPBLENDD":                  {"AVX2", "AVX2", "-"},
	"VPBROADCASTD VPBROADCASTQ": {"AVX2", "AVX2", "AVX512F"},
	"VPERM2I128 VBROADCASTI128 VINSERTI128 VEXTRACTI128": {"-", "AVX2", "-"},
	"VPERMQ":              {"-", "AVX2", "AVX512F"},
	"VAESENC VAESENCLAST": {"AES AVX", "VAES", "VAES AVX512F"},
	"VAESKEYGENASSIST":    {"AES AVX", "-", "-"},
	"VMOVDQU64 VMOVDQA64 VPXORD VPXORQ VPANDQ VPORD VPORQ VPROLD VPROLQ VPRORD VPRORQ VPTERNLOGD " +
		"VPTERNLOGQ VPERMT2D VPEXPANDQ VPCMPUQ VPTESTMQ VSHUFI32X4 VSHUFI64X2 VBROADCASTI32X4 VINSERTI64X4 " +
		"VEXTRACTI64X4": {"-", "-", "AVX512F"},
	"VMOVDQU8":                   {"-", "-", "AVX512BW"},
	"VINSERTI64X2 VEXTRACTI64X2": {"-", "-", "AVX512DQ"},
	"VPMADD52LUQ VPMADD52HUQ":    {"-", "-", "AVX512IFMA AVX512F"},
	"VPSHRDQ":                    {"-", "-", "AVX512VBMI2 AVX512F"},
	"KMOVQ":                      {"AVX512BW", "-", "-"}, // VEX-encoded
	"KMOVB":                      {"AVX512DQ", "-", "-"},
})

// Sets lists the instruction sets that in needs.
func Sets(in *asm.Instr) []string {
	name, _, evex := strings.Cut(in.Op, ".")
	class, ok := classes[name]
	machine.Refuse(!ok, "unknown instruction: to define it, add its name to classes in amd64/sets.go and, "+
		"if its family has no row yet, add a row to amd64/rows.go")
	shift := strings.HasPrefix(name, "VPSLL") || strings.HasPrefix(name, "VPSRL")
	size, list := 0, class.x
	for i := range in.Args {
		var o isa.Operand
		if in.Args[i].Kind == asm.Register {
			o = register(&in.Args[i])
		}
		size = max(size, o.Size)
		switch {
		case o.Kind == 'v' && (o.Size == 64 || o.At >= vectors+16*64), o.Kind == 'k' && name[0] != 'K',
			o.Kind == 'w' && strings.HasPrefix(name, "VPBROADCAST"),
			o.Kind == 0 && shift && i == 1 && in.Args[0].Kind == asm.Immediate:
			evex = true
		}
	}
	if size > 16 {
		list = class.y
	}
	if evex || list == "-" {
		if list = class.evex; size < 64 {
			list += " AVX512VL"
		}
	}
	machine.Refuse(strings.Contains(list, "-"), "unsupported instruction form")
	return strings.Fields(list)
}
