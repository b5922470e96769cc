// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"fmt"
	"strings"
)

// String returns an instruction as it is written.
func (in *Instr) String() string {
	var args []string
	for i := range in.Args {
		args = append(args, in.Args[i].String())
	}
	return strings.TrimSpace(in.Op + " " + strings.Join(args, ", "))
}

// String returns an operand as it is written: numbers in one way of several, and
// arguments by their names alone.
func (o *Operand) String() string {
	switch o.Kind {
	case Immediate:
		return fmt.Sprintf("$%#x", o.Imm)
	case Register:
		s := o.Reg
		if o.Arrangement != "" {
			s += "." + o.Arrangement
		}
		if o.Lane >= 0 {
			s += fmt.Sprintf("[%d]", o.Lane)
		}
		if o.Shift != "" {
			s += fmt.Sprintf("%s%d", o.Shift, o.Amount)
		}
		return s
	case Memory:
		s := fmt.Sprintf("%d(%s)", o.Imm, o.Reg)
		if o.Index != "" {
			s += fmt.Sprintf("(%s*%d)", o.Index, o.Scale)
		}
		return s
	case Argument:
		return o.Name + "(FP)"
	case Symbol:
		return fmt.Sprintf("%s+%d(SB)", o.Name, o.Imm)
	case AddressOf:
		return "$" + o.Name
	case List:
		var regs []string
		for i := range o.Regs {
			regs = append(regs, o.Regs[i].String())
		}
		if o.Regs[0].Arrangement == "" {
			return "(" + strings.Join(regs, ", ") + ")"
		}
		return "[" + strings.Join(regs, ", ") + "]"
	}
	return o.Name
}
