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
	packets     [packets]packetTag
	step        term.Term // the number of steps before, at the loop's head
}

// A packetTag is one packet.
type packetTag struct {
	set, lane int
	r         [2]term.Term // clamped
	s         [2]term.Term
	power     algebra.Poly // r in the loop, unknown
	start     term.Term
	before    algebra.Poly   // h at the loop's head
	h         [3]term.Term   // there, as limbs
	table     [3][]term.Term // the rows
}

// packetStep counts steps in all its lanes.
const packetStep = "Z30"

// A packetEnd is the cut before the last subtraction: what h is, and the limbs in its place.
type packetEnd struct{ h, fresh [3]term.Term }

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
			if !last {
				return
			}
			for at := int64(packetsPolyKey); at < packetsDst; at++ {
				c.ExpectByte(t.lanes, at, term.ConstByte(0))
			}
			for at := int64(packetsTable); at < packetsRows; at++ {
				c.ExpectByte(t.lanes, at, term.ConstByte(0))
			}
			c.Free(t.lanes, packetsTags, packetsTable)
		},
		Invariant: t.invariant,
		At:        engine.Claims{"ended0": t.ended, "ended1": t.ended},
		Left: func(c *engine.Case, s engine.View, n int64, last bool) error {
			if !last {
				return nil
			}
			return t.check(c, s, n)
		},
	}
}

func (t *packetTags) setup(c *engine.Case) {
	t.g = poly1305.NewRing(c)
	t.lanes = engine.Writable(c.Buffer("s", packetsRows))
	t.rows = c.Bytes("rows", c.AddConst(c.Scale(c.N, spec.Poly1305Block), packetsRow*(packets-1)))
	for i := range t.packets {
		p := &t.packets[i]
		p.set, p.lane = i/2%2, i/4*2+i%2
		p.start = c.Input(fmt.Sprintf("start%d", i), true)
		t.lanes.Set(int64(packetsStart+8*(8*p.set+p.lane)), p.start)
		word := func(j int) term.Term {
			var b [8]term.Byte
			c.Store.Bytes(b[:4], c.Load(t.lanes, int64(packetsPolyKey+64*j+4*i), 4))
			c.Store.Bytes(b[4:], c.Load(t.lanes, int64(packetsPolyKey+64*j+64+4*i), 4))
			w := c.Gather(b[:])
			t.g.Word(w)
			return w
		}
		for j := range 2 {
			p.r[j], p.s[j] = c.And(word(2*j), c.Const(64, spec.Poly1305Clamp[j])), word(4+2*j)
		}
		p.power = t.g.Unknown(fmt.Sprintf("r%d", i))
	}
	c.Arg(t.lanes.Base, t.rows.Base, c.N)
}

// places returns where h of a packet is.
func (p *packetTag) places(c *engine.Case) (at [3]engine.Place) {
	for i, register := range packetH[p.set] {
		at[i] = c.Lane(register, p.lane)
	}
	return at
}

// limbs returns h of a packet.
func (p *packetTag) limbs(c *engine.Case, s engine.View) (h [3]term.Term) {
	for i, place := range p.places(c) {
		h[i] = s.At(place)
	}
	return h
}

// number returns h of a packet. What a limb has above 52 bits is in the next one, too.
func (t *packetTags) number(c *engine.Case, h [3]term.Term) algebra.Poly {
	for i := range 2 {
		h[i] = c.And(h[i], c.Const(64, 1<<52-1))
	}
	return t.g.Number(52, h[:]...)
}

// row returns where the table has r·2^52i of a packet: its limbs are apart by 64.
func (t *packetTags) row(p *packetTag, i int) (at [3]engine.Place) {
	for limb := range at {
		at[limb] = engine.In(t.lanes, int64(packetsTable+64*(9*p.set+3*i+limb)+8*p.lane))
	}
	return at
}

// unknowns makes new unknowns for h, the table and the number of steps.
func (t *packetTags) unknowns(c *engine.Case) {
	t.step = c.NewLeaf(64, term.LeafInfo{Name: "step", Public: true})
	for i := range t.packets {
		p := &t.packets[i]
		for j, most := range packetMost {
			p.h[j] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("h%d.%d", i, j), Max: most})
		}
		for j := range p.table {
			p.table[j] = t.g.Limbs(c, fmt.Sprintf("r%d·2^%d", i, 52*j), p.power.Scaled(52*j), 52, poly1305.IfmaMost[j]...)
		}
	}
}

