// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

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
