// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

type span struct{ lower, upper *big.Int }

func (s span) add(x span, by *big.Int) {
	lower, upper := x.lower, x.upper
	if by.Sign() < 0 {
		lower, upper = upper, lower
	}
	s.lower.Add(s.lower, new(big.Int).Mul(lower, by))
	s.upper.Add(s.upper, new(big.Int).Mul(upper, by))
}

func (s span) sub(v *big.Int) { s.add(span{v, v}, big.NewInt(-1)) }

// UpperBound returns an upper bound of a term.
func (a *Algebra) UpperBound(t term.Term) *big.Int { return a.span(t).upper }

// Signed returns bounds on t as an integer, signed if t has 64 bits and unsigned
// otherwise. The bounds are not reduced modulo 2^64: if high exceeds math.MaxInt64, t
// may also be negative.
func (a *Algebra) Signed(t term.Term) (low, high *big.Int) {
	s := a.span(t)
	if a.Width(t) < 64 {
		return s.lower, s.upper
	}
	if a.Op(t) == term.Sum {
		s = a.extent(t)
	}
	wraps := new(big.Int).Add(s.lower, power(63))
	wraps.Lsh(wraps.Rsh(wraps, 64), 64)
	return new(big.Int).Sub(s.lower, wraps), new(big.Int).Sub(s.upper, wraps)
}

// Within returns an error unless bounds prove lower <= t <= upper.
func (a *Algebra) Within(t term.Term, lower, upper uint64) error {
	if all := ^uint64(0) >> (64 - a.Width(t)); lower == 0 && upper >= all {
		return nil
	}
	switch s := a.span(t); {
	case s.lower.Cmp(word(lower)) < 0:
		return fmt.Errorf("may be %#x, less than %#x", s.lower, lower)
	case s.upper.Cmp(word(upper)) > 0:
		return fmt.Errorf("may be %#x, more than %#x", s.upper, upper)
	}
	return nil
}

// Between replaces the known bounds of a term.
func (a *Algebra) Between(t term.Term, lower, upper int64) {
	a.spans[t] = span{big.NewInt(lower), big.NewInt(upper)}
}

func (a *Algebra) bound(t term.Term, lower, upper *big.Int) {
	s := a.span(t)
	if s.lower.Cmp(lower) < 0 {
		s.lower = lower
	}
	if s.upper.Cmp(upper) > 0 {
		s.upper = upper
	}
	a.spans[t] = s
}

func (a *Algebra) span(t term.Term) span {
	s, ok := a.spans[t]
	if !ok {
		s = a.makeSpan(t)
		if all := new(big.Int).Sub(power(a.Width(t)), one); s.upper.Cmp(all) > 0 {
			s.upper = all
		}
		a.spans[t] = s
	}
	return s
}

// makeSpan derives bounds from the operands of t. The upper bound may exceed the width.
func (a *Algebra) makeSpan(t term.Term) span {
	s := span{new(big.Int), new(big.Int)}
	if fields, ok := a.fields(t); ok {
		for _, f := range fields {
			of := a.span(f.of)
			lower, upper := new(big.Int), new(big.Int).Rsh(of.upper, uint(f.from))
			if upper.BitLen() <= f.bits { // the field consists of the term's upper bits
				lower.Rsh(of.lower, uint(f.from))
			} else {
				upper.Sub(power(f.bits), one)
			}
			s.add(span{lower, upper}, power(f.at))
		}
		return s
	}
	switch a.Op(t) {
	case term.Const:
		return span{word(a.Imm(t)), word(a.Imm(t))}
	case term.Leaf:
		return span{word(a.Info(t).Min), word(a.Info(t).Max)}
	case term.Sum:
		if cut, ok := a.cut(t); ok {
			s = a.extent(t)
			s.sub(cut)
			return s
		}
	case term.Apply:
		switch a.Func(t) {
		case term.Product, term.ProductHigh:
			s.upper.Mul(a.UpperBound(term.Term(a.Args(t)[0])), a.UpperBound(term.Term(a.Args(t)[1])))
			if a.Func(t) == term.ProductHigh {
				s.upper.Rsh(s.upper, uint(a.Width(t)))
			}
			return s
		case term.CarryOf, term.BorrowOf, term.IsZero, term.SignedLess:
			return span{s.lower, one}
		}
	}
	return span{s.lower, power(a.Width(t))}
}

func (a *Algebra) extent(t term.Term) span {
	s := span{word(a.Imm(t)), word(a.Imm(t))}
	for i, arg := range a.Args(t) {
		s.add(a.span(term.Term(arg)), a.coef(t, i))
	}
	return s
}

