// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package term

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestNormalForms builds random terms and compares their values, for random inputs,
// with those of the operations that they were built with.
func TestNormalForms(t *testing.T) {
	r, times := rand.New(rand.NewPCG(1, 2)), 300
	if testing.Short() {
		times = 100
	}
	for range times {
		s := New()
		type pair struct {
			t Term
			v uint64
		}
		values := map[Term]uint64{}
		pool := map[int][]pair{}
		widths := []int{8, 16, 24, 32, 40, 48, 56, 64}
		for _, w := range widths {
			for range 3 {
				leaf := s.NewLeaf(w, LeafInfo{Name: "x", Public: r.IntN(2) == 0, Marked: r.IntN(2) == 0, Max: mask(1 + r.IntN(w))})
				values[leaf] = r.Uint64() & s.Info(leaf).Max
				pool[w] = append(pool[w], pair{leaf, values[leaf]})
			}
			for _, c := range []uint64{0, ^uint64(0), r.Uint64(), 0xff00ff00ff00ff00, 1 << r.IntN(64), 0xffff} {
				pool[w] = append(pool[w], pair{s.Const(w, c), c & mask(w)})
			}
		}
		e := s.Evaluate(func(leaf Term) uint64 { return values[leaf] })
		for range 300 {
			w := widths[r.IntN(len(widths))]
			a, b := pool[w][r.IntN(len(pool[w]))], pool[w][r.IntN(len(pool[w]))]
			k := r.IntN(w)
			var p pair
			switch r.IntN(17) {
			case 0:
				p = pair{s.Add(a.t, b.t), a.v + b.v}
			case 1:
				p = pair{s.Sub(a.t, b.t), a.v - b.v}
			case 2:
				p = pair{s.Xor(a.t, b.t), a.v ^ b.v}
			case 3:
				p = pair{s.And(a.t, b.t), a.v & b.v}
			case 4:
				p = pair{s.Or(a.t, b.t), a.v | b.v}
			case 5:
				p = pair{s.Shl(a.t, k), a.v << k}
			case 6:
				p = pair{s.Shr(a.t, k), a.v >> k}
			case 7:
				p = pair{s.Rot(a.t, k), a.v<<k | a.v>>(w-k)}
			case 8:
				p = pair{s.Mul(a.t, b.t), a.v * b.v}
			case 9:
				p = pair{s.Or(s.Shl(a.t, k), s.Shr(a.t, w-k)), a.v<<k | a.v>>(w-k)}
			case 10:
				hi, lo := bits.Mul64(a.v, b.v)
				p = pair{s.MulHigh(a.t, b.t), hi<<(64-w) | lo>>w}
			case 11:
				p = pair{s.Scale(a.t, uint64(k)), a.v * uint64(k)}
			case 12: // bytes of several terms
				var all [16]Byte
				s.Bytes(all[:], a.t)
				s.Bytes(all[w/8:], b.t)
				at := r.IntN(w/8 + 1)
				p.t = s.Gather(all[at : at+w/8])
				p.v = a.v>>(8*at) | b.v<<(w-8*at)
			case 13: // a part of a term
				var all [8]Byte
				s.Bytes(all[:], a.t)
				half := max(8, w/16*8)
				at := r.IntN((w-half)/8 + 1)
				p = pair{s.Gather(all[at : at+half/8]), a.v >> (8 * at)}
			case 14: // bytes of a term, some of them repeated
				var from, to [8]Byte
				s.Bytes(from[:], a.t)
				for i := range w / 8 {
					at := i &^ r.IntN(4)
					to[i], p.v = from[at], p.v|a.v>>(8*at)&0xff<<(8*i)
				}
				p.t = s.Gather(to[:w/8])
			case 15: // a sum rounded down
				sum := s.AddConst(a.t, r.Uint64()>>k)
				p = pair{s.And(sum, s.Const(w, ^uint64(0)<<k)), e.Term(sum) &^ (1<<k - 1)}
			case 16: // a sum divided, such as a length
				sum := s.AddConst(s.Scale(a.t, 3<<(k%20)), r.Uint64()>>r.IntN(64))
				p = pair{s.Shr(sum, k%20), e.Term(sum) >> (k % 20)}
			}
			p.v &= mask(s.Width(p.t))
			if got := e.Term(p.t); got != p.v {
				t.Fatalf("%s is %#x, want %#x", s.Format(p.t), got, p.v)
			}
			if p.v&^s.possibleBits(p.t, maxDepth) != 0 {
				t.Fatalf("%s is %#x, but only %#x are possible", s.Format(p.t), p.v, s.possibleBits(p.t, maxDepth))
			}
			pool[s.Width(p.t)] = append(pool[s.Width(p.t)], p)
		}
		// Substituting values for leaves must give the value of the term.
		u := s.Substitute(func(leaf Term) Term { return s.Const(s.Width(leaf), values[leaf]) })
		for w, terms := range pool {
			for _, p := range terms {
				if v, ok := s.IsConst(u.Term(p.t)); !ok || v != p.v&mask(w) {
					t.Fatalf("%s becomes %s, want %#x", s.Format(p.t), s.Format(u.Term(p.t)), p.v)
				}
			}
		}
	}
}

