// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A poly64 is POLY-64 of several streams: their keys, and in memory y and the last value,
// which is not in y yet.
type poly64 struct {
	k, square []term.Term
	y, last   []term.Term
}

// poly64Key declares a key at an offset of an object: k, k² modulo the prime, and the offset
// plus k, each for all streams. Of streams that are not used nothing is known.
func poly64Key(c *engine.Case, o *machine.Object, at int64, streams int) *poly64 {
	p := &poly64{}
	squares := algebra.New(c.Store)
	c.Rings = append(c.Rings, engine.Congruence{Algebra: squares, Prime: spec.Poly64Prime})
	for s := range streams {
		k := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k%d", s), Max: spec.Poly64Mask})
		square := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("k%d²", s), Max: spec.Poly64Prime.Uint64() - 1})
		p.k, p.square = append(p.k, k), append(p.square, square)
		squares.Let(square, squares.Value(k).Power(2))
		for i, word := range []term.Term{k, square, c.AddConst(k, 59)} {
			o.Set(at+8*int64(spec.NHStreams*i+s), word)
		}
	}
	return p
}

// begin makes y and the last values any numbers. It returns them in their order in memory.
func (p *poly64) begin(c *engine.Case) []term.Term {
	p.y, p.last = nil, nil
	for s := range spec.NHStreams {
		p.y = append(p.y, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("y%d", s)}))
		p.last = append(p.last, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("last%d", s)}))
	}
	return append(append([]term.Term{}, p.y...), p.last...)
}

// stepped checks that a number is y of a stream after a word, modulo the prime; reduced says
// that it is below the prime, too.
func (p *poly64) stepped(c *engine.Case, got term.Term, s int, y, word term.Term, reduced bool) error {
	for _, two := range []bool{false, true} {
		in := term.LeafInfo{Name: "small", Max: spec.Poly64Limit - 1}
		if two {
			in = term.LeafInfo{Name: "large", Min: spec.Poly64Limit, Max: ^uint64(0)}
		}
		bounded := c.NewLeaf(64, in)
		err := algebra.Cases(c.Store, c.Replace(word, bounded).Term(got), func(a *algebra.Algebra, got term.Term) error {
			a.Let(p.square[s], a.Value(p.k[s]).Power(2))
			want := spec.Poly64Step(a.Value(p.k[s]), a.Value(y), a.Value(bounded), two)
			if !a.Congruent(a.Value(got), want, spec.Poly64Prime) {
				return fmt.Errorf("y of stream %d, after a word from %#x on, is another number modulo 2^64 - 59", s, in.Min)
			}
			if reduced {
				return a.AtMost(got, spec.Poly64Prime.Uint64()-1)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
