// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest/bounds"
)

// An ifmaModel is a model of the kernel for AVX-512 IFMA, whose eight lanes hold
// numbers in limbs at 2^0, 2^52 and 2^104.
type ifmaModel struct {
	*bounds.Log
	in *modelInput
	h  [8][3]number
}

// What IFMA's instructions add: the lower and the upper 52 bits of a product of
// the lower 52 bits of two words.
func (m *ifmaModel) low(x, y number) number  { return x.Low(52).Mul(y.Low(52)).Low(52) }
func (m *ifmaModel) high(x, y number) number { return x.Low(52).Mul(y.Low(52)).Shr(52) }

// split cuts three words into limbs. The lower limbs have bits above 2^52 that do
// not count.
func (m *ifmaModel) split(lo, hi, top number) [3]number {
	x1 := lo.Shr(52).Add(hi.Low(52).Shl(12))
	x2 := m.Fits("upper limb of a block, power or accumulator", hi.Shr(40).Add(top.Shl(24)), 52)
	return [3]number{lo, x1, x2}
}

func cut(x [3]number) [3]number { return [3]number{x[0].Low(52), x[1].Low(52), x[2]} }

// carry adds what the lower limbs have above 2^52 to the limb above, and leaves it.
func (m *ifmaModel) carry(x [3]number) [3]number {
	x[1] = m.Fits("limb and carry", x[1].Add(x[0].Shr(52)), 64)
	x[2] = m.Fits("upper limb and carry", x[2].Add(x[1].Shr(52)), 64)
	return x
}

// table is a power y, y·2^52 and y·2^104, as tableAVX512IFMA makes them.
func (m *ifmaModel) table(power int) (t [3][3]number) {
	w := m.in.power(power)
	y := cut(m.split(w[0], w[1], w[2]))
	for i := range t {
		if i > 0 {
			over := m.Fits("y above 2^130", y[1].Shr(26).Add(y[2].Shl(26)), 64)
			over = m.Fits("5·(y above 2^130)", over.Mul(bounds.Constant(5)), 64)
			y = cut(m.carry([3]number{over, y[0], y[1].Low(26)}))
		}
		t[i] = [3]number{m.Fits("A", y[0], 52), m.Fits("B", y[1], 52), m.Fits("D", y[2], 52)}
	}
	return t
}

// sums are L0 to L3, the low and the high halves apart.
type ifmaSums struct{ l0, l1, h1, l2, h2, h3 number }

func begin(x [3]number) *ifmaSums {
	zero := bounds.Constant(0)
	return &ifmaSums{l0: x[0], l1: x[1], h1: zero, l2: x[2], h2: zero, h3: zero}
}

// multiply adds x·y. Only of the lower limbs of x, some bits do not count.
func (m *ifmaModel) multiply(s *ifmaSums, x [3]number, y [3][3]number) {
	m.Fits("factor x2", x[2], 52)
	for i := range x {
		s.l0 = s.l0.Add(m.low(y[i][0], x[i]))
		s.h1 = s.h1.Add(m.high(y[i][0], x[i]))
		s.l1 = s.l1.Add(m.low(y[i][1], x[i]))
		s.h2 = s.h2.Add(m.high(y[i][1], x[i]))
		s.l2 = s.l2.Add(m.low(y[i][2], x[i]))
		s.h3 = s.h3.Add(m.high(y[i][2], x[i]))
	}
}

func (m *ifmaModel) reduce(s *ifmaSums) [3]number {
	m.Fits("L0", s.l0, 64)
	m.Fits("L1", s.l1.Add(s.h1), 64)
	l2 := m.Fits("L2", s.l2.Add(s.h2), 64)
	l3 := m.Fits("L3, a factor", s.h3, 52)
	over := m.Fits("L2 above 2^51, a factor", l2.Shr(51), 52)
	unit156, unit155 := bounds.Constant(5<<26), bounds.Constant(5<<25)
	// Its upper half is not added.
	m.Fits("5·2^25·(L2 above 2^51)", over.Mul(unit155), 52)
	l0 := m.Fits("L0 reduced", s.l0.Add(m.low(l3, unit156)).Add(m.low(over, unit155)), 64)
	l1 := m.Fits("L1 reduced", s.l1.Add(s.h1).Add(m.high(l3, unit156)), 64)
	x := m.carry([3]number{l0, l1, l2.Low(51)})
	m.Fits("h2", x[2], 52)
	return x
}

