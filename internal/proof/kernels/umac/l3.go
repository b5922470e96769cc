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
}

// l3Key declares a key at an offset of an object: the factors modulo the prime, and the mask. At
// another offset are those factors that count and the masks, both next to the other streams',
// the masks as big-endian words.
func l3Key(c *engine.Case, o *machine.Object, at, lanes int64, stream int) *l3 {
	l := &l3{value: c.NewLeaf(64, term.LeafInfo{Name: "value"})}
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

// hashes checks that 32 bits are L3-HASH of a value, but for the mask: the lower bits of the inner
// product of its words with the key modulo the prime.
func (l *l3) hashes(c *engine.Case, got, value term.Term) error {
	var b [4]term.Byte
	c.Store.Bytes(b[:], got)
	hash, _ := b[0].Of()
	for i := range b {
		if of, j := b[i].Of(); of != hash || j != i {
			return fmt.Errorf("the hash is put together from several numbers: %s", c.Format(got))
		}
	}
	type result struct{ error }
	hash = c.Replace(map[term.Term]term.Term{value: l.value}).Term(hash)
	return term.Once(c.Store, [...]any{"hash", l.value, hash}, func() result {
		return result{algebra.Cases(c.Store, hash, func(a *algebra.Algebra, hash term.Term) error {
			if !a.Congruent(a.Value(hash), spec.L3Product(c.Store, a, l.value, l.k1), spec.L3Prime) {
				return errors.New("the hash is another number modulo 2^36 - 5")
			}
			return a.AtMost(hash, spec.L3Prime.Uint64()-1)
		})}
	}).error
}
