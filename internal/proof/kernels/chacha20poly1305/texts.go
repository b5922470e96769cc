// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// packetLoop has what registers are at the heads of the loops over the packets, which xorLanesAVX512IFMA
// has two of: number and offset say which block it is, and where in the texts.
var packetLoop = struct{ lanes, number, offset, packet, stream, open poly1305.Register }{"AX", "BX", "SI", "DI", "R8", "K2"}

// textsCalls declares what the turns take for granted: texts of bounded lengths, apart from each
// other or in place. Rows are in the memory of the lanes.
func textsCalls(c *engine.Case) {
	lanes := engine.Writable(c.Buffer("s", packetsStart))
	for i := range int64(packets) {
		n := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("length%d", i), Public: true, Max: packetsText})
		dst, src := engine.Writable(c.Bytes(fmt.Sprintf("dst%d", i), n)), c.Bytes(fmt.Sprintf("src%d", i), n)
		c.MayLie(src, dst, engine.InPlace)
		lanes.Set(packetsDst+8*i, dst.Base)
		lanes.Set(packetsSrc+8*i, src.Base)
		lanes.Set(packetsLength+8*i, n)
	}
	c.Pointers(lanes)
	c.Arg(c.N)
	c.Arg(c.Input("open", true))
}

// textsKernel encrypts texts of unequal lengths: for each block, a loop goes over the packets.
// A turn of it, for a packet, is proven by itself: for any block, and all that may be left of
// the text then. In the run of the whole, a text is empty in its own turn, and of unknown length
// elsewhere. It shows that there is a turn for each packet and block, that wherever one begins, the
// registers and the key stream are what they are to be, and that what comes after depends on nothing
// else that a turn changes.
func textsKernel(file, name string) engine.Kernel {
	var lanes, turns *machine.Object // turns is no memory: it has which turns there were
	var open term.Term
	begins := func(ahead uint64) func(*engine.Case, *machine.State) {
		return func(c *engine.Case, s *machine.State) {
			l := &packetLoop
			number, i := l.number.Word(s), c.Known(l.packet.Word(s))
			x := packetState(c, lanes, int(i))
			x[12] = c.Add(x[12], c.Low(c.AddConst(number, ahead), 32))
			slot, at := s.Resolve(l.stream.Word(s))
			for j, b := range spec.ChaCha20Block(c.Store, x) {
				if got := s.Mem.Byte(slot, at+int64(j)); !c.Same(got, b) {
					machine.Fail("byte %d of packet %d's key stream is %s", j, i, c.FormatByte(got))
				}
			}
			offset := c.Linear(64, 64*ahead-64, []term.Term{number}, []uint64{64})
			if l.lanes.Word(s) != lanes.Base || l.offset.Word(s) != offset || l.open.Word(s) != c.Sub(c.Const(64, 0), open) {
				machine.Fail("a turn for packet %d begins otherwise", i)
			}
			at = packets*int64(c.Known(c.AddConst(number, ahead))) + int64(i)
			if _, again := s.Mem.Stored(turns, at); again {
				machine.Fail("a turn for packet %d comes twice", i)
			}
			s.Mem.Put(turns, at, term.ConstByte(1))
			c.Forget(s, packetsKept...)
			packetLengths(c, s, lanes)
			c.Put(s, lanes, packetsLength+8*int64(i), c.Const(64, 0))
		}
	}
	done := func(c *engine.Case, s *machine.State) {
		c.Forget(s, packetsKept...)
		packetLengths(c, s, lanes)
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim: "each of 16 texts, of its own length, XOR its key stream from block 1, apart or in place; the ciphertexts in the rows, with zeros to whole blocks of 64; 32 bytes of each block 0",
		Wipes: true,
		Unit:  1, Min: 1, Max: 1 + packetsText/64, Lengths: "0 to 1984 bytes each, in 1 to 32 blocks",
		Short: 3, // both loops come once and a turn of the first again
		At:    map[string]func(*engine.Case, *machine.State){"firstLane": begins(0), "secondLane": begins(1), "firstDone": done, "secondDone": done},
		Between: func(c *engine.Case, run engine.Stretch) error {
			return packetTurns(c, run, lanes)
		},
		Setup: func(c *engine.Case) {
			lanes = engine.Writable(c.Buffer("s", packetsStart))
			open = c.Input("open", true)
			turns = engine.Writable(c.Buffer("turns", packets*(3+packetsText/64)))
			c.Pointers(lanes)
			c.Arg(c.N)
			c.Arg(open)
		},
		Calls: textsCalls,
		Spec: func(c *engine.Case, n int64, _ bool) {
			for turn := int64(packets); turn < packets*((n+1)/2*2); turn++ {
				c.ExpectByte(turns, turn, term.ConstByte(1))
			}
			for i := range packets {
				block0 := spec.ChaCha20Block(c.Store, packetState(c, lanes, i))
				for j := range 32 {
					c.ExpectByte(lanes, int64(packetsPolyKey+4*(packets*(j/4)+i)+j%4), block0[j])
				}
			}
		},
	}
}

// packetLengths makes the lengths of texts unknown again.
func packetLengths(c *engine.Case, s *machine.State, lanes *machine.Object) {
	for at := int64(packetsLength); at < packetsRowAt; at++ {
		s.Mem.Put(lanes, at, lanes.Initial(at))
	}
}

// packetsKept are the registers that a turn for a packet leaves, or counts with.
var packetsKept = []string{"AX", "CX", "DX", "BX", "SI", "DI", "R8", "K2"}

// packetTurns proves a turn of both loops over the packets: for each packet, at an unknown
// offset, with all that may be left of its text from there.
func packetTurns(c *engine.Case, run engine.Stretch, lanes *machine.Object) error {
	public := func(name string, least, most uint64) term.Term {
		return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Min: least, Max: most})
	}
	t := packetTurn{Case: c, lanes: lanes, offset: public("offset", 0, packetsText)}
	t.row, t.stream = engine.Writable(c.Buffer("row", 64)), c.Buffer("stream", 64)
	lefts := []term.Term{c.Sub(c.Const(64, 0), public("past", 1, packetsText)), public("more", 64, packetsText)}
	for n := range uint64(64) {
		if c.Lengths(int64(n), 0, 64, 1) {
			lefts = append(lefts, c.Const(64, n))
		}
	}
	for _, t.left = range lefts {
		t.src = engine.Writable(c.Bytes("text", t.left))
		for _, t.dst = range []*machine.Object{t.src, engine.Writable(c.Bytes("dst", t.left))} {
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
	*engine.Case
	lanes, row, stream, dst, src *machine.Object
	offset, left                 term.Term
	open                         uint64
}

// prove proves a turn for packet i.
func (t *packetTurn) prove(run engine.Stretch, loop string, i uint64) error {
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
		l.lanes.Set(s, t.lanes.Base)
		l.offset.Set(s, t.offset)
		l.packet.Set(s, t.Const(64, i))
		l.stream.Set(s, t.stream.Base)
		l.open.Set(s, t.Const(64, -t.open))
		start = s.Clone()
	})
	if err != nil {
		return err
	}
	t.expect(start.Mem)
	l.packet.Set(start, t.Const(64, i+1))
	l.stream.Set(start, t.AddConst(t.stream.Base, 64))
	for _, name := range packetsKept {
		if got, want := poly1305.Register(name).Word(s), poly1305.Register(name).Word(start); got != want {
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
