// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"maps"

	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A loop is a loop in which the number of turns depends on the length.
//
// The invariant describes the state at the head. When the head is first reached, this
// state consists of terms of the inputs. At every turn, it consists of the same terms
// of the remaining work's inputs (Kernel.Advance). Parts of the state that a turn does
// not preserve are forgotten, so the turn and the path out of the loop must not need
// them. If a count or a pointer changes by a constant at each turn, its term gets that
// constant times a new input, the number of turns before.
type loop struct {
	from  int64          // the least length for which the head is reached
	pc    int            // of the head
	head  *machine.State // the invariant
	turns term.Term      // the number of turns before
	lost  map[Place]bool // bytes that are forgotten, or of which the claim says what they are
	fits  map[Place]bool // words that depend on the number of turns; of memory, they are what they were on entry

	forgot map[term.Term]string // what is in places that are forgotten, and their names

	claim *Assertion              // of Kernel.Invariant
	stood map[term.Term]term.Term // what its unknowns stood for when the head was first reached
}

// findLoop finds the loop and proves its invariant.
func (r *Session) findLoop() (*loop, error) {
	k := r.Kernel
	if r.hint != nil {
		return r.loopFrom(r.hint.pc, r.hint.from)
	}
	pc, ok := r.Fn.Labels[r.Head]
	if !ok {
		pc, ok = r.furthest()
	}
	if !ok {
		return nil, errors.New("finds no loop")
	}
	if k.Reached > 0 {
		return r.loopFrom(pc, k.Reached)
	}
	err := errors.New("no length is that of two turns")
	for i := int64(1); i <= 8 && (i+1)*k.Step <= k.Max; i++ {
		var l *loop
		var e error
		if l, e = r.loopFrom(pc, max(i*k.Step, k.Min)); e == nil {
			return l, nil
		}
		err = fmt.Errorf("from %d bytes: %w", i*k.Step, e)
	}
	return nil, err
}

// furthest returns the target of the backward jump that spans the most instructions. In
// a segment, it considers only jumps inside the segment.
func (r *Session) furthest() (head int, ok bool) {
	way := 0
	for i := range r.Fn.Code[:min(r.stop, len(r.Fn.Code))] {
		for _, o := range r.Fn.Code[i].Args {
			to, is := r.Fn.Labels[o.Name]
			if is && o.Kind == asm.Label && to >= r.entry.PC && i-to >= way {
				head, way, ok = to, i-to, true
			}
		}
	}
	return head, ok
}

// loopFrom proves the invariant for all lengths that are not below the given one.
func (r *Session) loopFrom(pc int, from int64) (*loop, error) {
	k := r.Kernel
	s, err := r.arrive(pc, from)
	if err != nil {
		return nil, err
	}
	l := &loop{from: from, pc: pc, lost: map[Place]bool{}, fits: map[Place]bool{}, forgot: map[term.Term]string{}}
	l.turns = r.NewLeaf(64, term.LeafInfo{Name: "turns", Public: true, Marked: true, Max: uint64(k.Max / k.Step)})
	l.head = s.Clone()
	l.head.UndefineFlags()
	l.head.Note = nil
	if k.Invariant != nil {
		l.claim = k.Invariant(&r.Case)
		of, err := r.check(s, l.claim)
		if err != nil {
			return nil, fmt.Errorf("on entry: %w", err)
		}
		r.tampered(s, "on entry", l.claim)
		r.assume(l.head, l.claim, of)
		l.stood = of
		for _, h := range l.claim.Has {
			for p := h.Place; p.At < h.Place.At+int64(r.Width(h.Term)/8); p.At++ {
				l.lost[p] = true
			}
		}
	}
	for range maxTurns {
		stable, err := r.turn(l)
		if err != nil {
			return nil, err
		}
		if stable {
			return l, nil
		}
	}
	return nil, errNothingKept
}

// maxTurns is how often an invariant is weakened.
const maxTurns = 100

var errNothingKept = errors.New("no part of the loop's state is kept")

// arrive returns the state in which a loop's head is first reached, for all lengths
// that are not below the given one.
func (r *Session) arrive(pc int, from int64) (*machine.State, error) {
	r.Info(r.N).Min = uint64(from)
	r.begins(nil)
	s := r.begin(r.start)
	if err := s.Run(r.program, pc); err != nil {
		return nil, err
	}
	if s.Done {
		return nil, errors.New("returns before it reaches the loop")
	}
	r.result.ran(s.Visits())
	return s, nil
}

