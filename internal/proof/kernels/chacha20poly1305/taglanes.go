// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"errors"
	"fmt"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	packetsRow   = 2048 + 64 // bytes from a row to the next
	packetsSteps = 2048 / spec.Poly1305Block
)

// packetTags computes the tags of 16 packets, each with its own key, in two sets of eight lanes. A
// step takes a block of each; the bit above it is set from the step on at which the packet
// begins. Before that its row has zeros, as callers see to, and h stays 0.
type packetTags struct {
	lanes, rows *machine.Object
	g           *poly1305.Ring
	packets     []*packetTag
	step        term.Term // the number of steps before, at the loop's head
}

// A packetTag is one packet.
type packetTag struct {
	row, set, lane int
	r, s           [2]term.Term // r is clamped
	power          algebra.Poly // r in the loop, unknown
	start          term.Term
	limbs          [4][]term.Term // at the loop's head: of h, and of r·2^52i in the table
	end            [3]term.Term   // of h before the last subtraction
}

// packetStep counts steps in all its lanes.
const packetStep = "Z30"

// The registers of the sets' h, and what limbs of h may be.
var (
	packetH     = [2][3]string{{"Z0", "Z1", "Z2"}, {"Z13", "Z14", "Z15"}}
	packetMost  = [3]uint64{1<<64 - 1, 1<<64 - 1, 1<<52 - 1}
	PacketFinal = [3]uint64{1<<52 - 1, 1<<52 - 1, 1 << 26} // below 2·(2^130 - 5)
)

func tagLanesKernel(name string) engine.Kernel {
	var t packetTags
	return engine.Kernel{
		File: file, Func: name,
		Claim: "the tags of 16 packets with their own r and s: (h mod 2^130 - 5) + s, h = (h + block + 2^128 from step start on)·r for each block; zeros of the keys and the table",
		Wipes: true,
		Unit:  1, Min: 1, Max: packetsSteps, Step: 1, Lengths: fmt.Sprintf("1 to %d steps", packetsSteps),
		Setup: t.setup,
		Spec: func(c *engine.Case, _ int64, last bool) {
			if last {
				c.ExpectZeros(t.lanes, packetsPolyKey, packetsDst)
				c.ExpectZeros(t.lanes, packetsTable, packetsRows)
				c.Free(t.lanes, packetsTags, packetsTable)
			}
		},
		Invariant: t.invariant,
		At:        engine.Claims{"ended0": t.ended(0), "ended1": t.ended(1)},
		Left: func(c *engine.Case, s engine.View, _ int64, last bool) error {
			if !last {
				return nil
			}
			return t.tags(c, s)
		},
	}
}

func (t *packetTags) setup(c *engine.Case) {
	t.g = poly1305.NewRing(c)
	t.lanes = engine.Writable(c.Buffer("s", packetsRows))
	t.rows = c.Bytes("rows", c.AddConst(c.Scale(c.N, spec.Poly1305Block), packetsRow*(packets-1)))
	t.packets = nil
	for i := range packets {
		p := &packetTag{row: i, set: i / 2 % 2, lane: i/4*2 + i%2}
		t.packets = append(t.packets, p)
		p.start = c.Input(fmt.Sprintf("start%d", i), true)
		t.lanes.Set(int64(packetsStart+8*(8*p.set+p.lane)), p.start)
		var key [64]term.Byte // words of all packets lie together
		for j := range key[:32] {
			key[j] = t.lanes.Initial(int64(packetsPolyKey + 4*(packets*(j/4)+i) + j%4))
		}
		for j := range 4 {
			t.g.Word(c.Gather(key[8*j : 8*j+8]))
		}
		p.r, p.s = spec.Poly1305Key(c.Store, key)
		p.power = t.g.Unknown(fmt.Sprintf("r%d", i))
	}
	c.Arg(t.lanes.Base, t.rows.Base, c.N)
}

// places returns where the limbs of h are, or those of a row of the table, which are apart by 64.
func (t *packetTags) places(c *engine.Case, p *packetTag, number int) (at [3]engine.Place) {
	for i := range at {
		if at[i] = c.Lane(packetH[p.set][i], p.lane); number > 0 {
			at[i] = engine.In(t.lanes, int64(packetsTable+64*(9*p.set+3*(number-1)+i)+8*p.lane))
		}
	}
	return at
}

// has returns what these places have.
func (t *packetTags) has(c *engine.Case, s engine.View, p *packetTag, number int) (limbs []term.Term) {
	for _, place := range t.places(c, p, number) {
		limbs = append(limbs, s.At(place))
	}
	return limbs
}

