// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Four messages of a chunk at most: their values are made one after the other. Between two
// messages, and before and after all, nothing is known but what is listed below; the length
// of a message is known only while it is worked on. So how long one is makes no difference
// to the others, and runs with one length for all four prove every four lengths.

// Where package umac's struct message has what, and what the frame has.
const (
	umacFourMessages              = 4
	umacMessageN, umacMessageSize = 32, 40                // after the block, the pad's place in it, and the address
	umacFourValues                = 16 * umacFourMessages // after the pads
)

// A umacFour is one case of the proof.
type umacFour struct {
	messages [umacFourMessages]umacSum
	list     *machine.Object
}

// setup declares messages, each with its pad at another place, or with all pads at any places, as callers have them:
// how one message is makes no difference to the others.
func (f *umacFour) setup(c *engine.Case, anyPlace bool) {
	f.list = c.Buffer("messages", umacFourMessages*umacMessageSize)
	first := newSum(c)
	part := 4 * int64(first.streams) // of the tags
	first.tag = engine.Writable(c.Buffer("tags", part*umacFourMessages))
	for i := range int64(umacFourMessages) {
		m, n := *first, anyLength(c, fmt.Sprintf("n%d", i))
		m.from = part * i
		if m.streams <= 2 {
			m.at = (m.at + part*i) % 16
		}
		at := c.Const(64, uint64(m.at))
		if anyPlace && m.streams <= 2 {
			at = c.Scale(c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("at%d", i), Public: true, Max: uint64(16/part - 1)}), uint64(part))
		}
		m.msg = c.Bytes(fmt.Sprintf("msg%d", i), n)
		lo, hi := m.setBlock(c)
		f.list.Set(umacMessageSize*i, lo, hi, at, m.msg.Base, n)
		f.messages[i] = m
	}
	c.Arg(first.tag.Base, first.keys.Base, f.list.Base)
}

// anyLength returns what the length of a message may be.
func anyLength(c *engine.Case, name string) term.Term {
	return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Max: spec.NHChunk})
}

// next is the claim before each message, and after the last. The lengths of all messages are unknown,
// except that of the one that comes next, which is the run's.
func (f *umacFour) next(c *engine.Case, s engine.View) *engine.Assertion {
	done, _ := s.Note.(int)
	if done > umacFourMessages {
		machine.Fail("there are more messages")
	}
	frame := c.Frame()
	a := &engine.Assertion{Of: map[term.Term]term.Term{}, Keep: []string{}, Note: done + 1}
	has := func(register string, t term.Term) { a.Has = append(a.Has, c.Register(register).Has(t)) }
	has("AX", f.messages[0].keys.Base)
	has("DX", frame.Base)
	if f.messages[0].streams <= 2 || done == 0 {
		has("CX", f.list.Base) // which has the places of the pads
	}
	if done < umacFourMessages {
		has("R8", c.AddConst(f.list.Base, uint64(umacMessageSize*done)))
		has("SI", c.AddConst(frame.Base, uint64(umacFourValues+32*done)))
		has("DI", c.Const(64, uint64(umacFourMessages-done)))
	}
	if done > 0 {
		f.hashed(c, s, a, done-1)
	} else {
		for i := range f.messages {
			f.messages[i].padded(c, a, engine.In(frame, int64(16*i)), engine.In(frame, int64(16*i+8)))
		}
		f.messages[0].pads(c, a)
	}
	for i := range f.messages {
		n := anyLength(c, "length")
		a.Any(engine.In(f.list, int64(umacMessageSize*i+umacMessageN)), n)
		a.Has = append(a.Has, engine.SizeOf(f.messages[i].msg).Has(n))
		if i == done && !a.Ends {
			a.Instance = []term.Term{n}
		}
	}
	return a
}

// hashed claims, after a message, that the frame has its values, and of other streams anything.
func (f *umacFour) hashed(c *engine.Case, s engine.View, a *engine.Assertion, message int) {
	m, frame := &f.messages[message], c.Frame()
	n, known := s.Value(s.Length())
	for stream := range spec.NHStreams {
		value := unknown(c, fmt.Sprint("value", message, "."), stream)
		a.Has = append(a.Has, engine.In(frame, int64(umacFourValues+32*message+8*stream)).Has(value))
		if stream >= m.streams {
			a.Unknown = append(a.Unknown, value)
		} else if known {
			a.Of[value] = m.nh(c, 0, int64(n), stream)
		}
	}
	for i := range message { // of messages before, and the pads, as they were
		for stream := range f.messages[i].streams {
			value := unknown(c, fmt.Sprint("value", i, "."), stream)
			a.Has = append(a.Has, engine.In(frame, int64(umacFourValues+32*i+8*stream)).Has(value))
		}
	}
	for i := range f.messages {
		for half := range 2 {
			a.Has = append(a.Has, engine.In(frame, int64(16*i+8*half)).Has(c.Gather(f.messages[i].pad[8*half:8*half+8])))
		}
	}
}

// left checks the tags.
func (f *umacFour) left(c *engine.Case, s engine.View, _ int64) error {
	for i := range f.messages {
		value := func(stream int) term.Term { return unknown(c, fmt.Sprint("value", i, "."), stream) }
		if err := f.messages[i].hashed(c, s, value); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

// sumFour stores the tags of four messages of one chunk each.
func sumFour() engine.Kernel {
	f := &umacFour{}
	k := engine.Kernel{
		File: "internal/umac/batch_amd64.s", Func: "sumFourAVX2AES", Variants: umacVariants(leastRounds),
		Claim:   "the tags of four messages: L3-HASH of the NH values, masked with the encrypted blocks",
		Lengths: "0 to 1024 bytes each, for 1 to 4 streams, 10, 12 and 14 rounds, and each place of each pad, all pads of a call in turn",
		Unit:    1, Min: 0, Max: spec.NHChunk,
		Setup: func(c *engine.Case) { f.setup(c, false) },
		Calls: func(c *engine.Case) { f.setup(c, true) },
		Spec: func(c *engine.Case, _ int64, _ bool) {
			c.Checked(f.messages[0].tag, 0, int64(4*f.messages[0].streams*umacFourMessages))
		},
		Left: f.left,
		At:   engine.Assertions{},
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		k.At[fmt.Sprintf("streams%d", streams)], k.At[fmt.Sprintf("hashed%d", streams)] = f.next, f.next
	}
	return k
}
