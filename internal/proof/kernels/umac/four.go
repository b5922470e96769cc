// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
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
	umacMessageN, umacMessageSize = 32, 40                    // after the block, the pad's place in it, and the address
	umacFourValues, umacFourFrame = 16 * umacFourMessages, 32 // after the pads; to what it is aligned
)

// A umacFour is one case of the proof.
type umacFour struct {
	messages [umacFourMessages]umacSum
	list     *machine.Object
	length   *machine.Object // no memory of the kernel's: its size is that of each message
	padOnly  bool
}

func (f *umacFour) setup(c *engine.Case, cases map[string]umacCase, padOnly bool) {
	of := cases[c.Variant]
	*f = umacFour{list: c.Buffer("messages", umacFourMessages*umacMessageSize), padOnly: padOnly}
	f.length = c.Bytes("length", c.N)
	first := umacSum{umacCase: of, tag: engine.Writable(c.Buffer("tags", int64(4*of.streams*umacFourMessages)))}
	first.setKeys(c)
	for i := range int64(umacFourMessages) {
		m := first
		m.from = 4 * int64(of.streams) * i
		if of.streams <= 2 { // each pad at another place
			m.at = (of.at + 4*int64(of.streams)*i) % 16
		}
		m.msg = c.Buffer(fmt.Sprintf("msg%d", i), 0)
		lo, hi := m.setBlock(c)
		for j, word := range []term.Term{lo, hi, c.Const(64, uint64(m.at)), m.msg.Base} {
			f.list.Set(umacMessageSize*i+8*int64(j), word)
		}
		f.messages[i] = m
	}
	c.Pointers(first.tag, first.keys, f.list)
}

// fourCalls declares messages of any lengths, with each pad at any place: how one message is
// makes no difference to the others.
func fourCalls(c *engine.Case, of umacCase) {
	list := c.Buffer("messages", umacFourMessages*umacMessageSize)
	sum := umacSum{umacCase: of, tag: engine.Writable(c.Buffer("tags", int64(4*of.streams*umacFourMessages)))}
	sum.setKeys(c)
	public := func(name string, most uint64) term.Term {
		return c.NewLeaf(64, term.LeafInfo{Name: name, Public: true, Max: most})
	}
	for i := range int64(umacFourMessages) {
		n := public(fmt.Sprintf("n%d", i), spec.NHChunk)
		msg := c.Bytes(fmt.Sprintf("msg%d", i), n)
		at := c.Const(64, 0)
		if part := uint64(4 * of.streams); of.streams <= 2 {
			at = c.Scale(public(fmt.Sprintf("at%d", i), 16/part-1), part)
		}
		for j, word := range []term.Term{c.Input("lo", false), c.Input("hi", false), at, msg.Base, n} {
			list.Set(umacMessageSize*i+8*int64(j), word)
		}
	}
	c.Pointers(sum.tag, sum.keys, list)
}

// cell returns eight bytes of the frame.
func (f *umacFour) cell(c *engine.Case, s *machine.State, at int64) term.Term {
	frame := c.AlignedFrame(umacFourFrame)
	var b [8]term.Byte
	for i := range b {
		b[i] = s.Mem.Byte(frame, at+int64(i))
	}
	return c.Gather(b[:])
}

// put says what eight bytes of memory are from now on.
func (f *umacFour) put(c *engine.Case, s *machine.State, o *machine.Object, at int64, t term.Term) {
	var b [8]term.Byte
	c.Store.Bytes(b[:], t)
	for i := range b {
		s.Mem.Put(o, at+int64(i), b[i])
	}
}

// encrypted is at the first message: the frame has the pads.
func (f *umacFour) encrypted(c *engine.Case, s *machine.State) {
	for i := range f.messages {
		m := &f.messages[i]
		for j, want := range m.block {
			if got := s.Mem.Byte(c.AlignedFrame(umacFourFrame), int64(16*i+j)); !c.Same(got, want) {
				machine.Fail("pad %d has %s", i, c.FormatByte(got))
			}
		}
		for j := 0; j < 16; j += 8 {
			f.put(c, s, c.AlignedFrame(umacFourFrame), int64(16*i+j), c.Gather(m.pad[j:j+8]))
		}
	}
	f.messages[0].forget(c, s)
	s.Done = f.padOnly
	if f.padOnly {
		s.Note = padded{}
	}
}

// value is what stands for the value of a stream of a message.
func (f *umacFour) value(c *engine.Case, message, stream int) term.Term {
	type key struct{ message, stream int }
	t, ok := c.Memo[key{message, stream}].(term.Term)
	if !ok {
		t = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("value%d.%d", message, stream)})
		c.Memo[key{message, stream}] = t
	}
	return t
}

