// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// packetLoop has what registers are at the heads of the loops over the packets, which xorLanesAVX512IFMA
// has two of: number and offset say which block it is, and where in the texts.
var packetLoop = struct{ lanes, number, offset, packet, stream, open register }{"AX", "BX", "SI", "DI", "R8", "K2"}

// A register is one of amd64, by its name.
type register string

func (g register) word(s *machine.State) term.Term   { return s.Word(amd64.Register(string(g)), 8) }
func (g register) set(s *machine.State, t term.Term) { s.SetWord(amd64.Register(string(g)), t) }

// textsKernel encrypts texts of unequal lengths: for each block, a loop goes over the packets.
// A turn of it, for a packet, is proven by itself: for any block, and all that may be left of
// the text then. In the run of the whole, a text is empty in its own turn, and of unknown length
// elsewhere. It shows that there is a turn for each packet and block, that wherever one begins, the
// registers and the key stream are what they are to be, and that what comes after depends on nothing
// else that a turn changes.
func textsKernel(file, name string) Kernel {
	var lanes, turns *machine.Object // turns is no memory: it has which turns there were
	var open term.Term
	begins := func(ahead uint64) func(*Case, *machine.State) {
		return func(c *Case, s *machine.State) {
			l := &packetLoop
			number, i := l.number.word(s), c.known(l.packet.word(s))
			x := c.packetState(lanes, int(i))
			x[12] = c.Add(x[12], c.Low(c.AddConst(number, ahead), 32))
			slot, at := s.Resolve(l.stream.word(s))
			for j, b := range c.keptBlock(x) {
				if got := s.Mem.Byte(slot, at+int64(j)); !c.Same(got, b) {
					machine.Fail("byte %d of packet %d's key stream is %s", j, i, c.FormatByte(got))
				}
			}
			offset := c.Linear(64, 64*ahead-64, []term.Term{number}, []uint64{64})
			if l.lanes.word(s) != lanes.Base || l.offset.word(s) != offset || l.open.word(s) != c.Sub(c.Const(64, 0), open) {
				machine.Fail("a turn for packet %d begins otherwise", i)
			}
			at = packets*int64(c.known(c.AddConst(number, ahead))) + int64(i)
			if _, again := s.Mem.Stored(turns, at); again {
				machine.Fail("a turn for packet %d comes twice", i)
			}
			s.Mem.Put(turns, at, term.ConstByte(1))
			c.Forget(s, packetsKept...)
			c.packetLengths(s, lanes)
			c.put(s, lanes, packetsLength+8*int64(i), c.Const(64, 0))
		}
	}
	done := func(c *Case, s *machine.State) {
		c.Forget(s, packetsKept...)
		c.packetLengths(s, lanes)
	}
	return Kernel{
		File: file, Func: name,
		Claim: "each of 16 texts, of its own length, XOR its key stream from block 1, apart or in place; the ciphertexts in the rows, with zeros to whole blocks of 64; 32 bytes of each block 0",
		Wipes: true,
		Unit:  1, Min: 1, Max: 1 + packetsText/64, Lengths: "0 to 1984 bytes each, in 1 to 32 blocks",
		Short: 3, // both loops come once and a turn of the first again
		At:    map[string]func(*Case, *machine.State){"firstLane": begins(0), "secondLane": begins(1), "firstDone": done, "secondDone": done},
		Between: func(c *Case, run Stretch) error {
			return c.packetTurns(run, lanes)
		},
		Setup: func(c *Case) {
			lanes = Writable(c.Buffer("s", packetsStart))
			open = c.Input("open", true)
			turns = Writable(c.Buffer("turns", packets*(3+packetsText/64)))
			c.Pointers(lanes)
			c.Arg(c.N)
			c.Arg(open)
		},
		Spec: func(c *Case, n int64, _ bool) {
			for turn := int64(packets); turn < packets*((n+1)/2*2); turn++ {
				c.ExpectByte(turns, turn, term.ConstByte(1))
			}
			for i := range packets {
				block0 := c.keptBlock(c.packetState(lanes, i))
				for j := range 32 {
					c.ExpectByte(lanes, int64(packetsPolyKey+4*(packets*(j/4)+i)+j%4), block0[j])
				}
			}
		},
	}
}

// packetLengths makes the lengths of texts unknown again.
func (c *Case) packetLengths(s *machine.State, lanes *machine.Object) {
	for at := int64(packetsLength); at < packetsRowAt; at++ {
		s.Mem.Put(lanes, at, lanes.Initial(at))
	}
}

// packetsKept are the registers that a turn for a packet leaves, or counts with.
var packetsKept = []string{"AX", "CX", "DX", "BX", "SI", "DI", "R8", "K2"}

