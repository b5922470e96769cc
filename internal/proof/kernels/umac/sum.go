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
	at                    int64       // offset of the message's pad in the encrypted block
	from                  int64       // offset of the message's tag
	block, pad            []term.Term // the words to encrypt, and unknowns that represent the encrypted words
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

func (u *umacSum) declareBlock(c *engine.Case) {
	u.block = []term.Term{c.Input("lo", false), c.Input("hi", false)}
	u.pad = []term.Term{c.Input("pad", false), c.Input("pad", false)}
}

func (u *umacSum) setup(c *engine.Case) {
	*u = *newSum(c)
	u.tag, u.msg = engine.Writable(c.Buffer("tag", int64(4*u.streams))), c.Bytes("msg", c.N)
	u.poly.in = c.Frame
	c.Head = fmt.Sprintf("whole_summed%d", u.streams) // used only if there is a loop
	u.declareBlock(c)
	c.Arg(u.tag.Base, u.keys.Base, u.block[0], u.block[1], c.Const(64, uint64(u.at)), u.msg.Base, c.N)
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
	pad := spec.BlockOf(c.Store, u.pad...)
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
		if err := l.check(c, s, hash, values[stream]); err != nil {
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

const (
	batchAMD64, sumFourName = "internal/umac/batch_amd64.s", "sumFourAVX2AES"

	umacFourMessages = 4
	umacFourValues   = 16 * umacFourMessages // offset of the values in the frame, after the pads
)

type umacFour struct {
	messages []umacSum
	list     *machine.Object
}

// bits returns a pad's index size in bits and its size in bytes.
func (u *umacSum) bits() (bits int, bytes int64) { return max(0, 3-u.streams), 4 * int64(u.streams) }

// setup declares the messages. The bits of c.N select the pad offsets. If own is true,
// each pad offset is a separate input instead.
func (f *umacFour) setup(c *engine.Case, own bool) {
	f.messages, f.list = nil, c.Buffer("messages", umacFourMessages*layout.SizeofMessage)
	first := newSum(c)
	bits, part := first.bits()
	first.tag = engine.Writable(c.Buffer("tags", part*umacFourMessages))
	for i := range int64(umacFourMessages) {
		m, n := *first, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("n%d", i), Public: true, Max: spec.NHChunk})
		m.from, m.msg = part*i, c.Bytes(fmt.Sprintf("msg%d", i), n)
		m.declareBlock(c)
		at := c.Const(64, 0)
		if bits > 0 {
			place := c.And(c.Shr(c.N, bits*int(i)), c.Const(64, 1<<bits-1))
			if own {
				place = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("at%d", i), Public: true, Max: 1<<bits - 1})
			}
			at = c.Scale(place, uint64(part))
		}
		// Fields with consecutive offsets.
		f.list.Set(layout.SizeofMessage*i+layout.MessagePadLo, m.block[0], m.block[1], at, m.msg.Base, n)
		f.messages = append(f.messages, m)
	}
	c.Arg(first.tag.Base, first.keys.Base, f.list.Base)
}

// hashSegment returns the segment that stores the NH values of one message.
func hashSegment(streams int) engine.Kernel {
	var m umacSum
	var message, values *machine.Object
	var results []term.Term
	return engine.Kernel{
		File: batchAMD64, Func: sumFourName,
		Range: engine.Range{Unit: 1, Min: 0, Max: spec.NHChunk},
		Setup: func(c *engine.Case) {
			m = umacSum{streams: streams, keys: c.Buffer("keys", layout.SizeofKeys), msg: c.Bytes("msg", c.N)}
			m.nhKey = nhKey(c, m.keys, layout.KeysUhashNh, streams)
			message, values = c.Buffer("message", layout.SizeofMessage), engine.Writable(c.Buffer("values", int64(8*streams)))
			message.Set(layout.MessageMsg, m.msg.Base, c.N)
			results = nil
			for range streams {
				results = append(results, c.Input("value", false))
			}
		},
		Spec: func(c *engine.Case, n int64, _ bool) { c.Expect(values, 0, m.values(c, 0, n)...) },
		Segment: engine.Segment{
			From: fmt.Sprint("streams", streams), To: fmt.Sprint("next", streams),
			Enter: func(c *engine.Case) *engine.Assertion {
				return &engine.Assertion{Has: hashRegisters(c, m.keys, engine.In(message, 0), engine.In(values, 0))}
			},
			Exit: func(c *engine.Case) *engine.Assertion {
				a := &engine.Assertion{Where: func(s engine.View) error {
					n, _ := s.Value(s.Length())
					return represent(s, "the NH values", results, m.values(c, 0, int64(n)))
				}}
				for stream, result := range results {
					a.HasUnknown(engine.In(values, int64(8*stream)), result)
				}
				return a
			},
		},
	}
}

