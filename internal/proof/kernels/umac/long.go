// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"
	"strconv"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Messages of more than a chunk. All chunks but the last, of 1 to 1024 bytes, go through a
// loop, in which POLY-64's state is in the frame: y, and the value of the last chunk, which
// the next turn adds. Each value becomes a new unknown when it is NH's, and so does y after
// each step.

// A umacNote is what is kept of the way in State.Note.
type umacNote struct {
	y      [spec.NHStreams]term.Term   // as it is in memory, 0 before it is there
	values [spec.NHStreams][]term.Term // that are not in y yet
	want   [spec.NHStreams]term.Term   // the NH values that come next, 0 for none
	chunks int64                       // whose values have come
	head   bool                        // nothing has happened since the loop's head
	late   bool                        // want is not there yet: it depends on the length
	cuts   int
}

// word returns a word of the state in the frame: y of each stream, then the values.
func (u *umacSum) word(c *engine.Case, s *machine.State, i int) term.Term {
	frame := c.AlignedFrame(64)
	var b [8]term.Byte
	for j := range b {
		b[j] = s.Mem.Byte(frame, int64(8*i+j))
	}
	return c.Gather(b[:])
}

// unknown is what a cut puts in a number's place: the same in all runs, never twice in one.
func (u *umacSum) unknown(c *engine.Case, cut int) term.Term {
	type key struct{ cut int }
	t, ok := c.Memo[key{cut}].(term.Term)
	if !ok {
		t = c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("cut%d", cut)})
		c.Memo[key{cut}] = t
	}
	return t
}

// replace puts an unknown in the place of a number.
func (u *umacSum) replace(c *engine.Case, s *machine.State, n *umacNote, old term.Term) term.Term {
	n.cuts++
	t := u.unknown(c, n.cuts)
	u.put(c, s, old, t)
	return t
}

func (u *umacSum) put(c *engine.Case, s *machine.State, old, by term.Term) {
	var from, to [8]term.Byte
	c.Store.Bytes(from[:], old)
	c.Store.Bytes(to[:], by)
	s.Replace(from[:], to[:])
}

// widen puts new unknowns in the frame. It is Kernel.Widen.
func (u *umacSum) widen(c *engine.Case, head *machine.State) {
	note := umacNote{head: true}
	frame := c.AlignedFrame(64)
	for s := range u.streams {
		for i, at := range []int{s, spec.NHStreams + s} {
			note.cuts++
			t := u.unknown(c, note.cuts)
			var b [8]term.Byte
			c.Store.Bytes(b[:], t)
			for j := range b {
				head.Mem.Put(frame, int64(8*at+j), b[j])
			}
			if i == 0 {
				note.y[s] = t
			} else {
				note.values[s] = []term.Term{t}
			}
		}
	}
	head.Note = note
}

// holds checks the state at the loop's head: at first y is 1, and there is no value; after a
// turn there is one value more. It is Kernel.Holds.
func (u *umacSum) holds(c *engine.Case, _, then *machine.State, first bool) error {
	note, ok := then.Note.(umacNote)
	for s := range u.streams {
		y, value := u.word(c, then, s), u.word(c, then, spec.NHStreams+s)
		if first && y != c.Const(64, spec.Poly64Start) {
			return fmt.Errorf("y of stream %d begins with %s", s, c.Format(y))
		}
		if !first && (!ok || note.chunks != 1 || y != note.y[s] || len(note.values[s]) != 1 || value != note.values[s][0]) {
			return fmt.Errorf("stream %d is %s, %s after a turn", s, c.Format(y), c.Format(value))
		}
	}
	return nil
}

