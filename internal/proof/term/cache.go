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

// A cache has as many entries as the table of terms has, but no more than that.
const maxCache = 1 << 18

// grown returns a cache of so many entries that has those of c.
func (c cache) grown(n int) cache {
	if n = min(n, maxCache); n == len(c) {
		return c
	}
	out := make(cache, n)
	for _, e := range c {
		if e.key != 0 {
			*out.slot(e.key) = e
		}
	}
	return out
}

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
	return &c[key*0x9e3779b97f4a7c15>>32&uint64(len(c)-1)]
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

// Once returns what a function of statements or specifications has returned for a key in this store.
func Once[T any](s *Store, key any, value func() T) T {
	v, ok := s.Memo[key].(T)
	if !ok {
		v = value()
		s.Memo[key] = v
	}
	return v
}
