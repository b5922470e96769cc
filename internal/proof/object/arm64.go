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
	"strconv"
	"strings"

	arm "github.com/unimac/unimac/internal/proof/arm64"
	"github.com/unimac/unimac/internal/proof/asm"
)

// arm64 uses Arm's syntax, whose first operand is the destination.
var arm64 = &architecture{
	name: "arm64", machine: elf.EM_AARCH64, page: 64 << 10, llvm: []string{"--arch=aarch64", "--mattr=+aes"},
	padding: "udf #0", jump: "B", ret: "ret",
	separator: append(bytes.Repeat([]byte{0, 0, 0x40, 0xd4}, 3), 0x1f, 0x20, 3, 0xd5),
	line:      lineARM64, join: joinARM64, normal: normalARM64, text: textARM64,
	saved: 8 + 16, align: 16, // the link register, the frame pointer and padding
	check: []string{"ldr x16, [x28, #16]", "sub x17, sp, #{checked}", "cmp x17, x16", "b.ls label→" + grow},
	grow:  []string{"mov x3, x30", "bl label→" + morestack, "b label→" + start},
	enter: func(size int64) []string {
		if size > 0xf0 {
			return []string{"sub x20, sp, #{size}", "stp x29, x30, [x20, #-8]", "mov sp, x20", "sub x29, sp, #8"}
		}
		return []string{"str x30, [sp, #-{size}]!", "str x29, [sp, #-8]", "sub x29, sp, #8"}
	},
	leave: []string{"add x29, sp, #{rest}", "add sp, sp, #{size}"},
}

var (
	hexadecimal = regexp.MustCompile(`0x[0-9a-f]+`)
	branches    = regexp.MustCompile(`^((?:b|bl|b\.\w\w|cbn?z|tbn?z) (?:.*, )?)#(-?\d+)$`)
	keep        = regexp.MustCompile(`^mov (x\d+), #(-?\d+)\nmovk (x\d+), #(\d+)(?:, lsl #(\d+))?$`)
	constant    = regexp.MustCompile(`^mov x27, (#-?\d+)\n(.*) x27$`)
	address     = regexp.MustCompile(`^adrp (x\d+), #(-?\d+)\nadd (x\d+), (x\d+), #(-?\d+)$`)
	far         = regexp.MustCompile(`^add x27, (\w+), (#\d+)\n(.*)\[x27\]$`)
)

func lineARM64(l *line) {
	l.text = hexadecimal.ReplaceAllStringFunc(l.text, func(s string) string {
		v, _ := strconv.ParseUint(s, 0, 64) // operands have at most 64 bits
		return strconv.FormatInt(int64(v), 10)
	})
	if m := branches.FindStringSubmatch(l.text); m != nil {
		l.text, l.to = m[1]+"label", l.at+uint64(value(m[2]))
	}
}

func joinARM64(l *line, next string) bool {
	both := l.text + "\n" + normalARM64(next)
	if m := keep.FindStringSubmatch(both); m != nil && m[1] == m[3] {
		shift := value(cmp.Or(m[5], "0"))
		l.text = fmt.Sprintf("mov %s, #%d", m[1], value(m[2])&^(0xffff<<shift)|value(m[4])<<shift)
	} else if m := constant.FindStringSubmatch(both); m != nil {
		l.text = m[2] + " " + m[1]
	} else if m := address.FindStringSubmatch(both); m != nil && m[1] == m[3] && m[1] == m[4] {
		l.text, l.to = "mov "+m[1]+", data", l.at&^4095+uint64(value(m[2])+value(m[5]))
	} else if m := far.FindStringSubmatch(both); m != nil {
		l.text = m[3] + "[" + m[1] + ", " + m[2] + "]"
	} else {
		return false
	}
	return true
}

var zeroOr = regexp.MustCompile(`^orr (x\d+), xzr, #`)

func normalARM64(text string) string {
	text = zeroOr.ReplaceAllString(text, "mov $1, #")
	return strings.NewReplacer("ldur", "ldr", "stur", "str", "{ ", "", " }", "", ", #0]", "]").Replace(text)
}

// orders contains the operand orders that are not the reverse of Go's.
var orders = map[string][]int{
	"CSEL": {3, 1, 2, 0}, "UBFX": {3, 1, 0, 2}, "MADD": {3, 2, 0, 1},
	"CBZ": {0, 1}, "CBNZ": {0, 1}, "TBZ": {1, 0, 2}, "TBNZ": {1, 0, 2},
	"STP": {0, 1}, "STPW": {0, 1}, "FSTPQ": {0, 1},
}

// named64 maps instructions to Arm's names and the letter of their registers.
var named64 = map[string]struct{ op, register string }{
	"FLDPQ": {"ldp", "q"}, "FSTPQ": {"stp", "q"}, "FMOVD": {"fmov", "d"}, "MOVD": {"mov", "x"},
}

