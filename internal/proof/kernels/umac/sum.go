// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"
	"slices"
	"strings"

	layout "github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

var (
	umacNEON  = encryption{"R12", []string{"V28"}}
	umacVEX   = encryption{"CX", []string{"Z0"}}
	umacSSE41 = encryption{"SI", []string{"Z1"}}
)

const umacVariant = "%d streams, pad at %d"

// umacVariants returns the variants: streams, and offsets that the nonce can select.
func umacVariants() (names []string) {
	for streams := 1; streams <= spec.NHStreams; streams++ {
		for at := 0; at < 16 && (at == 0 || streams <= 2); at += 4 * streams {
			names = append(names, fmt.Sprintf(umacVariant, streams, at))
		}
	}
	return names
}

type umacSum struct {
	streams               int
	rounds                term.Term // half the number of AES rounds above 10
	tag, msg, keys, nhKey *machine.Object
	l3                    []*l3
	poly                  *poly64
	at                    int64 // offset of the message's pad in the encrypted block
	from                  int64 // offset of the message's tag
	block                 padBlock
}

// newSum starts a case by parsing its variant and declaring the keys.
func newSum(c *engine.Case) *umacSum {
	u := &umacSum{keys: c.Buffer("keys", layout.SizeofKeys)}
	if n, err := fmt.Sscanf(c.Variant, umacVariant, &u.streams, &u.at); n == 0 {
		panic(err)
	}
	u.rounds = c.NewLeaf(64, term.LeafInfo{Name: "rounds", Public: true, Max: 2})
	u.nhKey = nhKey(c, u.keys, layout.KeysUhashNh, u.streams)
	u.keys.Set(layout.KeysUhashStreams, c.Const(64, uint64(u.streams)))
	u.keys.Set(layout.KeysPadRounds, c.AddConst(c.Scale(u.rounds, 2), 10))
	for s := range u.streams {
		u.l3 = append(u.l3, l3Key(c, u.keys, s))
	}
	u.poly = poly64Key(c, u.keys, layout.KeysUhashPoly64, u.streams)
	return u
}

func (u *umacSum) setup(c *engine.Case) {
	*u = *newSum(c)
	u.tag, u.msg = engine.Writable(c.Buffer("tag", int64(4*u.streams))), c.Bytes("msg", c.N)
	u.poly.in = c.Frame
	c.Head = fmt.Sprintf("whole_summed%d", u.streams) // used only if there is a loop
	u.block = newPadBlock(c)
	c.Arg(u.tag.Base, u.keys.Base, u.block.in[0], u.block.in[1], c.Const(64, uint64(u.at)), u.msg.Base, c.N)
	c.MayOverlap(u.tag, u.msg)
}

// unknowns returns an unknown of that name per stream. All paths share them.
func (u *umacSum) unknowns(c *engine.Case, name string) []term.Term {
	return term.Memo(c.Store, [...]any{"unknowns", name}, func() (list []term.Term) {
		for stream := range u.streams {
			list = append(list, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprint(name, stream)}))
		}
		return list
	})
}

// values returns the streams' NH values of n message bytes at offset at.
func (u *umacSum) values(c *engine.Case, at, n int64) []term.Term {
	return nhValues(c, u.nhKey, u.msg, at, n, u.streams)
}

// checkHashes checks that each tag word is its value's masked L3-HASH.
func (u *umacSum) checkHashes(c *engine.Case, s engine.View, values []term.Term) error {
	pad := spec.BlockOf(c.Store, u.block.out...)
	for stream, l := range u.l3 {
		var mask, hash [4]term.Byte
		c.Store.Bytes(mask[:], l.k2)
		for i := range hash {
			at := int64(4*stream + 3 - i)
			b := c.Gather([]term.Byte{s.Mem.Byte(u.tag, u.from+at)})
			for _, x := range []term.Byte{mask[i], pad[u.at+at]} {
				b = c.Xor(b, c.Gather([]term.Byte{x}))
			}
			c.Store.Bytes(hash[i:i+1], b)
		}
		if err := l.check(c, s, c.Gather(hash[:]), values[stream]); err != nil {
			return fmt.Errorf("stream %d: %w", stream, err)
		}
	}
	return nil
}

