// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/term"
)

// A fact is what a bit is in a case.
type fact struct {
	bit   term.Term
	value bool
}

// Cases makes a case for each way that a choice in a term can go, unless bounds tell
// which way that is, and calls look with the term without choices. The case's Algebra
// knows what the bits say of the numbers that they were made of.
func Cases(s *term.Store, t term.Term, look func(*Algebra, term.Term) error) error {
	return Safely(func() error { return cases(s, t, nil, look) })
}

// Safely makes errors of panics: of what an Algebra cannot read.
func Safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	return f()
}

func cases(s *term.Store, t term.Term, facts []fact, look func(*Algebra, term.Term) error) error {
	a := New(s)
	for _, f := range facts {
		a.assume(f.bit, f.value)
	}
	bit, ok := s.Condition(t)
	if !ok {
		return look(a, t)
	}
	known, ok := a.Known(bit)
	for _, value := range []bool{false, true} {
		if ok && value != known {
			continue
		}
		u := s.Replace(bit, s.Const(8, map[bool]uint64{true: 1}[value]))
		var next []fact
		for _, f := range facts {
			next = append(next, fact{u.Term(f.bit), f.value})
		}
		if !ok {
			next = append(next, fact{bit, value})
		}
		if err := cases(s, u.Term(t), next, look); err != nil {
			return err
		}
	}
	return nil
}

// Known returns what a bit is, if bounds tell.
func (a *Algebra) Known(bit term.Term) (value, ok bool) {
	if v, ok := a.IsConst(bit); ok {
		return v != 0, true
	}
	if of, ok := a.negated(bit); ok {
		v, ok := a.Known(of)
		return !v, ok
	}
	f, ok := a.flag(bit)
	if !ok {
		return false, false
	}
	if f.sign.Sign() < 0 {
		return f.most.Sign() < 0, f.most.Sign() < 0 || f.least.Sign() >= 0
	}
	return f.least.Cmp(power(f.w)) >= 0, f.least.Cmp(power(f.w)) >= 0 || f.most.Cmp(power(f.w)) < 0
}

// negated returns the bit of which a bit is the other.
func (a *Algebra) negated(bit term.Term) (of term.Term, ok bool) {
	if a.Op(bit) != term.Xor || a.Imm(bit) != 1 || len(a.Args(bit)) != 1 {
		return 0, false
	}
	return term.Term(a.Args(bit)[0]), true
}

// A flag is the carry of x + y + c, or the borrow of x - y - c.
type flag struct {
	x, y, c     term.Term
	w           int      // bits of x and y
	sign        *big.Int // of y and c
	least, most *big.Int // of the sum before it is cut
}

func (a *Algebra) flag(bit term.Term) (f flag, ok bool) {
	if a.Op(bit) != term.Apply {
		return f, false
	}
	args, sign := a.Args(bit), big.NewInt(1)
	x, y, c := term.Term(args[0]), term.Term(args[min(1, len(args)-1)]), a.Const(8, 0)
	switch a.Func(bit) {
	case term.CarryOf, term.BorrowOf:
		c = term.Term(args[2])
		if a.Func(bit) == term.BorrowOf {
			sign.SetInt64(-1)
		}
	case term.SignedLess: // of a difference and 0, if that is a borrow
		w := a.Width(x)
		if y != a.Const(w, 0) || a.Op(x) != term.Sum {
			return f, false
		}
		y = a.Const(w, -a.Imm(x))
		x, sign = a.Add(x, y), big.NewInt(-1)
		if a.Most(x).BitLen() >= w || a.Most(y).BitLen() >= w {
			return f, false
		}
	default:
		return f, false
	}
	f = flag{x, y, c, a.Width(x), sign, new(big.Int), new(big.Int)}
	a.widen(f.least, f.most, x, big.NewInt(1))
	a.widen(f.least, f.most, y, sign)
	a.widen(f.least, f.most, c, sign)
	return f, true
}

// assume notes that a bit has a value. If it is a carry or a borrow, the sum is known
// without an unknown for what was cut off, and closer bounds with it.
func (a *Algebra) assume(bit term.Term, value bool) {
	if of, ok := a.negated(bit); ok {
		a.assume(of, !value)
		return
	}
	one := new(big.Int)
	if value {
		one.SetInt64(1)
	}
	a.values[bit] = constant(one)
	f, ok := a.flag(bit)
	if !ok {
		return
	}
	cut := new(big.Int).Mul(new(big.Int).Lsh(one, uint(f.w)), f.sign)
	c := a.Extend(f.c, f.w)
	sum := a.Sub(a.Sub(f.x, f.y), c)
	if f.sign.Sign() > 0 {
		sum = a.Add(a.Add(f.x, f.y), c)
	}
	a.values[sum] = a.Value(f.x).Add(a.Value(f.y), f.sign).Add(a.Value(f.c), f.sign).Minus(constant(cut))
	a.Bound(sum, f.least.Sub(f.least, cut), f.most.Sub(f.most, cut))
	a.near = append(a.near, sum)
	// It carries from x = 2^w - y - c on, and borrows below x = y + c.
	least, most, by := new(big.Int), new(big.Int), big.NewInt(1)
	if f.sign.Sign() > 0 {
		least, most, by = power(f.w), power(f.w), big.NewInt(-1)
	}
	a.widen(least, most, f.y, by)
	a.widen(least, most, f.c, by)
	if value == (f.sign.Sign() > 0) {
		a.Bound(f.x, least, a.Most(f.x))
	} else {
		a.Bound(f.x, new(big.Int), most.Sub(most, big.NewInt(1)))
	}
}

// Bound notes bounds of a term, besides those that are known.
func (a *Algebra) Bound(t term.Term, least, most *big.Int) {
	if l := a.Least(t); l.Cmp(least) < 0 {
		a.least[t] = least
	}
	if m := a.Most(t); m.Cmp(most) > 0 {
		a.most[t] = most
	}
}

// beside returns a term's value if it differs by a constant from one that is bound so
// closely that nothing wraps.
func (a *Algebra) beside(t term.Term) (Poly, bool) {
	for _, u := range a.near {
		if a.Width(u) != a.Width(t) {
			continue
		}
		by, ok := a.IsConst(a.Sub(t, u))
		if !ok {
			continue
		}
		d := new(big.Int).SetUint64(by)
		if most := new(big.Int).Add(a.Most(u), d); most.Cmp(power(a.Width(t))) < 0 {
			return a.Value(u).Plus(constant(d)), true
		}
	}
	return nil, false
}
