// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package processor compares the meanings of instructions with a processor. It
// assembles each form of instruction in the module's .s files, executes it on random
// operands and on corner cases, and compares the results with the meanings. The amd64
// forms run on this machine. The arm64 forms run on this machine or under qemu-aarch64.
package processor

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/asm"
)

// A form is an instruction on the registers that the harness uses.
type form struct {
	in   asm.Instr
	jump bool // a jump; the test compares whether it is taken
}

// forms returns one instruction of each form in the files of an architecture. A form is
// an operation with its constants and the kinds and sizes of its operands.
func forms(root, arch string, names *naming) (list []form, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_"+arch+".s") {
			return err
		}
		f, err := asm.Read(path)
		if err != nil {
			return err
		}
		for _, fn := range f.Funcs {
			for i := range fn.Code {
				shape := names.shape(&fn.Code[i])
				if seen[shape] || names.skip(&fn.Code[i]) {
					continue
				}
				seen[shape] = true
				list = append(list, names.normal(&fn.Code[i]))
			}
		}
		return nil
	})
	for _, text := range names.more {
		one, err := names.parse(text)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b form) int { return strings.Compare(a.in.String(), b.in.String()) })
	return list, err
}

// parse returns the form of an instruction's text.
func (n *naming) parse(text string) (form, error) {
	f, err := asm.Parse("form", "TEXT ·form(SB), NOSPLIT, $0-0\n"+text+"\n")
	if err != nil {
		return form{}, err
	}
	return n.normal(&f.Funcs[0].Code[0]), nil
}

// A naming maps the registers of an architecture to those of the harness.
type naming struct {
	base, index string          // registers for addresses
	spare       []string        // replacements for the general purpose registers that the harness needs
	taken       map[string]bool // general purpose registers that the harness needs
	general     func(reg string) bool
	implicit    []string          // operations with implicit registers
	ignored     map[string]string // operations that are not compared, with the reason
	more        []string          // forms that no file contains but mutants do
	without     []string          // operations in the files that have no meaning because nothing is proven about them
}

const isRet = "the program that compares returns by it, and a function ends there for all that call it"

func (n *naming) skip(in *asm.Instr) bool {
	name, _, _ := strings.Cut(in.Op, ".")
	return n.ignored[name] != "" || slices.Contains(n.without, name)
}

// shape returns a text that instructions of the same form share. It contains register
// numbers only where two registers are the same.
func (n *naming) shape(in *asm.Instr) string {
	var b strings.Builder
	b.WriteString(in.Op)
	if in.Op == "WORD" { // without register numbers
		v := uint32(in.Args[0].Imm)
		fmt.Fprintf(&b, " %#x", v&^(31|31<<5|15<<16))
		return b.String()
	}
	regs := map[string]int{}
	number := func(reg string) int {
		if _, ok := regs[reg]; !ok {
			regs[reg] = len(regs)
		}
		return regs[reg]
	}
	for _, o := range in.Args {
		switch o.Kind {
		case asm.Immediate:
			fmt.Fprintf(&b, " $%#x", o.Imm)
		case asm.Register:
			kind := o.Reg[:1]
			if n.general(o.Reg) && !slices.Contains(n.implicit, in.Op) {
				kind = "general "
			}
			fmt.Fprintf(&b, " %s%d.%s[%d]%s%d", kind, number(o.Reg), o.Arrangement, o.Lane, o.Shift, o.Amount)
		case asm.List:
			for _, r := range o.Regs {
				fmt.Fprintf(&b, " [%.1s.%s", r.Reg, r.Arrangement)
			}
		case asm.Label:
			b.WriteString(" label")
		default:
			fmt.Fprintf(&b, " memory %t", o.Index != "")
		}
	}
	return b.String()
}

// normal returns the form of an instruction, with the harness's registers in addresses.
func (n *naming) normal(in *asm.Instr) form {
	f := form{in: asm.Instr{Op: in.Op, Line: in.Line, Args: slices.Clone(in.Args)}}
	renamed := map[string]string{}
	word := func(reg string) string {
		if !n.general(reg) || !n.taken[reg] {
			return reg
		}
		if renamed[reg] == "" {
			renamed[reg] = n.spare[len(renamed)]
		}
		return renamed[reg]
	}
	for i := range f.in.Args {
		o := &f.in.Args[i]
		switch o.Kind {
		case asm.Register:
			o.Reg = word(o.Reg)
		case asm.List:
			o.Regs = slices.Clone(o.Regs)
			for j := range o.Regs {
				o.Regs[j].Reg = word(o.Regs[j].Reg)
			}
		case asm.Label:
			if !slices.Contains(conditionNames, o.Name) {
				o.Name, f.jump = "there", true
			}
		case asm.Memory, asm.Argument, asm.Symbol:
			m := asm.Operand{Kind: asm.Memory, Reg: n.base, Scale: o.Scale, Lane: -1}
			if in.Op == "LEAQ" { // LEAQ reads no memory, so any number is allowed
				m.Reg, m.Imm = n.spare[0], o.Imm
			}
			if strings.HasSuffix(in.Op, ".P") || strings.HasSuffix(in.Op, ".W") {
				m.Imm = max(o.Imm, -o.Imm) // the buffer starts at the base
			}
			if o.Index != "" {
				m.Index = n.index
			}
			*o = m
		}
	}
	return f
}

var conditionNames = []string{"HS", "LO", "EQ", "NE", "LT", "GE", "LE", "GT", "HI", "LS", "CS", "CC"}
