// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"
	"maps"

	layout "github.com/unimac/unimac/internal/layout/umac"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// This file contains the statement of a kernel that hashes four messages.

const (
	umacFourMessages = 4
	umacFourValues   = 16 * umacFourMessages // offset of the values in the frame, after the pads
)

type umacFour struct {
	messages [umacFourMessages]umacSum
	list     *machine.Object
	pads     term.Term // the offsets of all pads, some bits for each message
}

// bits returns a pad's index size in bits and its size in bytes.
func (u *umacSum) bits() (bits int, bytes int64) { return max(0, 3-u.streams), 4 * int64(u.streams) }

// setup declares the messages. If own, each pad offset is a separate input.
func (f *umacFour) setup(c *engine.Case, own bool) {
	f.list = c.Buffer("messages", umacFourMessages*layout.SizeofMessage)
	first := newSum(c)
	bits, part := first.bits()
	first.tag = engine.Writable(c.Buffer("tags", part*umacFourMessages))
	f.pads = c.NewLeaf(64, term.LeafInfo{Name: "pads", Public: true, Marked: true, Max: max(1, uint64(1)<<(bits*umacFourMessages)-1)})
	for i := range int64(umacFourMessages) {
		m, n := *first, anyLength(c, fmt.Sprintf("n%d", i))
		m.from = part * i
		at := c.Const(64, 0)
		if bits > 0 {
			place := c.And(c.Shr(f.pads, bits*int(i)), c.Const(64, 1<<bits-1))
			if own {
				place = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("at%d", i), Public: true, Max: 1<<bits - 1})
			}
			at = c.Scale(place, uint64(part))
		}
		m.msg = c.Bytes(fmt.Sprintf("msg%d", i), n)
		lo, hi := m.setBlock(c)
		for offset, word := range map[int64]term.Term{
			layout.MessagePadLo: lo, layout.MessagePadHi: hi, layout.MessagePadAt: at, layout.MessageMsg: m.msg.Base, layout.MessageN: n,
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

// before returns the cut before a message, or after the last message.
func (f *umacFour) before(message int) engine.Cut {
	cut := engine.Cut{
		At: func(*engine.Case) string {
			if message == umacFourMessages {
				return fmt.Sprintf("hashed%d", f.messages[0].streams)
			}
			return fmt.Sprintf("streams%d", f.messages[0].streams)
		},
		Holds: func(c *engine.Case) *engine.Assertion {
			frame, a := c.Frame(), &engine.Assertion{}
			has := func(register string, t term.Term) { a.Has = append(a.Has, c.Register(register).Has(t)) }
			has("AX", f.messages[0].keys.Base)
			has("DX", frame.Base)
			if f.messages[0].streams <= 2 || message == 0 {
				has("CX", f.list.Base) // the list contains the pad offsets
			}
			for i := range int64(umacFourMessages) {
				f.messages[i].masks(c, a, engine.In(frame, 16*i), engine.In(frame, 16*i+8))
			}
			if message < umacFourMessages {
				has("R8", c.AddConst(f.list.Base, uint64(layout.SizeofMessage*message)))
				has("SI", c.AddConst(frame.Base, uint64(umacFourValues+32*message)))
				has("DI", c.Const(64, uint64(umacFourMessages-message)))
				a.HasUnknown(engine.In(f.list, int64(layout.SizeofMessage*message+layout.MessageN)), c.N)
				a.Has = append(a.Has, engine.SizeOf(f.messages[message].msg).Has(c.N))
			}
			f.hashed(c, a, message)
			a.Stand = func(s engine.View) map[term.Term]term.Term { return f.stand(c, s, message) }
			return a
		},
	}
	if message == umacFourMessages {
		cut.Parameter = func(*engine.Case) term.Term { return f.pads }
	}
	return cut
}

func value(c *engine.Case, message, stream int) term.Term {
	return unknown(c, fmt.Sprint("value", message, "."), stream)
}

// hashed adds to a the values of earlier messages, arbitrary in unused streams.
func (f *umacFour) hashed(c *engine.Case, a *engine.Assertion, message int) {
	for i := range message {
		for stream := range spec.NHStreams {
			has, v := engine.In(c.Frame(), int64(umacFourValues+32*i+8*stream)), value(c, i, stream)
			if i == message-1 && stream >= f.messages[i].streams {
				a.HasUnknown(has, v)
			} else {
				a.Has = append(a.Has, has.Has(v))
			}
		}
	}
}

// stand returns the new unknowns' values: the pads, or a message's NH values.
func (f *umacFour) stand(c *engine.Case, s engine.View, message int) map[term.Term]term.Term {
	of := map[term.Term]term.Term{}
	if message == 0 {
		for i := range f.messages {
			maps.Copy(of, f.messages[i].encrypted(c, s))
		}
		return of
	}
	n, ok := s.Value(s.Length())
	if !ok {
		machine.Fail("the length of the message is not known")
	}
	m := &f.messages[message-1]
	for stream := range m.streams {
		of[value(c, message-1, stream)] = m.nh(c, 0, int64(n), stream)
	}
	return of
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
	f := &umacFour{}
	k := engine.Kernel{
		File: "internal/umac/batch_amd64.s", Func: "sumFourAVX2AES", Variants: []string{"1 streams", "2 streams", "3 streams", "4 streams"},
		Claim: "the tags of four messages: L3-HASH of the NH values, masked with the encrypted blocks",
		Range: engine.Range{Lengths: "0 to 1024 bytes each, for 1 to 4 streams, 10, 12 and 14 rounds, and all places of the pads", Unit: 1, Min: 0, Max: spec.NHChunk},
		Setup: func(c *engine.Case) { f.setup(c, false) },
		Calls: func(c *engine.Case) { f.setup(c, true) },
		Spec: func(c *engine.Case, _ int64, _ bool) {
			c.Checked(f.messages[0].tag, 0, int64(4*f.messages[0].streams*umacFourMessages))
		},
		Left:      f.left,
		Parameter: func(*engine.Case) term.Term { return f.messages[0].rounds },
	}
	// Each cut forgets the lengths of earlier messages.
	for message := range umacFourMessages + 1 {
		k.Cuts = append(k.Cuts, f.before(message))
	}
	return k
}
