// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// A cache remembers results of operations on two terms. Runs for other lengths do
// most of their work again: they find it here without building a normal form.
type cache []entry

type entry struct {
	key    uint64
	result Term
}

const cacheBits = 18

// The operations that are remembered. None is 0, so that no key is 0.
const (
	opAdd = 1 + iota
	opSub
	opXor
	opAnd
	opOr
)

func key(op int, a, b Term) uint64 { return uint64(op)<<58 | uint64(a)<<29 | uint64(b) }

func (c cache) slot(key uint64) *entry {
	return &c[key*0x9e3779b97f4a7c15>>(64-cacheBits)]
}

// cached returns f(a, b), perhaps from before.
func (s *Store) cached(op int, a, b Term, f func(a, b Term) Term) Term {
	k := key(op, a, b)
	e := s.cache.slot(k)
	if e.key != k {
		r := f(a, b)
		*e = entry{k, r}
		return r
	}
	return e.result
}
