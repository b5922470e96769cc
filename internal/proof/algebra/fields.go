// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"

	"github.com/unimac/unimac/internal/proof/term"
)

// A field is some consecutive bits of a term, and at which bit of another they are. Masks,
// shifts, disjoint ors and bytes put together are fields of something else: as integers
// they are its multiples, and unknowns for what is above a bit of it. So the limbs of a
// number add up to the number again.
type field struct {
	of         term.Term
	from, bits int
	at         int
}

// A place is where a byte lies in a word.
type place struct {
	word term.Term
	at   int
}

// Word says that eight bytes of memory are read as one number, t, also where only some of
// them are. It has to be said before t, or a part of it, is read for the first time.
func (a *Algebra) Word(t term.Term) {
	if a.Op(t) != term.Join {
		return
	}
	for i, b := range a.Args(t) {
		if leaf, _ := term.Byte(b).Of(); a.Op(leaf) == term.Leaf && a.Width(leaf) == 8 {
			a.words[leaf] = place{t, i}
		}
	}
}

func (a *Algebra) whole(t term.Term) field { return field{t, 0, a.Width(t), 0} }

// fields returns the fields of a term, from the lowest bit on; between them are zeros.
func (a *Algebra) fields(t term.Term) []field {
	f, ok := a.parts[t]
	if !ok {
		f = a.makeFields(t)
		a.parts[t] = f
	}
	return f
}

func (a *Algebra) makeFields(t term.Term) (all []field) {
	w := a.Width(t)
	first := func() []field { return a.fields(term.Term(a.Args(t)[0])) }
	k := int(a.Imm(t))
	switch a.Op(t) {
	case term.Join:
		for i, b := range a.Args(t) {
			of, at := term.Byte(b).Of()
			in := a.fields(of)
			if p, ok := a.words[of]; ok {
				if p.word == t {
					return []field{a.whole(t)}
				}
				in, at = a.fields(p.word), p.at
			}
			all = append(all, part(in, 8*at, 8, 8*i)...)
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
			return []field{a.whole(t)}
		}
		all = part(a.fields(u), 0, w-k, k)
	case term.And:
		if len(a.Args(t)) > 1 {
			return []field{a.whole(t)}
		}
		for mask := a.Imm(t); mask != 0; {
			low := bits.TrailingZeros64(mask)
			n := bits.TrailingZeros64(^(mask >> low))
			all = append(all, part(first(), low, n, low)...)
			mask &^= 1<<(low+n) - 1<<low
		}
	case term.Or:
		for _, arg := range a.Args(t) {
			all = append(all, a.trimmed(a.fields(term.Term(arg)))...)
		}
		if c := a.Const(w, a.Imm(t)); a.Imm(t) != 0 {
			all = append(all, a.ones(c)...)
		}
		slices.SortFunc(all, func(x, y field) int { return cmp.Compare(x.at, y.at) })
		for i := 1; i < len(all); i++ {
			if all[i-1].at+all[i-1].bits > all[i].at {
				return []field{a.whole(t)}
			}
		}
	default:
		return []field{a.whole(t)}
	}
	return joined(a.trimmed(all))
}

// halved returns a sum that is the given one when it is shifted to the left by k bits.
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

// ones returns the fields of a constant that are not 0.
func (a *Algebra) ones(c term.Term) (all []field) {
	for mask := a.Imm(c); mask != 0; mask &= mask - 1 {
		at := bits.TrailingZeros64(mask)
		all = append(all, field{c, at, 1, at})
	}
	return all
}

// part returns n bits of fields, from a bit on, as fields at another.
func part(in []field, from, n, at int) (out []field) {
	for _, f := range in {
		low, high := max(f.at, from), min(f.at+f.bits, from+n)
		if low < high {
			out = append(out, field{f.of, f.from + low - f.at, high - low, at + low - from})
		}
	}
	return out
}

// trimmed leaves out upper bits that are zeros.
func (a *Algebra) trimmed(in []field) (out []field) {
	for _, f := range in {
		// A whole term's bits are not trimmed: it is then itself.
		if f.from != 0 || f.bits != a.Width(f.of) || f.at != 0 || len(in) > 1 {
			f.bits = min(f.bits, a.Most(f.of).BitLen()-f.from)
		}
		if f.bits > 0 {
			out = append(out, f)
		}
	}
	return out
}

// joined puts fields together that follow each other in the same term.
func joined(in []field) (out []field) {
	for _, f := range in {
		if n := len(out) - 1; n >= 0 && out[n].of == f.of && out[n].from+out[n].bits == f.from && out[n].at+out[n].bits == f.at {
			out[n].bits += f.bits
		} else {
			out = append(out, f)
		}
	}
	return out
}

// field returns a field as a number.
func (a *Algebra) field(f field) Poly {
	return a.above(f.of, f.from).Add(a.above(f.of, f.from+f.bits), new(big.Int).Neg(power(f.bits)))
}

// above returns t / 2^k, rounded down.
func (a *Algebra) above(t term.Term, k int) Poly {
	rest := new(big.Int).Rsh(a.Most(t), uint(k))
	switch {
	case k == 0:
		return a.Value(t)
	case rest.Sign() == 0:
		return Poly{}
	case a.Op(t) == term.Const:
		return constant(rest)
	}
	return a.variable("term %d above %d", t, k)
}
