// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// An Evaluation computes values of terms from the values of leaves.
type Evaluation struct {
	s    *Store
	leaf func(Term) uint64
	id   uint32 // 0 if values are not cached
}

// latest contains the latest result for a term. All Evaluations share one slice of results,
// and so do all Substitutions, because most are used briefly, one after the other.
type latest[T any] struct {
	id     uint32 // of the Evaluation or Substitution
	result T
}

// Evaluate returns an Evaluation in which leaf gives the values of leaves.
func (s *Store) Evaluate(leaf func(Term) uint64) *Evaluation {
	s.evaluations++
	return &Evaluation{s, leaf, s.evaluations}
}

// Byte returns the value of a byte.
func (e *Evaluation) Byte(b Byte) uint8 {
	t, at := b.Of()
	return uint8(e.Term(t) >> (8 * at))
}

// Term returns the value of a term.
func (e *Evaluation) Term(t Term) uint64 {
	s := e.s
	if e.id == 0 {
		return e.value(t)
	}
	if int(t) < len(s.values) && s.values[t].id == e.id {
		return s.values[t].result
	}
	v := e.value(t)
	s.values = cover(s.values, s)
	s.values[t] = latest[uint64]{e.id, v}
	return v
}

func (e *Evaluation) value(t Term) uint64 {
	n := &e.s.nodes[t]
	v, m := n.imm, mask(int(n.width))
	args := e.s.args(n)
	arg := func(i int) uint64 { return e.Term(Term(args[i])) }
	switch n.op {
	case Leaf:
		return e.leaf(t) & m
	case Join:
		v = 0
		for i, a := range args {
			v |= uint64(e.Byte(Byte(a))) << (8 * i)
		}
	case Sum:
		for i := range args {
			v += e.s.coefs(n)[i] * arg(i)
		}
	case Xor, And, Or:
		for i := range args {
			v = fold(n.op, v, arg(i))
		}
	case Shl, Shr:
		v = fold(n.op, arg(0), n.imm)
	case Rot:
		v = arg(0)<<n.imm | arg(0)>>(uint64(n.width)-n.imm)
	case Apply:
		values := make([]uint64, len(args))
		for i := range args {
			values[i] = arg(i)
		}
		v = e.s.Func(t).Eval(int(n.width), n.imm, values)
	}
	return v & m
}

func (s *Store) someValue(leaf Term) uint64 {
	info, v := s.Info(leaf), (uint64(leaf)+1)*0x9e3779b97f4a7c15
	v ^= v >> 32
	if n := info.Max - info.Min + 1; n != 0 {
		return info.Min + v%n
	}
	return v
}

// Value evaluates t. leaf returns the values of inputs.
func (s *Store) Value(t Term, leaf func(Term) (uint64, bool)) (v uint64, ok bool) {
	ok = true
	e := Evaluation{s: s, leaf: func(t Term) uint64 {
		x, has := leaf(t)
		ok = ok && has
		return x
	}}
	return e.Term(t), ok
}

// At evaluates t, which must not depend on an input other than leaf.
func (s *Store) At(t, leaf Term, value uint64) (v uint64, ok bool) {
	return s.Value(t, func(t Term) (uint64, bool) { return value, t == leaf })
}

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
	args, same := make([]Term, 0, 32), true
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
