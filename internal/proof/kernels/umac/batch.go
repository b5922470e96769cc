// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	layout "github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// This file contains the statement of a kernel that hashes four messages.

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
		m.from, m.msg, m.block = part*i, c.Bytes(fmt.Sprintf("msg%d", i), n), newPadBlock(c)
		at := c.Const(64, 0)
		if bits > 0 {
			place := c.And(c.Shr(c.N, bits*int(i)), c.Const(64, 1<<bits-1))
			if own {
				place = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("at%d", i), Public: true, Max: 1<<bits - 1})
			}
			at = c.Scale(place, uint64(part))
		}
		// Fields with consecutive offsets.
		f.list.Set(layout.SizeofMessage*i+layout.MessagePadLo, m.block.in[0], m.block.in[1], at, m.msg.Base, n)
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
