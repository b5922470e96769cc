// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package algebra

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/proof/term"
)

// A trial contains random terms and values for their inputs.
type trial struct {
	*rand.Rand
	s      *term.Store
	values map[term.Term]uint64
	e      *term.Evaluation
	pool   map[int][]term.Term // indexed by width
}

func newTrial(r *rand.Rand) *trial {
	x := &trial{Rand: r, s: term.New(), values: map[term.Term]uint64{}, pool: map[int][]term.Term{}}
	x.e = x.s.Evaluate(func(leaf term.Term) uint64 { return x.values[leaf] })
	for _, w := range []int{8, 32, 64, 64} {
		for range 4 {
			limit := r.Uint64() >> (64 - 1 - r.IntN(w))
			leaf := x.s.NewLeaf(w, term.LeafInfo{Name: "x", Max: limit})
			if limit == 0 { // no bound is known
				limit = 1<<w - 1
			}
			x.values[leaf] = limit - r.Uint64()>>r.IntN(64)%(limit/2+1) // prefer large values
			x.add(leaf)
		}
		x.add(x.s.Const(w, r.Uint64()>>r.IntN(64)))
	}
	return x
}

func (x *trial) add(t term.Term) { x.pool[x.s.Width(t)] = append(x.pool[x.s.Width(t)], t) }

func (x *trial) pick(w int) term.Term { return x.pool[w][x.IntN(len(x.pool[w]))] }

// grow adds another term.
func (x *trial) grow() term.Term {
	s, w := x.s, []int{32, 64, 64, 64}[x.IntN(4)]
	a, b, k := x.pick(w), x.pick(w), x.IntN(w)
	mask := func(n int) term.Term { return s.Const(w, 1<<n-1) }
	carry := s.Carry(a, b, s.Const(8, 0))
	switch x.IntN(16) {
	case 0:
		return s.Sub(a, b)
	case 1:
		return s.Scale(a, []uint64{5, 20, 1 << 26}[x.IntN(3)])
	case 2:
		return s.Mul(a, b)
	case 3:
		return s.Mul(s.Extend(x.pick(32), 64), s.Extend(s.Low(x.pick(64), 32), 64))
	case 4:
		return s.MulHigh(a, b)
	case 5:
		return s.Mul52(x.pick(64), x.pick(64))
	case 6:
		return s.Mul52High(x.pick(64), x.pick(64))
	case 7:
		return s.Shr(a, k)
	case 8:
		return s.Shl(a, k)
	case 9:
		return s.Rot(a, k)
	case 10:
		return s.And(a, mask(1+k))
	case 11:
		return s.And(a, s.Const(w, x.Uint64()))
	case 12:
		return s.Or(s.Shr(a, k), s.Shl(b, w-k+x.IntN(2)-x.IntN(2)))
	case 13: // bytes of two terms
		var bytes [16]term.Byte
		s.Bytes(bytes[:], a)
		s.Bytes(bytes[w/8:], b)
		at := x.IntN(w/8 + 1)
		return s.Gather(bytes[at : at+w/8])
	case 14: // an addition with the carry of another
		return s.Add(s.Add(x.pick(w), x.pick(w)), s.Extend(carry, w))
	}
	return s.Add(a, b)
}

// evaluate returns the value of a polynomial.
func (x *trial) evaluate(a *Algebra, p Poly) *big.Int {
	sum, _ := a.EvaluateKnown(p, true, func(t term.Term) (uint64, bool) { return x.e.Term(t), true })
	return sum
}

// TestValues compares the polynomials and bounds of random terms with their values.
func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	read, trials := 0, 300
	if testing.Short() {
		trials = 60
	}
	for range trials {
		x := newTrial(r)
		a := New(x.s)
		if r.IntN(2) == 0 { // a word assembled from bytes, and half of it
			var bytes [8]term.Byte
			for i := range bytes {
				leaf := x.s.NewLeaf(8, term.LeafInfo{Name: "b"})
				x.values[leaf] = uint64(byte(r.Uint64()))
				bytes[i] = term.Byte(leaf << 3)
			}
			x.add(x.s.Gather(bytes[:]))
			x.add(x.s.Gather(bytes[:4]))
		}
		for range 40 {
			u := x.grow()
			want := new(big.Int).SetUint64(x.e.Term(u))
			if upper, lower := a.UpperBound(u), a.span(u).lower; want.Cmp(upper) > 0 || want.Cmp(lower) < 0 {
				t.Fatalf("%s is %#x, not from %#x to %#x", x.s.Format(u), want, lower, upper)
			}
			p, ok := readable(a, u)
			if !ok || len(p) > 2000 {
				continue
			}
			if got := x.evaluate(a, p); got.Cmp(want) != 0 {
				t.Fatalf("%s is %#x, read as %#x", x.s.Format(u), want, got)
			}
			read++
			x.add(u)
		}
	}
	if read < trials*30 {
		t.Errorf("only %d of %d terms could be read", read, trials*40)
	}
}

// readable returns Value(t), or false if t cannot be interpreted.
func readable(a *Algebra, t term.Term) (p Poly, ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, is := e.(error); !is {
				panic(e)
			}
		}
	}()
	return a.Value(t), true
}

// TestCongruent defines limbs as the limbs of a power, and checks numbers that are then
// congruent and numbers that are not.
func TestCongruent(t *testing.T) {
	p := new(big.Int).Sub(power(130), big.NewInt(5))
	s := term.New()
	a := New(s)
	r := a.Unknown("r")
	low := s.NewLeaf(64, term.LeafInfo{Name: "low", Max: 1<<26 - 1})
	high := s.NewLeaf(64, term.LeafInfo{Name: "high", Max: 1<<26 - 1})
	a.Let(low, r.Mul(r).Minus(a.Value(high).Scaled(26))) // r^2 = low + 2^26·high
	square := a.Number(26, low, high)
	for i, test := range []struct {
		x, y Poly
		want bool
	}{
		{square, r.Power(2), true},
		{square, r.Power(3), false},
		{square.Mul(square), r.Power(4), true},
		{square.Scaled(130), r.Power(2).Plus(r.Power(2).Scaled(2)), true},
		{square.Scaled(130), r.Power(2).Scaled(2), false},
		{a.Value(low), r.Power(2), false},
		{Constant(130), Integer(big.NewInt(5)), true},
	} {
		if got := a.Congruent(test.x, test.y, p); got != test.want {
			t.Errorf("%d: %t", i, got)
		}
	}
}
