// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	layout "github.com/unimac/unimac/internal/layout/chacha20poly1305"
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// These registers determine what an iteration of a loop over packets does.
const (
	inNumber = "SI" // number of the keystream block; block 1 encrypts the start of the text
	inPacket = "DI" // number of the packet
	inStream = "R8" // address of the packet's keystream block
)

// iterationStarts states what registers contain at the start of an iteration. offset is
// the block's offset in the packet's text, and mask is all ones to decrypt.
func iterationStarts(c *engine.Case, lanes *machine.Object, packet, offset, stream, mask term.Term) []engine.Has {
	in := c.Register
	return []engine.Has{
		in("AX").Has(lanes.Base), in("DX").Has(offset), in(inPacket).Has(packet), in(inStream).Has(stream), in("K2").Has(mask),
	}
}

// laneTexts describes texts of unequal lengths and the rows for their ciphertexts.
type laneTexts struct {
	lanes          *machine.Object
	dst, src, rows [packets]*machine.Object
	lengths        [packets]term.Term
	open           term.Term // argument: 1 to decrypt
	first          uint64    // argument: 1 if the kernel skips block 0
}

var firstBlocks = []string{"from block 0", "from block 1"}

func xorLanesKernel(name string) engine.Kernel {
	var t laneTexts
	return engine.Kernel{
		File: file, Func: name,
		Claim:      "each of 16 texts, of its own length, XOR its key stream from block 1, apart or in place; the ciphertexts in the rows, with zeros to whole blocks of 64; and 32 bytes of each block 0, if first is 0",
		Variants:   firstBlocks,
		Range:      engine.Range{Unit: 1, Min: 1, Max: 1 + packetsText/64, Lengths: "0 to 1984 bytes each, in 1 to 32 blocks"},
		Weakenings: engine.Weakenings{At: engine.Assertions{"firstLane": t.callIteration("first", 0), "secondLane": t.callIteration("second", 1)}},
		Segments:   []engine.Kernel{xorIteration(name, "first"), xorIteration(name, "second")},
		Setup:      t.setup,
		Spec:       t.spec,
	}
}

func (t *laneTexts) setup(c *engine.Case) {
	t.lanes = engine.Writable(c.Buffer("s", layout.LanesStart))
	for i := range packets {
		n := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("length%d", i), Public: true, Max: packetsText})
		to, src := engine.Writable(c.Bytes(fmt.Sprintf("dst%d", i), n)), c.Bytes(fmt.Sprintf("src%d", i), n)
		c.InPlace(src, to)
		row := engine.Writable(c.Buffer(fmt.Sprintf("row%d", i), packetsRowText))
		t.dst[i], t.src[i], t.rows[i], t.lengths[i] = to, src, row, n
		for at, word := range map[int64]term.Term{layout.LanesDst: to.Base, layout.LanesSrc: src.Base, layout.LanesLength: n, layout.LanesRowAt: c.Sub(row.Base, t.lanes.Base)} {
			t.lanes.Set(at+8*int64(i), word)
		}
	}
	t.open = c.NewLeaf(64, term.LeafInfo{Name: "open", Public: true, Max: 1})
	t.first = uint64(slices.Index(firstBlocks, c.Variant))
	c.Arg(t.lanes.Base, c.Const(64, t.first), c.N, t.open)
}

func (t *laneTexts) spec(c *engine.Case, n int64, _ bool) {
	for i := range packets * int(1-t.first) {
		block0 := spec.ChaCha20Block(c.Store, packetState(t.lanes, i))
		for j := range 32 {
			c.ExpectByte(t.lanes, inRow(layout.LanesPolyKey, i, j), block0[j])
		}
	}
	passes := max(1, (uint64(n)-t.first+1)/2) // passes over two blocks each
	for block := uint64(1); block < t.first+2*passes; block++ {
		at := 64 * int64(block-1)
		for i := range packets {
			c.ExpectResult(t.rows[i], at, iterationName(i, block), "row", 0, 64)
			if at < packetsText {
				c.ExpectResult(t.dst[i], at, iterationName(i, block), "dst", 0, 64)
			}
		}
	}
}

func iterationName(packet int, block uint64) string {
	return fmt.Sprintf("packet %d, block %d", packet, block)
}

