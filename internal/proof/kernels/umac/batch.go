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
	messages [umacFourMessages]umacSum
	list     *machine.Object
}

// bits returns a pad's index size in bits and its size in bytes.
func (u *umacSum) bits() (bits int, bytes int64) { return max(0, 3-u.streams), 4 * int64(u.streams) }

// setup declares the messages. The bits of c.N select the pad offsets. If own is true,
// each pad offset is a separate input instead.
func (f *umacFour) setup(c *engine.Case, own bool) {
	f.list = c.Buffer("messages", umacFourMessages*layout.SizeofMessage)
	first := newSum(c)
	bits, part := first.bits()
	first.tag = engine.Writable(c.Buffer("tags", part*umacFourMessages))
	for i := range int64(umacFourMessages) {
		m, n := *first, anyLength(c, fmt.Sprintf("n%d", i))
		m.from = part * i
		at := c.Const(64, 0)
		if bits > 0 {
			place := c.And(c.Shr(c.N, bits*int(i)), c.Const(64, 1<<bits-1))
			if own {
				place = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("at%d", i), Public: true, Max: 1<<bits - 1})
			}
			at = c.Scale(place, uint64(part))
		}
		m.msg = c.Bytes(fmt.Sprintf("msg%d", i), n)
		m.block = newPadBlock(c)
		for offset, word := range map[int64]term.Term{
			layout.MessagePadLo: m.block.in[0], layout.MessagePadHi: m.block.in[1], layout.MessagePadAt: at, layout.MessageMsg: m.msg.Base, layout.MessageN: n,
		} {
			f.list.Set(layout.SizeofMessage*i+offset, word)
		}
		f.messages[i] = m
	}
	c.Arg(first.tag.Base, first.keys.Base, f.list.Base)
}

// anyLength returns an input for a message's length, at most one chunk.
func anyLength(c *engine.Case, name string) term.Term {
	return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Max: spec.NHChunk})
}

func value(c *engine.Case, message, stream int) term.Term {
	return unknown(c, fmt.Sprint("value", message, "."), stream)
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
			message.Set(layout.MessageMsg, m.msg.Base)
			message.Set(layout.MessageN, c.N)
			results = nil
			for range streams {
				results = append(results, c.Input("value", false))
			}
		},
		Spec: func(c *engine.Case, n int64, _ bool) {
			for stream := range streams {
				c.Expect(values, int64(8*stream), m.nh(c, 0, n, stream))
			}
		},
		Segment: engine.Segment{
			From: fmt.Sprint("streams", streams), To: fmt.Sprint("next", streams),
			Enter: func(c *engine.Case) *engine.Assertion {
				return &engine.Assertion{Has: hashRegisters(c, m.keys, engine.In(message, 0), engine.In(values, 0))}
			},
			Exit: func(c *engine.Case) *engine.Assertion {
				a := &engine.Assertion{}
				for stream, result := range results {
					a.HasUnknown(engine.In(values, int64(8*stream)), result)
				}
				a.Where = func(s engine.View) error {
					n, _ := s.Value(s.Length())
					for stream, got := range s.Of(results...) {
						if err := s.Is(fmt.Sprint("the NH value of stream ", stream), got, m.nh(c, 0, int64(n), stream)); err != nil {
							return err
						}
					}
					return nil
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

// callHash calls the segment for the next message.
func (f *umacFour) callHash(c *engine.Case, s engine.View) *engine.Assertion {
	i := umacFourMessages - int64(c.Known(s.At(c.Register("DI"))))
	if i < 0 || i >= umacFourMessages {
		machine.Fail("register DI is not the number of remaining messages")
	}
	m := &f.messages[i]
	message, values := engine.In(f.list, layout.SizeofMessage*i), engine.In(c.Frame(), umacFourValues+32*i)
	call := &engine.Call{
		To: fmt.Sprint("next", m.streams), Name: fmt.Sprint("message ", i), Cases: []engine.Entry{{}},
		Buffers: map[string]engine.Place{
			"keys": engine.In(m.keys, 0), "pieces": engine.In(m.nhKey, 0), "message": message, "msg": engine.In(m.msg, 0), "values": values,
		},
	}
	for stream := range m.streams {
		call.Results = append(call.Results, value(c, int(i), stream))
	}
	return &engine.Assertion{Has: hashRegisters(c, m.keys, message, values), Call: call}
}

// left checks the tags. The bits of pads select the pad offsets.
func (f *umacFour) left(c *engine.Case, s engine.View, pads int64) error {
	for i := range f.messages {
		m := &f.messages[i]
		bits, part := m.bits()
		m.at = part * (pads >> (bits * i) & (1<<bits - 1))
		if err := m.checkHashes(c, s, func(stream int) term.Term { return value(c, i, stream) }); err != nil {
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
			var blocks []padBlock
			for _, m := range f.messages {
				blocks = append(blocks, m.block)
			}
			return e.call(c, f.messages[0].keys, f.messages[0].rounds, blocks...)
		}}},
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		k.Segments = append(k.Segments, hashSegment(streams))
		k.At[fmt.Sprint("streams", streams)] = f.callHash
	}
	return k
}
