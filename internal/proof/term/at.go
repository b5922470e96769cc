// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// Value returns the value of a term by those of the leaves in it, if each has one.
func (s *Store) Value(t Term, leaf func(Term) (uint64, bool)) (v uint64, ok bool) {
	ok = true
	e := Evaluation{s: s, forgets: true, leaf: func(t Term) uint64 {
		x, has := leaf(t)
		ok = ok && has
		return x
	}}
	return e.Term(t), ok
}

// At returns the value of a term for a value of one leaf, if it depends on no other.
func (s *Store) At(t, leaf Term, value uint64) (v uint64, ok bool) {
	return s.Value(t, func(t Term) (uint64, bool) { return value, t == leaf })
}
