// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"slices"
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

const (
	packets        = layout.MaxLanes
	packetsText    = layout.MaxLaneText
	packetsRowText = 2048 // bytes of a row that are stored
	packetsSteps   = packetsRowText / spec.Poly1305Block
)

// inRow returns the offset of byte i of a packet in interleaved rows.
func inRow(rows, packet, i int) int64 { return int64(rows + 4*(packets*(i/4)+packet) + i%4) }

func packetState(lanes *machine.Object, packet int) spec.ChaCha20State {
	return spec.ChaCha20State(lanes.Words(inRow(0, packet, 0), 16, 4*packets, 4))
}

// lanesKernel returns the statement of a kernel that accesses lanes[:size]. If h is true,
// the kernel computes HChaCha20 instead of blocks.
func lanesKernel(name, claim string, size int64, h bool) engine.Kernel {
	var lanes *machine.Object
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			lanes = engine.Writable(c.Buffer("s", size))
			c.Arg(lanes.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for packet := range packets {
				s := packetState(lanes, packet)
				if h {
					s = spec.ChaCha20Rounds(c.Store, s)
					for i, word := range append(s[:4:4], s[12:]...) { // in place of the key
						c.Expect(lanes, inRow(0, packet, 4*(4+i)), word)
					}
					continue
				}
				for i, b := range spec.ChaCha20Block(c.Store, s) {
					c.ExpectBytes(lanes, inRow(layout.LanesOut, packet, i), b)
				}
			}
		},
	}
}