// chunk notes, at the loop's head and before the last chunk, which values come next.
func (u *umacSum) chunk(c *engine.Case, s *machine.State, whole bool) {
	note, ok := s.Note.(umacNote)
	if !ok {
		return
	}
	n := int64(spec.NHChunk)
	if !whole && s.Group != nil && len(s.Group.Lengths) > 1 {
		note.late = true
		s.Note = note
		return
	}
	if !whole {
		rest, ok := s.Value(s.Mem.Size(u.msg))
		if n = int64(rest) - spec.NHChunk*note.chunks; !ok || n < 1 || n > spec.NHChunk {
			machine.Fail("the last chunk has %d bytes", n)
		}
	}
	for stream := range u.streams {
		note.want[stream] = u.nh(c, spec.NHChunk*note.chunks, n, stream)
	}
	s.Note = note
}

// cut looks at sums and at what is stored.
func (u *umacSum) cut(c *engine.Case, s *machine.State) {
	in := &c.Fn.Code[s.PC]
	if len(in.Args) == 0 {
		return
	}
	to := &in.Args[len(in.Args)-1]
	sum, store := in.Op == "VPADDQ", to.Kind == asm.Memory && in.Op == "MOVQ"
	if !sum && !store {
		return
	}
	note, _ := s.Note.(umacNote)
	if note.head && len(s.Forks) > 0 {
		note.head = false
		if bit := s.Forks[0].Bit; !isFirstTurn(c, bit) {
			machine.Fail("chooses by %s", c.Format(bit))
		}
		for stream := range u.streams {
			if s.Forks[0].Taken { // it is the first turn
				start := c.Const(64, spec.Poly64Start)
				u.put(c, s, note.y[stream], start)
				note.y[stream], note.values[stream] = start, nil
			}
		}
	}
	if sum {
		u.summed(c, s, &note, to.Reg)
	} else {
		u.stored(c, s, &note)
	}
	s.Note = note
}

// isFirstTurn reports whether a bit says that there were no turns before.
func isFirstTurn(c *engine.Case, bit term.Term) bool {
	if c.Op(bit) != term.Apply || c.Func(bit) != term.IsZero {
		return false
	}
	of := term.Term(c.Args(bit)[0])
	return c.Op(of) == term.Leaf && c.Info(of).Name == "turns"
}

// summed is the cut after a sum that is the NH value of a stream.
func (u *umacSum) summed(c *engine.Case, s *machine.State, note *umacNote, register string) {
	n, _ := strconv.Atoi(register[1:])
	if note.late {
		if len(s.Group.Lengths) > 1 && !u.mayBe(c, s, note, n) {
			return
		}
		if _, ok := s.Value(s.Mem.Size(u.msg)); !ok {
			machine.Fail("the last chunk has an unknown length")
		}
		note.late = false
		s.Note = *note
		u.chunk(c, s, false)
		*note = s.Note.(umacNote)
	}
	for lane := range 2 {
		got := s.Word(amd64.Vectors+64*n+8*lane, 8)
		for stream := range u.streams {
			if got != note.want[stream] {
				continue
			}
			values := note.values[stream]
			note.values[stream] = append(values[:len(values):len(values)], u.replace(c, s, note, got))
			note.want[stream] = 0
			if stream == u.streams-1 {
				note.chunks++
			}
			break
		}
	}
}

// mayBe reports whether a register has a value that comes next for one of the lengths.
func (u *umacSum) mayBe(c *engine.Case, s *machine.State, note *umacNote, register int) bool {
	type key struct{}
	type wants struct {
		group *machine.Group
		terms map[term.Term]bool
	}
	last, _ := c.Memo[key{}].(wants)
	wanted := last.terms
	if last.group != s.Group {
		wanted = map[term.Term]bool{}
		for _, n := range s.Group.Lengths {
			size, ok := c.At(s.Mem.Size(u.msg), s.Group.N, uint64(n))
			if rest := int64(size) - spec.NHChunk*note.chunks; ok && rest >= 1 && rest <= spec.NHChunk {
				for stream := range u.streams {
					wanted[u.nh(c, spec.NHChunk*note.chunks, rest, stream)] = true
				}
			}
		}
		c.Memo[key{}] = wants{s.Group, wanted}
	}
	for lane := range 2 {
		if wanted[s.Word(amd64.Vectors+64*register+8*lane, 8)] {
			return true
		}
	}
	return false
}