// known returns a number that must be known.
func (c *Case) known(t term.Term) uint64 {
	v, ok := c.IsConst(t)
	if !ok {
		machine.Fail("%s is not known", c.Format(t))
	}
	return v
}

// packetTurns proves a turn of both loops over the packets: for each packet, at an unknown
// offset, with all that may be left of its text from there.
func (c *Case) packetTurns(run Stretch, lanes *machine.Object) error {
	public := func(name string, least, most uint64) term.Term {
		return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Min: least, Max: most})
	}
	t := packetTurn{Case: c, lanes: lanes, offset: public("offset", 0, packetsText)}
	t.row, t.stream = Writable(c.Buffer("row", 64)), c.Buffer("stream", 64)
	lefts := []term.Term{c.Sub(c.Const(64, 0), public("past", 1, packetsText)), public("more", 64, packetsText)}
	for n := range uint64(64) {
		if c.Lengths(int64(n), 0, 64, 1) {
			lefts = append(lefts, c.Const(64, n))
		}
	}
	for _, t.left = range lefts {
		t.src = Writable(c.Bytes("text", t.left))
		for _, t.dst = range []*machine.Object{t.src, Writable(c.Bytes("dst", t.left))} {
			for i := range uint64(packets) {
				if i > 0 && !c.Lengths(int64(i), 0, packets, 1) {
					continue
				}
				for way := range uint64(4) {
					loop := []string{"first", "second"}[way/2]
					t.open = way % 2
					if err := t.prove(run, loop, i); err != nil {
						return fmt.Errorf("%s turn for packet %d with %s left: %w", loop, i, c.Format(t.left), err)
					}
				}
			}
		}
	}
	return nil
}

// A packetTurn is what a turn works on; dst and src begin at the offset.
type packetTurn struct {
	*Case
	lanes, row, stream, dst, src *machine.Object
	offset, left                 term.Term
	open                         uint64
}

// prove proves a turn for packet i.
func (t *packetTurn) prove(run Stretch, loop string, i uint64) error {
	var start *machine.State
	to := loop + "Lane"
	if i == packets-1 {
		to = loop + "Done"
	}
	l := &packetLoop
	s, err := run(loop+"Lane", to, func(s *machine.State) {
		for at, word := range map[uint64]term.Term{
			packetsDst: t.Sub(t.dst.Base, t.offset), packetsSrc: t.Sub(t.src.Base, t.offset),
			packetsLength: t.Add(t.left, t.offset), packetsRowAt: t.Sub(t.Sub(t.row.Base, t.lanes.Base), t.offset),
		} {
			var b [8]term.Byte
			t.Store.Bytes(b[:], word)
			for j, b := range b {
				s.Mem.Put(t.lanes, int64(at+8*i)+int64(j), b)
			}
		}
		l.lanes.set(s, t.lanes.Base)
		l.offset.set(s, t.offset)
		l.packet.set(s, t.Const(64, i))
		l.stream.set(s, t.stream.Base)
		l.open.set(s, t.Const(64, -t.open))
		start = s.Clone()
	})
	if err != nil {
		return err
	}
	t.expect(start.Mem)
	l.packet.set(start, t.Const(64, i+1))
	l.stream.set(start, t.AddConst(t.stream.Base, 64))
	for _, name := range packetsKept {
		if got, want := register(name).word(s), register(name).word(start); got != want {
			return fmt.Errorf("%s is %s, want %s", name, t.Format(got), t.Format(want))
		}
	}
	for _, o := range s.Mem.Objects() {
		for at := range max(s.Mem.Extent(o), start.Mem.Extent(o)) {
			if got, want := s.Mem.Byte(o, at), start.Mem.Byte(o, at); !t.Same(got, want) {
				return fmt.Errorf("%s[%d] is %s, want %s", o.Name, at, t.FormatByte(got), t.FormatByte(want))
			}
		}
	}
	return nil
}

// expect stores what a turn is to store.
func (t *packetTurn) expect(m *machine.Memory) {
	n := int64(64)
	if left, ok := t.IsConst(t.left); ok {
		n = int64(left)
	} else if t.Op(t.left) != term.Leaf {
		n = 0
	}
	for at := range (n + 63) / 64 * 64 {
		row := term.ConstByte(0)
		if at < n {
			src := t.Load(t.src, at, 1)
			dst := t.Xor(src, t.Load(t.stream, at, 1))
			m.Put(t.dst, at, term.Byte(dst<<3))
			row = term.Byte(dst << 3)
			if t.open == 1 {
				row = term.Byte(src << 3)
			}
		}
		m.Put(t.row, at, row)
	}
}