func (u *umacSum) kernel(file, name string, maxLen int64, e encryption) engine.Kernel {
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "the tag of msg: L3-HASH of the NH value, masked with the encrypted block",
		Variants: umacVariants(),
		Range:    engine.Range{Lengths: fmt.Sprintf("0 to %d bytes, for 1 to 4 streams, 10, 12 and 14 rounds, and each place of the pad", maxLen), Unit: 1, Min: 0, Max: maxLen},
		Setup:    u.setup,
		Spec:     func(c *engine.Case, _ int64, _ bool) { c.Checked(u.tag, 0, int64(4*u.streams)) },
		Left: func(c *engine.Case, s engine.View, n int64) error {
			if n <= spec.NHChunk {
				return u.checkHashes(c, s, u.values(c, 0, n))
			}
			return u.checkHashes(c, s, u.unknowns(c, "y reduced"))
		},
		Weakenings: engine.Weakenings{At: engine.Assertions{encryptLabel: func(c *engine.Case, _ engine.View) *engine.Assertion {
			return e.call(c, *u)
		}}},
		Segments: []engine.Kernel{e.segment(file, name)},
	}
}

func sumLong(name string, e encryption) engine.Kernel {
	u := &umacSum{}
	k := u.kernel(sumAMD64, name, 64<<10, e)
	k.Claim = "the tag of msg: L3-HASH of the NH value, or of POLY-64 of the NH values, masked with the encrypted block"
	k.Step, k.Reached, k.Unwiped = spec.NHChunk, spec.NHChunk+1, true
	k.Invariant = func(c *engine.Case) *engine.Assertion {
		begun := slices.Repeat([]term.Term{c.Const(64, spec.Poly64Start)}, u.streams)
		begun = append(begun, u.values(c, 0, spec.NHChunk)...)
		return u.poly.invariant(c, begun, u.values(c, spec.NHChunk, spec.NHChunk))
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		k.At[fmt.Sprintf("last%d", streams)] = u.checkLastStep
		k.At[fmt.Sprintf("values%d", streams)] = u.replaceValues
		for stream := range streams {
			k.At[fmt.Sprintf("reduced%d_%d", streams, stream)] = func(c *engine.Case, s engine.View) *engine.Assertion {
				return u.checkReduced(c, s, stream)
			}
		}
	}
	return k
}

// checkLastStep checks y before the last chunk and replaces it with an unknown.
func (u *umacSum) checkLastStep(c *engine.Case, s engine.View) *engine.Assertion {
	if !c.Looped {
		return nil
	}
	a := &engine.Assertion{Where: func(s engine.View) error { return u.poly.checkAbsorbed(c, s) }}
	for stream, y := range u.unknowns(c, "y") {
		a.HasUnknown(u.poly.place(stream), y)
	}
	return a
}

// replaceValues replaces the last chunk's values with unknowns wherever they are.
func (u *umacSum) replaceValues(c *engine.Case, s engine.View) *engine.Assertion {
	n, ok := s.Value(s.Length())
	if !ok || !c.Looped {
		machine.Fail("there is no chunk before the last")
	}
	a, values := &engine.Assertion{Of: map[term.Term]term.Term{}}, u.values(c, spec.NHChunk, int64(n)-spec.NHChunk)
	for stream, v := range u.unknowns(c, "value") {
		// A vector contains the values of two streams.
		at := slices.IndexFunc(vectors, func(name string) bool { return s.At(c.Lane(name, stream%2)) == values[stream] })
		if at < 0 {
			machine.Fail("no vector contains the value of stream %d", stream)
		}
		a.Of[v], a.Has = values[stream], append(a.Has, c.Lane(vectors[at], stream%2).Has(v))
	}
	return a
}

var vectors = strings.Fields("Z0 Z1 Z2 Z3 Z4 Z5 Z6 Z7 Z8 Z9 Z10 Z11 Z12 Z13 Z14 Z15")

// checkReduced checks the y that the preceding instruction computed, and replaces it.
func (u *umacSum) checkReduced(c *engine.Case, s engine.View, stream int) *engine.Assertion {
	args := c.Fn.Code[s.PC-1].Args
	if len(args) == 0 {
		machine.Fail("the last step leaves nothing")
	}
	y := u.unknowns(c, "y reduced")[stream]
	a := &engine.Assertion{Where: func(s engine.View) error {
		return u.poly.checkStep(c, s, s.Of(y)[0], stream, u.unknowns(c, "y")[stream], u.unknowns(c, "value")[stream], true)
	}}
	a.HasUnknown(c.Register(args[len(args)-1].Reg), y)
	return a
}
