// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// The registers at the heads of the loops over the packets, which xorLanesAVX512IFMA has two of: number and offset say
// which block it is, and where in the texts.
const inLanes, inNumber, inOffset, inPacket, inStream, inOpen = "AX", "SI", "DX", "DI", "R8", "K2"

// firstText is the argument first: 1 where there is no block 0.
func firstText(c *engine.Case) uint64 {
	if c.Variant == "from block 1" {
		return 1
	}
	return 0
}

// xorLanesCalls declares what the turns take for granted: texts of bounded lengths, apart from each
// other or in place. Rows are in the memory of the lanes.
func xorLanesCalls(c *engine.Case) {
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
	c.Arg(c.Const(64, firstText(c)))
	c.Arg(c.N)
	c.Arg(c.Input("open", true))
}

// xorLanesKernel encrypts texts of unequal lengths: for each block, a loop goes over the packets.
// A turn of it, for a packet, is proven by itself: for any block, and all that may be left of
// the text then. In the run of the whole, a text is empty in its own turn, and of unknown length
// elsewhere. It shows that there is a turn for each packet and block, that wherever one begins, the
// registers and the key stream are what they are to be, and that what comes after depends on nothing
// else that a turn changes.
func xorLanesKernel(name string) engine.Kernel {
	var lanes *machine.Object
	var open term.Term
	// begins is where a turn for a packet begins, which is proven by itself: the run goes on after it.
	begins := func(loop string, ahead uint64) func(*engine.Case, engine.View) *engine.Claim {
		return func(c *engine.Case, s engine.View) *engine.Claim {
			in := c.Register
			number, stream, i := s.At(in(inNumber)), s.At(in(inStream)), c.Known(s.At(in(inPacket)))
			x := packetState(c, lanes, int(i))
			x[12] = c.Add(x[12], c.Low(c.AddConst(number, ahead), 32))
			slot, at := s.Resolve(stream)
			for j, b := range spec.ChaCha20Block(c.Store, x) {
				if got := s.Mem.Byte(slot, at+int64(j)); !c.Same(got, b) {
					machine.Fail("byte %d of packet %d's key stream is %s", j, i, c.FormatByte(got))
				}
			}
			offset := c.Linear(64, 64*ahead-64, []term.Term{number}, []uint64{64})
			turns, _ := s.Note.([]turn)
			this := turn{i, c.Known(c.AddConst(number, ahead))}
			if slices.Contains(turns, this) {
				machine.Fail("a turn for packet %d comes twice", i)
			}
			return &engine.Claim{
				Has:  []engine.Has{in(inLanes).Has(lanes.Base), in(inOffset).Has(offset), in(inOpen).Has(c.Sub(c.Const(64, 0), open))},
				Keep: packetsKept, Note: append(turns[:len(turns):len(turns)], this),
				To:   nextTurn(loop, i),
				Then: []engine.Has{in(inPacket).Has(c.Const(64, i+1)), in(inStream).Has(c.AddConst(stream, 64))},
			}
		}
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "each of 16 texts, of its own length, XOR its key stream from block 1, apart or in place; the ciphertexts in the rows, with zeros to whole blocks of 64; and 32 bytes of each block 0, if first is 0",
		Variants: []string{"from block 0", "from block 1"},
		Wipes:    true,
		Unit:     1, Min: 1, Max: 1 + packetsText/64, Lengths: "0 to 1984 bytes each, in 1 to 32 blocks",
		Short: 3, // both loops come once and a turn of the first again
		At:    map[string]func(*engine.Case, engine.View) *engine.Claim{"firstLane": begins("first", 0), "secondLane": begins("second", 1)},
		Between: func(c *engine.Case, run engine.Stretch) error {
			return packetTurns(c, run, lanes)
		},
		Setup: func(c *engine.Case) {
			lanes = engine.Writable(c.Buffer("s", packetsStart))
			open = c.Input("open", true)
			c.Pointers(lanes)
			c.Arg(c.Const(64, firstText(c)))
			c.Arg(c.N)
			c.Arg(open)
		},
		Calls: xorLanesCalls,
		Spec: func(c *engine.Case, n int64, _ bool) {
			if firstText(c) == 1 {
				return
			}
			for i := range packets {
				block0 := spec.ChaCha20Block(c.Store, packetState(c, lanes, i))
				for j := range 32 {
					c.ExpectByte(lanes, int64(packetsPolyKey+4*(packets*(j/4)+i)+j%4), block0[j])
				}
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64, _ bool) error {
			turns, _ := s.Note.([]turn)
			first := firstText(c)
			passes := max(1, (uint64(n)-first+1)/2) // of two blocks
			blocks := first + 2*passes - 1          // from block 1 on
			for i := range packets * blocks {
				if !slices.Contains(turns, turn{i % packets, 1 + i/packets}) {
					return fmt.Errorf("there is no turn for packet %d and block %d", i%packets, 1+i/packets)
				}
			}
			if uint64(len(turns)) != packets*blocks {
				return fmt.Errorf("there are %d turns", len(turns))
			}
			return nil
		},
	}
}

// A turn is one for a packet and a block.
type turn struct{ packet, block uint64 }

// nextTurn is the label where a turn for packet i ends.
func nextTurn(loop string, i uint64) string {
	if i == packets-1 {
		return loop + "Done"
	}
	return loop + "Lane"
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
				if i > 0 && i < packets-1 && !c.Lengths(int64(i), 0, packets, 1) {
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
	in := t.Register
	begin := &engine.Claim{Has: []engine.Has{
		in(inLanes).Has(t.lanes.Base), in(inOffset).Has(t.offset), in(inPacket).Has(t.Const(64, i)),
		in(inStream).Has(t.stream.Base), in(inOpen).Has(t.Const(64, -t.open)),
	}}
	for at, word := range map[uint64]term.Term{
		packetsDst: t.Sub(t.dst.Base, t.offset), packetsSrc: t.Sub(t.src.Base, t.offset),
		packetsLength: t.Add(t.left, t.offset), packetsRowAt: t.Sub(t.Sub(t.row.Base, t.lanes.Base), t.offset),
	} {
		begin.Has = append(begin.Has, engine.In(t.lanes, int64(at+8*i)).Has(word))
	}
	before, after, err := run(loop+"Lane", nextTurn(loop, i), begin)
	if err != nil {
		return err
	}
	for _, name := range packetsKept {
		want := before.At(in(name))
		switch name {
		case inPacket:
			want = t.Const(64, i+1)
		case inStream:
			want = t.AddConst(t.stream.Base, 64)
		}
		if got := after.At(in(name)); got != want {
			return fmt.Errorf("%s is %s, want %s", name, t.Format(got), t.Format(want))
		}
	}
	dst, row := t.expected()
	for _, o := range t.Objects() {
		expected := map[*machine.Object][]term.Byte{t.dst: dst, t.row: row}[o]
		for at := range max(after.Mem.Extent(o), before.Mem.Extent(o), int64(len(expected))) {
			want := before.Mem.Byte(o, at)
			if at < int64(len(expected)) {
				want = expected[at]
			}
			if got := after.Mem.Byte(o, at); !t.Same(got, want) {
				return fmt.Errorf("%s[%d] is %s, want %s", o.Name, at, t.FormatByte(got), t.FormatByte(want))
			}
		}
	}
	return nil
}

// expected returns what a turn stores in dst and in the row.
func (t *packetTurn) expected() (dst, row []term.Byte) {
	n := int64(64)
	if left, ok := t.IsConst(t.left); ok {
		n = int64(left)
	} else if t.Op(t.left) != term.Leaf {
		n = 0
	}
	for at := range (n + 63) / 64 * 64 {
		if at >= n {
			row = append(row, term.ConstByte(0))
			continue
		}
		src := t.Load(t.src, at, 1)
		dst = append(dst, term.Byte(t.Xor(src, t.Load(t.stream, at, 1))<<3))
		row = append(row, dst[at])
		if t.open == 1 {
			row[at] = term.Byte(src << 3)
		}
	}
	return dst, row
}