// iterationStarts states what registers contain at the start of an iteration of a loop
// over packets. offset is the block's offset in the packet's text, stream is the address
// of the keystream block, and open is 1 to decrypt.
func iterationStarts(c *engine.Case, lanes *machine.Object, packet int, offset, stream, open term.Term) []engine.Has {
	in := c.Register
	return []engine.Has{
		in("AX").Has(lanes.Base), in("DX").Has(offset), in("DI").Has(c.Const(64, uint64(packet))),
		in("R8").Has(stream), in("K2").Has(c.Sub(c.Const(64, 0), open)),
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

func xorLanesKernel(name string) engine.Kernel {
	var t laneTexts
	return engine.Kernel{
		File: file, Func: name,
		Claim:      "each of 16 texts, of its own length, XOR its key stream from block 1, apart or in place; the ciphertexts in the rows, with zeros to whole blocks of 64; and 32 bytes of each block 0, if first is 0",
		Variants:   firstBlocks,
		Range:      engine.Range{Unit: 1, Min: 1, Max: 1 + packetsText/64, Lengths: "0 to 1984 bytes each, in 1 to 32 blocks"},
		Weakenings: engine.Weakenings{At: engine.Assertions{"firstLane": t.callIteration("first", 0), "secondLane": t.callIteration("second", 1)}},
		Segments:   []engine.Kernel{xorIteration(name, "first"), xorIteration(name, "second")},
		Setup: func(c *engine.Case) {
			t.lanes = engine.Writable(c.Buffer("s", layout.LanesStart))
			for i := range packets {
				n := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("length%d", i), Public: true, Max: packetsText})
				to, src := engine.Writable(c.Bytes(fmt.Sprintf("dst%d", i), n)), c.Bytes(fmt.Sprintf("src%d", i), n)
				c.InPlace(src, to)
				row := engine.Writable(c.Buffer(fmt.Sprintf("row%d", i), packetsRowText))
				t.dst[i], t.src[i], t.rows[i], t.lengths[i] = to, src, row, n
				setPacket(t.lanes, i, to.Base, src.Base, n, c.Sub(row.Base, t.lanes.Base))
			}
			t.open = c.NewLeaf(64, term.LeafInfo{Name: "open", Public: true, Max: 1})
			t.first = uint64(slices.Index(firstBlocks, c.Variant))
			c.Arg(t.lanes.Base, c.Const(64, t.first), c.N, t.open)
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for i := range packets * int(1-t.first) {
				block0 := spec.ChaCha20Block(c.Store, packetState(t.lanes, i))
				for j := range 32 {
					c.ExpectBytes(t.lanes, inRow(layout.LanesPolyKey, i, j), block0[j])
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
		},
	}
}

func iterationName(packet int, block uint64) string {
	return fmt.Sprintf("packet %d, block %d", packet, block)
}

// callIteration checks the keystream and calls the iteration. DI contains the number of
// the packet. The number of the keystream block is SI + ahead. Block 1 encrypts the
// start of the text.
func (t *laneTexts) callIteration(loop string, ahead uint64) func(*engine.Case, engine.View) *engine.Assertion {
	return func(c *engine.Case, s engine.View) *engine.Assertion {
		in := func(register string) term.Term { return s.At(c.Register(register)) }
		block, i := c.Known(in("SI"))+ahead, int(c.Known(in("DI")))
		machine.Refuse(i >= packets, "register DI is %d, want a packet number below %d", i, packets)
		x := packetState(t.lanes, i)
		x[12] = c.AddConst(x[12], block)
		slot, at := s.Resolve(in("R8"))
		for j, b := range spec.ChaCha20Block(c.Store, x) {
			if err := s.Is("a byte of the key stream", c.Gather([]term.Byte{s.Mem.Byte(slot, at+int64(j))}), c.Gather([]term.Byte{b})); err != nil {
				machine.Fail("byte %d of packet %d: %v", j, i, err)
			}
		}
		offset := 64 * (int64(block) - 1)
		lengths := [3][2]int64{{offset + 64, packetsText}, {offset, min(offset+63, packetsText)}, {0, min(offset-1, packetsText)}}
		var cases []engine.Entry // by remaining length and direction
		for left, length := range lengths {
			for open, direction := range directions {
				if length[0] <= length[1] {
					cases = append(cases, engine.Entry{Variant: iterationVariant(i, direction, lefts[left]), Inputs: map[term.Term]engine.Values{
						t.open: engine.One(uint64(open)), t.lengths[i]: {Min: uint64(length[0]), Max: uint64(length[1])},
					}})
				}
			}
		}
		return &engine.Assertion{
			Has: iterationStarts(c, t.lanes, i, c.Const(64, uint64(offset)), c.AddConst(slot.Base, uint64(at)), t.open),
			Call: &engine.Call{
				To: loop + "Next", Name: iterationName(i, block), Cases: cases,
				Buffers: map[string]engine.Place{
					"s": engine.In(t.lanes, 0), "stream": engine.In(slot, at), "row": engine.In(t.rows[i], offset),
					"dst": engine.In(t.dst[i], offset), "src": engine.In(t.src[i], offset),
				},
			},
		}
	}
}

var (
	lefts      = [3]string{"a block", "a part", "nothing"} // the remaining text: at least one block, less, none
	directions = []string{"seal", "open"}

	firstBlocks = []string{"from block 0", "from block 1"}
)

func iterationVariant(packet int, direction, left string) string {
	return fmt.Sprintf("%d, %s, %s", packet, direction, left)
}

// xorIteration returns the statement of an iteration of one of the loops, at an arbitrary
// offset in the text of a packet.
func xorIteration(name, loop string) engine.Kernel {
	var (
		x                  chacha20.Cipher // the rest of the text
		lanes, row, stream *machine.Object
		offset             term.Term // of the block in the text
		packet, open       int
		left               string
	)
	k := engine.Kernel{
		File: file, Func: name,
		Segment: engine.Segment{From: loop + "Lane", To: loop + "Next", Enter: func(c *engine.Case) *engine.Assertion {
			return &engine.Assertion{Has: iterationStarts(c, lanes, packet, offset, stream.Base, c.Const(64, uint64(open)))}
		}},
		Range: engine.Range{Unit: 1, Min: 0, Max: 63, Given: func(_ *engine.Case, n int64) bool { return n == 0 || left == lefts[1] }},
		Setup: func(c *engine.Case) {
			public := func(name string, minimum, maximum uint64) term.Term {
				return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Min: minimum, Max: maximum})
			}
			is := strings.Split(c.Variant, ", ")
			fmt.Sscan(is[0], &packet)
			open, left = slices.Index(directions, is[1]), is[2]
			rest, size, rowSize := c.N, c.N, int64(64)
			switch left {
			case lefts[0]:
				rest = public("more", 64, packetsText)
				size = rest
			case lefts[2]:
				rest = c.Sub(c.Const(64, 0), public("past", 1, packetsText))
				size, rowSize = c.Const(64, 0), 0
			}
			lanes, stream = engine.Writable(c.Buffer("s", layout.LanesStart)), c.Buffer("stream", 64)
			row = engine.Writable(c.Buffer("row", rowSize))
			x.Texts(c, size)
			offset = public("offset", 0, packetsText+64)
			before := func(base term.Term) term.Term { return c.Sub(base, offset) } // the packet's start
			setPacket(lanes, packet, before(x.Dst.Base), before(x.Src.Base), c.Add(rest, offset), before(c.Sub(row.Base, lanes.Base)))
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			if left == lefts[0] {
				n = 64
			}
			for at := range (n + 63) / 64 * 64 {
				b := c.Const(8, 0)
				if at < n {
					src := x.Src.Load(at, 1)
					b = c.Xor(src, stream.Load(at, 1))
					c.Expect(x.Dst, at, b)
					if open == 1 {
						b = src
					}
				}
				c.Expect(row, at, b)
			}
		},
	}
	for i := range packets {
		for _, left := range lefts {
			for _, direction := range directions {
				k.Variants = append(k.Variants, iterationVariant(i, direction, left))
			}
		}
	}
	return k
}