// cut returns the multiple of 2^w that truncation subtracts, if bounds determine it.
func (a *Algebra) cut(t term.Term) (*big.Int, bool) {
	w, s := uint(a.Width(t)), a.extent(t)
	s.lower.Rsh(s.lower, w)
	s.upper.Rsh(s.upper, w)
	return new(big.Int).Lsh(s.upper, w), s.lower.Cmp(s.upper) == 0
}

// A field is a bit range of one term inside another term.
type field struct {
	of         term.Term
	from, bits int
	at         int // position in the other term
}

// fields splits t into bit ranges of other terms, if possible.
func (a *Algebra) fields(t term.Term) (list []field, ok bool) {
	list = a.fieldsOf(t)
	return list, len(list) != 1 || list[0].of != t
}

func (a *Algebra) fieldsOf(t term.Term) []field {
	f, ok := a.parts[t]
	if !ok {
		if f, ok = a.makeFields(t); !ok {
			f = []field{{t, 0, a.Width(t), 0}}
		}
		a.parts[t] = f
	}
	return f
}

func (a *Algebra) makeFields(t term.Term) (all []field, ok bool) {
	w := a.Width(t)
	first := func() []field { return a.fieldsOf(term.Term(a.Args(t)[0])) }
	k := int(a.Imm(t))
	switch a.Op(t) {
	case term.Join:
		for i, b := range a.Args(t) {
			of, at := term.Byte(b).Of()
			all = append(all, part(a.fieldsOf(of), 8*at, 8, 8*i)...)
		}
	case term.Shl:
		all = part(first(), 0, w-k, k)
	case term.Shr:
		all = part(first(), k, w-k, 0)
	case term.Rot:
		all = append(part(first(), w-k, k, 0), part(first(), 0, w-k, k)...)
	case term.Sum:
		u, k := a.halved(t)
		if k == 0 {
			return nil, false
		}
		all = part(a.fieldsOf(u), 0, w-k, k)
	case term.And:
		if len(a.Args(t)) > 1 {
			return nil, false
		}
		for mask := a.Imm(t); mask != 0; {
			low := bits.TrailingZeros64(mask)
			n := bits.TrailingZeros64(^(mask >> low))
			all = append(all, part(first(), low, n, low)...)
			mask &^= 1<<(low+n) - 1<<low
		}
	case term.Or:
		if a.Imm(t) != 0 {
			return nil, false
		}
		for _, arg := range a.Args(t) {
			all = append(all, a.fieldsOf(term.Term(arg))...)
		}
	default:
		return nil, false
	}
	return a.joined(all)
}

// joined sorts fields, removes bits that are always 0 and joins adjacent fields. ok is
// false if fields overlap.
func (a *Algebra) joined(in []field) (out []field, ok bool) {
	slices.SortFunc(in, func(x, y field) int { return cmp.Compare(x.at, y.at) })
	for _, f := range in {
		f.bits = min(f.bits, a.UpperBound(f.of).BitLen()-f.from)
		last := len(out) - 1
		switch {
		case f.bits <= 0:
		case last >= 0 && out[last].at+out[last].bits > f.at:
			return nil, false
		case last >= 0 && out[last].of == f.of && out[last].from+out[last].bits == f.from && out[last].at+out[last].bits == f.at:
			out[last].bits += f.bits
		default:
			out = append(out, f)
		}
	}
	return out, true
}

// halved divides the sum t by the largest possible power of 2.
func (a *Algebra) halved(t term.Term) (half term.Term, k int) {
	w := a.Width(t)
	k = bits.TrailingZeros64(a.Imm(t) | 1<<(w-1))
	for i := range a.Args(t) {
		k = min(k, bits.TrailingZeros64(a.Coef(t, i)))
	}
	if k == 0 {
		return t, 0
	}
	signed := func(c uint64) uint64 { return uint64(int64(c<<(64-w)) >> (64 - w) >> k) }
	var args []term.Term
	var coefs []uint64
	for i, arg := range a.Args(t) {
		args, coefs = append(args, term.Term(arg)), append(coefs, signed(a.Coef(t, i)))
	}
	return a.Linear(w, signed(a.Imm(t)), args, coefs), k
}

// part returns bits [from, from+n) of in as fields for bits [at, at+n).
func part(in []field, from, n, at int) (out []field) {
	for _, f := range in {
		low, high := max(f.at, from), min(f.at+f.bits, from+n)
		if low < high {
			out = append(out, field{f.of, f.from + low - f.at, high - low, at + low - from})
		}
	}
	return out
}

// above returns t / 2^k, rounded down.
func (a *Algebra) above(t term.Term, k int) Poly {
	switch {
	case k == 0:
		return a.Value(t)
	case a.UpperBound(t).BitLen() <= k:
		return nil
	}
	return a.variable(unknown{kind: above, of: t, bit: k})
}
