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
