// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import (
	"fmt"
	"strings"
)

// Format formats a term, abbreviating operands below a few levels.
func (s *Store) Format(t Term) string { return short(s.format(t, 4)) }

// FormatByte formats a byte like Format.
func (s *Store) FormatByte(b Byte) string { return short(s.formatByte(b, 4)) }

func short(s string) string {
	const maxLen = 300
	if len(s) > maxLen {
		s = s[:maxLen] + " …"
	}
	return s
}

func (s *Store) formatByte(b Byte, depth int) string {
	t, at := b.Of()
	if s.nodes[t].width == 8 {
		return s.format(t, depth)
	}
	return fmt.Sprintf("byte %d of %s", at, s.format(t, depth))
}

func (s *Store) format(t Term, depth int) string {
	n := &s.nodes[t]
	switch {
	case n.op == Const:
		return fmt.Sprintf("%#x", n.imm)
	case n.op == Leaf:
		return s.leaves[n.imm].Name
	case depth == 0:
		return fmt.Sprintf("t%d", t)
	}
	var parts []string
	for i, a := range s.args(n) {
		switch {
		case n.op == Join:
			parts = append(parts, s.formatByte(Byte(a), depth-1))
		case n.op == Sum && s.coefs(n)[i] != 1:
			parts = append(parts, fmt.Sprintf("%d*%s", int64(s.coefs(n)[i]), s.format(Term(a), depth-1)))
		default:
			parts = append(parts, s.format(Term(a), depth-1))
		}
	}
	if n.op != Join && n.imm != neutral(n.op, int(n.width)) {
		parts = append(parts, fmt.Sprintf("%#x", n.imm))
	}
	name := [...]string{Join: "join", Sum: " + ", Xor: " ^ ", And: " & ", Or: " | ", Shl: "shl", Shr: "shr", Rot: "rot", Apply: ""}[n.op]
	switch n.op {
	case Sum, Xor, And, Or:
		return "(" + strings.Join(parts, name) + ")"
	case Apply:
		name = s.Func(t).Name
	}
	return fmt.Sprintf("%s%d(%s)", name, n.width, strings.Join(parts, ", "))
}
