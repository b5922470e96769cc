// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sets "github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
)

// amd64 describes AT&T syntax, which mostly shares Go's operand order.
var amd64 = &architecture{
	name: "amd64", machine: elf.EM_X86_64, page: 4096, llvm: "x86-64", padding: "int3", jump: "JMP",
	separator: append(bytes.Repeat([]byte{0xf4}, 17), 0x90),
	lines:     linesAMD64, normal: normalAMD64, text: textAMD64,
	size: func(frame int64) int64 {
		if frame > 0 {
			frame += 8 // BP is saved
		}
		return frame
	},
	check: func(size int64) []expected {
		list, top := texts("movq %fs:-8, %r14"), "%rsp"
		if size > stackSmall {
			list, top = append(list, texts(fmt.Sprintf("leaq -%d(%%rsp), %%r12", size-stackSmall))...), "%r12"
		}
		return append(append(list, texts("cmpq 16(%r14), "+top)...), expected{text: "jbe label", label: grow})
	},
	grow: []expected{{text: "callq label", label: morestack}, {text: "jmp label", label: start}},
	enter: func(size int64) []expected {
		return texts("pushq %rbp", "movq %rsp, %rbp", moveSP("sub", "add", size-8))
	},
	leave: func(size int64) []expected { return texts(moveSP("add", "sub", size-8), "popq %rbp", "retq") },
}

// moveSP returns the instruction that Go uses to move SP by bytes.
func moveSP(op, other string, by int64) string {
	if by == 128 { // -128 has a shorter encoding
		op, by = other, -by
	}
	return fmt.Sprintf("%sq $%d, %%rsp", op, by)
}

var (
	// relative matches what follows the address of a jump or of data, relative to the next
	// instruction.
	relative  = regexp.MustCompile(`^(j\w+|callq) (-?\d+)$|(-?\d+)\(%rip\)`)
	broadcast = regexp.MustCompile(`\{1to\d+\}`) // the instruction and its vectors determine the number
)

func linesAMD64(list []line) (lines []line) {
	for _, l := range list {
		if m := relative.FindStringSubmatch(l.text); m != nil {
			name := map[bool]string{true: m[1] + " label", false: "data"}[m[1] != ""]
			l.to = l.at + uint64(len(l.bytes)) + uint64(value(m[2]+m[3]))
			l.text = strings.Replace(l.text, m[0], name, 1)
		}
		l.text = broadcast.ReplaceAllString(l.text, "{1to}")
		if l.bytes[0] == 0x62 {
			l.text += evex
		}
		// Position-independent programs load g in two instructions.
		if n := len(lines) - 1; n >= 0 && lines[n].text == "movq $-8, %r14" && l.text == "movq %fs:(%r14), %r14" {
			lines[n].text = "movq %fs:-8, %r14"
			continue
		}
		lines = append(lines, l)
	}
	return lines
}

// evex marks an EVEX encoding, whose text may otherwise be that of a VEX encoding.
const evex = " {evex}"

var (
	immediate = regexp.MustCompile(`\$-?\d+`)
	byOne     = regexp.MustCompile(`^((?:sh|ro|sa)[lr][bwlq]) ([^,]+)$`)
)

// normalAMD64 truncates constants to the bits that the instruction reads.
func normalAMD64(text string) string {
	text = byOne.ReplaceAllString(text, "$1 $$1, $2")
	op, _, _ := strings.Cut(text, " ")
	bits, narrow := map[byte]int{'l': 32, 'w': 16, 'b': 8}[op[len(op)-1]]
	if strings.ContainsAny(op[:1], "vpk") {
		bits, narrow = 8, true
	}
	return immediate.ReplaceAllStringFunc(text, func(s string) string {
		v := value(s[1:])
		if narrow {
			v &= 1<<bits - 1
		}
		return fmt.Sprintf("$%d", v)
	})
}

// named maps Go instruction names to AT&T names. textAMD64 handles the other
// differences.
var named = map[string]string{
	"MOVOU": "movdqu", "MOVOA": "movdqa", "PMULULQ": "pmuludq", "PSLLL": "pslld", "PSRLL": "psrld", "PUNPCKLLQ": "punpckldq",
	"MOVBLZX": "movzbl", "MOVBQZX": "movzbq", "MOVWLZX": "movzwl", "MOVWQZX": "movzwq", "IMUL3Q": "imulq",
	"JZ": "je", "JEQ": "je", "JNZ": "jne",
}

var conditions = map[string]string{"CS": "b", "CC": "ae", "EQ": "e", "NE": "ne", "LT": "l", "HI": "a"}