// setPacket declares the fields of a packet. The lanes contain an array for each field.
func setPacket(lanes *machine.Object, packet int, dst, src, length, rowAt term.Term) {
	at := int64(8 * packet)
	lanes.Set(layout.LanesDst+at, dst)
	lanes.Set(layout.LanesSrc+at, src)
	lanes.Set(layout.LanesLength+at, length)
	lanes.Set(layout.LanesRowAt+at, rowAt)
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
	end     []term.Term     // the limbs of final
}

var (
	packetH     = [2][]string{{"Z0", "Z1", "Z2"}, {"Z13", "Z14", "Z15"}}
	PacketFinal = []uint64{1<<52 - 1, 1<<52 - 1, 1 << 26} // h is below 2·(2^130 - 5)
)

// tagLanesKernel returns the statement of a kernel that computes the tags of 16 packets,
// in two sets of eight lanes.
func tagLanesKernel(name string) engine.Kernel {
	var (
		lanes, rows *machine.Object
		g           *poly1305.Ring
		tags        [packets]packetTag
		sets        [2]packetSet
	)
	// hash returns h·r + block, without the marker before the packet's start.
	hash := func(c *engine.Case, packet int) algebra.Poly {
		p, bit := &tags[packet], algebra.Constant(spec.Poly1305Marker)
		block := spec.Poly1305BlockAt(c.Store, g.Algebra, rows, layout.RowBytes*int64(packet)).Minus(bit)
		begun := c.Xor(c.Borrow(c.Before(), p.start, c.Const(8, 0)), c.Const(8, 1))
		h := p.set.numbers[0].Number(c, g, p.set.limbs[0], p.lane)
		return h.Mul(p.power).Plus(block).Plus(bit.Mul(g.Value(begun)))
	}
	invariant := func(c *engine.Case) *engine.Assertion {
		a := &engine.Assertion{Algebra: g.Algebra}
		for i := range sets {
			set := &sets[i]
			for j, number := range set.numbers {
				set.limbs[j] = number.Unknown(c)
				number.Claim(c, a, set.limbs[j])
			}
		}
		for _, p := range tags {
			for i, limbs := range p.set.limbs[1:] {
				rest := p.set.numbers[1+i].Number(c, g, limbs, p.lane).Minus(g.Value(limbs[p.lane]))
				g.Let(limbs[p.lane], p.power.Scaled(52*i).Minus(rest))
			}
		}
		a.Where = func(s engine.View) error {
			for i, p := range tags {
				h, r := algebra.Poly{}, g.Number(64, p.r[:]...)
				if c.Looped {
					h, r = hash(c, i), p.power
				}
				for j, want := range []algebra.Poly{h, r, r.Scaled(52), r.Scaled(104)} {
					got := p.set.numbers[j].Number(c, g, s.Of(p.set.limbs[j]...), p.lane)
					if err := g.Same(s, "what a lane has", got, want); err != nil {
						return fmt.Errorf("number %d of packet %d: %w", j, i, err)
					}
				}
			}
			return nil
		}
		return a
	}
	k := engine.Kernel{
		File: file, Func: name,
		Claim: "the tags of 16 packets with their own r and s: (h mod 2^130 - 5) + s, h = (h + block + 2^128 from step start on)·r for each block; zeros of the keys and the table",
		Range: engine.Range{Unit: 1, Min: 1, Max: packetsSteps, Lengths: fmt.Sprintf("1 to %d steps", packetsSteps)},
		Loop:  engine.Loop{Step: 1, Invariant: invariant},
		Setup: func(c *engine.Case) {
			g = poly1305.NewRing(c)
			lanes = engine.Writable(c.Buffer("s", layout.LanesRows))
			rows = c.Bytes("rows", c.AddConst(c.Scale(c.N, spec.Poly1305Block), layout.RowBytes*(packets-1)))
			for i, registers := range packetH {
				set := &sets[i]
				set.numbers[0] = lanesAt(eight, poly1305.IfmaLanes.Limits, registers...)
				for j, limits := range poly1305.IfmaLimits {
					at := layout.LanesTable + 64*(9*i+3*j)
					set.numbers[1+j] = lanesAt(eight, limits, fmt.Sprint(at), fmt.Sprint(at+64), fmt.Sprint(at+128))
					set.numbers[1+j].In = lanes
				}
				set.final = lanesAt(eight, PacketFinal, registers...)
				set.end = set.final.Unknown(c)
			}
			for i := range tags {
				set, lane := i/2%2, i/4*2+i%2
				p := packetTag{set: &sets[set], lane: lane, start: c.Input(fmt.Sprint("start", i), true), power: g.Unknown(fmt.Sprint("r", i))}
				lanes.Set(int64(layout.LanesStart+64*set+8*lane), p.start)
				var key [64]term.Byte
				for j := range key[:32] {
					key[j] = lanes.Initial(inRow(layout.LanesPolyKey, i, j))
				}
				p.r, p.s = spec.Poly1305Key(c.Store, key)
				tags[i] = p
			}
			c.Arg(lanes.Base, rows.Base, c.N)
		},
		Spec: func(c *engine.Case, _ int64, last bool) {
			if !last {
				return
			}
			c.ExpectZeros(lanes, layout.LanesPolyKey, layout.LanesDst)
			c.ExpectZeros(lanes, layout.LanesTable, layout.LanesRows)
			for i, p := range tags {
				end := p.set.end[p.lane:]
				tag := spec.Poly1305Tag52(c.Store, [3]term.Term{end[0], end[8], end[16]}, p.s)
				c.Expect(lanes, int64(layout.LanesTags+128*(i/2%2)+64*(i%2)+16*(i/4)), tag[:]...)
			}
		},
		Weakenings: engine.Weakenings{At: engine.Assertions{}},
	}
	for i := range sets {
		set := &sets[i]
		k.At[fmt.Sprint("ended", i)] = func(c *engine.Case, _ engine.View) *engine.Assertion { // before the final reduction
			a := &engine.Assertion{Algebra: g.Algebra}
			set.final.Claim(c, a, set.end)
			a.Where = func(s engine.View) (err error) {
				for i, p := range tags {
					if p.set == set && err == nil {
						h := set.final.Number(c, g, s.Of(set.end...), p.lane)
						err = g.Same(s, "h at the end", h, hash(c, i).Mul(p.power))
					}
				}
				return err
			}
			return a
		}
	}
	return k
}