// callIteration checks the keystream and calls the iteration for block inNumber + ahead.
func (t *laneTexts) callIteration(loop string, ahead uint64) func(*engine.Case, engine.View) *engine.Assertion {
	return func(c *engine.Case, s engine.View) *engine.Assertion {
		in := func(register string) term.Term { return s.At(c.Register(register)) }
		block, i := c.Known(in(inNumber))+ahead, int(c.Known(in(inPacket)))
		if i >= packets {
			machine.Fail("register %s is %d, want a packet number below %d", inPacket, i, packets)
		}
		x := packetState(t.lanes, i)
		x[12] = c.AddConst(x[12], block)
		slot, at := s.Resolve(in(inStream))
		for j, b := range spec.ChaCha20Block(c.Store, x) {
			if err := s.Is(fmt.Sprintf("byte %d of packet %d's key stream", j, i), s.Has(engine.In(slot, at+int64(j)), 8), c.Gather([]term.Byte{b})); err != nil {
				machine.Fail("%v", err)
			}
		}
		offset := 64 * (int64(block) - 1)
		return &engine.Assertion{
			Has: iterationStarts(c, t.lanes, c.Const(64, uint64(i)), c.Const(64, uint64(offset)),
				c.AddConst(slot.Base, uint64(at)), c.Sub(c.Const(64, 0), t.open)),
			Call: &engine.Call{
				To: loop + "Next", Name: iterationName(i, block), Cases: iterationCases(i, offset, t.open, t.lengths[i]),
				Buffers: map[string]engine.Place{
					"s": engine.In(t.lanes, 0), "stream": engine.In(slot, at), "row": engine.In(t.rows[i], offset),
					"dst": engine.In(t.dst[i], offset), "src": engine.In(t.src[i], offset),
				},
			},
		}
	}
}

// iterationCases returns the segment's cases, by remaining length and direction.
func iterationCases(packet int, offset int64, open, length term.Term) (list []engine.Entry) {
	for _, rest := range []struct {
		left             string
		minimum, maximum int64 // length of the packet's text
	}{
		{wholeLeft, offset + 64, packetsText},
		{partLeft, offset, min(offset+63, packetsText)},
		{nothingLeft, 0, min(offset-1, packetsText)},
	} {
		if rest.minimum > rest.maximum {
			continue
		}
		lengths := engine.Values{Min: uint64(rest.minimum), Max: uint64(rest.maximum)}
		for i, what := range []string{"seal", "open"} {
			list = append(list, engine.Entry{
				Variant: fmt.Sprintf("%d, %s, %s", packet, what, rest.left),
				Inputs:  map[term.Term]engine.Values{open: engine.One(uint64(i)), length: lengths},
			})
		}
	}
	return list
}

// The remaining text is at least one block, shorter or empty.
const wholeLeft, partLeft, nothingLeft = "a block", "a part", "nothing"

// A laneIteration describes an iteration of one of the loops at an arbitrary offset.
type laneIteration struct {
	x                  chacha20.Cipher // the rest of the text
	lanes, row, stream *machine.Object
	offset             term.Term // of the block in the text
	packet             int64
	left               string
	open               bool
}

func xorIteration(name, loop string) engine.Kernel {
	var t laneIteration
	k := engine.Kernel{
		File: file, Func: name,
		Segment: engine.Segment{From: loop + "Lane", To: loop + "Next", Enter: t.enter},
		Range:   engine.Range{Unit: 1, Min: 0, Max: 63, Given: func(_ *engine.Case, n int64) bool { return n == 0 || t.left == partLeft }},
		Setup:   t.setup,
		Spec:    t.spec,
	}
	for i := range packets {
		for _, left := range []string{wholeLeft, partLeft, nothingLeft} {
			k.Variants = append(k.Variants, fmt.Sprintf("%d, seal, %s", i, left), fmt.Sprintf("%d, open, %s", i, left))
		}
	}
	return k
}

func (t *laneIteration) enter(c *engine.Case) *engine.Assertion {
	mask := c.Const(64, 0)
	if t.open {
		mask = c.Const(64, ^uint64(0))
	}
	return &engine.Assertion{Has: iterationStarts(c, t.lanes, c.Const(64, uint64(t.packet)), t.offset, t.stream.Base, mask)}
}