// invariant claims that h, the table and the number of steps are unknown.
func (t *packetTags) invariant(c *engine.Case, s engine.View, first bool) *engine.Claim {
	if first {
		t.unknowns(c)
	}
	a := &engine.Claim{Unknown: []term.Term{t.step}, Bounds: t.g.Algebra}
	for lane := range 8 {
		a.Has = append(a.Has, c.Lane(packetStep, lane).Has(t.step))
	}
	for i := range t.packets {
		p := &t.packets[i]
		for j, place := range p.places(c) {
			a.Any(place, p.h[j])
		}
		for j, limbs := range p.table {
			for k, place := range t.row(p, j) {
				a.Any(place, limbs[k])
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
		for i := range t.packets {
			if err := t.holds(c, &t.packets[i], s, first); err != nil {
				return fmt.Errorf("packet %d: %w", i, err)
			}
		}
		return nil
	}
	return a
}

// holds checks a turn for a packet, or the first arrival: the table has r, and h is 0.
func (t *packetTags) holds(c *engine.Case, p *packetTag, s engine.View, first bool) error {
	for j := range p.table {
		var limbs []term.Term
		for k, place := range t.row(p, j) {
			limbs = append(limbs, s.At(place))
			if !first && limbs[k] != p.table[j][k] {
				return fmt.Errorf("a turn changes limb %d of r·2^%d", k, 52*j)
			}
		}
		if first {
			if err := t.g.Same("an entry of the table", t.g.Number(52, limbs...), t.g.Number(64, p.r[:]...).Scaled(52*j)); err != nil {
				return err
			}
		}
	}
	p.before = t.number(c, p.h)
	want := algebra.Poly{}
	if !first {
		want = t.hash(c, p, 1)
	}
	return t.g.Same("h", t.number(c, p.limbs(c, s)), want)
}

// hash returns what h is after so many steps more.
func (t *packetTags) hash(c *engine.Case, p *packetTag, n int64) algebra.Poly {
	h := p.before
	for i := range n {
		packet := int64(p.lane/2*4 + 2*p.set + p.lane%2)
		h = h.Mul(p.power).Plus(spec.Poly1305BlockAt(c.Store, t.g.Algebra, t.rows, packetsRow*packet+spec.Poly1305Block*i))
		// It was with the bit above it.
		late := c.Borrow(c.AddConst(t.step, uint64(i)), p.start, c.Const(8, 0))
		begun := c.Xor(late, c.Const(8, 1))
		bit := algebra.Constant(spec.Poly1305Marker)
		h = h.Minus(bit).Plus(bit.Mul(t.g.Value(begun)))
	}
	return h
}

// ended is before 5 is added to h: from there on it is limbs in bounds.
func (t *packetTags) ended(c *engine.Case, s engine.View) *engine.Claim {
	ends, _ := s.Note.([]packetEnd)
	set := len(ends) / 8
	a := &engine.Claim{Bounds: t.g.Algebra}
	for lane := range 8 {
		p := packetTag{set: set, lane: lane}
		e := packetEnd{h: p.limbs(c, s)}
		for i, place := range p.places(c) {
			e.fresh[i] = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("end%d.%d.%d", set, lane, i), Max: PacketFinal[i]})
			a.Any(place, e.fresh[i])
		}
		ends = append(ends[:len(ends):len(ends)], e)
	}
	a.Note = ends
	return a
}

// check has the tags be what they should.
func (t *packetTags) check(c *engine.Case, s engine.View, n int64) error {
	ends, _ := s.Note.([]packetEnd)
	if len(ends) != packets || !c.Looped {
		return errors.New("ends otherwise")
	}
	for i := range t.packets {
		p := &t.packets[i]
		e := ends[8*p.set+p.lane]
		if err := t.g.Same("h at the end", t.number(c, e.h), t.hash(c, p, n).Mul(p.power)); err != nil {
			return fmt.Errorf("packet %d: %w", i, err)
		}
		for j, want := range spec.Poly1305Tag52(c.Store, e.fresh, p.s) {
			at := int64(packetsTags + 16*(8*(i/2%2)+4*(i%2)+i/4) + 8*j)
			if got := s.Stored(t.lanes, at); got != want {
				return fmt.Errorf("the tag of packet %d has %s, want %s", i, c.Format(got), c.Format(want))
			}
		}
	}
	return nil
}
