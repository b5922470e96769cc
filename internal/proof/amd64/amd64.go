// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package amd64 defines the amd64 instructions of kernels and rejects all others.
package amd64

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Offsets of registers in State.Regs.
const (
	ax, dx, sp, bp = 0 * 8, 2 * 8, 4 * 8, 5 * 8
	vectors        = 16 * 8
	masks          = vectors + 32*64
)

var layout = machine.NewLayout(strings.Fields("AX CX DX BX SP BP SI DI R8 R9 R10 R11 R12 R13 R14 R15"), "Z", 32, 64, "K", 8)

// Architecture describes amd64.
var Architecture = &isa.Architecture{
	Layout: layout, Stack: sp, End: end, Sets: Sets, Baseline: "AMD64",
	Decode: func(in *asm.Instr) *asm.Instr { return in },
	Row:    row, Check: check, Register: register, SetVector: setVector, Narrow: true,
}

func end(s, entry *machine.State, fn *asm.Func) {
	// In a function with a frame, the assembler saves and restores BP.
	machine.Refuse(fn.Frame == 0 && s.Word(bp, 8) != entry.Word(bp, 8), "BP is changed")
	machine.Refuse(s.Dirty, "returns without VZEROUPPER")
}

// Operations lists the instructions that have a meaning, by name without suffix.
func Operations() []string { return slices.Sorted(maps.Keys(classes)) }

// row returns x's row. It rejects constants that sign extension would change.
func row(x *instr) isa.Row {
	row, ok := rows[family(x)]
	machine.Refuse(!ok, "unknown instruction: to define it, add a row to amd64/rows.go")
	for i := range x.Args {
		switch v := int64(x.Args[i].Imm); {
		case x.Args[i].Kind != 'i' || x.Name == "MOVQ" && x.Args[x.Last()].Kind == 'w': // MOVQ to a register has 64-bit constants
		case x.Legacy || x.Name[0] == 'V':
			x.Args[i].Imm &= 0xff
		case v != int64(int32(v)) && (x.N == 8 || v != int64(uint32(v))):
			machine.Fail("sign extension would change constant %#x", v)
		}
	}
	x.Broadcast, x.Zeroing = strings.HasPrefix(x.Suffix, "BCST"), strings.HasSuffix(x.Suffix, "Z")
	machine.Refuse(!slices.Contains([]string{"", "Z", "BCST", "BCST.Z"}, x.Suffix), "unsupported suffix %s", x.Suffix)
	if i := x.Last() - 1; i > 0 && x.Args[i].Kind == 'k' {
		k := x.Args[i]
		x.Mask, x.Args = &k, slices.Delete(x.Args, i, i+1)
		machine.Refuse(k.At == masks || x.N == 0, "unsupported mask")
		if strings.HasPrefix(x.Name, "VMOVDQ") {
			x.Wanted = func(i int) bool { return wanted(x, i/x.N) }
		}
	}
	machine.Refuse(x.Zeroing && (x.Mask == nil || x.Args[x.Last()].Kind == 'm'), "unsupported instruction form")
	return row
}

// widths maps name suffixes to word or lane sizes. The longest match wins.
var widths = isa.NewTable(map[string]int{
	"LDQ HDQ 32X4 D L S": 4, "PD 64 64X2 64X4 Q QCS QCC QEQ QNE QLT QHI": 8, "W": 2, "B U8": 1,
})

// legacy maps SSE names to their AVX names, if these are irregular.
var legacy = map[string]string{
	"MOVL": "VMOVD", "MOVOU": "VMOVDQU", "MOVOA": "VMOVDQA", "PMULULQ": "VPMULUDQ", "PSLLL": "VPSLLD", "PSRLL": "VPSRLD",
	"PUNPCKLLQ": "VPUNPCKLDQ",
}

// family returns the instruction's key in rows, or "", and sets x.Legacy and x.N.
func family(x *instr) string {
	name := x.Name
	x.Legacy = name[0] != 'V' && slices.ContainsFunc(x.Args, func(o isa.Operand) bool { return o.Kind == 'v' })
	if x.Legacy {
		name = cmp.Or(legacy[name], "V"+name)
	}
	for i := 0; i < len(name) && x.N == 0; i++ {
		x.N = widths[name[i:]]
	}
	if (name == "SHLQ" || name == "SHRQ") && len(x.Args) == 3 {
		name += "3"
	}
	for name != "" && rows[name].Do == nil {
		name = name[:len(name)-1]
	}
	return name
}

func register(o *asm.Operand) isa.Operand {
	kind, name, size := byte('w'), o.Reg, 0
	if i := strings.IndexByte("XYZ", name[0]); i >= 0 {
		size = 16 << i
	}
	switch {
	case size > 0:
		kind, name = 'v', "Z"+name[1:]
	case name == "CL":
		kind, name = 'c', "CX"
	case name[0] == 'K':
		kind = 'k'
	}
	at := layout.At(name)
	machine.Refuse(at < 0, "unsupported register %s", o.Reg)
	return isa.Operand{Kind: kind, At: at, Size: size}
}

// check rejects invalid broadcasts and sets the alignment that memory operands need.
func check(x *instr, form string) {
	memory := slices.ContainsFunc(x.Args, func(o isa.Operand) bool { return o.Kind == 'm' })
	wrong := x.N < 4 || !strings.Contains(form, "vm v") || strings.Contains(form, "vm vm") || !memory
	machine.Refuse(wrong && x.Broadcast, "unsupported instruction form")
	switch {
	case strings.HasPrefix(x.Name, "VMOVDQA"):
		x.Align = int64(x.Size)
	case x.Legacy && memory && strings.Contains(form, "vm") && x.Name != "MOVOU":
		x.Align = 16
	}
}

func setVector(x *instr, o *isa.Operand, b []term.Byte) {
	if x.Mask != nil {
		b = slices.Clone(b)
		for i := 0; i < len(b); i += x.N {
			lane, old := b[i:i+x.N], x.Word(o.At+i, x.N)
			if x.Zeroing {
				old = x.T.Const(8*x.N, 0)
			}
			x.T.Bytes(lane, x.T.Choose(maskBit(x, i/x.N), x.T.Gather(lane), old))
		}
	}
	if x.Legacy {
		x.SetBytes(o.At, 16, b)
		return
	}
	x.SetBytes(o.At, 64, b)
	x.Dirty = x.Dirty || len(b) > 16 && o.At < vectors+16*64
}

func maskBit(x *instr, i int) term.Term {
	b := x.Regs[x.Mask.At+i/8]
	if v, ok := x.ByteValue(b); ok {
		b = term.ConstByte(v)
	}
	bit, ok := x.T.MaskBit(b, i%8)
	machine.Refuse(!ok, "cannot determine mask bit %d", i)
	return bit
}

// wanted reports whether the mask, which must be constant, selects element i.
func wanted(x *instr, i int) bool {
	v, ok := x.T.IsConst(maskBit(x, i))
	machine.Refuse(!ok, "mask bit %d is not constant", i)
	return v == 1
}