// block is one as a factor.
func (m *ifmaModel) block(i int) [3]number {
	b := m.in.block(i)
	return m.split(b[0], b[1], bounds.Constant(1))
}

// run is the kernel. In lane i stand the blocks that are multiplied by r^(8-i) in
// the end: this order is not the kernel's, and lanes are added up in any.
func (m *ifmaModel) run() [3]number {
	n := len(m.in.msg) / BlockSize
	skip := -n & 7
	zero := bounds.Constant(0)
	for lane := range m.h {
		m.h[lane] = [3]number{zero, zero, zero}
		if lane >= skip {
			m.h[lane] = cut(m.block(lane - skip))
		}
		if lane == skip {
			a := m.in.accumulator()
			limbs := cut(m.split(a[0], a[1], a[2]))
			for i, limb := range limbs {
				m.h[lane][i] = m.Fits("limb of the first blocks", m.h[lane][i].Add(limb), 64)
			}
		}
		m.h[lane] = m.carry(m.h[lane])
	}
	i := 8 - skip
	eight, sixteen := m.table(8), m.table(16)
	if (n-i)%16 != 0 {
		for lane := range m.h {
			s := begin(cut(m.block(i + lane)))
			m.multiply(s, m.h[lane], eight)
			m.h[lane] = m.reduce(s)
		}
		i += 8
	}
	for ; i < n; i += 16 {
		for lane := range m.h {
			s := begin(cut(m.block(i + 8 + lane)))
			m.multiply(s, m.block(i+lane), eight)
			m.multiply(s, m.h[lane], sixteen)
			m.h[lane] = m.reduce(s)
		}
	}
	all := [3]number{zero, zero, zero}
	for lane := range m.h {
		s := begin([3]number{zero, zero, zero})
		m.multiply(s, m.h[lane], m.table(8-lane))
		for i, limb := range cut(m.reduce(s)) {
			all[i] = m.Fits("limb of all lanes", all[i].Add(limb), 64)
		}
	}
	return m.finish(all)
}

func (m *ifmaModel) finish(h [3]number) [3]number {
	h = cut(m.carry(h))
	over := h[2].Shr(26)
	h = m.carry([3]number{h[0].Add(over.Mul(bounds.Constant(5))), h[1], h[2].Low(26)})
	h = cut(h)
	return [3]number{
		h[0].Add(h[1].Low(12).Shl(52)), h[1].Shr(12).Add(h[2].Low(24).Shl(40)), m.Fits("upper word", h[2].Shr(24), 64),
	}
}

func TestIFMABounds(t *testing.T) {
	var log bounds.Log
	run := func(log *bounds.Log, in *modelInput) [3]number { return (&ifmaModel{Log: log, in: in}).run() }
	settled := ""
	for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 24, 25, 32, 40, 56, 72} {
		if n == 56 {
			settled = log.String()
		}
		for _, in := range modelInputs(n)[:3] {
			h := run(&log, in)
			if most := h[2].Most().Uint64(); most > 4 {
				t.Fatalf("h2 may be %d, want at most 4", most)
			}
			checkModel(t, in, words(h))
		}
	}
	if log.String() != settled {
		t.Errorf("bounds still grow:\n%s", settled)
	}
	log.Check(t, map[string]string{
		"A": "52.00", "B": "52.00", "D": "26.33", "5·(y above 2^130)": "54.65",
		"L0": "54.81", "L1": "55.53", "L2": "55.33", "L3, a factor": "28.33", "L2 above 2^51, a factor": "4.33",
		"5·2^25·(L2 above 2^51)": "31.57", "L0 reduced": "55.01", "L1 reduced": "55.53", "factor x2": "51.00",
		"limb of all lanes": "55.00", "upper word": "2.33",
	})
	in := modelInputs(72)[1]
	for _, tt := range []struct {
		name string
		grow func(in *modelInput, bits int)
		want string
	}{
		{"powers", func(in *modelInput, bits int) { in.mostTop = in.mostTop<<bits | 1 }, "10"},
		{"an accumulator", func(in *modelInput, bits int) { in.mostH2 = in.mostH2<<bits | 1 }, "26"},
	} {
		if got := firstOverflow(func(log *bounds.Log, in *modelInput) { run(log, in) }, in, tt.grow); got != tt.want {
			t.Errorf("overflows for %s larger by %s bits, want %s", tt.name, got, tt.want)
		}
	}
}
