// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

// A cache remembers results of operations on two terms. Runs for other lengths do
// most of their work again: they find it here without building a normal form. It grows with the table, up to
// cacheSize, and is empty then.
type cache []entry

type entry struct {
	key    uint64
	result Term
}

const cacheSize = 1 << 16

// cached returns f(op, a, b), perhaps from before. No op is 0, so that no key is.
func (s *Store) cached(op Op, a, b Term, f func(op Op, a, b Term) Term) Term {
	key := uint64(op)<<58 | uint64(a)<<29 | uint64(b)
	e := &s.cache[key*0x9e3779b97f4a7c15>>32&uint64(len(s.cache)-1)]
	if e.key != key {
		result := f(op, a, b) // it may call cached, too
		s.cache[key*0x9e3779b97f4a7c15>>32&uint64(len(s.cache)-1)] = entry{key, result}
		return result
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
