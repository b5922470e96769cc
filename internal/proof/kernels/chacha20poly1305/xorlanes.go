// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// The registers at the heads of the loops over the packets, which xorLanesAVX512IFMA has two of: number and offset say
// which block it is, and where in the texts.
const inLanes, inNumber, inOffset, inPacket, inStream, inOpen = "AX", "SI", "DX", "DI", "R8", "K2"

// xorLanesKernel encrypts texts of unequal lengths: for each block, a loop goes over the packets.
// A turn of it, for a packet, is a section: for any block, and all that may be left of the text then. The run of the
// whole passes over it. It shows that there is a turn for each packet and block, and that wherever one begins, the
// registers and the key stream are what they are to be.
func xorLanesKernel(name string) engine.Kernel {
	var lanes *machine.Object
	var open term.Term
	var first uint64 // the argument: 1 where there is no block 0
	variants := []string{"from block 0", "from block 1"}
	// begins is where a turn for a packet begins.
	begins := func(loop string, ahead uint64) func(*engine.Case, engine.View) *engine.Claim {
		return func(c *engine.Case, s engine.View) *engine.Claim {
			in := c.Register
			block, i := c.Known(s.At(in(inNumber)))+ahead, c.Known(s.At(in(inPacket)))
			x := spec.ChaCha20Ahead(c.Store, packetState(c, lanes, int(i)), int64(block))
			slot, at := s.Resolve(s.At(in(inStream)))
			for j, b := range spec.ChaCha20Block(c.Store, x) {
				if got := s.Mem.Byte(slot, at+int64(j)); !c.Same(got, b) {
					machine.Fail("byte %d of packet %d's key stream is %s", j, i, c.FormatByte(got))
				}
			}
			turns, _ := s.Note.(uint64)
			if i+packets*(block-1) != turns {
				machine.Fail("a turn for packet %d and block %d comes after %d turns", i, block, turns)
			}
			return &engine.Claim{
				Has:  []engine.Has{in(inLanes).Has(lanes.Base), in(inOffset).Has(c.Const(64, 64*(block-1))), in(inOpen).Has(c.Sub(c.Const(64, 0), open))},
				Note: turns + 1, To: loop + "Next",
			}
		}
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "each of 16 texts, of its own length, XOR its key stream from block 1, apart or in place; the ciphertexts in the rows, with zeros to whole blocks of 64; and 32 bytes of each block 0, if first is 0",
		Variants: variants,
		Wipes:    true,
		Unit:     1, Min: 1, Max: 1 + packetsText/64, Lengths: "0 to 1984 bytes each, in 1 to 32 blocks",
		At:       engine.Claims{"firstLane": begins("first", 0), "secondLane": begins("second", 1)},
		Sections: []engine.Kernel{xorTurn(name, "first"), xorTurn(name, "second")},
		Setup: func(c *engine.Case) {
			lanes = engine.Writable(c.Buffer("s", packetsStart))
			for i := range int64(packets) {
				n := c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("length%d", i), Public: true, Max: packetsText})
				dst, src := engine.Writable(c.Bytes(fmt.Sprintf("dst%d", i), n)), c.Bytes(fmt.Sprintf("src%d", i), n)
				c.InPlace(src, dst)
				for at, word := range map[int64]term.Term{packetsDst: dst.Base, packetsSrc: src.Base, packetsLength: n} {
					lanes.Set(at+8*i, word)
				}
			}
			open = c.Input("open", true)
			first = uint64(slices.Index(variants, c.Variant))
			c.Arg(lanes.Base, c.Const(64, first), c.N, open)
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for i := range packets * int(1-first) {
				block0 := spec.ChaCha20Block(c.Store, packetState(c, lanes, i))
				for j := range 32 {
					c.ExpectByte(lanes, int64(packetsPolyKey+4*(packets*(j/4)+i)+j%4), block0[j])
				}
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64, _ bool) error {
			passes := max(1, (uint64(n)-first+1)/2) // of two blocks
			blocks := first + 2*passes - 1          // from block 1 on
			if s.Note != packets*blocks {
				return fmt.Errorf("there are %v turns", s.Note)
			}
			return nil
		},
	}
}

// What may be left of a text: lengths are those of less than a block.
const wholeLeft, partLeft, nothingLeft = "a block", "a part", "nothing"

// xorTurn is a turn of a loop, at an unknown offset. There is a variant for each packet and what may be left.
func xorTurn(name, loop string) engine.Kernel {
	var x chacha20.Cipher
	var lanes, row, stream *machine.Object
	var offset term.Term
	var packet int64
	var left string
	var open bool
	k := engine.Kernel{
		File: file, Func: name, From: loop + "Lane", To: loop + "Next",
		Changes: strings.Fields("R9 R10 R11 R12 R13 Z0 Z1 K1"),
		Unit:    1, Min: 0, Max: 63,
		Given: func(_ *engine.Case, n int64) bool { return n == 0 || left == partLeft },
		Setup: func(c *engine.Case) {
			public := func(name string, least, most uint64) term.Term {
				return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Min: least, Max: most})
			}
			is := strings.Split(c.Variant, ", ")
			packet, _ = strconv.ParseInt(is[0], 10, 64)
			rest, size := c.N, c.N
			switch left = is[2]; left {
			case wholeLeft:
				rest = public("more", 64, packetsText)
				size = rest
			case nothingLeft:
				rest = c.Sub(c.Const(64, 0), public("past", 1, packetsText))
			}
			lanes = engine.Writable(c.Buffer("s", packetsStart))
			row, stream = engine.Writable(c.Buffer("row", 64)), c.Buffer("stream", 64)
			x.Texts(c, size)
			offset, open = public("offset", 0, packetsText), is[1] == "open"
			lanes.Set(packetsDst+8*packet, c.Sub(x.Dst.Base, offset))
			lanes.Set(packetsSrc+8*packet, c.Sub(x.Src.Base, offset))
			lanes.Set(packetsLength+8*packet, c.Add(rest, offset))
			lanes.Set(packetsRowAt+8*packet, c.Sub(c.Sub(row.Base, lanes.Base), offset))
			c.Arg(lanes.Base, c.Input("first", true), c.Input("blocks", true), c.Input("open", true))
		},
		Enter: func(c *engine.Case) *engine.Claim {
			in, mask := c.Register, c.Const(64, 0)
			if open {
				mask = c.Const(64, ^uint64(0))
			}
			return &engine.Claim{Has: []engine.Has{
				in(inLanes).Has(lanes.Base), in(inOffset).Has(offset), in(inPacket).Has(c.Const(64, uint64(packet))),
				in(inStream).Has(stream.Base), in(inOpen).Has(mask),
			}}
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			if left == wholeLeft {
				n = 64
			}
			for at := range (n + 63) / 64 * 64 {
				b := c.Const(8, 0)
				if at < n {
					src := x.Src.Load(at, 1)
					b = c.Xor(src, stream.Load(at, 1))
					c.Expect(x.Dst, at, b)
					if open {
						b = src
					}
				}
				c.Expect(row, at, b)
			}
		},
	}
	for i := range packets {
		for _, left := range []string{wholeLeft, partLeft, nothingLeft} {
			k.Variants = append(k.Variants, fmt.Sprintf("%d, seal, %s", i, left), fmt.Sprintf("%d, open, %s", i, left))
		}
	}
	return k
}
