// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"cmp"
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
	name: "amd64", machine: elf.EM_X86_64, page: 4096, llvm: []string{"--arch=x86-64"}, padding: "int3", jump: "JMP", ret: "retq",
	separator: append(bytes.Repeat([]byte{0xf4}, 17), 0x90),
	line:      lineAMD64, normal: normalAMD64, text: textAMD64,
	join: func(l *line, next string) bool {
		// Position-independent programs load g in two instructions.
		joins := l.text == "movq $-8, %r14" && next == "movq %fs:(%r14), %r14"
		if joins {
			l.text = "movq %fs:-8, %r14"
		}
		return joins
	},
	saved: 8, align: 1, // BP
	check: []string{"movq %fs:-8, %r14", "leaq -{checked}(%rsp), %r12", "cmpq 16(%r14), %r12", "jbe label→" + grow},
	grow:  []string{"callq label→" + morestack, "jmp label→" + start},
	enter: func(int64) []string { return []string{"pushq %rbp", "movq %rsp, %rbp", "subq ${rest}, %rsp"} },
	leave: []string{"addq ${rest}, %rsp", "popq %rbp"},
}

var (
	// relative matches addresses of jumps and of data, relative to the next instruction.
	relative  = regexp.MustCompile(`^(j\w+|callq) (-?\d+)$|(-?\d+)\(%rip\)`)
	broadcast = regexp.MustCompile(`\{1to\d+\}`) // the instruction and its vectors determine the number
)

func lineAMD64(l *line) {
	if m := relative.FindStringSubmatch(l.text); m != nil {
		name := map[bool]string{true: m[1] + " label", false: "data"}[m[1] != ""]
		l.to = l.at + uint64(len(l.bytes)) + uint64(value(m[2]+m[3]))
		l.text = strings.Replace(l.text, m[0], name, 1)
	}
	l.text = broadcast.ReplaceAllString(l.text, "{1to}")
	if l.bytes[0] == 0x62 {
		l.text += evex
	}
}

// evex marks an EVEX encoding, whose text may otherwise be that of a VEX encoding.
const evex = " {evex}"

var (
	immediate = regexp.MustCompile(`\$-?\d+`)
	byOne     = regexp.MustCompile(`^((?:sh|ro|sa)[lr][bwlq]) ([^,]+)$`)
)

// subtracted replaces instructions that move SP by -128, which has a shorter encoding.
var subtracted = strings.NewReplacer("addq $-128, %rsp", "subq $128, %rsp", "subq $-128, %rsp", "addq $128, %rsp")

// normalAMD64 truncates constants to the bits that the instruction reads.
func normalAMD64(text string) string {
	text = byOne.ReplaceAllString(subtracted.Replace(text), "$1 $$1, $2")
	op, _, _ := strings.Cut(text, " ")
	bits := cmp.Or(map[byte]int{'l': 32, 'w': 16, 'b': 8}[op[len(op)-1]], 64)
	if strings.ContainsAny(op[:1], "vpk") {
		bits = 8
	}
	return immediate.ReplaceAllStringFunc(text, func(s string) string {
		return fmt.Sprintf("$%d", uint64(value(s[1:]))<<(64-bits)>>(64-bits))
	})
}

// named maps Go instruction names to AT&T names. textAMD64 handles other differences.
var named = map[string]string{
	"MOVOU": "movdqu", "MOVOA": "movdqa", "PMULULQ": "pmuludq", "PSLLL": "pslld", "PSRLL": "psrld", "PUNPCKLLQ": "punpckldq",
	"MOVBLZX": "movzbl", "MOVBQZX": "movzbq", "MOVWLZX": "movzwl", "MOVWQZX": "movzwq", "IMUL3Q": "imulq",
	"JZ": "je", "JEQ": "je", "JNZ": "jne",
	"CMOVQCS": "cmovbq", "CMOVQCC": "cmovaeq", "CMOVQEQ": "cmoveq", "CMOVQNE": "cmovneq", "CMOVQLT": "cmovlq", "CMOVQHI": "cmovaq",
}

func textAMD64(in *asm.Instr, arguments int64) string {
	name, suffix, _ := strings.Cut(in.Op, ".")
	op, args := cmp.Or(named[name], strings.ToLower(name)), slices.Clone(in.Args)
	vector := func(o asm.Operand) bool { return o.Kind == asm.Register && o.Reg[0] == 'X' }
	switch {
	case name == "MOVL" && slices.ContainsFunc(args, vector):
		op = "movd"
	case name == "MOVQ" && args[0].Kind == asm.Immediate && args[1].Kind == asm.Register:
		if v := args[0].Imm; v > 1<<31-1 && v < 1<<32 {
			op = "movl"
		} else if v != int64(int32(v)) {
			op = "movabsq"
		}
	case (name == "SHLQ" || name == "SHRQ") && len(args) == 3:
		op = op[:3] + "dq"
	case name == "CMPQ":
		slices.Reverse(args)
	case name == "VPCMPUQ":
		op, args = "vpcmp"+map[int64]string{1: "lt", 5: "nlt"}[args[0].Imm]+"uq", args[1:]
	}
	// The size of general-purpose registers follows from the operation.
	size := cmp.Or(map[string]int{"KMOVB": 4}[name], map[byte]int{'q': 8, 'w': 2, 'b': 1}[op[len(op)-1]], 4)
	end := ""
	if i := len(args) - 2; i >= 0 && name[0] == 'V' && args[i].Kind == asm.Register && args[i].Reg[0] == 'K' {
		if end = " {%k" + args[i].Reg[1:] + "}"; strings.HasSuffix(suffix, "Z") {
			end += " {z}"
		}
		args = slices.Delete(args, i, i+1)
	}
	if name[0] != 'K' && slices.ContainsFunc(sets.Sets(in), func(set string) bool { return strings.HasPrefix(set, "AVX512") }) {
		end += evex
	}
	var list []string
	for i := range args {
		if strings.HasPrefix(op, "movz") {
			size = map[byte]int{'b': 1, 'w': 2, 'l': 4, 'q': 8}[op[4+i]]
		}
		s := operandAMD64(&args[i], size, arguments)
		if strings.HasPrefix(suffix, "BCST") && args[i].Kind != asm.Register && args[i].Kind != asm.Immediate {
			s += "{1to}"
		}
		list = append(list, s)
	}
	return strings.TrimSpace(op+" "+strings.Join(list, ", ")) + end
}

func operandAMD64(o *asm.Operand, size int, arguments int64) string {
	switch o.Kind {
	case asm.Immediate:
		return fmt.Sprintf("$%d", o.Imm)
	case asm.Register:
		return registerAMD64(o.Reg, size)
	case asm.Label:
		return "label→" + o.Name
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
