// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// A Substitution replaces leaves with terms. It caches results.
type Substitution struct {
	s    *Store
	id   uint32
	by   map[Term]Term   // replaced in addition to leaves
	leaf func(Term) Term // returns a term of the same width, or the leaf itself
	// onlyMarked is set if unmarked terms contain nothing to replace.
	onlyMarked bool
}

// Substitute returns a Substitution that replaces each leaf x with leaf(x).
func (s *Store) Substitute(leaf func(Term) Term) *Substitution {
	s.substitutions++
	return &Substitution{s: s, id: s.substitutions, leaf: leaf}
}

// Replace returns a Substitution that replaces the map's keys with its values. The caller
// must not change the map as long as it uses the Substitution.
func (s *Store) Replace(by map[Term]Term) *Substitution {
	u := s.Substitute(func(leaf Term) Term { return leaf })
	u.by, u.onlyMarked = by, true
	for t := range by {
		u.onlyMarked = u.onlyMarked && s.Marked(t)
	}
	return u
}

// Byte returns b with leaves replaced.
func (u *Substitution) Byte(b Byte) Byte {
	t, at := b.Of()
	if t < 256 { // a constant
		return b
	}
	if r := u.Term(t); r != t {
		return u.s.bytes(r)[at]
	}
	return b
}

// Term returns t with leaves replaced.
func (u *Substitution) Term(t Term) Term {
	s := u.s
	if op := s.nodes[t].op; op == Const || u.onlyMarked && !s.nodes[t].marked {
		return t
	}
	if int(t) < len(s.replaced) && s.replaced[t].id == u.id {
		return s.replaced[t].result
	}
	r, ok := u.by[t]
	if !ok {
		r = u.rebuild(t)
	}
	s.replaced = cover(s.replaced, s)
	s.replaced[t] = latest[Term]{u.id, r}
	return r
}

func (u *Substitution) rebuild(t Term) Term {
	s := u.s
	n := &s.nodes[t]
	width := int(n.width)
	if n.op == Leaf {
		return u.leaf(t)
	}
	if n.op == Join {
		var bytes [8]Byte
		same := true
		for i, a := range s.args(n) {
			bytes[i] = u.Byte(Byte(a))
			same = same && bytes[i] == Byte(a)
		}
		if same {
			return t
		}
		return s.Gather(bytes[:width/8])
	}
	args, same := make([]Term, 0, 8), true
	for _, a := range s.args(n) {
		r := u.Term(Term(a))
		args, same = append(args, r), same && r == Term(a)
	}
	if same {
		return t
	}
	switch n.op {
	case Sum:
		return s.Linear(width, n.imm, args, s.coefs(n))
	case Shl, Shr:
		return s.shift(n.op, args[0], int(n.imm))
	case Rot:
		return s.Rot(args[0], int(n.imm))
	case Apply:
		if s.Func(t) == Choice {
			return s.Choose(args[0], args[1], args[2])
		}
		return s.Apply(s.Func(t), width, n.imm, args...)
	}
	r := s.Const(width, n.imm)
	for _, a := range args {
		r = s.bitwise(n.op, r, a)
	}
	return r
}

// Condition returns the condition of an innermost choice in t, if any.
func (s *Store) Condition(t Term) (bit Term, ok bool) {
	n := &s.nodes[t]
	for _, a := range s.args(n) {
		if n.op == Join {
			a >>= 3
		}
		if s.nodes[a].chosen {
			return s.Condition(Term(a))
		}
	}
	if n.chosen {
		return Term(s.args(n)[0]), true
	}
	return 0, false
}
