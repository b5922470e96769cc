// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package asm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	// AX, X0, R1, V2, F3, K4, ZR, RSP.
	register = regexp.MustCompile(`^(?:[ABCD]X|SI|DI|BP|SP|CL|ZR|RSP|g|[RXYZKVF][0-9]{1,2})$`)
	// V0.B16, V1.D[0].
	vector = regexp.MustCompile(`^(V[0-9]{1,2})\.(B16|B8|H8|H4|S4|S2|D2|D1|Q1|[BHSD])(?:\[([0-9]{1,2})\])?$`)
	// R1<<32.
	shifted = regexp.MustCompile(`^(R[0-9]{1,2})(<<|>>|->)([0-9]{1,2})$`)
	// -8(AX)(BX*4).
	memory = regexp.MustCompile(`^([-+]?(?:0x)?[0-9a-fA-F]+)?\(([A-Z0-9]+)\)(?:\(([A-Z0-9]+)(?:\*([1248]))?\))?$`)
	// name<>+8(SB).
	symbol = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)<>([-+](?:0x)?[0-9a-fA-F]+)?\(SB\)$`)
	// name+8(FP).
	argument = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)([-+](?:0x)?[0-9a-fA-F]+)?\(FP\)$`)
)

// operand reads one operand.
func operand(s string) (Operand, error) {
	if value, ok := strings.CutPrefix(s, "$"); ok {
		return immediate(value)
	}
	if inner, ok := enclosed(s, "[", "]"); ok {
		return list(inner)
	}
	if inner, ok := enclosed(s, "(", ")"); ok && strings.Contains(inner, ",") {
		return list(inner)
	}
	if register.MatchString(s) {
		return Operand{Kind: Register, Reg: s, Lane: -1}, nil
	}
	if m := vector.FindStringSubmatch(s); m != nil {
		o := Operand{Kind: Register, Reg: m[1], Arrangement: m[2], Lane: -1}
		if element := len(m[2]) == 1; element != (m[3] != "") {
			return o, fmt.Errorf("operand %s", s)
		} else if element {
			o.Lane, _ = strconv.Atoi(m[3])
		}
		return o, nil
	}
	if m := shifted.FindStringSubmatch(s); m != nil {
		amount, err := strconv.ParseInt(m[3], 10, 64)
		return Operand{Kind: Register, Reg: m[1], Lane: -1, Shift: m[2], Amount: amount}, err
	}
	if m := symbol.FindStringSubmatch(s); m != nil {
		return named(Symbol, m)
	}
	if m := argument.FindStringSubmatch(s); m != nil {
		return named(Argument, m)
	}
	if m := memory.FindStringSubmatch(s); m != nil && register.MatchString(m[2]) && (m[3] == "" || register.MatchString(m[3])) {
		return addressed(m)
	}
	if isName(s) {
		return Operand{Kind: Label, Name: s}, nil
	}
	return Operand{}, fmt.Errorf("operand %q", s)
}

func enclosed(s, open, end string) (string, bool) {
	if strings.HasPrefix(s, open) && strings.HasSuffix(s, end) && strings.Count(s, open) == 1 {
		return s[1 : len(s)-1], true
	}
	return "", false
}

func number(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	return int64(v), err
}

func immediate(s string) (Operand, error) {
	if m := symbol.FindStringSubmatch(s); m != nil {
		return named(AddressOf, m)
	}
	v, err := number(s)
	return Operand{Kind: Immediate, Imm: v}, err
}

func list(s string) (Operand, error) {
	o := Operand{Kind: List}
	for _, s := range split(s) {
		r, err := operand(s)
		if err != nil || r.Kind != Register {
			return o, fmt.Errorf("a list with %q", s)
		}
		o.Regs = append(o.Regs, r)
	}
	return o, nil
}

func named(kind Kind, m []string) (Operand, error) {
	offset, err := number(m[2])
	return Operand{Kind: kind, Name: m[1], Imm: offset}, err
}

func addressed(m []string) (Operand, error) {
	o := Operand{Kind: Memory, Reg: m[2], Index: m[3], Scale: 1}
	var err error
	if o.Imm, err = number(m[1]); err == nil && m[4] != "" {
		o.Scale, err = number(m[4])
	}
	return o, err
}
