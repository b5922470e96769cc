// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/isa"
)

var amdWords = []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// amd defines amd64. R15 contains the address of the state, SI is the base register and
// DI the index register of addresses. SP, BP and R14 are not loaded.
var amd = &architecture{
	name: "amd64",
	layout: layout{
		words: 16, flags: 128, masks: 136, vectors: 200, width: 64, buffer: 200 + 32*64, size: 200 + 32*64 + bufferSize,
		registers: 32, loaded: 64,
	},
	names: naming{
		base: "SI", index: "DI", spare: []string{"R8", "R9", "R10", "R11"},
		taken:    map[string]bool{"SI": true, "DI": true, "SP": true, "BP": true, "R14": true, "R15": true},
		general:  func(reg string) bool { return slices.Contains(amdWords, reg) },
		implicit: []string{"MULQ", "MULXQ", "SHLQ", "SHRQ"},
		ignored:  map[string]string{"RET": isRet},
		more: []string{
			"NOP", "ORL $7, R8", "VPCMPEQD Y1, Y2, Y3", "VPSUBD Y1, Y2, Y3", "VPSUBD Z1, Z2, Z3", "VPORD Z1, Z2, Z3", "VPROLQ $7, Z1, Z2", "VPRORD $7, Z1, Z2",
			// 8-bit constants that the assembler accepts as negative numbers, or whose
			// upper bits are ignored.
			"VPSLLD $-1, Y1, Y2", "VPSHUFD $-28, Y1, Y2", "VPROLD $40, Z1, Z2", "SHLQ $64, R8, R9", "ROLL $33, R8", "XORB $300, AX",
			"PSLLL $32, X0", "PSRLQ $64, X2", "PSRLQ $-1, X0", "PSLLL $0, X0", "PSHUFD $255, X1, X2", "SHUFPS $78, X2, X2", "ROLL $32, BX",
			"SHLQ $64, AX, BX", "SHRQ $65, AX, BX", "SHRQ $127, BX", "RORQ $65, BX",
			// Parts of registers, and legacy instructions with the same register twice.
			"MOVQ X0, X1", "MOVL X1, AX", "MOVB AX, BX", "MOVW AX, BX", "MOVW $-1, BX", "XORW AX, BX", "MOVBLZX AX, BX",
			"PXOR X1, X1", "PUNPCKLLQ X1, X1", "PMULULQ X1, X1", "AESENCLAST X1, X1", "BLENDVPD X0, X2, X0",
		},
		without: []string{"CPUID"},
	},
	Architecture: amd64.Architecture, operations: amd64.Operations(),
	vectorOffset: 128, maskOffset: 128 + 32*64,
	jumped: "R14", form: amdForm,
	flagBits: func(v uint64) [3]uint64 {
		return [3]uint64{isa.CF: v & 1, isa.ZF: v >> 6 & 1, isa.LT: v>>7&1 ^ v>>11&1}
	},
	// Set only the carry, zero, sign and overflow flags. Other flags would change how
	// the harness runs.
	maskFlags: 1 | 1<<6 | 1<<7 | 1<<11,
	left:      []string{"SP", "BP", "R14", "R15"},
}

func init() { amd.run = amdRun }

// amdHere returns amd restricted to this processor's instruction sets. If the processor
// lacks a part of AVX-512 that kernels use, it has 16 vectors of 32 bytes.
func amdHere() *architecture {
	if cpu.AVX512IFMA.Available() && cpu.AVX512AES.Available() {
		return amd
	}
	here := *amd
	here.layout.masks, here.layout.registers, here.layout.loaded = 0, 16, 32
	for _, l := range cpu.Levels() {
		if l.Available() && !l.Includes(cpu.AVX512) {
			here.sets = append(here.sets, l.Sets()...)
		}
	}
	return &here
}

// has reports whether the processor supports a form.
func (a *architecture) has(f form) bool {
	return a.sets == nil || !slices.ContainsFunc(amd64.Sets(&f.in), func(set string) bool { return !slices.Contains(a.sets, set) })
}

// amdForm returns the text of a function that executes f. If f may jump, R14 is 0
// before it, and 1 if it did not jump.
func amdForm(f *form) string {
	if f.jump {
		return "\tMOVQ $0, R14\n\t" + f.in.String() + "\n\tMOVQ $1, R14\nthere:\n\tRET\n"
	}
	return "\t" + f.in.String() + "\n\tRET\n"
}

// amdRun returns the text of a function that loads the state, calls a form and stores
// the state.
func amdRun(l *layout) string {
	var b strings.Builder
	out := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	b.WriteString("TEXT ·run(SB), NOSPLIT, $16-16\n")
	out("MOVQ number+0(FP), AX")
	out("LEAQ ·forms(SB), R14")
	out("MOVQ (R14)(AX*8), R14")
	out("MOVQ state+8(FP), R15")
	for i := range l.maskBytes() / 8 {
		out("KMOVQ %d(R15), K%d", l.masks+8*i, i)
	}
	move, vector := "VMOVDQU64", "Z"
	if l.loaded == 32 {
		move, vector = "VMOVDQU", "Y"
	}
	for i := range l.registers {
		out("%s %d(R15), %s%d", move, l.vectors+64*i, vector, i)
	}
	out("MOVQ %d(R15), AX", l.flags)
	out("PUSHQ AX")
	out("POPFQ")
	for i, reg := range amdWords {
		if !slices.Contains(amd.left, reg) {
			out("MOVQ %d(R15), %s", 8*i, reg)
		}
	}
	out("CALL R14")
	for i, reg := range amdWords {
		if !slices.Contains(amd.left, reg) || reg == "R14" {
			out("MOVQ %s, %d(R15)", reg, 8*i)
		}
	}
	out("PUSHFQ")
	out("POPQ AX")
	out("MOVQ AX, %d(R15)", l.flags)
	for i := range l.maskBytes() / 8 {
		out("KMOVQ K%d, %d(R15)", i, l.masks+8*i)
	}
	for i := range l.registers {
		out("%s %s%d, %d(R15)", move, vector, i, l.vectors+64*i)
	}
	out("VZEROUPPER")
	out("XORQ R14, R14") // the wrapper reloads g
	out("RET")
	return b.String()
}

// An architecture describes how to run the forms of amd64 or arm64.
type architecture struct {
	*isa.Architecture
	name                     string
	layout                   layout
	names                    naming
	operations               []string // instructions that have a meaning
	sets                     []string // instruction sets of the processor, or nil for all
	vectorOffset, maskOffset int      // offsets in machine.State.Regs
	left                     []string // registers that the harness does not load
	jumped                   string   // register that is 0 if a form jumped
	form                     func(*form) string
	run                      func(*layout) string
	flagBits                 func(v uint64) [3]uint64 // returns carry, zero and signed less
	maskFlags                uint64
}
