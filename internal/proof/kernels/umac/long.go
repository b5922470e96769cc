// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

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

// word returns where a word of the state is in the frame: y of each stream, then the values.
func (u *umacSum) word(c *engine.Case, i int) engine.Place {
	return engine.In(c.AlignedFrame(64), int64(8*i))
}

// unknown is what the next cut puts in a number's place: the same in all runs, never twice in one.
func (n *umacNote) unknown(c *engine.Case) term.Term {
	type key struct{ cut int }
	n.cuts++
	return term.Once(c.Store, key{n.cuts}, func() term.Term { return c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("cut%d", n.cuts)}) })
}

// invariant claims that y and the last values in the frame are unknown.
func (u *umacSum) invariant(c *engine.Case, s engine.View, first bool) *engine.Claim {
	note := umacNote{head: true}
	a := &engine.Claim{}
	for stream := range u.streams {
		y, value := note.unknown(c), note.unknown(c)
		a.Any(u.word(c, stream), y)
		a.Any(u.word(c, spec.NHStreams+stream), value)
		note.y[stream], note.values[stream] = y, []term.Term{value}
	}
	a.Note = note
	a.Where = func() error { return u.holds(c, s, first) }
	return a
}

// holds checks the state at the loop's head: at first y is 1, and there is no value; after a
// turn there is one value more.
func (u *umacSum) holds(c *engine.Case, then engine.View, first bool) error {
	note, ok := then.Note.(umacNote)
	for s := range u.streams {
		y, value := then.At(u.word(c, s)), then.At(u.word(c, spec.NHStreams+s))
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
func (u *umacSum) chunk(c *engine.Case, s engine.View, whole bool) *engine.Claim {
	note, ok := s.Note.(umacNote)
	if !ok {
		return nil
	}
	if _, lengths := s.Lengths(); !whole && lengths != nil {
		note.late = true
	} else {
		u.comes(c, s, &note, whole)
	}
	return &engine.Claim{Note: note}
}

// comes notes which values come next.
func (u *umacSum) comes(c *engine.Case, s engine.View, note *umacNote, whole bool) {
	n := int64(spec.NHChunk)
	if !whole {
		rest, ok := s.Value(s.Mem.Size(u.msg))
		if n = int64(rest) - spec.NHChunk*note.chunks; !ok || n < 1 || n > spec.NHChunk {
			machine.Fail("the last chunk has %d bytes", n)
		}
	}
	for stream := range u.streams {
		note.want[stream] = u.nh(c, spec.NHChunk*note.chunks, n, stream)
	}
}

// cut looks at sums and at what is stored.
func (u *umacSum) cut(c *engine.Case, s engine.View) *engine.Claim {
	note, _ := s.Note.(umacNote)
	if note.head && len(s.Forks) > 0 {
		return u.forked(c, s, note)
	}
	in := &c.Fn.Code[s.PC]
	if len(in.Args) == 0 {
		return nil
	}
	a := &engine.Claim{Of: map[term.Term]term.Term{}, Everywhere: true}
	switch to := &in.Args[len(in.Args)-1]; {
	case in.Op == "VPADDQ" || in.Op == "PADDQ":
		u.summed(c, s, a, &note, to.Reg)
	case in.Op == "MOVQ" && to.Kind == asm.Memory:
		u.stored(c, s, a, &note)
	default:
		return nil
	}
	a.Note = note
	return a
}

// forked is the claim after the first choice: if there was no turn before, y is what it was on arrival.
func (u *umacSum) forked(c *engine.Case, s engine.View, note umacNote) *engine.Claim {
	note.head = false
	if bit := s.Forks[0].Bit; !isFirstTurn(c, bit) {
		machine.Fail("chooses by %s", c.Format(bit))
	}
	first := s.Forks[0].Taken
	for stream := range u.streams {
		if first {
			note.y[stream], note.values[stream] = c.Const(64, spec.Poly64Start), nil
		}
	}
	return &engine.Claim{First: first, Note: note}
}

// isFirstTurn reports whether a bit says that there were no turns before.
func isFirstTurn(c *engine.Case, bit term.Term) bool {
	if c.Op(bit) != term.Apply || c.Func(bit) != term.IsZero {
		return false
	}
	of := term.Term(c.Args(bit)[0])
	return c.Op(of) == term.Leaf && c.Info(of).Name == "turns"
}

// summed claims that an unknown stands for a sum that is the NH value of a stream.
func (u *umacSum) summed(c *engine.Case, s engine.View, a *engine.Claim, note *umacNote, register string) {
	vector := "Z" + register[1:]
	if note.late {
		if !u.mayBe(c, s, note, vector) {
			return
		}
		u.comes(c, s, note, false)
		note.late = false
	}
	for lane := range 2 {
		got := s.At(c.Lane(vector, lane))
		for stream := range u.streams {
			if got != note.want[stream] {
				continue
			}
			values := note.values[stream]
			value := note.unknown(c)
			a.Of[value] = got
			note.values[stream] = append(values[:len(values):len(values)], value)
			note.want[stream] = 0
			if stream == u.streams-1 {
				note.chunks++
			}
			break
		}
	}
}

// mayBe reports whether a register has a value that comes next for one of the lengths.
func (u *umacSum) mayBe(c *engine.Case, s engine.View, note *umacNote, vector string) bool {
	n, lengths := s.Lengths()
	if lengths == nil {
		return true
	}
	type key struct{}
	type wants struct {
		lengths []int64
		terms   map[term.Term]bool
	}
	last, _ := c.Memo[key{}].(wants)
	wanted := last.terms
	if len(last.lengths) != len(lengths) || &last.lengths[0] != &lengths[0] {
		wanted = map[term.Term]bool{}
		for _, v := range lengths {
			size, ok := c.At(s.Mem.Size(u.msg), n, uint64(v))
			if rest := int64(size) - spec.NHChunk*note.chunks; ok && rest >= 1 && rest <= spec.NHChunk {
				for stream := range u.streams {
					wanted[u.nh(c, spec.NHChunk*note.chunks, rest, stream)] = true
				}
			}
		}
		c.Memo[key{}] = wants{lengths, wanted}
	}
	for lane := range 2 {
		if wanted[s.At(c.Lane(vector, lane))] {
			return true
		}
	}
	return false
}

// stored claims that an unknown stands for y of a stream that was stored.
func (u *umacSum) stored(c *engine.Case, s engine.View, a *engine.Claim, note *umacNote) {
	for stream := range u.streams {
		got := s.At(u.word(c, stream))
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
		y := note.unknown(c)
		a.Of[y] = got
		note.y[stream], note.values[stream] = y, values[1:]
	}
}

// stepped is poly64's, once for each number.
func (u *umacSum) stepped(c *engine.Case, got term.Term, stream int, y, value term.Term, reduced bool) error {
	type key struct {
		got, y, value term.Term
		stream        int
	}
	type result struct{ error }
	return term.Once(c.Store, key{got, y, value, stream}, func() result {
		return result{u.poly.stepped(c, got, stream, y, value, reduced)}
	}).error
}

// long checks the tag of a message of several chunks.
func (u *umacSum) long(c *engine.Case, s engine.View) error {
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
	u, k := sum(file, name, 64<<10, kept)
	k.Claim = "the tag of msg: L3-HASH of the NH value, or of POLY-64 of the NH values, masked with the encrypted block"
	k.Step, k.Reached = spec.NHChunk, spec.NHChunk+1
	k.Invariant = u.invariant
	k.Cut = func(c *engine.Case, s engine.View) *engine.Claim {
		if a := u.encrypted(c, s); a != nil {
			return a
		}
		return u.cut(c, s)
	}
	k.Forks, k.At = map[string]string{}, map[string]func(*engine.Case, engine.View) *engine.Claim{}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		for _, label := range []string{"whole_stepped%d", "steps%d"} {
			k.Forks[fmt.Sprintf(label, streams)] = "whether this is the first chunk, which is public"
		}
		k.At[fmt.Sprintf("whole_chunk%d", streams)] = func(c *engine.Case, s engine.View) *engine.Claim { return u.chunk(c, s, true) }
		k.At[fmt.Sprintf("last%d", streams)] = func(c *engine.Case, s engine.View) *engine.Claim { return u.chunk(c, s, false) }
	}
	return k
}
