// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// An l3 is L3-HASH of one stream for values of 8 bytes: of its eight words of 16 bits the
// first four are 0, so that only the other four factors of the key count.
type l3 struct {
	k1    [4]term.Term
	k2    term.Term
	value term.Term // any value
	right map[term.Term]bool
}

// l3Key declares a key at an offset of an object: the factors modulo the prime, and the mask. At
// another offset are those factors that count and the masks, both next to the other streams',
// the masks as big-endian words.
func l3Key(c *engine.Case, o *machine.Object, at, lanes int64, stream int) *l3 {
	l := &l3{value: c.NewLeaf(64, term.LeafInfo{Name: "value"}), right: map[term.Term]bool{}}
	for i := range l.k1 {
		l.k1[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k1[%d][%d]", stream, 4+i), Max: spec.L3Prime.Uint64() - 1})
		o.Set(at+32+8*int64(i), l.k1[i])
		o.Set(lanes+8*int64(spec.NHStreams*i+stream), l.k1[i])
	}
	l.k2 = c.NewLeaf(32, term.LeafInfo{Name: fmt.Sprintf("k2[%d]", stream)})
	o.Set(at+64, l.k2)
	var mask [4]term.Byte
	c.Store.Bytes(mask[:], l.k2)
	slices.Reverse(mask[:])
	o.Set(lanes+8*4*spec.NHStreams+4*int64(stream), c.Gather(mask[:]))
	return l
}

// hashed checks that 32 bits are L3-HASH of something, but for the mask, and returns of what:
// the lower bits of the inner product of its words with the key modulo the prime.
func (l *l3) hashed(c *engine.Case, got term.Term) (value term.Term, err error) {
	var b [4]term.Byte
	c.Store.Bytes(b[:], got)
	hash, at := b[0].Of()
	for i := range b {
		if of, j := b[i].Of(); of != hash || j != at+i {
			return 0, fmt.Errorf("the hash is put together from several numbers: %s", c.Format(got))
		}
	}
	value, ok := l.multiplied(c, hash)
	if at != 0 || !ok {
		return 0, fmt.Errorf("no hash is %s", c.Format(hash))
	}
	hash = c.Replace(value, l.value).Term(hash)
	if l.right[hash] {
		return value, nil
	}
	err = algebra.Cases(c.Store, hash, func(a *algebra.Algebra, hash term.Term) error {
		if !a.Congruent(a.Value(hash), spec.L3Product(c.Store, a, l.value, l.k1), spec.L3Prime) {
			return errors.New("the hash is another number modulo 2^36 - 5")
		}
		return a.AtMost(hash, spec.L3Prime.Uint64()-1)
	})
	l.right[hash] = err == nil
	return value, err
}

// of returns the term of which another has the lowest byte.
func (l *l3) of(c *engine.Case, t term.Term) term.Term {
	var b [8]term.Byte
	c.Store.Bytes(b[:], t)
	if of, at := b[0].Of(); at == 0 {
		return of
	}
	return t
}

// multiplied finds in a term the 64 bits whose lowest 16 are multiplied with the last
// factor of the key.
func (l *l3) multiplied(c *engine.Case, t term.Term) (value term.Term, ok bool) {
	level, done := []term.Term{t}, map[term.Term]bool{}
	for len(level) > 0 {
		var next []term.Term
		for _, t := range level {
			if done[t] || c.Op(t) == term.Const || c.Op(t) == term.Leaf {
				continue
			}
			done[t] = true
			for i, a := range c.Args(t) {
				if c.Op(t) == term.Join {
					a >>= 3
				} else if c.Op(t) == term.Apply && c.Func(t) == term.Product && l.of(c, term.Term(a)) == l.k1[3] {
					return l.of(c, term.Term(c.Args(t)[1-i])), true
				}
				next = append(next, term.Term(a))
			}
		}
		level = next
	}
	return 0, false
}