// next is before each message, and after the last.
func (f *umacFour) next(c *engine.Case, s *machine.State) {
	done, _ := s.Note.(int)
	if done > umacFourMessages {
		machine.Fail("there are more messages")
	}
	n, known := uint64(0), false
	if done > 0 {
		n, known = s.Value(s.Mem.Size(f.length)) // or lengths split here, before anything is changed
	}
	s.Note = done + 1
	frame := c.AlignedFrame(umacFourFrame)
	kept := map[string]term.Term{"AX": f.messages[0].keys.Base, "DX": frame.Base}
	if f.messages[0].streams <= 2 || done == 0 {
		kept["CX"] = f.list.Base // which has the places of the pads
	}
	if done == 0 {
		f.encrypted(c, s)
	} else {
		f.hashed(c, s, done-1, int64(n), known)
	}
	for i := range f.messages { // no other length than its own is known while a message is worked on, and no other is read
		n, size := f.messages[0].forgotten, c.Const(64, 0)
		if i == done {
			n = s.Mem.Size(f.length)
			size = n
		}
		s.Mem.SetSize(f.messages[i].msg, size)
		f.put(c, s, f.list, int64(umacMessageSize*i+umacMessageN), n)
	}
	if done < umacFourMessages {
		kept["R8"] = c.AddConst(f.list.Base, uint64(umacMessageSize*done))
		kept["SI"] = c.AddConst(frame.Base, uint64(umacFourValues+32*done))
		kept["DI"] = c.Const(64, uint64(umacFourMessages-done))
	}
	var names []string
	for name, want := range kept {
		names = append(names, name)
		if got := s.Word(amd64.Register(name), 8); got != want {
			machine.Fail("before message %d, %s is %s", done, name, c.Format(got))
		}
	}
	c.Forget(s, names...)
}

// hashed is after a message: the frame has its values, and of other streams anything.
func (f *umacFour) hashed(c *engine.Case, s *machine.State, message int, n int64, known bool) {
	m, frame := &f.messages[message], c.AlignedFrame(umacFourFrame)
	for stream := range spec.NHStreams {
		at := int64(umacFourValues + 32*message + 8*stream)
		if got := f.cell(c, s, at); stream < m.streams && (!known || got != m.nh(c, 0, n, stream)) {
			machine.Fail("stream %d of message %d has %s", stream, message, c.Format(got))
		}
		f.put(c, s, frame, at, f.value(c, message, stream))
	}
	if s.Mem.Extent(frame) > int64(umacFourValues+32*(message+1)) {
		machine.Fail("stores to the frame after the values of message %d", message)
	}
}

// left checks the tags.
func (f *umacFour) left(c *engine.Case, s *machine.State) error {
	for i := range f.messages {
		m := &f.messages[i]
		err := m.hashed(c, s, func(stream int, value term.Term) error {
			if value != f.value(c, i, stream) {
				return fmt.Errorf("hashes %s", c.Format(value))
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

// marks adds a label before L3-HASH, which begins by making its constants.
func (f *umacFour) marks(fn *asm.Func) error {
	streams := spec.NHStreams
	for i := range fn.Code {
		if fn.Code[i].Op == "VPCMPEQD" {
			fn.Labels[fmt.Sprintf("hash%d", streams)] = i
			streams--
		}
	}
	if streams != 0 {
		return fmt.Errorf("%d parts too few", streams)
	}
	return nil
}

// sumFour stores the tags of four messages of one chunk each.
func sumFour(file, name string) engine.Kernel {
	kernel := func(padOnly bool, rounds ...int) engine.Kernel {
		f := &umacFour{}
		names, cases := umacCases(rounds...)
		k := engine.Kernel{
			File: file, Func: name, Variants: names, Marks: f.marks, Wipes: true,
			Setup: func(c *engine.Case) {
				if padOnly {
					c.N = c.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Max: spec.NHChunk})
				}
				f.setup(c, cases, padOnly)
			},
			Calls: func(c *engine.Case) { fourCalls(c, cases[c.Variant]) },
			Spec: func(c *engine.Case, _ int64, _ bool) {
				if !padOnly {
					c.Free(f.messages[0].tag, 0, int64(4*f.messages[0].streams*umacFourMessages))
				}
			},
			At: map[string]func(*engine.Case, *machine.State){},
		}
		for streams := 1; streams <= spec.NHStreams; streams++ {
			k.At[fmt.Sprintf("streams%d", streams)] = f.next
			k.At[fmt.Sprintf("hash%d", streams)] = f.next
		}
		if k.Left = isPadded; !padOnly {
			k.Left = func(c *engine.Case, s *machine.State, _ int64, _ bool) error { return f.left(c, s) }
		}
		return k
	}
	k := kernel(false, 10)
	k.Claim = "the tags of four messages: L3-HASH of the NH values, masked with the encrypted blocks"
	k.Lengths = "0 to 1024 bytes each, for 1 to 4 streams, 10, 12 and 14 rounds, and each place of each pad, all pads of a call in turn"
	k.Unit, k.Min, k.Max = 1, 0, spec.NHChunk
	pads := kernel(true, 12, 14)
	pads.Wipes = false
	k.Sections = []engine.Kernel{pads}
	return k
}