// loads maps moves to suffixes of ld and st and to register letters.
var loads = map[string]struct{ op, register string }{
	"MOVD": {"r", "x"}, "MOVWU": {"r", "w"}, "MOVW": {"r", "w"}, "MOVHU": {"rh", "w"}, "MOVH": {"rh", "w"},
	"MOVBU": {"rb", "w"}, "MOVB": {"rb", "w"}, "FMOVD": {"r", "d"}, "FMOVQ": {"r", "q"},
}

func textARM64(in *asm.Instr, arguments int64) string {
	in = arm.Decode(in)
	name, _, _ := strings.Cut(in.Op, ".")
	letter := "x" // of registers
	args, op := slices.Clone(in.Args), strings.ToLower(name)
	if name == "UBFX" && args[0].Imm+args[2].Imm == 64 { // copies all bits from a given bit on
		name, op, args = "LSR", "lsr", slices.Delete(args, 2, 3)
	}
	if order := orders[name]; order != nil {
		for i, from := range order {
			args[i] = in.Args[from]
		}
	} else {
		slices.Reverse(args)
	}
	memory := slices.IndexFunc(in.Args, func(o asm.Operand) bool { return o.Kind == asm.Memory || o.Kind == asm.Argument })
	if load, ok := loads[name]; ok && memory >= 0 {
		op, letter = [2]string{"ld", "st"}[memory]+load.op, load.register
		if memory == 1 { // the register comes first in stores
			slices.Reverse(args)
		}
	} else if other, ok := named64[name]; ok {
		op, letter = other.op, other.register
	} else if name[0] == 'V' {
		op = op[1:]
		if !slices.ContainsFunc(args, func(o asm.Operand) bool { return strings.HasPrefix(o.Arrangement, "D") }) {
			letter = "w" // general-purpose registers have 32 bits beside elements of less than 8 bytes
		}
	} else if name[0] == 'B' && len(name) > 1 {
		op = "b." + op[1:]
	} else {
		op = strings.TrimSuffix(op, "w")
		if strings.HasSuffix(name, "W") || strings.HasPrefix(name, "TB") && args[1].Kind == asm.Immediate && args[1].Imm < 32 {
			letter = "w"
		}
		if len(args) == 2 && slices.Contains(destination, name) {
			args = slices.Insert(args, 1, args[0])
		}
	}
	var list []string
	for i := range args {
		list = append(list, operandARM64(in, &args[i], letter, arguments))
	}
	return strings.TrimSpace(op + " " + strings.Join(list, ", "))
}

// destination lists instructions that may omit a first source equal to the destination.
var destination = strings.Fields("ADD ADDW ADDS ADC ADCS SUB SUBS AND ORR EOR EORW LSL LSR RORW MUL UMULH")

// addresses maps the suffixes of instructions that may change the base register.
var addresses = map[string]string{"": "[%s, #%d]", "P": "[%s], #%d", "W": "[%s, #%d]!"}

func operandARM64(in *asm.Instr, o *asm.Operand, letter string, arguments int64) string {
	switch o.Kind {
	case asm.Immediate:
		return fmt.Sprintf("#%d", o.Imm)
	case asm.Register:
		return registerARM64(o, letter)
	case asm.List:
		var regs []string
		for i := range o.Regs {
			regs = append(regs, registerARM64(&o.Regs[i], letter))
		}
		return strings.Join(regs, ", ")
	case asm.Label:
		if in.Op == "CSEL" { // the name of a condition
			return strings.ToLower(o.Name)
		}
		return "label→" + o.Name
	case asm.AddressOf:
		return "data"
	case asm.Argument:
		return fmt.Sprintf("[sp, #%d]", arguments+o.Imm)
	case asm.Memory:
		if _, suffix, _ := strings.Cut(in.Op, "."); o.Index == "" {
			return fmt.Sprintf(addresses[suffix], registerARM64(&asm.Operand{Reg: o.Reg, Lane: -1}, "x"), o.Imm)
		}
	}
	return "?"
}

// registerARM64 writes o. letter is the first letter of registers without arrangement.
func registerARM64(o *asm.Operand, letter string) (s string) {
	switch {
	case o.Reg == "RSP":
		return "sp"
	case o.Reg == "ZR":
		s = strings.Replace(letter, "d", "x", 1) + "zr"
	case o.Arrangement != "":
		s = "v" + o.Reg[1:] + "." + strings.ToLower(o.Arrangement[1:]+o.Arrangement[:1])
		if o.Lane >= 0 {
			s += fmt.Sprintf("[%d]", o.Lane)
		}
	case o.Reg[0] == 'R' && letter == "d":
		s = "x" + o.Reg[1:]
	default:
		s = letter + o.Reg[1:]
	}
	if o.Shift != "" {
		s += fmt.Sprintf(", %s #%d", map[string]string{"<<": "lsl", ">>": "lsr"}[o.Shift], o.Amount)
	}
	return s
}
