// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// At returns the value of a term for a value of one leaf, if it depends on no other.
func (s *Store) At(t, leaf Term, value uint64) (v uint64, ok bool) {
	ok = true
	e := Evaluation{s: s, forgets: true, leaf: func(t Term) uint64 {
		ok = ok && t == leaf
		return value
	}}
	return e.Term(t), ok
}