// TestEqual checks expressions that must be the same term.
func TestEqual(t *testing.T) {
	s := New()
	leaf := func(w int) Term { return s.NewLeaf(w, LeafInfo{Name: "x"}) }
	a, b, c := leaf(64), leaf(64), leaf(64)
	x := leaf(32)
	var bytes [8]Byte
	s.Bytes(bytes[:], a)
	rotated := append(append([]Byte(nil), bytes[3:]...), bytes[:3]...)
	for i, p := range [][2]Term{
		{s.Add(a, s.Add(b, c)), s.Add(s.Add(c, a), b)},
		{s.Xor(a, s.Xor(b, c)), s.Xor(s.Xor(c, a), b)},
		{s.Sub(s.Add(a, b), b), a},
		{s.Xor(s.Xor(a, b), b), a},
		{s.Add(a, a), s.Shl(a, 1)},
		{s.Xor(s.Add(a, a), s.Shr(a, 63)), s.Rot(a, 1)},
		{s.Or(s.Shl(a, 24), s.Shr(a, 40)), s.Rot(a, 24)},
		{s.Xor(s.Shl(s.Add(a, b), 12), s.Shr(s.Add(a, b), 52)), s.Rot(s.Add(a, b), 12)},
		{s.Gather(rotated), s.Rot(a, 40)},
		{s.Xor(s.Rot(a, 19), s.Rot(s.Add(a, b), 7)), s.Rot(s.Xor(s.Rot(a, 12), s.Add(a, b)), 7)},
		{s.Xor(s.Rot(s.Add(b, c), 24), s.Rot(s.Add(a, b), 8)), s.Rot(s.Xor(s.Rot(s.Add(b, c), 16), s.Add(a, b)), 8)},
		{s.Xor(s.Rot(s.Add(a, b), 7), s.Const(64, 3<<7)), s.Rot(s.Xor(s.Add(a, b), s.Const(64, 3)), 7)},
		{s.Rot(s.Rot(x, 25), 14), s.Rot(x, 7)},
		{s.Low(s.Xor(a, b), 32), s.Xor(s.Low(a, 32), s.Low(b, 32))},
		{s.Extend(s.Low(a, 32), 64), s.And(a, s.Const(64, 1<<32-1))},
		{s.Shr(s.And(a, s.Const(64, 0xfff0)), 4), s.And(s.Shr(a, 4), s.Const(64, 0xfff))},
	} {
		if p[0] != p[1] {
			t.Errorf("%d: %s, %s", i, s.Format(p[0]), s.Format(p[1]))
		}
	}
	for i, p := range [][2]Term{
		{s.Rot(a, 1), s.Rot(a, 2)},
		{s.Sub(a, b), s.Sub(b, a)},
		{s.Xor(a, b), s.Or(a, b)},
		{s.Low(a, 32), s.Low(b, 32)},
	} {
		if p[0] == p[1] {
			t.Errorf("%d: %s, %s", i, s.Format(p[0]), s.Format(p[1]))
		}
	}
}

// TestSame checks equal bytes of different terms, and bytes that differ.
func TestSame(t *testing.T) {
	s := New()
	a, b := s.NewLeaf(64, LeafInfo{Name: "a"}), s.NewLeaf(64, LeafInfo{Name: "b", Min: 1 << 16, Max: 1 << 55})
	byteOf := func(t Term, at int) Byte {
		var bytes [8]Byte
		s.Bytes(bytes[:], t)
		return bytes[at]
	}
	for i, test := range []struct {
		a, b Byte
		want bool
	}{
		{byteOf(s.Add(a, b), 1), byteOf(s.Add(s.Low(a, 32), s.Low(b, 32)), 1), true},
		{byteOf(s.Xor(s.Add(a, b), a), 0), byteOf(s.Xor(s.Add(s.Low(a, 16), s.Low(b, 16)), s.Low(a, 16)), 0), true},
		{byteOf(s.Add(a, b), 1), byteOf(s.Add(a, b), 2), false},
		{byteOf(s.Add(a, b), 1), byteOf(s.Add(a, s.Scale(b, 257)), 1), false},
		{byteOf(a, 7), byteOf(b, 7), false},
	} {
		if s.Same(test.a, test.b) != test.want || s.Same(test.b, test.a) != test.want {
			t.Errorf("%d: %s and %s: want %v", i, s.FormatByte(test.a), s.FormatByte(test.b), test.want)
		}
	}
	for _, leaf := range []Term{a, b, s.NewLeaf(64, LeafInfo{Name: "c", Min: 1 << 40, Max: 1<<40 + 5})} {
		if v, info := s.someValue(leaf), s.Info(leaf); v < info.Min || v > info.Max {
			t.Errorf("%#x is no value of %s", v, info.Name)
		}
	}
}

// TestAES checks numbers from FIPS 197: section 5.1.1, and a column of appendix B.
func TestAES(t *testing.T) {
	s := New()
	if got := s.Apply(SubByte, 8, 0, s.Const(8, 0x53)); got != s.Const(8, 0xed) {
		t.Errorf("S-box of 0x53: %s", s.Format(got))
	}
	if got := s.Apply(MixColumn, 32, 0, s.Const(32, 0x305dbfd4)); got != s.Const(32, 0xe5816604) {
		t.Errorf("MixColumn of d4 bf 5d 30: %s", s.Format(got))
	}
}
