// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import (
	"fmt"
	"strings"
)

// Format returns a term as text, with its inner parts left out below a few levels.
func (s *Store) Format(t Term) string { return short(s.format(t, 4)) }

// short is what a person reads of a term.
func short(s string) string {
	const most = 300
	if len(s) > most {
		s = s[:most] + " …"
	}
	return s
}

// FormatByte returns a byte as text.
func (s *Store) FormatByte(b Byte) string {
	t, at := b.of()
	if s.nodes[t].width == 8 {
		return s.Format(t)
	}
	return fmt.Sprintf("byte %d of %s", at, s.Format(t))
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
			parts = append(parts, s.formatPart(Byte(a), depth-1))
		case n.op == Sum && s.coefs(n)[i] != 1:
			parts = append(parts, fmt.Sprintf("%d*%s", int64(s.coefs(n)[i]), s.format(Term(a), depth-1)))
		default:
			parts = append(parts, s.format(Term(a), depth-1))
		}
	}
	if n.op == Apply || n.op == Join || n.op >= Shl {
		name := []string{Join: "join", Shl: "shl", Shr: "shr", Rot: "rot", Apply: ""}[n.op]
		if n.op == Apply {
			name = s.Func(t).Name
		}
		if n.imm != 0 {
			parts = append(parts, fmt.Sprint(n.imm))
		}
		return fmt.Sprintf("%s%d(%s)", name, n.width, strings.Join(parts, ", "))
	}
	if n.imm != neutral(n.op, int(n.width)) {
		parts = append(parts, fmt.Sprintf("%#x", n.imm))
	}
	return "(" + strings.Join(parts, map[Op]string{Sum: " + ", Xor: " ^ ", And: " & ", Or: " | "}[n.op]) + ")"
}

func (s *Store) formatPart(b Byte, depth int) string {
	t, at := b.of()
	if s.nodes[t].width == 8 {
		return s.format(t, depth)
	}
	return fmt.Sprintf("%s.%d", s.format(t, depth), at)
}
