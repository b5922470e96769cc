// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package poly1305

import (
	"testing"

	"github.com/unimac/unimac/internal/mactest/bounds"
)

// A limbsModel is a model of the kernels that hold a number as five limbs of 26
// bits: those for AVX2, with four lanes, and for NEON, with two.
type limbsModel struct {
	*bounds.Log
	in    *modelInput
	lanes int

	// order has the block of each lane, counted from the first that is loaded.
	order []int

	// steps are the powers by which blocks are multiplied that wait for others,
	// in lanes' numbers of blocks: so many times lanes is the power of r.
	steps int

	// wide tells that blocks that are only added go to sums as 52 bits.
	wide bool

	h [][5]number // of each lane
}

// multiplier is a power of r as nine numbers of 32 bits.
func (m *limbsModel) multiplier(power int) [9]number {
	l := m.limbs(m.in.power(power), "multiplier 4")
	var t [9]number
	copy(t[:], l[:])
	for i := 1; i < 5; i++ {
		t[4+i] = m.Fits("5·multiplier", l[i].Mul(bounds.Constant(5)), 32)
	}
	return t
}

// limbs cuts three words into limbs; the last takes what is left.
func (m *limbsModel) limbs(w [3]number, last string) [5]number {
	return [5]number{
		w[0].Low(26), w[0].Shr(26).Low(26), w[0].Shr(52).Add(w[1].Low(14).Shl(12)).Low(26),
		w[1].Shr(14).Low(26), m.Fits(last, w[1].Shr(40).Add(w[2].Shl(24)), 32),
	}
}

// factor is a block in limbs of 26 bits.
func (m *limbsModel) factor(i int) [5]number {
	b := m.in.block(i)
	return m.limbs([3]number{b[0], b[1], bounds.Constant(1)}, "block 4")
}

// begin is a block in the sums.
func (m *limbsModel) begin(i int) [5]number {
	if !m.wide {
		return m.factor(i)
	}
	b := m.in.block(i)
	zero := bounds.Constant(0)
	return [5]number{b[0].Low(52), zero, b[0].Shr(52).Add(b[1].Low(40).Shl(12)), zero, b[1].Shr(40).Add(bounds.Constant(1 << 24))}
}

// multiply adds x·y to the sums. A multiplication takes 32 bits of each factor.
func (m *limbsModel) multiply(d *[5]number, x [5]number, y [9]number) {
	for i := range x {
		m.Fits("factor", x[i], 32)
		for j := range 5 {
			entry := j
			if i+j >= 5 {
				entry = 4 + j
			}
			d[(i+j)%5] = m.Fits("sum", d[(i+j)%5].Add(x[i].Mul(y[entry])), 64)
		}
	}
}

// reduce carries.
func (m *limbsModel) reduce(d *[5]number) {
	for step, from := range []int{0, 3, 1, 4, 2, 0, 3} {
		c := d[from].Shr(26)
		switch {
		case from == 4:
			c = m.Fits("carry 4 → 0", c.Mul(bounds.Constant(5)), 64)
		case step < 5:
			m.Fits("carry", c, 64)
		default:
			m.Fits("second carry", c, 64)
		}
		d[from] = d[from].Low(26)
		d[(from+1)%5] = m.Fits("sum and carry", d[(from+1)%5].Add(c), 64)
	}
	for i := range d {
		m.Fits("limb of h", d[i], 32)
	}
}

// finish adds up the lanes.
func (m *limbsModel) finish() [3]number {
	var d [5]number
	for i := range d {
		d[i] = bounds.Constant(0)
		for lane := range m.h {
			d[i] = d[i].Add(m.h[lane][i])
		}
		m.Fits("limb of all lanes", d[i], 32)
	}
	lo := m.Fits("limbs 0 and 1", d[0].Add(d[1].Shl(26)), 64)
	lo, c := carry(lo.Add(d[2].Low(12).Shl(52)))
	hi := m.Fits("limbs 2 and 3", d[2].Shr(12).Add(c).Add(d[3].Shl(14)), 64)
	hi, c = carry(hi.Add(d[4].Low(24).Shl(40)))
	top := m.Fits("upper word", d[4].Shr(24).Add(c), 64)
	return fold(m.Log, [3]number{lo, hi, top})
}

