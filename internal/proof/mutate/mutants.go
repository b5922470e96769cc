// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
)

// A Mutant replaces the instructions at Index with Code.
type Mutant struct {
	Code   []asm.Instr // one or two instructions
	Index  int         // index of the first
	Change string      // description
}

func (m *Mutant) of(fn *asm.Func) *asm.Func {
	changed := *fn
	changed.Code = slices.Clone(fn.Code)
	for j, in := range m.Code {
		in.Line = fn.Code[m.Index].Line
		changed.Code[m.Index+j] = in
	}
	return &changed
}

// mutants returns the changes to instruction i, its removal first.
func mutants(fn *asm.Func, i int) (list []Mutant) {
	in := &fn.Code[i]
	if strings.HasPrefix(in.Op, "PREFETCH") {
		return nil // removing the instruction or changing the address does not affect results
	}
	add := func(words string, to ...asm.Instr) { list = append(list, Mutant{to, i, words}) }
	name, _, _ := strings.Cut(in.Op, ".")
	for _, p := range pairs {
		if at := slices.Index(p[:], name); at >= 0 {
			other := p[1-at] + in.Op[len(name):]
			add("as "+other, asm.Instr{Op: other, Args: in.Args})
			break
		}
	}
	for j := range in.Args {
		others(in.Op, in.Args[j], func(o asm.Operand, words string) {
			args := slices.Clone(in.Args)
			args[j] = o
			add(fmt.Sprintf("operand %d %s", j+1, words), asm.Instr{Op: in.Op, Args: args})
		})
	}
	if i+1 < len(fn.Code) && !slices.Contains(slices.Collect(maps.Values(fn.Labels)), i+1) {
		if next := &fn.Code[i+1]; in.Op != next.Op && (changes(in, next) || changes(next, in)) {
			add("in the other order with the next one", *next, *in)
		}
	}
	h := fnv.New64()
	h.Write([]byte(in.String()))
	rand.New(rand.NewPCG(h.Sum64(), uint64(i))).Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	drop := Mutant{[]asm.Instr{{Op: "NOP"}}, i, "dropped"}
	return append([]Mutant{drop}, list...)
}

// changes reports whether a writes an operand of b.
func changes(a, b *asm.Instr) bool {
	if len(a.Args) == 0 {
		return false
	}
	to := a.Args[len(a.Args)-1]
	return to.Kind == asm.Register && slices.ContainsFunc(b.Args, func(o asm.Operand) bool {
		return number(o.Reg) == number(to.Reg) || number(o.Index) == number(to.Reg)
	})
}

func number(reg string) string {
	if len(reg) > 1 && strings.ContainsRune("XYZ", rune(reg[0])) {
		return "Z" + reg[1:]
	}
	return reg
}

// pairs lists operations that accept each other's operands.
var pairs = [][2]string{
	{"ADDQ", "SUBQ"}, {"ADCQ", "ADDQ"}, {"ANDQ", "ORQ"}, {"XORQ", "ORQ"}, {"XORL", "ORL"}, {"SHLQ", "SHRQ"}, {"INCQ", "DECQ"}, {"SHLXQ", "SHRXQ"},
	{"JB", "JBE"}, {"JAE", "JA"}, {"JZ", "JNZ"}, {"JE", "JNE"}, {"CMOVQCS", "CMOVQCC"}, {"CMOVQEQ", "CMOVQNE"}, {"CMPQ", "TESTQ"},
	{"MULXQ", "ADDQ"}, {"MULQ", "NEGQ"}, {"IMULQ", "ADDQ"},
	{"VPADDD", "VPSUBD"}, {"VPADDQ", "VPSUBQ"}, {"VPXOR", "VPOR"}, {"VPAND", "VPOR"}, {"VPXORD", "VPORD"}, {"VPXORQ", "VPORQ"}, {"VPANDQ", "VPORQ"},
	{"VPSLLD", "VPSRLD"}, {"VPSLLQ", "VPSRLQ"}, {"VPROLD", "VPRORD"}, {"VPRORQ", "VPROLQ"}, {"VPMULUDQ", "VPADDQ"},
	{"VPUNPCKLDQ", "VPUNPCKHDQ"}, {"VPUNPCKLQDQ", "VPUNPCKHQDQ"}, {"VPBROADCASTD", "VPBROADCASTQ"}, {"VPMADD52LUQ", "VPMADD52HUQ"},
	{"ADD", "SUB"}, {"ADDS", "SUBS"}, {"ADC", "ADD"}, {"AND", "ORR"}, {"EOR", "ORR"}, {"LSL", "LSR"}, {"MUL", "UMULH"}, {"CMP", "TST"},
	{"BLO", "BHS"}, {"BEQ", "BNE"}, {"CBZ", "CBNZ"}, {"TBZ", "TBNZ"}, {"BLT", "BGE"},
	{"VADD", "VSUB"}, {"VEOR", "VORR"}, {"VAND", "VORR"}, {"VZIP1", "VZIP2"}, {"VUSHR", "VSHL"}, {"VSRI", "VUSRA"}, {"VUSRA", "VUSHR"}, {"VSLI", "VSHL"},
}

func others(op string, o asm.Operand, add func(o asm.Operand, words string)) {
	switch c := o; o.Kind {
	case asm.Immediate:
		if c.Imm ^= 1; op == "WORD" { // change a source because destinations are often added to each other later
			c.Imm = o.Imm ^ 1<<16
		}
		add(c, fmt.Sprintf("$%#x", c.Imm))
	case asm.Memory:
		c.Imm += 8
		add(c, "8 bytes on")
	case asm.Symbol:
		c.Imm += 4
		add(c, "4 bytes on")
	case asm.Register:
		if o.Lane >= 0 {
			c.Lane ^= 1
			add(c, fmt.Sprintf("[%d]", c.Lane))
		}
		if o.Reg = next(o.Reg); o.Reg != "" {
			add(o, o.Reg)
		}
	}
}

func next(reg string) string {
	words := []string{"AX", "BX", "CX", "DX", "SI", "DI"}
	if i := slices.Index(words, reg); i >= 0 {
		return words[(i+1)%len(words)]
	}
	numbers := map[byte][2]int{'R': {8, 15}, 'X': {0, 15}, 'Y': {0, 15}, 'Z': {0, 31}, 'K': {1, 7}, 'V': {0, 31}, 'F': {0, 31}}[reg[0]]
	n, err := strconv.Atoi(reg[1:])
	if err != nil || numbers[1] == 0 {
		return ""
	}
	if n++; n > numbers[1] {
		n = numbers[0]
	}
	return reg[:1] + strconv.Itoa(n)
}