// predicates lists the suffixes that the disassembler writes for VPCMPUQ's constant.
var predicates = []string{"eq", "lt", "le", "", "neq", "nlt", "nle"}

func textAMD64(in *asm.Instr, arguments int64) expected {
	name, suffix, _ := strings.Cut(in.Op, ".")
	op, args := named[name], slices.Clone(in.Args)
	if op == "" {
		op = strings.ToLower(name)
	}
	vector := slices.ContainsFunc(args, func(o asm.Operand) bool {
		return o.Kind == asm.Register && strings.ContainsAny(o.Reg[:1], "XYZ")
	})
	size := map[byte]int{'Q': 8, 'W': 2, 'B': 1}[name[len(name)-1]] // size of general-purpose registers
	if size == 0 || (vector || name[0] == 'K') && size < 8 {
		size = 4
	}
	switch {
	case name == "MOVL" && vector:
		op = "movd"
	case name == "MOVQ" && args[0].Kind == asm.Immediate && args[1].Kind == asm.Register && !vector:
		if v := args[0].Imm; v > 1<<31-1 && v < 1<<32 {
			op, size = "movl", 4
		} else if v != int64(int32(v)) {
			op = "movabsq"
		}
	case (name == "SHLQ" || name == "SHRQ") && len(args) == 3:
		op = op[:3] + "dq"
	case strings.HasPrefix(name, "CMOVQ"):
		op, size = "cmov"+conditions[name[5:]]+"q", 8
	case name == "CMPQ":
		slices.Reverse(args)
	case strings.HasPrefix(name, "VPCMP") && args[0].Kind == asm.Immediate && args[0].Imm < int64(len(predicates)):
		op, args = "vpcmp"+predicates[args[0].Imm]+op[5:], args[1:]
	}
	var want expected
	var list []string
	mask := ""
	for i := range args {
		o := &args[i]
		if o.Kind == asm.Register && o.Reg[0] == 'K' && i == len(args)-2 && name[0] == 'V' {
			if mask = " {%k" + o.Reg[1:] + "}"; strings.HasSuffix(suffix, "Z") {
				mask += " {z}"
			}
			continue
		}
		size := size
		if strings.HasPrefix(op, "movz") {
			size = map[byte]int{'b': 1, 'w': 2, 'l': 4, 'q': 8}[op[4+i]]
		}
		s := operandAMD64(o, size, arguments)
		switch o.Kind {
		case asm.Label:
			want.label = o.Name
		case asm.Symbol, asm.AddressOf:
			want.data = o
		}
		if strings.HasPrefix(suffix, "BCST") && o.Kind != asm.Register && o.Kind != asm.Immediate {
			s += "{1to}"
		}
		list = append(list, s)
	}
	want.text = strings.TrimSpace(op+" "+strings.Join(list, ", ")) + mask
	if name[0] != 'K' && slices.ContainsFunc(sets.Sets(in), func(set string) bool { return strings.HasPrefix(set, "AVX512") }) {
		want.text += evex
	}
	return want
}

func operandAMD64(o *asm.Operand, size int, arguments int64) string {
	switch o.Kind {
	case asm.Immediate:
		return fmt.Sprintf("$%d", o.Imm)
	case asm.Register:
		return registerAMD64(o.Reg, size)
	case asm.Label:
		return "label"
	case asm.Argument:
		return fmt.Sprintf("%d(%%rsp)", arguments+o.Imm)
	case asm.Symbol, asm.AddressOf:
		return "data"
	case asm.Memory:
		s := fmt.Sprintf("%d(%s", o.Imm, registerAMD64(o.Reg, 8))
		if o.Imm == 0 {
			s = s[1:]
		}
		if o.Index != "" {
			s += "," + registerAMD64(o.Index, 8)
			if o.Scale > 1 {
				s += fmt.Sprint(",", o.Scale)
			}
		}
		return s + ")"
	}
	return "?"
}

func registerAMD64(name string, size int) string {
	name = strings.ToLower(name)
	switch {
	case strings.ContainsAny(name[:1], "xyz"):
		name = name[:1] + "mm" + name[1:]
	case name[0] == 'r':
		name += [9]string{1: "b", 2: "w", 4: "d"}[size]
	case name == "cl" || name[0] == 'k':
	case size == 1:
		name = strings.TrimSuffix(name, "x") + "l"
	default:
		name = [9]string{4: "e", 8: "r"}[size] + name
	}
	return "%" + name
}