// run is the kernel. The first and the rest of the blocks are a multiple of lanes.
func (m *limbsModel) run() [3]number {
	n, lanes := len(m.in.msg)/BlockSize, m.lanes
	m.h = make([][5]number, lanes)
	for lane := range m.h {
		m.h[lane] = m.factor(m.order[lane])
	}
	for i, limb := range m.limbs(m.in.accumulator(), "accumulator 4") {
		m.h[0][i] = m.Fits("limb of the first blocks", m.h[0][i].Add(limb), 32)
	}
	power := make([][9]number, m.steps+1)
	for i := 1; i <= m.steps; i++ {
		power[i] = m.multiplier(lanes * i)
	}
	i := lanes
	for ; (n-i)%(lanes*m.steps) > 0; i += lanes {
		for lane := range m.h {
			d := m.begin(i + m.order[lane])
			m.multiply(&d, m.h[lane], power[1])
			m.reduce(&d)
			m.h[lane] = d
		}
	}
	for ; i < n; i += lanes * m.steps {
		for lane := range m.h {
			last := m.steps - 1
			d := m.begin(i + lanes*last + m.order[lane])
			for step := range last {
				m.multiply(&d, m.factor(i+lanes*step+m.order[lane]), power[last-step])
			}
			m.multiply(&d, m.h[lane], power[m.steps])
			m.reduce(&d)
			m.h[lane] = d
		}
	}
	for lane := range m.h {
		d := [5]number{bounds.Constant(0), bounds.Constant(0), bounds.Constant(0), bounds.Constant(0), bounds.Constant(0)}
		m.multiply(&d, m.h[lane], m.multiplier(lanes-m.order[lane]))
		m.reduce(&d)
		m.h[lane] = d
	}
	return m.finish()
}

func avx2Model(log *bounds.Log, in *modelInput) *limbsModel {
	return &limbsModel{Log: log, in: in, lanes: 4, order: []int{0, 2, 1, 3}, steps: 2, wide: true}
}

func neonModel(log *bounds.Log, in *modelInput) *limbsModel {
	return &limbsModel{Log: log, in: in, lanes: 2, order: []int{0, 1}, steps: 4}
}

func TestLimbBounds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		newModel func(*bounds.Log, *modelInput) *limbsModel
		want     map[string]string
		// How many bits the upper words of powers, and of the accumulator, may not grow.
		growPower, growH2 string
	}{
		{"avx2", avx2Model, map[string]string{
			"multiplier 4": "26.33", "5·multiplier": "28.65", "limb of the first blocks": "27.33", "factor": "27.33",
			"sum": "58.09", "carry": "32.09", "carry 4 → 0": "32.30", "second carry": "6.33", "limb of h": "26.01",
			"limb of all lanes": "28.01", "h2": "2.33",
		}, "4", "6"},
		{"neon", neonModel, map[string]string{
			"multiplier 4": "26.33", "5·multiplier": "28.65", "limb of the first blocks": "27.33", "factor": "27.33",
			"sum": "58.74", "carry": "32.74", "carry 4 → 0": "32.99", "second carry": "7.00", "limb of h": "26.01",
			"limb of all lanes": "27.01", "h2": "2.33",
		}, "4", "6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bounds.Log
			run := func(log *bounds.Log, in *modelInput) { tt.newModel(log, in).run() }
			settled := ""
			for steps := 1; steps <= 14; steps++ {
				if steps == 11 {
					settled = log.String()
				}
				for _, in := range modelInputs(steps * tt.newModel(nil, nil).lanes)[:3] {
					h := tt.newModel(&log, in).run()
					if most := h[2].Most().Uint64(); most > 4 {
						t.Fatalf("h2 may be %d, want at most 4", most)
					}
					checkModel(t, in, words(h))
				}
			}
			if log.String() != settled {
				t.Errorf("bounds still grow:\n%s", settled)
			}
			log.Check(t, tt.want)
			in := modelInputs(12 * tt.newModel(nil, nil).lanes)[1]
			if got := firstOverflow(run, in, func(in *modelInput, bits int) { in.mostTop = in.mostTop<<bits | 1 }); got != tt.growPower {
				t.Errorf("overflows for powers larger by %s bits, want %s", got, tt.growPower)
			}
			if got := firstOverflow(run, in, func(in *modelInput, bits int) { in.mostH2 = in.mostH2<<bits | 1 }); got != tt.growH2 {
				t.Errorf("overflows for an accumulator larger by %s bits, want %s", got, tt.growH2)
			}
		})
	}
}
