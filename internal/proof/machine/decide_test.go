// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package machine

import (
	"math/rand/v2"
	"testing"

	"github.com/unimac/unimac/internal/proof/term"
)

// TestKnown checks that a comparison that Known decides has the decided result for
// random numbers in the operands' ranges. The operands are sums, multiples and parts of
// public numbers of each width. Known must decide at least 400 comparisons of each
// width.
func TestKnown(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	decided := map[int]int{}
	for range 8000 {
		width := 8 << r.IntN(4)
		s := &State{T: term.New()}
		var leaves []term.Term
		for range 2 {
			least := corner(r, width)
			leaves = append(leaves, s.T.NewLeaf(width, term.LeafInfo{Name: "x", Public: true, Min: least, Max: least + r.Uint64N(1<<r.IntN(min(width, 11)))}))
			if info := s.T.Info(leaves[len(leaves)-1]); info.Max < info.Min || width < 64 && info.Max>>width != 0 {
				info.Min, info.Max = 0, 1
			}
		}
		x, y := expression(r, s.T, leaves), expression(r, s.T, leaves)
		bits := []term.Term{s.T.Borrow(x, y, s.T.Const(8, 0)), s.T.Less(x, y), s.T.Zero(x), s.T.Zero(s.T.Sub(x, y))}
		for _, bit := range bits {
			value, ok := s.Known(bit)
			if !ok {
				continue
			}
			decided[width]++
			for range 20 {
				numbers := map[term.Term]uint64{}
				e := s.T.Evaluate(func(leaf term.Term) uint64 {
					if _, ok := numbers[leaf]; !ok {
						info := s.T.Info(leaf)
						numbers[leaf] = r.Uint64()
						if n := info.Max - info.Min + 1; n != 0 { // otherwise, every number is allowed
							numbers[leaf] = info.Min + numbers[leaf]%n
						}
					}
					return numbers[leaf]
				})
				if got := e.Term(bit) == 1; got != value {
					t.Fatalf("Known(%s) = %t, but it is %t for %v", s.T.Format(bit), value, got, numbers)
				}
			}
		}
	}
	for _, width := range []int{8, 16, 32, 64} {
		if decided[width] < 400 {
			t.Errorf("%d comparisons of %d bits are decided, want at least 400", decided[width], width)
		}
	}
}

// TestKnownFar checks that Known decides a comparison by the difference of the operands only
// if the difference does not wrap.
func TestKnownFar(t *testing.T) {
	for _, test := range []struct {
		a, b    uint64
		decided bool
	}{
		{1 << 60, 1 << 61, true},
		{3 << 61, 5 << 61, false},
	} {
		s := &State{T: term.New()}
		x := s.T.NewLeaf(64, term.LeafInfo{Name: "x", Public: true, Max: 1})
		less := s.T.Less(s.T.Scale(x, test.a), s.T.AddConst(s.T.Scale(x, test.b), 1))
		if _, ok := s.Known(less); ok != test.decided {
			t.Errorf("%s is decided: %t, want %t", s.T.Format(less), ok, test.decided)
		}
	}
}

// corner returns a random number near 0, 1<<(width-1), 1<<(width/2) or the largest
// width-bit number.
func corner(r *rand.Rand, width int) uint64 {
	at := []uint64{0, 1 << (width - 1), 1 << (width / 2), ^uint64(0) >> (64 - width)}[r.IntN(4)]
	return (at + r.Uint64N(64) - r.Uint64N(64)) & (^uint64(0) >> (64 - width))
}

// expression returns a random term over the given leaves.
func expression(r *rand.Rand, t *term.Store, leaves []term.Term) term.Term {
	x := leaves[r.IntN(len(leaves))]
	width := t.Width(x)
	for range r.IntN(3) {
		switch r.IntN(6) {
		case 0:
			x = t.Add(x, leaves[r.IntN(len(leaves))])
		case 1:
			x = t.AddConst(x, corner(r, width))
		case 2:
			x = t.Scale(x, 1+r.Uint64N(8))
		case 3:
			x = t.Shl(x, r.IntN(width))
		case 4:
			x = t.Shr(x, r.IntN(width))
		case 5:
			x = t.And(x, t.Const(width, -(uint64(1)<<r.IntN(width))))
		}
	}
	return x
}
