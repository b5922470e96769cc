// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// A Substitution replaces leaves with terms. It caches results.
type Substitution struct {
	s    *Store
	leaf func(Term) Term // returns a term of the same width, or the leaf itself
	done map[Term]Term
	// onlyMarked is set if unmarked terms contain nothing to replace.
	onlyMarked bool
}

// Substitute returns a Substitution that replaces each leaf x with leaf(x).
func (s *Store) Substitute(leaf func(Term) Term) *Substitution {
	return &Substitution{s: s, leaf: leaf, done: map[Term]Term{}}
}

// Replace returns a Substitution that replaces the map's keys with its values.
func (s *Store) Replace(by map[Term]Term) *Substitution {
	u := &Substitution{s: s, leaf: func(leaf Term) Term { return leaf }, done: map[Term]Term{}, onlyMarked: true}
	for t := range by {
		u.done[t], u.onlyMarked = by[t], u.onlyMarked && s.Marked(t)
	}
	return u
}

// Byte returns b with leaves replaced.
func (u *Substitution) Byte(b Byte) Byte {
	t, at := b.Of()
	if t < 256 {
		return b
	}
	r := u.Term(t)
	if r == t {
		return b
	}
	var bytes [8]Byte
	u.s.Bytes(bytes[:], r)
	return bytes[at]
}

// Term returns t with leaves replaced.
func (u *Substitution) Term(t Term) Term {
	s := u.s
	if op := s.nodes[t].op; op == Const || u.onlyMarked && !s.nodes[t].marked {
		return t
	}
	if r, ok := u.done[t]; ok {
		return r
	}
	r := u.rebuild(t)
	u.done[t] = r
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
		for i, a := range s.args(n) {
			bytes[i] = u.Byte(Byte(a))
		}
		return s.Gather(bytes[:width/8])
	}
	args := make([]Term, n.count)
	same := true
	for i, a := range s.args(n) {
		args[i] = u.Term(Term(a))
		same = same && args[i] == Term(a)
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