// turn runs one turn of the loop on every path, starting from the invariant. It reports
// whether the invariant holds afterwards. If not, it has weakened the invariant.
func (r *Session) turn(l *loop) (stable bool, err error) {
	r.Info(r.N).Min = uint64(l.from + r.Kernel.Step)
	r.begins(l)
	stable = true
	err = r.ways(l.head, nil, l.pc, func(s *machine.State) error {
		if s.Done {
			return errors.New("returns instead of a turn")
		}
		r.result.ran(s.Visits())
		ok, err := r.preserved(l, s)
		if r.observer != nil {
			r.observer.end(s)
		}
		stable = stable && ok
		if err == nil && ok {
			err = r.observe(s)
		}
		return err
	})
	return stable, err
}

// preserved compares the state after a turn with the invariant. It weakens the
// invariant where the two differ.
func (r *Session) preserved(l *loop, s *machine.State) (stable bool, err error) {
	k := r.Kernel
	less := map[term.Term]term.Term{r.N: r.AddConst(r.N, -uint64(k.Step)), l.turns: r.AddConst(l.turns, 1)}
	r.goOn(maps.Clone(less))
	for leaf, to := range less {
		if r.become[leaf] != to {
			return false, fmt.Errorf("the statement has the length, or the number of turns, become %s", r.Format(r.become[leaf]))
		}
	}
	next := r.Substitute(r.advance)
	if err := r.shorter(s, l, next); err != nil {
		return false, err
	}
	if err := r.expect(k.Step, false); err != nil {
		return false, err
	}
	stable = true
	if s.Dirty && !l.head.Dirty {
		l.head.Dirty, stable = true, false
	}
	if !r.registers(l, s, next) {
		stable = false
	}
	kept, err := r.memory(l, s, next)
	if err == nil && stable && kept && l.claim != nil {
		_, err = r.check(s, l.claim)
		r.tampered(s, "after a turn", l.claim)
	}
	return stable && kept, err
}

// tampered lets Unclaimed try other values in the places of an assertion.
func (r *Session) tampered(s *machine.State, where string, a *Assertion) {
	if r.tamper != nil {
		r.tamper(s, where, a, func(other *machine.State) error {
			_, err := r.check(other, a)
			return err
		})
	}
}

// advance returns the term that a leaf becomes for the remaining work.
func (r *Session) advance(leaf term.Term) term.Term {
	if t, ok := r.become[leaf]; ok {
		return t
	}
	for o, by := range r.moves {
		if leaf == o.Base {
			return r.AddConst(leaf, uint64(by))
		}
		if at, ok := o.Offset(leaf); ok {
			return r.Alone(o.Initial(at + by))
		}
	}
	return leaf
}

// registers compares the registers after a turn with the invariant.
func (r *Session) registers(l *loop, s *machine.State, next *term.Substitution) bool {
	stable := true
	for at := 0; at < r.layout.Size(); at += 8 {
		if r.kept(l, s, at, next) {
			continue
		}
		stable = false
		if r.fit(l, s, InRegisters(at), next) {
			continue
		}
		l.head.SetWord(at, r.lose(l, r.layout.Of[at/8], 64))
		for i := range 8 {
			l.lost[InRegisters(at+i)] = true
		}
	}
	return stable
}

// lose returns a new unknown for a place that is forgotten at the loop's head.
func (r *Session) lose(l *loop, place string, bits int) term.Term {
	t := r.Unknown(bits)
	l.forgot[t] = place
	return t
}

// forgotten returns a description of a place that is forgotten at the loop's head and
// on which t depends. If there is no such place, it returns an empty string.
func (c *Case) forgotten(t term.Term) (why string) {
	if c.head == nil {
		return ""
	}
	c.Substitute(func(leaf term.Term) term.Term {
		if place, ok := c.head.forgot[leaf]; ok && why == "" {
			why = fmt.Sprintf("%s is forgotten at the head (line %d): an Invariant is needed", place, c.Fn.Code[c.head.pc].Line)
		}
		return leaf
	}).Term(t)
	return why
}

// differs returns the error for a place whose contents differ from the wanted contents.
func (c *Case) differs(place string, got term.Term, want string) error {
	if why := c.forgotten(got); why != "" {
		return fmt.Errorf("%s: %s", place, why)
	}
	return fmt.Errorf("%s is %s, want %s", place, c.Format(got), want)
}

