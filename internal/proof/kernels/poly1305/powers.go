// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A PowerList is powers of r in memory: their lower words in a row, then their middle words,
// then their upper words, which are at most 4.
// The first nine are in rows, and those after them in rows that follow.
type PowerList struct{ Powers []int }

// MaxPowerTop bounds the upper words.
var MaxPowerTop = uint64(4)

var (
	ShortList = &PowerList{[]int{8, 4, 7, 3, 6, 2, 5, 1, 16}}
	LongList  = &PowerList{[]int{8, 4, 7, 3, 6, 2, 5, 1, 16, 32, 24}}
)

// shortRow is how many powers are in the first rows.
const shortRow = 9

// size returns the bytes of the list.
func (l *PowerList) size() int64 { return 3 * 8 * int64(len(l.Powers)) }

// declare has memory contain words as entry i.
func (l *PowerList) declare(c *engine.Case, o *machine.Object, i int, words []term.Term) {
	for j, word := range words {
		o.Set(l.at(i, j), word)
	}
}

// power returns a power of r as unknown words, and words a number.
func (g *Ring) power(c *engine.Case, n int) []term.Term {
	return g.words(c, fmt.Sprintf("r^%d", n), g.R.Power(n))
}

func (g *Ring) words(c *engine.Case, name string, number algebra.Poly) []term.Term {
	return g.Limbs(c, name, number, 64, ^uint64(0), ^uint64(0), MaxPowerTop)
}

// at returns where word j of entry i lies.
func (l *PowerList) at(i, j int) int64 {
	if i < shortRow {
		return 8 * int64(j*shortRow+i)
	}
	return 8 * int64(3*shortRow+j*(len(l.Powers)-shortRow)+i-shortRow)
}

// stored returns the words of entry i, and whether all have been stored.
func (l *PowerList) stored(c *engine.Case, s engine.View, o *machine.Object, i int) (words []term.Term, stored bool) {
	for j := range 3 {
		if _, ok := s.Mem.Stored(o, l.at(i, j)); !ok {
			return nil, false
		}
		words = append(words, s.Stored(o, l.at(i, j)))
	}
	return words, true
}

// IsPower has words be a power of r.
func (g *Ring) IsPower(words []term.Term, n int) error {
	if err := g.AtMost(words[2], MaxPowerTop); err != nil {
		return fmt.Errorf("the upper word of r^%d %w", n, err)
	}
	return g.Same(fmt.Sprintf("r^%d", n), g.Number(64, words...), g.R.Power(n))
}

// kernel is a function that stores the powers from an entry on; those before are there.
// Each is made of others: once it is shown to be the power, it is that and no more.
func (l *PowerList) kernel(file, name, claim string, from int) engine.Kernel {
	var g *Ring
	var list *machine.Object
	var known map[term.Term]bool
	to := len(l.Powers)
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			g, known = NewRing(c), map[term.Term]bool{}
			list = engine.Writable(c.Buffer("list", l.size()))
			for i, n := range l.Powers[:from] {
				l.declare(c, list, i, g.power(c, n))
			}
			c.Pointers(list)
			if from == 0 {
				r := c.Buffer("r", 16)
				g.put(c, r, 0)
				c.Pointers(r)
			}
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for i := from; i < to; i++ {
				for j := range 3 {
					c.Free(list, l.at(i, j), l.at(i, j)+8)
				}
			}
		},
		Cut: func(c *engine.Case, s engine.View) *engine.Claim {
			for i := from; i < to; i++ {
				words, ok := l.stored(c, s, list, i)
				if !ok || known[words[2]] || c.Op(words[2]) == term.Const { // r itself
					continue
				}
				a := &engine.Claim{Of: map[term.Term]term.Term{}, Everywhere: true, Bounds: g.Algebra}
				for j, word := range g.power(c, l.Powers[i]) {
					a.Of[word], known[word] = words[j], true
				}
				a.Where = func() error { return g.IsPower(words, l.Powers[i]) }
				return a
			}
			return nil
		},
		Left: func(c *engine.Case, s engine.View, _ int64, _ bool) error {
			for i := from; i < to; i++ {
				words, ok := l.stored(c, s, list, i)
				if !ok {
					return fmt.Errorf("r^%d is not stored", l.Powers[i])
				}
				if err := g.IsPower(words, l.Powers[i]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