func (t *laneIteration) setup(c *engine.Case) {
	public := func(name string, minimum, maximum uint64) term.Term {
		return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Min: minimum, Max: maximum})
	}
	is := strings.Split(c.Variant, ", ")
	t.packet, _ = strconv.ParseInt(is[0], 10, 64)
	rest, size, rowSize := c.N, c.N, int64(64)
	switch t.left = is[2]; t.left {
	case wholeLeft:
		rest = public("more", 64, packetsText)
		size = rest
	case nothingLeft:
		rest = c.Sub(c.Const(64, 0), public("past", 1, packetsText))
		rowSize = 0
	}
	t.lanes = engine.Writable(c.Buffer("s", layout.LanesStart))
	t.row, t.stream = engine.Writable(c.Buffer("row", rowSize)), c.Buffer("stream", 64)
	t.x.Texts(c, size)
	t.offset, t.open = public("offset", 0, packetsText+64), is[1] == "open"
	t.lanes.Set(layout.LanesDst+8*t.packet, c.Sub(t.x.Dst.Base, t.offset))
	t.lanes.Set(layout.LanesSrc+8*t.packet, c.Sub(t.x.Src.Base, t.offset))
	t.lanes.Set(layout.LanesLength+8*t.packet, c.Add(rest, t.offset))
	t.lanes.Set(layout.LanesRowAt+8*t.packet, c.Sub(c.Sub(t.row.Base, t.lanes.Base), t.offset))
}

func (t *laneIteration) spec(c *engine.Case, n int64, _ bool) {
	if t.left == wholeLeft {
		n = 64
	}
	for at := range (n + 63) / 64 * 64 {
		b := c.Const(8, 0)
		if at < n {
			src := t.x.Src.Load(at, 1)
			b = c.Xor(src, t.stream.Load(at, 1))
			c.Expect(t.x.Dst, at, b)
			if t.open {
				b = src
			}
		}
		c.Expect(t.row, at, b)
	}
}

const packetsSteps = 2048 / spec.Poly1305Block

// packetTags describes the tags of 16 packets, in two sets of eight lanes.
type packetTags struct {
	lanes, rows *machine.Object
	g           *poly1305.Ring
	packets     [packets]packetTag
	sets        [2]packetSet
}

type packetTag struct {
	set   *packetSet
	lane  int
	r, s  [2]term.Term // r is clamped
	power algebra.Poly // unknown that represents r in the loop
	start term.Term    // before this step, the lane absorbs zeros without a marker
}

// A packetSet describes h, r, r·2^52 and r·2^104 of eight packets.
type packetSet struct {
	numbers [4]*poly1305.Lanes
	limbs   [4][]term.Term  // the limbs of numbers at the loop head
	final   *poly1305.Lanes // h before the final reduction
	end     []term.Term
}

var (
	packetH     = [2][]string{{"Z0", "Z1", "Z2"}, {"Z13", "Z14", "Z15"}}
	PacketFinal = []uint64{1<<52 - 1, 1<<52 - 1, 1 << 26} // h is below 2·(2^130 - 5)
)

func tagLanesKernel(name string) engine.Kernel {
	var t packetTags
	return engine.Kernel{
		File: file, Func: name,
		Claim: "the tags of 16 packets with their own r and s: (h mod 2^130 - 5) + s, h = (h + block + 2^128 from step start on)·r for each block; zeros of the keys and the table",
		Range: engine.Range{Unit: 1, Min: 1, Max: packetsSteps, Lengths: fmt.Sprintf("1 to %d steps", packetsSteps)},
		Loop:  engine.Loop{Step: 1, Invariant: t.invariant},
		Setup: t.setup,
		Spec: func(c *engine.Case, _ int64, last bool) {
			if !last {
				return
			}
			c.ExpectZeros(t.lanes, layout.LanesPolyKey, layout.LanesDst)
			c.ExpectZeros(t.lanes, layout.LanesTable, layout.LanesRows)
			for i, p := range t.packets {
				end := p.set.end[p.lane:]
				tag := spec.Poly1305Tag52(c.Store, [3]term.Term{end[0], end[8], end[16]}, p.s)
				c.Expect(t.lanes, int64(layout.LanesTags+128*(i/2%2)+64*(i%2)+16*(i/4)), tag[:]...)
			}
		},
		Weakenings: engine.Weakenings{At: engine.Assertions{"ended0": t.checkFinal(&t.sets[0]), "ended1": t.checkFinal(&t.sets[1])}},
	}
}