// kept reports whether the 8 bytes at an offset of the registers have the values that
// the loop invariant requires.
func (r *Session) kept(l *loop, s *machine.State, at int, next *term.Substitution) bool {
	for i := at; i < at+8; i++ {
		if !l.lost[InRegisters(i)] && !r.Same(s.Regs[i], next.Byte(l.head.Regs[i])) {
			return false
		}
	}
	return true
}

// fit adds a multiple of the number of turns to a word of the invariant. It does so
// only if the word is public and differs from the invariant by a constant after a turn.
// A word of memory must also be unchanged since entry.
func (r *Session) fit(l *loop, s *machine.State, p Place, next *term.Substitution) bool {
	head, got := get(l.head, p, 64), get(s, p, 64)
	if o := p.Object; o != nil && (got != head || head != o.Load(p.At, 8)) {
		return false
	}
	by, ok := r.IsConst(r.Sub(got, next.Term(head)))
	if !ok || l.fits[p] || !r.Public(got) || !r.Public(head) {
		return false
	}
	l.fits[p] = true
	r.set(l.head, p, r.Add(head, r.Scale(l.turns, by)))
	return true
}

// shorter returns an error unless the part of each object that the remaining work uses
// lies inside the object. Checking the shortest and the longest length suffices,
// because sizes that change are multiples of the length plus constants.
func (r *Session) shorter(s *machine.State, l *loop, next *term.Substitution) error {
	for _, n := range []int64{l.from + r.Kernel.Step, r.Kernel.Max} {
		for _, o := range s.Mem.Objects() {
			if r.moves[o] == 0 && next.Term(s.Mem.Size(o)) == s.Mem.Size(o) {
				continue
			}
			size, ok1 := r.At(s.Mem.Size(o), r.N, uint64(n))
			rest, ok2 := r.At(s.Mem.Size(o), r.N, uint64(n-r.Kernel.Step))
			if by := r.moves[o]; !ok1 || !ok2 || by < 0 || int64(rest) < 0 || int64(rest) > int64(size)-by {
				return fmt.Errorf("the rest of %s has %d bytes from byte %d of %d on", o.Name, rest, by, size)
			}
		}
	}
	return nil
}

// memory compares the memory after a turn with the invariant. It compares the bytes
// that the turn has finished with the specification.
func (r *Session) memory(l *loop, s *machine.State, next *term.Substitution) (stable bool, err error) {
	stable = true
	for _, o := range s.Mem.Objects() {
		by := r.moves[o]
		for at := range by {
			got, stored := s.Mem.Stored(o, at)
			want, expected := r.want[o].At(at)
			if o.Writable && !expected {
				return false, fmt.Errorf("nothing is said of what a turn leaves in %s[%d]", o.Name, at)
			}
			if expected && !r.Same(s.Mem.Byte(o, at), want) || stored && !expected && got != o.Initial(at) {
				return false, r.differs(fmt.Sprintf("what a turn leaves in %s[%d]", o.Name, at), r.Alone(s.Mem.Byte(o, at)), r.FormatByte(want))
			}
		}
		for at, want := range r.want[o].All() {
			if at >= by || at >= s.Mem.Extent(o) && want != o.Initial(at) { // of what it leaves as it is it may store nothing
				return false, fmt.Errorf("a turn does not finish %s[%d]", o.Name, at)
			}
		}
		end := max(s.Mem.Extent(o)-by, l.head.Mem.Extent(o), o.Known()-by)
		for at := range o.Fixed() {
			end = max(end, at+1-by)
		}
		fitted := int64(0) // up to where the words were fitted just now
		for at := range max(end, 0) {
			if l.lost[In(o, at)] || at < fitted {
				continue
			}
			want := next.Byte(l.head.Mem.Byte(o, at))
			if r.Same(s.Mem.Byte(o, at+by), want) {
				continue
			}
			if by != 0 {
				return false, fmt.Errorf("after a turn %s[%d] is %s, for the invariant it is %s", o.Name, at+by, r.FormatByte(s.Mem.Byte(o, at+by)), r.FormatByte(want))
			}
			stable = false
			if r.fit(l, s, In(o, at&^7), next) { // its lower bytes may be the same
				fitted = at&^7 + 8
				continue
			}
			l.lost[In(o, at)] = true
			l.head.Mem.Put(o, at, term.Byte(r.lose(l, r.name(In(o, at)), 8)<<3))
		}
	}
	return stable, nil
}