// hashRegisters returns the contents of registers where the segment begins.
func hashRegisters(c *engine.Case, keys *machine.Object, message, values engine.Place) []engine.Has {
	at := func(p engine.Place) term.Term { return c.AddConst(p.Object.Base, uint64(p.At)) }
	return []engine.Has{c.Register("AX").Has(keys.Base), c.Register("R8").Has(at(message)), c.Register("SI").Has(at(values))}
}

// results returns unknowns that represent the NH values of message i.
func (f *umacFour) results(c *engine.Case, i int) []term.Term {
	return f.messages[i].unknowns(c, fmt.Sprint("value", i, "."))
}

// callHash calls the segment for the next message.
func (f *umacFour) callHash(c *engine.Case, s engine.View) *engine.Assertion {
	i := umacFourMessages - int(c.Known(s.At(c.Register("DI"))))
	if i < 0 || i >= umacFourMessages {
		machine.Fail("register DI is not the number of remaining messages")
	}
	m := &f.messages[i]
	message, values := engine.In(f.list, layout.SizeofMessage*int64(i)), engine.In(c.Frame(), umacFourValues+32*int64(i))
	return &engine.Assertion{Has: hashRegisters(c, m.keys, message, values), Call: &engine.Call{
		To: fmt.Sprint("next", m.streams), Name: fmt.Sprint("message ", i), Cases: []engine.Entry{{}}, Results: f.results(c, i),
		Buffers: map[string]engine.Place{
			"keys": engine.In(m.keys, 0), "pieces": engine.In(m.nhKey, 0), "message": message, "msg": engine.In(m.msg, 0), "values": values,
		},
	}}
}

// left checks the tags. The bits of pads select the pad offsets.
func (f *umacFour) left(c *engine.Case, s engine.View, pads int64) error {
	for i := range f.messages {
		m := &f.messages[i]
		bits, part := m.bits()
		m.at = part * (pads >> (bits * i) & (1<<bits - 1))
		if err := m.checkHashes(c, s, f.results(c, i)); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

func sumFour() engine.Kernel {
	f, e := &umacFour{}, encryption{"AX", []string{"Z1", "Z2", "Z3", "Z4"}}
	k := engine.Kernel{
		File: batchAMD64, Func: sumFourName, Variants: []string{"1 streams", "2 streams", "3 streams", "4 streams"},
		Claim: "the tags of four messages: L3-HASH of the NH values, masked with the encrypted blocks",
		// The length is the number that selects the pads.
		Range: engine.Range{Lengths: "0 to 1024 bytes each, for 1 to 4 streams, 10, 12 and 14 rounds, and all places of the pads", Unit: 1, Min: 0, Max: 1<<(2*umacFourMessages) - 1},
		Setup: func(c *engine.Case) { f.setup(c, false) },
		Calls: func(c *engine.Case) { f.setup(c, true) },
		Spec: func(c *engine.Case, _ int64, _ bool) {
			c.Checked(f.messages[0].tag, 0, int64(4*f.messages[0].streams*umacFourMessages))
		},
		Left:     f.left,
		Segments: []engine.Kernel{e.segment(batchAMD64, sumFourName)},
		Weakenings: engine.Weakenings{At: engine.Assertions{encryptLabel: func(c *engine.Case, _ engine.View) *engine.Assertion {
			return e.call(c, f.messages...)
		}}},
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		k.Segments = append(k.Segments, hashSegment(streams))
		k.At[fmt.Sprint("streams", streams)] = f.callHash
	}
	return k
}
