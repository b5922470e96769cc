// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// Replace returns a substitution of one term, which need be no leaf, by another.
func (s *Store) Replace(t, by Term) *Substitution {
	u := s.Substitute(func(leaf Term) Term { return leaf })
	u.done[t] = by
	return u
}

// Condition returns a bit on which a choice in t depends, one that depends on no choice
// itself, if there is a choice in t.
func (s *Store) Condition(t Term) (bit Term, ok bool) {
	return s.condition(t, map[Term]bool{})
}

func (s *Store) condition(t Term, done map[Term]bool) (bit Term, ok bool) {
	n := &s.nodes[t]
	if done[t] || n.op == Const || n.op == Leaf {
		return 0, false
	}
	done[t] = true
	for _, a := range s.args(n) {
		if n.op == Join {
			a >>= 3
		}
		if bit, ok := s.condition(Term(a), done); ok {
			return bit, true
		}
	}
	if n.op == Apply && s.Func(t) == Choice {
		return Term(s.args(n)[0]), true
	}
	return 0, false
}