func (t *packetTags) setup(c *engine.Case) {
	t.g = poly1305.NewRing(c)
	t.lanes = engine.Writable(c.Buffer("s", layout.LanesRows))
	t.rows = c.Bytes("rows", c.AddConst(c.Scale(c.N, spec.Poly1305Block), layout.RowBytes*(packets-1)))
	for i := range t.sets {
		t.sets[i].begin(c, t.lanes, i)
	}
	for i := range t.packets {
		lane, set := i/4*2+i%2, i/2%2
		p := packetTag{set: &t.sets[set], lane: lane, start: c.Input(fmt.Sprintf("start%d", i), true)}
		t.lanes.Set(int64(layout.LanesStart+64*set+8*lane), p.start)
		var key [64]term.Byte
		for j := range key[:32] {
			key[j] = t.lanes.Initial(inRow(layout.LanesPolyKey, i, j))
		}
		p.r, p.s = spec.Poly1305Key(c.Store, key)
		p.power = t.g.Unknown(fmt.Sprintf("r%d", i))
		t.packets[i] = p
	}
	c.Arg(t.lanes.Base, t.rows.Base, c.N)
}

func (p *packetSet) begin(c *engine.Case, table *machine.Object, set int) {
	p.numbers[0] = lanesAt(eight, poly1305.IfmaLanes.Limits, packetH[set]...)
	p.final = lanesAt(eight, PacketFinal, packetH[set]...)
	for i, limits := range poly1305.IfmaLimits {
		at := layout.LanesTable + 64*(9*set+3*i)
		p.numbers[1+i] = lanesAt(eight, limits, fmt.Sprint(at), fmt.Sprint(at+64), fmt.Sprint(at+128))
		p.numbers[1+i].In = table
	}
	p.end = p.final.Unknown(c)
}

func (t *packetTags) invariant(c *engine.Case) *engine.Assertion {
	t.unknown(c)
	a := &engine.Assertion{Algebra: t.g.Algebra}
	for _, set := range t.sets {
		for i, number := range set.numbers {
			number.Claim(c, a, set.limbs[i])
		}
	}
	a.Where = func(s engine.View) error {
		for i := range t.packets {
			p := &t.packets[i]
			h, r := algebra.Poly{}, t.g.Number(64, p.r[:]...)
			if c.Looped {
				h, r = t.hash(c, i), p.power
			}
			for j, want := range []algebra.Poly{h, r, r.Scaled(52), r.Scaled(104)} {
				got := p.set.numbers[j].Number(c, t.g, s.Of(p.set.limbs[j]...), p.lane)
				if err := t.g.Same(s, "what a lane has", got, want); err != nil {
					return fmt.Errorf("number %d of packet %d: %w", j, i, err)
				}
			}
		}
		return nil
	}
	return a
}

func (t *packetTags) unknown(c *engine.Case) {
	for i := range t.sets {
		for j, number := range t.sets[i].numbers {
			t.sets[i].limbs[j] = number.Unknown(c)
		}
	}
	for _, p := range t.packets {
		for i, limbs := range p.set.limbs[1:] {
			rest := p.set.numbers[1+i].Number(c, t.g, limbs, p.lane).Minus(t.g.Value(limbs[p.lane]))
			t.g.Let(limbs[p.lane], p.power.Scaled(52*i).Minus(rest))
		}
	}
}

// hash returns h·r + block, without the marker before the packet's start.
func (t *packetTags) hash(c *engine.Case, packet int) algebra.Poly {
	p, bit := &t.packets[packet], algebra.Constant(spec.Poly1305Marker)
	block := spec.Poly1305BlockAt(c.Store, t.g.Algebra, t.rows, layout.RowBytes*int64(packet)).Minus(bit)
	begun := c.Xor(c.Borrow(c.Before(), p.start, c.Const(8, 0)), c.Const(8, 1))
	h := p.set.numbers[0].Number(c, t.g, p.set.limbs[0], p.lane)
	return h.Mul(p.power).Plus(block).Plus(bit.Mul(t.g.Value(begun)))
}

// checkFinal checks h after the last block, before the final reduction.
func (t *packetTags) checkFinal(set *packetSet) func(*engine.Case, engine.View) *engine.Assertion {
	return func(c *engine.Case, _ engine.View) *engine.Assertion {
		a := &engine.Assertion{Algebra: t.g.Algebra}
		a.Where = func(s engine.View) (err error) {
			for i, p := range t.packets {
				if p.set == set && err == nil {
					h := set.final.Number(c, t.g, s.Of(set.end...), p.lane)
					err = t.g.Same(s, "h at the end", h, t.hash(c, i).Mul(p.power))
				}
			}
			return err
		}
		set.final.Claim(c, a, set.end)
		return a
	}
}
