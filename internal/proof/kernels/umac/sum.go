// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac states what the kernels of UMAC compute.
package umac

import (
	"errors"
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Where package umac's struct keys has what, which its test of the layout checks.
const (
	umacStreams = spec.NHKeySize
	umacPoly64  = umacStreams + 8
	umacL3      = umacPoly64 + 3*8*spec.NHStreams + 4*8*spec.NHStreams // POLY-128's keys come before
	umacL3Size  = 72
	umacRounds  = umacL3 + spec.NHStreams*umacL3Size
	umacAES     = umacRounds + 8
	umacLanes   = umacAES + 15*16
	umacSize    = umacLanes + 4*8*spec.NHStreams + 4*spec.NHStreams
)

const (
	nhAMD64, nhARM64   = "internal/umac/nh_amd64.s", "internal/umac/nh_arm64.s"
	sumAMD64, sumARM64 = "internal/umac/sum_amd64.s", "internal/umac/sum_arm64.s"
)

// Kernels are those of package umac.
var Kernels = slices.Concat(nh, derive, []engine.Kernel{
	sumShort(sumARM64, "sumNEONAES", map[string]string{"R0": "tag", "R12": "keys", "R13": "at", "R2": "msg", "R3": "n"}),
	sumLong(sumAMD64, "sumAVX2AES", umacVEX), sumLong(sumAMD64, "sumAVX512AES", umacVEX),
	sumLong(sumAMD64, "sumSSE41AES", map[string]string{"BX": "tag", "SI": "keys", "DI": "msg", "R8": "frame"}),
	sumFour("internal/umac/batch_amd64.s", "sumFourAVX2AES"),
})

var umacVEX = map[string]string{"AX": "tag", "CX": "keys", "BX": "msg", "SI": "frame"}

// A umacCase is the sizes that a variant has: streams, AES's rounds, and where the pad begins
// in the block that is encrypted.
type umacCase struct {
	streams, rounds int
	at              int64
}

// umacCases are all that there are with these numbers of rounds: with tags of 4 and 8 bytes the
// nonce chooses a part of the block.
func umacCases(allRounds ...int) (names []string, cases map[string]umacCase) {
	cases = map[string]umacCase{}
	for _, rounds := range allRounds {
		for streams := 1; streams <= spec.NHStreams; streams++ {
			for at := int64(0); at < 16; at += 4 * int64(streams) {
				name := fmt.Sprintf("%d rounds, %d streams, pad at %d", rounds, streams, at)
				names, cases[name] = append(names, name), umacCase{streams, rounds, at}
				if streams > 2 {
					break
				}
			}
		}
	}
	return names, cases
}

// A umacSum is one case of the proof.
type umacSum struct {
	umacCase
	tag, msg, keys, nhKey *machine.Object
	l3                    []*l3
	poly                  *poly64
	from                  int64         // where its tag begins
	block                 [16]term.Byte // encrypted
	pad                   [16]term.Byte // what stands for it afterwards:
	padWords              [2]term.Term
	kept                  map[string]string // what registers hold then
	forgotten             term.Term         // the number of rounds then
	padOnly               bool
}

// setup is Kernel.Setup.
func (u *umacSum) setup(c *engine.Case, cases map[string]umacCase, kept map[string]string, padOnly bool) {
	*u = umacSum{umacCase: cases[c.Variant], kept: kept, padOnly: padOnly}
	u.tag, u.msg = engine.Writable(c.Buffer("tag", int64(4*u.streams))), c.Bytes("msg", c.N)
	u.setKeys(c)
	lo, hi := u.setBlock(c)
	c.Pointers(u.tag, u.keys)
	c.Arg(lo)
	c.Arg(hi)
	c.Arg(c.Const(64, uint64(u.at)))
	c.Pointers(u.msg)
	c.Arg(c.N)
	c.MayOverlap(u.tag, u.msg)
}

// setKeys declares the keys.
func (u *umacSum) setKeys(c *engine.Case) {
	u.keys = c.Buffer("keys", umacSize)
	u.nhKey = nhKeyIn(c, u.keys, u.streams)
	u.keys.Set(umacStreams, c.Const(64, uint64(u.streams)))
	u.keys.Set(umacRounds, c.Const(64, uint64(u.rounds)))
	for s := range u.streams {
		u.l3 = append(u.l3, l3Key(c, u.keys, umacL3+umacL3Size*int64(s), umacLanes, s))
	}
	u.poly = poly64Key(c, u.keys, umacPoly64, u.streams)
	u.forgotten = c.Unknown(64)
}

// setBlock makes the block that is to be encrypted.
func (u *umacSum) setBlock(c *engine.Case) (lo, hi term.Term) {
	lo, hi = c.Input("lo", false), c.Input("hi", false)
	var block [16]term.Byte
	c.Store.Bytes(block[:8], lo)
	c.Store.Bytes(block[8:], hi)
	u.block = spec.AESEncrypt(c.Store, block, u.keys, umacAES, u.rounds)
	for i := range u.padWords {
		u.padWords[i] = c.NewLeaf(64, term.LeafInfo{Name: "pad"})
		c.Store.Bytes(u.pad[8*i:8*i+8], u.padWords[i])
	}
	return lo, hi
}

// encrypted is the claim after the block was encrypted. What comes then depends on nothing that
// depends on the number of rounds: new unknowns are in the block's place, and only the
// registers that are listed are what they were. So all lengths are proven for one number
// of rounds, and the others up to here alone.
func (u *umacSum) encrypted(c *engine.Case, s engine.View) *engine.Claim {
	if op := c.Fn.Code[s.PC].Op; op != "VAESENCLAST" && op != "AESENCLAST" && op != "VEOR" {
		return nil
	}
	at := u.holdsBlock(c, s)
	if at < 0 {
		return nil
	}
	a := u.padded(c, engine.InRegisters(at), engine.InRegisters(at+8))
	objects := map[string]term.Term{"n": s.Mem.Size(u.msg), "at": c.Const(64, uint64(u.at))}
	for _, o := range c.Objects() {
		objects[o.Name] = o.Base // of the frame, its aligned part
		if o.Writable && s.Mem.Extent(o) > 0 {
			machine.Fail("stores to %s before the block is encrypted", o.Name)
		}
	}
	a.Keep = []string{"RSP", "R18", "R28", "R29", "R30"} // which must not change at all
	for i, register := range c.Words() {
		if name, ok := u.kept[register]; ok {
			a.Keep = append(a.Keep, register)
			a.Has = append(a.Has, engine.InRegisters(8*i).Has(objects[name]))
		}
	}
	a.Any(engine.In(u.keys, umacRounds), u.forgotten)
	if u.padOnly {
		a.Ends, a.Note = true, padded{}
	}
	return a
}

// padded is the claim that places have the encrypted block, for which the pad stands.
func (u *umacSum) padded(c *engine.Case, low, high engine.Place) *engine.Claim {
	return &engine.Claim{
		Of:  map[term.Term]term.Term{u.padWords[0]: c.Gather(u.block[:8]), u.padWords[1]: c.Gather(u.block[8:])},
		Has: []engine.Has{low.Has(u.padWords[0]), high.Has(u.padWords[1])},
	}
}

// padded is the Note of a way that ended with the encrypted block.
type padded struct{}

// isPadded is the Kernel.Left of such a way.
func isPadded(_ *engine.Case, s engine.View, _ int64, _ bool) error {
	if _, ok := s.Note.(padded); !ok {
		return errors.New("returns before the block is encrypted")
	}
	return nil
}

// holdsBlock returns which register has the encrypted block, or -1.
func (u *umacSum) holdsBlock(c *engine.Case, s engine.View) int {
search:
	for at := 0; at+16 <= s.Registers(); at += 8 {
		for i, b := range u.block {
			if !c.Same(s.Register(at+i), b) {
				continue search
			}
		}
		return at
	}
	return -1
}

// value returns what L3-HASH has been taken of in a stream's part of the tag, which is that
// hash as a big-endian word, masked with the key and the pad.
func (u *umacSum) value(c *engine.Case, s engine.View, stream int) (term.Term, error) {
	var mask, hash [4]term.Byte
	c.Store.Bytes(mask[:], u.l3[stream].k2)
	for i := range hash {
		at := int64(4*stream + 3 - i)
		b := c.Gather([]term.Byte{s.Mem.Byte(u.tag, u.from+at)})
		for _, x := range []term.Byte{mask[i], u.pad[u.at+at]} {
			b = c.Xor(b, c.Gather([]term.Byte{x}))
		}
		c.Store.Bytes(hash[i:i+1], b)
	}
	return u.l3[stream].hashed(c, c.Gather(hash[:]))
}

// nh returns the NH value of a stream for n bytes of the message.
func (u *umacSum) nh(c *engine.Case, at, n int64, stream int) term.Term {
	type key struct {
		msg    *machine.Object
		at, n  int64
		stream int
	}
	return term.Once(c.Store, key{u.msg, at, n, stream}, func() term.Term { return spec.NHValue(c.Store, u.nhKey, u.msg, at, n, stream) })
}

// hashed checks the tag: what L3-HASH is taken of is what right says.
func (u *umacSum) hashed(c *engine.Case, s engine.View, right func(stream int, value term.Term) error) error {
	for stream := range u.streams {
		value, err := u.value(c, s, stream)
		if err == nil {
			err = right(stream, value)
		}
		if err != nil {
			return fmt.Errorf("stream %d: %w", stream, err)
		}
	}
	return nil
}

// short checks the tag of a message of one chunk: its values are NH's.
func (u *umacSum) short(c *engine.Case, s engine.View, n int64) error {
	return u.hashed(c, s, func(stream int, value term.Term) error {
		if want := u.nh(c, 0, n, stream); value != want {
			return fmt.Errorf("hashes %s, want %s", c.Format(value), c.Format(want))
		}
		return nil
	})
}

// sum stores the tag of a message of at most so many bytes; sumShort, of one chunk.
func sum(file, name string, most int64, kept map[string]string) (*umacSum, engine.Kernel) {
	u := &umacSum{}
	names, cases := umacCases(10)
	return u, engine.Kernel{
		File: file, Func: name,
		Claim:    "the tag of msg: L3-HASH of the NH value, masked with the encrypted block",
		Variants: names,
		Lengths:  fmt.Sprintf("0 to %d bytes, for 1 to 4 streams, 10, 12 and 14 rounds, and each place of the pad", most),
		Unit:     1, Min: 0, Max: most,
		Setup: func(c *engine.Case) { u.setup(c, cases, kept, false) },
		Spec: func(c *engine.Case, _ int64, last bool) {
			if last {
				c.Free(u.tag, 0, int64(4*u.streams))
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64, last bool) error {
			switch {
			case !last:
				return nil
			case n <= spec.NHChunk:
				return u.short(c, s, n)
			}
			return u.long(c, s)
		},
		Cut:      u.encrypted,
		Sections: []engine.Kernel{pad(file, name, most, kept)},
	}
}

func sumShort(file, name string, kept map[string]string) engine.Kernel {
	_, k := sum(file, name, spec.NHChunk, kept)
	return k
}

// pad goes as far as the encrypted block, for any length.
func pad(file, name string, most int64, kept map[string]string) engine.Kernel {
	u := &umacSum{}
	names, cases := umacCases(12, 14)
	return engine.Kernel{
		File: file, Func: name, Variants: names,
		Setup: func(c *engine.Case) {
			c.N = c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: uint64(most)})
			u.setup(c, cases, kept, true)
		},
		Spec: func(*engine.Case, int64, bool) {},
		Cut:  u.encrypted,
		Left: isPadded,
	}
}