// number returns what limbs make. What one of h has above 52 bits is in the next one, too.
func (t *packetTags) number(c *engine.Case, h []term.Term) algebra.Poly {
	mask := c.Const(64, 1<<52-1)
	return t.g.Number(52, c.And(h[0], mask), c.And(h[1], mask), h[2])
}

// invariant claims that h, the table and the number of steps are unknown.
func (t *packetTags) invariant(c *engine.Case, s engine.View, first bool) *engine.Claim {
	if first {
		t.step = c.NewLeaf(64, term.LeafInfo{Name: "step", Public: true})
	}
	a := &engine.Claim{Unknown: []term.Term{t.step}, Bounds: t.g.Algebra}
	for lane := range 8 {
		a.Has = append(a.Has, c.Lane(packetStep, lane).Has(t.step))
	}
	for _, p := range t.packets {
		if first {
			p.unknown(c, t.g)
		}
		for number := range p.limbs {
			for j, place := range t.places(c, p, number) {
				a.Any(place, p.limbs[number][j])
			}
		}
	}
	a.Where = func() error {
		step := c.AddConst(t.step, 1)
		if first {
			step = c.Const(64, 0)
		}
		if s.At(c.Register(packetStep)) != step {
			return errors.New("counts steps otherwise")
		}
		for _, p := range t.packets {
			h, r := algebra.Poly{}, t.g.Number(64, p.r[:]...)
			if !first {
				h, r = t.hash(c, p), p.power
			}
			for number, want := range []algebra.Poly{h, r, r.Scaled(52), r.Scaled(104)} {
				if err := t.g.Same("what a lane has", t.number(c, t.has(c, s, p, number)), want); err != nil {
					return fmt.Errorf("number %d of packet %d: %w", number, p.row, err)
				}
			}
		}
		return nil
	}
	return a
}

// unknown makes new unknowns for h and the table.
func (p *packetTag) unknown(c *engine.Case, g *poly1305.Ring) {
	p.limbs[0] = nil
	for i, most := range packetMost {
		p.limbs[0] = append(p.limbs[0], c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("h%d.%d", p.row, i), Max: most}))
		p.end[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("end%d.%d", p.row, i), Max: PacketFinal[i]})
	}
	for i, most := range poly1305.IfmaMost {
		p.limbs[1+i] = g.Limbs(c, fmt.Sprintf("r%d·2^%d", p.row, 52*i), p.power.Scaled(52*i), 52, most...)
	}
}

// hash returns what h is after a step more.
func (t *packetTags) hash(c *engine.Case, p *packetTag) algebra.Poly {
	bit := algebra.Constant(spec.Poly1305Marker)
	block := spec.Poly1305BlockAt(c.Store, t.g.Algebra, t.rows, packetsRow*int64(p.row)).Minus(bit)
	begun := c.Xor(c.Borrow(t.step, p.start, c.Const(8, 0)), c.Const(8, 1))
	return t.number(c, p.limbs[0]).Mul(p.power).Plus(block).Plus(bit.Mul(t.g.Value(begun)))
}

// ended is before 5 is added to h of a set: from there on it is limbs in bounds.
func (t *packetTags) ended(set int) func(*engine.Case, engine.View) *engine.Claim {
	return func(c *engine.Case, s engine.View) *engine.Claim {
		a := &engine.Claim{Bounds: t.g.Algebra}
		a.Where = func() (err error) {
			for _, p := range t.packets {
				if p.set == set && err == nil {
					err = t.g.Same("h at the end", t.number(c, t.has(c, s, p, 0)), t.hash(c, p).Mul(p.power))
				}
			}
			return err
		}
		for _, p := range t.packets {
			for j, place := range t.places(c, p, 0) {
				if p.set == set {
					a.Any(place, p.end[j])
				}
			}
		}
		return a
	}
}

// tags has the tags be those of what h is at the end.
func (t *packetTags) tags(c *engine.Case, s engine.View) error {
	for i, p := range t.packets {
		for j, want := range spec.Poly1305Tag52(c.Store, p.end, p.s) {
			at := int64(packetsTags + 16*(8*p.set+4*(i%2)+i/4) + 8*j)
			if got := s.Stored(t.lanes, at); got != want {
				return fmt.Errorf("the tag of packet %d has %s, want %s", i, c.Format(got), c.Format(want))
			}
		}
	}
	return nil
}
