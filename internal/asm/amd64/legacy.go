// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// Generators write AVX instructions for SSE4.1 too, and File translates them.

// IsLegacy reports whether the name of a function ends with SSE41 or SSE41AES.
func IsLegacy(name string) bool {
	return strings.HasSuffix(name, "SSE41") || strings.HasSuffix(name, "SSE41AES")
}

type instruction func(ops ...Op) (*ir.Instruction, error)

func two(f func(a, b Op) (*ir.Instruction, error)) instruction {
	return func(ops ...Op) (*ir.Instruction, error) { return f(ops[0], ops[1]) }
}

func three(f func(a, b, c Op) (*ir.Instruction, error)) instruction {
	return func(ops ...Op) (*ir.Instruction, error) { return f(ops[0], ops[1], ops[2]) }
}

// binary lists instructions with two sources. Legacy forms overwrite the last.
var binary = map[string]instruction{
	"VPADDD": two(x86.PADDD), "VPADDQ": two(x86.PADDQ), "VPSUBQ": two(x86.PSUBQ), "VPMULUDQ": two(x86.PMULULQ),
	"VPXOR": two(x86.PXOR), "VPAND": two(x86.PAND), "VPSHUFB": two(x86.PSHUFB),
	"VPUNPCKLQDQ": two(x86.PUNPCKLQDQ), "VPUNPCKHQDQ": two(x86.PUNPCKHQDQ),
	"VAESENC": two(x86.AESENC), "VAESENCLAST": two(x86.AESENCLAST),
}

// commutes lists instructions whose sources may be exchanged.
var commutes = map[string]bool{"VPADDD": true, "VPADDQ": true, "VPMULUDQ": true, "VPXOR": true, "VPAND": true}

// shifts lists instructions with one source, which the legacy form overwrites.
var shifts = map[string]instruction{"VPSRLQ": two(x86.PSRLQ), "VPSLLQ": two(x86.PSLLQ)}

// moves lists instructions whose legacy form has the same operands.
var moves = map[string]instruction{
	"VMOVDQU": two(x86.MOVOU), "VMOVDQA": two(x86.MOVOA), "VMOVQ": two(x86.MOVQ), "VMOVD": two(moveLong),
	"VPEXTRQ": three(x86.PEXTRQ), "VPEXTRD": three(x86.PEXTRD), "VPSHUFD": three(x86.PSHUFD),
	"VAESKEYGENASSIST": three(x86.AESKEYGENASSIST),
}

// moveLong copies 32 bits. Go's assembler calls this instruction MOVL, not MOVD.
func moveLong(a, b Op) (*ir.Instruction, error) {
	i, err := x86.MOVD(a, b)
	if err == nil {
		i.Opcode = "MOVL"
	}
	return i, err
}

func (f *File) legacy(fn *ir.Function) error {
	if !IsLegacy(fn.Name) {
		return nil
	}
	l := &translation{file: f}
	for _, node := range fn.Nodes {
		if i, ok := node.(*ir.Instruction); ok && i.Opcode[0] == 'V' {
			l.translate(i)
		} else {
			l.nodes = append(l.nodes, node)
		}
	}
	fn.Nodes = l.nodes
	return l.err
}

type translation struct {
	file  *File
	nodes []ir.Node
	err   error
}

func (l *translation) add(i *ir.Instruction, err error) {
	if err != nil && l.err == nil {
		l.err = err
	}
	l.nodes = append(l.nodes, i)
}

func (l *translation) move(from, to Op) {
	if from != to {
		l.add(x86.MOVOA(from, to))
	}
}

func (l *translation) translate(i *ir.Instruction) {
	ops := i.Operands
	to := ops[len(ops)-1]
	if f := moves[i.Opcode]; f != nil {
		l.add(f(ops...))
	} else if f := shifts[i.Opcode]; f != nil {
		l.move(ops[1], to)
		l.add(f(ops[0], to))
	} else if f := binary[i.Opcode]; f != nil {
		l.binary(i.Opcode, f, ops[0], ops[1], to)
	} else if i.Opcode == "VPINSRQ" {
		l.move(ops[2], to)
		l.add(x86.PINSRQ(ops[0], ops[1], to))
	} else if i.Opcode == "VBLENDVPD" {
		l.blend(ops[0], ops[1], ops[2], to)
	} else {
		l.err = fmt.Errorf("amd64: no instruction of SSE4.1 for %s", i.Opcode)
	}
}

func (l *translation) binary(name string, f instruction, a, b, to Op) {
	// Legacy instructions fault if an operand in memory is unaligned, so load it.
	if m, ok := a.(Mem); ok {
		a = l.file.XMM()
		l.add(x86.MOVOU(m, a))
	}
	switch {
	case a != to || a == b:
		l.move(b, to)
		l.add(f(a, to))
	case commutes[name]:
		l.add(f(b, to))
	default:
		t := l.file.XMM()
		l.move(b, t)
		l.add(f(a, t))
		l.move(t, to)
	}
}

// blend emits VBLENDVPD, whose legacy form reads the mask from X0.
func (l *translation) blend(mask, a, b, to Op) {
	t := l.file.XMM()
	l.move(b, t)
	l.move(mask, reg.X0)
	l.add(x86.BLENDVPD(reg.X0, a, t))
	l.move(t, to)
}
