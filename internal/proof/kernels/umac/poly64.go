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

// A poly64 is POLY-64 of several streams: their keys, and where y of each stream is in memory, after which come the
// last values, which are not in y yet. At the head of a loop over chunks both are any numbers.
type poly64 struct {
	k, square []term.Term
	at        func(i int) engine.Place
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

// begin makes y and the last values any numbers.
func (p *poly64) begin(c *engine.Case) {
	p.y, p.last = nil, nil
	for s := range spec.NHStreams {
		p.y = append(p.y, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("y%d", s)}))
		p.last = append(p.last, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("last%d", s)}))
	}
}

// invariant claims that y and the last value of each stream are any numbers. At first they are what begin says of each
// word, and after a turn, they are as turned says.
func (p *poly64) invariant(c *engine.Case, begin, value func(i int) term.Term) *engine.Claim {
	p.begin(c)
	a := &engine.Claim{}
	for stream := range p.k {
		a.Any(p.at(stream), p.y[stream])
		a.Any(p.at(spec.NHStreams+stream), p.last[stream])
	}
	a.Where = func(s engine.View) error {
		if c.Looped {
			return p.turned(c, s, value)
		}
		for stream := range p.k {
			for _, i := range []int{stream, spec.NHStreams + stream} {
				if got := s.At(p.at(i)); got != begin(i) {
					return fmt.Errorf("word %d of the state begins with %s", i, c.Format(got))
				}
			}
		}
		return nil
	}
	return a
}

// turned checks that y has taken the last value of each stream, and that the next one is in its place.
func (p *poly64) turned(c *engine.Case, s engine.View, value func(stream int) term.Term) error {
	for stream := range p.k {
		if err := p.stepped(c, s.At(p.at(stream)), stream, p.y[stream], p.last[stream], false); err != nil {
			return err
		}
		if got, want := s.At(p.at(spec.NHStreams+stream)), value(stream); got != want {
			return fmt.Errorf("the last value of stream %d is %s, want %s", stream, c.Format(got), c.Format(want))
		}
	}
	return nil
}

// stepped checks that a number is y of a stream after a word, modulo the prime; reduced says
// that it is below the prime, too. What was checked of the same numbers before is not checked again.
func (p *poly64) stepped(c *engine.Case, got term.Term, s int, y, word term.Term, reduced bool) error {
	type result struct{ error }
	return term.Once(c.Store, [...]any{"step", got, y, word, s, reduced}, func() result {
		err := p.steppedBy(c, got, s, y, word, term.LeafInfo{Name: "small", Max: spec.Poly64Limit - 1}, reduced)
		if err == nil {
			err = p.steppedBy(c, got, s, y, word, term.LeafInfo{Name: "large", Min: spec.Poly64Limit, Max: ^uint64(0)}, reduced)
		}
		return result{err}
	}).error
}

// steppedBy is stepped for words in bounds.
func (p *poly64) steppedBy(c *engine.Case, got term.Term, s int, y, word term.Term, in term.LeafInfo, reduced bool) error {
	bounded := c.NewLeaf(64, in)
	return algebra.Cases(c.Store, c.Replace(map[term.Term]term.Term{word: bounded}).Term(got), func(a *algebra.Algebra, got term.Term) error {
		a.Let(p.square[s], a.Value(p.k[s]).Power(2))
		want := spec.Poly64Step(a.Value(p.k[s]), a.Value(y), a.Value(bounded), in.Min > 0)
		if !a.Congruent(a.Value(got), want, spec.Poly64Prime) {
			return fmt.Errorf("y of stream %d, after a word from %#x on, is another number modulo 2^64 - 59", s, in.Min)
		}
		if reduced {
			return a.AtMost(got, spec.Poly64Prime.Uint64()-1)
		}
		return nil
	})
}