// stored is the cut after y of a stream was stored.
func (u *umacSum) stored(c *engine.Case, s *machine.State, note *umacNote) {
	for stream := range u.streams {
		got := u.word(c, s, stream)
		if got == note.y[stream] {
			continue
		}
		if note.y[stream] == 0 {
			if got == c.Const(64, spec.Poly64Start) { // else it is not set yet
				note.y[stream] = got
			}
			continue
		}
		values := note.values[stream]
		if len(values) == 0 {
			machine.Fail("y of stream %d becomes %s without a value", stream, c.Format(got))
		}
		if err := u.stepped(c, got, stream, note.y[stream], values[0], false); err != nil {
			machine.Fail("%v", err)
		}
		note.y[stream], note.values[stream] = u.replace(c, s, note, got), values[1:]
	}
}

// stepped is poly64's, once for each number.
func (u *umacSum) stepped(c *engine.Case, got term.Term, stream int, y, value term.Term, reduced bool) error {
	type key struct {
		got, y, value term.Term
		stream        int
	}
	k := key{got, y, value, stream}
	if c.Memo[k] != nil {
		return nil
	}
	err := u.poly.stepped(c, got, stream, y, value, reduced)
	if err == nil {
		c.Memo[k] = true
	}
	return err
}

// long checks the tag of a message of several chunks.
func (u *umacSum) long(c *engine.Case, s *machine.State) error {
	note, _ := s.Note.(umacNote)
	return u.hashed(c, s, func(stream int, value term.Term) error {
		if len(note.values[stream]) != 1 || note.want[stream] != 0 {
			return fmt.Errorf("there are %d values at the end", len(note.values[stream]))
		}
		return u.stepped(c, value, stream, note.y[stream], note.values[stream][0], true)
	})
}

// sumLong stores the tag of any message.
func sumLong(file, name string, kept map[string]string) engine.Kernel {
	u := &umacSum{}
	names, cases := umacCases(10)
	k := engine.Kernel{
		File: file, Func: name,
		Claim:    "the tag of msg: L3-HASH of the NH value, or of POLY-64 of the NH values, masked with the encrypted block",
		Variants: names,
		Lengths:  "0 to 65536 bytes, for 1 to 4 streams, 10, 12 and 14 rounds, and each place of the pad",
		Unit:     1, Min: 0, Max: 64 << 10, Step: spec.NHChunk, Reached: spec.NHChunk + 1,
		Setup: func(c *engine.Case) { u.setup(c, cases, kept, false) },
		Spec: func(c *engine.Case, _ int64, last bool) {
			if last {
				c.Free(u.tag, 0, int64(4*u.streams))
			}
		},
		Left: func(c *engine.Case, s *machine.State, n int64, last bool) error {
			switch {
			case !last:
				return nil
			case n <= spec.NHChunk:
				return u.short(c, s, n)
			}
			return u.long(c, s)
		},
		Advance: func(c *engine.Case) { c.Move(u.msg, spec.NHChunk) },
		Widen:   u.widen, Holds: u.holds,
		Cut: func(c *engine.Case, s *machine.State) {
			u.encrypted(c, s)
			u.cut(c, s)
		},
		Sections: []engine.Kernel{padUMAC(file, name, 64<<10, kept)},
		Forks:    map[string]string{},
		At:       map[string]func(*engine.Case, *machine.State){},
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		for _, label := range []string{"whole_stepped%d", "steps%d"} {
			k.Forks[fmt.Sprintf(label, streams)] = "whether this is the first chunk, which is public"
		}
		k.At[fmt.Sprintf("whole_chunk%d", streams)] = func(c *engine.Case, s *machine.State) { u.chunk(c, s, true) }
		k.At[fmt.Sprintf("last%d", streams)] = func(c *engine.Case, s *machine.State) { u.chunk(c, s, false) }
	}
	return k
}
