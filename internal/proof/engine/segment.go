// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Call enters a segment. The execution continues at the label where the segment ends.
type Call struct {
	To    string // the label where the segment ends
	Name  string // unique on each path; what the segment stores is known by it, see Case.ExpectResult
	Cases []Entry

	// Results are the caller's unknowns that represent the unknowns of the segment's
	// Exit, in the same order.
	Results []term.Term
}

// An Entry is one of the cases in which a segment is entered. It gives the segment's
// variant and the values of the caller's inputs in this case, each as a number or as a
// term of one new unknown. Together, the cases must cover all inputs.
type Entry struct {
	Variant string
	Inputs  map[term.Term]term.Term
}

// A Written records what the proof of one variant of a segment was observed to write.
type Written struct {
	registers []bool                    // by bytes
	memory    map[string]map[int64]bool // offsets in objects, by names: whether a byte was secret
	accessed  map[string]span           // bytes that were read or written
	align     int64                     // of the aligned part of the frame
	dirty     bool                      // upper halves of vectors are in use
	reached   []bool                    // the instructions that were executed
}

// A span is a range of bytes.
type span struct{ low, end int64 }

func (s span) overlaps(x span) bool { return s.low < x.end && x.low < s.end }

// Segments holds the proven segments of a kernel, by first label and variant.
type Segments map[[2]string]*Written

// without returns the segments whose proofs executed neither instruction i nor
// instruction i + 1.
func (all Segments) without(i int) Segments {
	rest := maps.Clone(all)
	maps.DeleteFunc(rest, func(_ [2]string, w *Written) bool {
		return slices.Contains(w.reached[i:min(i+2, len(w.reached))], true)
	})
	return rest
}

// nameOf returns the name of an object. The two parts of the frame have different
// names.
func nameOf(o *machine.Object) string {
	if o.InFrame() && o.AlignedPart() == nil {
		return "aligned frame"
	}
	return o.Name
}

// observe records what a run of a segment has written, at the end of the segment or
// after a turn of its loop.
func (r *Session) observe(s *machine.State) error {
	if r.Kernel.From == "" {
		return nil
	}
	w := r.written
	for i, b := range s.Regs {
		w.registers[i] = w.registers[i] || b != r.entry.Regs[i]
	}
	w.dirty = w.dirty || s.Dirty
	seen := map[string]bool{}
	for _, o := range s.Mem.Objects() {
		name := nameOf(o)
		if r.head != nil && r.moves[o] != 0 && o.Writable {
			return fmt.Errorf("a segment writes %s in a loop", o.Name)
		}
		if w.memory[name] == nil {
			w.memory[name] = map[int64]bool{}
		}
		if seen[name] {
			return fmt.Errorf("two objects are named %s", name)
		}
		seen[name] = true
		for at := range s.Mem.Extent(o) {
			if !o.Writable { // a claim or StandIn has put something there
				break
			}
			b, stored := s.Mem.Stored(o, at)
			old, before := r.entry.Mem.Stored(o, at)
			if stored && !(before && old == b) {
				w.memory[name][at] = w.memory[name][at] || !r.PublicByte(b)
			}
		}
		low, end := o.Used()
		w.accessed[name] = span{low, end}
	}
	w.align = r.frame.AlignedPart().Align
	return nil
}

// newWritten returns an empty Written, for a segment that was not run yet.
func (r *Session) newWritten() *Written {
	return &Written{registers: make([]bool, r.layout.Size()), memory: map[string]map[int64]bool{}, accessed: map[string]span{}}
}

// A pattern holds what a segment's Setup, Enter and Exit state, as terms in the store
// of the caller.
type pattern struct {
	*Case
	enter, exit *Assertion
	first, end  term.Term // of its terms
	only        uint64    // the segment's length, if it is proven for one alone
	one         bool
}

// pattern returns the pattern of one variant of a segment.
func (c *Case) pattern(segment int, variant string) *pattern {
	type key struct {
		segment int
		variant string
	}
	return term.Once(c.Store, key{segment, variant}, func() *pattern {
		k := c.Kernel.Segments[segment].anew(variant)
		p := &pattern{first: term.Term(c.Store.Len())}
		n := &Case{Store: c.Store, mem: machine.NewMemory(c.Store), Kernel: k, Variant: variant, want: map[*machine.Object]Wanted{}, layout: c.layout, Fn: c.Fn}
		n.Arguments = n.mem.Add(&machine.Object{Name: "arguments"}, c.Const(64, uint64(c.argsSize)))
		n.Arguments.Align = c.Arguments.Align
		if k.Unit > 0 {
			n.N = c.NewLeaf(64, term.LeafInfo{Name: "segment's n", Public: true, Min: uint64(k.Min), Max: uint64(k.Max)})
		}
		n.frame = n.mem.AddFrame(c.mem.Size(c.frame))
		k.Setup(n)
		if k.Unit > 0 {
			given := slices.Collect(k.given(n, k.Min, k.Max+1))
			p.one = len(given) == 1
			if p.one {
				p.only = uint64(given[0])
			} else if int64(len(given)) != k.Max-k.Min+1 {
				machine.Fail("the segment from %s is proven for some lengths between %d and %d alone", k.From, k.Min, k.Max)
			}
		}
		p.Case, p.enter = n, k.Enter(n)
		if k.Exit != nil {
			p.exit = k.Exit(n)
		}
		p.end = term.Term(c.Store.Len())
		return p
	})
}

// An equation states that a term of a pattern equals a term of the caller. For sizes,
// the caller's term may be greater.
type equation struct {
	what           string
	pattern, value term.Term
	size           bool
}

// A match determines the terms that a pattern's unknowns represent in a caller's state,
// and the places of the pattern's objects.
type match struct {
	c     *Case
	s     *machine.State
	p     *pattern
	given *term.Substitution // of the case
	bind  map[term.Term]term.Term
	at    map[*machine.Object]Place
	all   []equation
	todo  []equation
}

// matched returns the match of a caller's state with a segment's Setup and Enter, in
// one case. It fails if they do not match. The search for the unknowns need not be
// trusted, because everything is compared in the end.
func (c *Case) matched(s *machine.State, p *pattern, e Entry, w *Written) *match {
	m := &match{c: c, s: s, p: p, given: c.Replace(e.Inputs), bind: map[term.Term]term.Term{}, at: map[*machine.Object]Place{}}
	if p.one {
		m.bind[p.N] = c.Const(64, p.only)
	}
	for o, to := range map[*machine.Object]*machine.Object{p.Arguments: c.Arguments, p.frame: c.frame, p.frame.AlignedPart(): c.frame.AlignedPart()} {
		m.place(o, to, 0)
		m.bind[o.Base] = to.Base
	}
	for _, h := range p.enter.Has {
		place := m.of(h.Place)
		m.equal(c.name(place), h.Term, get(s, place, c.Width(h.Term)), false)
	}
	m.solve()
	m.verify(w)
	return m
}

// equal adds an equation.
func (m *match) equal(what string, pattern, value term.Term, size bool) {
	q := equation{what, pattern, m.given.Term(value), size}
	m.all, m.todo = append(m.all, q), append(m.todo, q)
}

// of returns the caller's place that corresponds to a pattern's place.
func (m *match) of(p Place) Place {
	if p.Object == nil {
		return p
	}
	at, ok := m.at[p.Object]
	if !ok {
		machine.Fail("nothing says where %s is when a segment is entered", p.Object.Name)
	}
	return Place{Object: at.Object, At: at.At + p.At, Size: p.Size}
}

// place puts an object at an offset in a caller's object. The size and the contents
// there must be as Setup declares them.
func (m *match) place(o, to *machine.Object, offset int64) {
	m.at[o] = In(to, offset)
	if !o.InFrame() && o != m.p.Arguments {
		m.equal("the size of "+o.Name, m.p.mem.Size(o), m.c.AddConst(m.s.Mem.Size(to), -uint64(offset)), true)
	}
	fixed := o.Fixed()
	for at, b := range fixed {
		word := wordOf(fixed, at&^7) // words are matched whole
		if word == nil {
			m.equal(fmt.Sprintf("%s[%d]", o.Name, at), m.c.Gather([]term.Byte{b}), get(m.s, In(to, offset+at), 8), false)
		} else if at&7 == 0 {
			m.equal(fmt.Sprintf("%s[%d]", o.Name, at), m.c.Gather(word), get(m.s, In(to, offset+at), 64), false)
		}
	}
}

// wordOf returns 8 bytes, if all are there.
func wordOf(bytes map[int64]term.Byte, at int64) (word []term.Byte) {
	for i := at; i < at+8; i++ {
		b, ok := bytes[i]
		if !ok {
			return nil
		}
		word = append(word, b)
	}
	return word
}

// open reports whether a term is an unknown of the pattern that does not represent a
// term yet.
func (m *match) open(t term.Term) bool {
	_, bound := m.bind[t]
	return !bound && t >= m.p.first && t < m.p.end && m.c.Op(t) == term.Leaf
}

// solve determines the terms of unknowns, as long as there are equations with only one
// unknown.
func (m *match) solve() {
	for progress := true; progress; {
		list := m.todo
		m.todo, progress = nil, false
		for _, q := range list {
			if m.solved(q) {
				progress = true
			} else {
				m.todo = append(m.todo, q)
			}
		}
	}
}

// solved reports whether it has finished an equation: the equation determined an
// unknown, has no undetermined unknown, or was replaced by an equation of the operands.
func (m *match) solved(q equation) bool {
	c := m.c
	t := c.Replace(m.bind).Term(q.pattern)
	unknown := slices.DeleteFunc(c.leavesOf(t), func(leaf term.Term) bool { return !m.open(leaf) })
	switch {
	case len(unknown) == 0:
		return true
	case m.open(t):
		m.set(t, q.value)
		return true
	case len(unknown) > 1:
		return false
	case c.Op(t) == term.Shl && c.Op(q.value) == term.Const:
		m.set(unknown[0], c.Const(c.Width(unknown[0]), c.Imm(q.value)>>c.Imm(t)))
		return true
	case c.Op(t) == term.Sum:
		for i, arg := range c.Args(t) {
			x, by := term.Term(arg), c.Coef(t, i)
			if x != unknown[0] {
				continue
			}
			rest := c.Sub(q.value, c.Sub(t, c.Scale(x, by))) // by·x
			switch {
			case by == 1 || by == ^uint64(0):
				m.set(x, c.Scale(rest, by))
			case c.Op(rest) == term.Sum && len(c.Args(rest)) == 1, c.Op(rest) == term.Shl:
				m.set(x, term.Term(c.Args(rest)[0]))
			default:
				v, ok := c.IsConst(rest)
				if !ok || v%by != 0 {
					return false
				}
				m.set(x, c.Const(c.Width(x), v/by))
			}
			return true
		}
	case c.Op(t) == c.Op(q.value) && c.Width(t) == c.Width(q.value) && len(c.Args(t)) == 1 && len(c.Args(q.value)) == 1 && c.Op(t) != term.Join:
		m.todo = append(m.todo, equation{q.what, term.Term(c.Args(t)[0]), term.Term(c.Args(q.value)[0]), false})
		return true
	}
	return false
}

// set binds an unknown to a term. If the unknown is the base of an object, set also
// places the object there.
func (m *match) set(leaf, value term.Term) {
	m.bind[leaf] = value
	for _, o := range m.p.mem.Objects() {
		if o.Base == leaf {
			to, offset := m.s.Resolve(value)
			m.place(o, to, offset)
		}
	}
}

// verify compares everything that a segment's Setup and Enter state with the caller's
// state.
func (m *match) verify(w *Written) {
	c, u := m.c, m.c.Replace(m.bind)
	if len(m.p.Rings) > 0 {
		machine.Fail("a segment assumes congruences of its inputs")
	}
	for _, q := range m.all {
		t := u.Term(q.pattern)
		if size, ok := c.IsConst(t); q.size && ok {
			least, _ := m.s.Bounds().Signed(q.value)
			if size == 0 || least.IsInt64() && least.Int64() >= int64(size) {
				continue
			}
		}
		if t != q.value && !c.Equal(t, q.value) {
			machine.Fail("a segment is entered where %s is %s, want %s", q.what, c.Format(q.value), c.Format(t))
		}
	}
	bases := map[term.Term]bool{}
	for _, o := range m.p.mem.Objects() {
		bases[o.Base] = true
	}
	for leaf, value := range m.bind {
		if bases[leaf] {
			continue
		}
		if err := c.within(m.s, m.p.enter, leaf, value); err != nil {
			machine.Fail("a segment is entered where %v", err)
		}
	}
	for _, o := range m.p.mem.Objects() {
		if at, ok := m.at[o]; ok {
			m.verifyObject(o, at, w)
		} else if len(w.memory[nameOf(o)]) > 0 {
			machine.Fail("nothing says where %s is when a segment is entered", o.Name)
		}
	}
}

// verifyObject checks that a segment may use the caller's object in place of one of its
// own objects.
func (m *match) verifyObject(o *machine.Object, at Place, w *Written) {
	to, size := at.Object, m.p.mem.Size(o)
	constant, known := m.c.IsConst(size)
	switch {
	case known && constant == 0:
		return
	case at.At < 0:
		machine.Fail("%s%+d is outside", to.Name, at.At)
	case o.Writable && !to.Writable && len(w.memory[nameOf(o)]) > 0:
		machine.Fail("a segment stores to %s", to.Name)
	case o.Public && !to.Public:
		machine.Fail("%s is secret, and public for a segment", to.Name)
	case o.Align > 1 && !o.InFrame() && (to.Align == 0 || to.Align%o.Align != 0 || at.At%o.Align != 0):
		machine.Fail("%s%+d is not aligned as a segment has it", to.Name, at.At)
	}
	here := m.extent(o, at)
	if to.InFrame() && !o.InFrame() {
		if used, ok := w.accessed[nameOf(to)]; ok && used.overlaps(here) {
			machine.Fail("a segment uses the frame where %s lies", o.Name)
		}
		to.Use(here.low, here.end)
	}
	for other, x := range m.at {
		if other != o && x.Object == to && (o.Writable || other.Writable) && !o.InFrame() && !other.InFrame() && here.overlaps(m.extent(other, x)) {
			machine.Fail("%s and %s of a segment may overlap", o.Name, other.Name)
		}
		m.verifyLies(o, at, other, x, w)
	}
	m.verifyReads(o, at, w)
}

// verifyReads fails if a segment reads bytes that the caller may have overwritten
// before, because buffers may overlap.
func (m *match) verifyReads(o *machine.Object, at Place, w *Written) {
	used, ok := w.accessed[nameOf(o)]
	for _, lie := range m.c.Lies {
		if !ok || lie.Object != at.Object || used.low >= used.end {
			continue
		}
		if lie.anywhere && m.s.Mem.Extent(lie.In) > 0 || !lie.anywhere && lie.before > 0 {
			machine.Fail("a segment reads %s, which may be overwritten", at.Object.Name)
		}
		for i := used.low; i < used.end; i++ {
			if _, stored := m.s.Mem.Stored(lie.In, at.At+i); stored {
				machine.Fail("a segment reads %s[%d], which may be overwritten", at.Object.Name, at.At+i)
			}
		}
	}
}

// extent returns the range of bytes that an object of a segment may occupy in the
// caller's object.
func (m *match) extent(o *machine.Object, at Place) span {
	if size, ok := m.c.IsConst(m.p.mem.Size(o)); ok {
		return span{at.At, at.At + int64(size)}
	}
	return span{at.At, 1 << 62}
}

// verifyLies fails if the caller allows two objects to overlap, the segment writes the
// second one, and the segment does not allow the overlap.
func (m *match) verifyLies(o *machine.Object, at Place, other *machine.Object, x Place, w *Written) {
	for _, lie := range m.c.Lies {
		if lie.Object != at.Object || lie.In != x.Object {
			continue
		}
		if len(w.memory[nameOf(other)]) == 0 {
			continue
		}
		ok := slices.ContainsFunc(m.p.Lies, func(own Lie) bool {
			return own.Object == o && own.In == other && (own.anywhere || at.At == x.At && own.before == lie.before && own.after == lie.after && !lie.anywhere)
		})
		if !ok {
			machine.Fail("%s and %s of a segment may overlap: %s may lie in %s", o.Name, other.Name, lie.Object.Name, lie.In.Name)
		}
	}
}

// call checks a call in all of its cases. Everything that the segment was observed to
// write in any case becomes unknown. Then call sets what the segment's Exit states.
func (c *Case) call(s *machine.State, a *Assertion) {
	to, ok := c.Fn.Labels[a.Call.To]
	i := slices.IndexFunc(c.Kernel.Segments, func(k Kernel) bool {
		from, ok := c.Fn.Labels[k.From]
		return ok && from == s.Next && k.To == a.Call.To
	})
	if i < 0 || !ok {
		machine.Fail("no segment ends at %s", a.Call.To)
	}
	segment := &c.Kernel.Segments[i]
	type proven struct{ error }
	if err := term.Once(c.Store, "cases "+fmt.Sprint(a.Call.Cases), func() proven { return proven{c.exhaustive(a.Call.Cases)} }).error; err != nil {
		machine.Fail("%v", err)
	}
	changed, stored := make([]bool, c.layout.Size()), map[Place]result{}
	var last *match
	for _, e := range a.Call.Cases {
		w := c.proven(segment, e.Variant)
		last = c.matched(s, c.pattern(i, e.Variant), e, w)
		c.useFrame(w)
		s.Dirty = s.Dirty || w.dirty
		for j, is := range w.registers {
			changed[j] = changed[j] || is
		}
		for o, at := range last.at {
			for offset, secret := range w.memory[nameOf(o)] {
				p := In(at.Object, at.At+offset)
				if _, most := s.Bounds().Signed(s.Mem.Size(p.Object)); most.IsInt64() && p.At >= most.Int64() {
					continue // in this call the segment cannot store there
				}
				one := result{a.Call.Name, nameOf(o), offset, secret}
				if old, ok := stored[p]; ok {
					if old.secret = old.secret || secret; old != (result{one.call, one.object, one.offset, old.secret}) {
						machine.Fail("cases of a segment store different objects in %s", c.name(p))
					}
					one.secret = old.secret
				}
				stored[p] = one
			}
		}
	}
	c.forgetRegisters(s, func(word int) bool { return slices.Contains(changed[8*word:8*word+8], true) })
	c.forgetStored(s, stored)
	if last.p.exit != nil {
		c.exit(s, a.Call, last)
	}
	s.Next = to
}

// proven returns what the proof of a segment was observed to write. If the segment is
// not proven yet, it proves the segment first.
func (c *Case) proven(segment *Kernel, variant string) *Written {
	key := [2]string{segment.From, variant}
	if c.segments[key] == nil {
		if !slices.Contains(segment.Variants, variant) && (variant != "" || len(segment.Variants) > 0) {
			machine.Fail("the segment from %s has no variant %q", segment.From, variant)
		}
		s, err := NewSession(segment, c.file, c.Fn, variant)
		if err == nil {
			s.segments = c.segments
			_, err = s.proveAndDrop(c.Lengths)
		}
		if err != nil {
			machine.Fail("%v", err)
		}
	}
	return c.segments[key]
}

// leavesOf lists the leaves of a term.
func (c *Case) leavesOf(t term.Term) (list []term.Term) {
	c.Substitute(func(leaf term.Term) term.Term {
		if !slices.Contains(list, leaf) {
			list = append(list, leaf)
		}
		return leaf
	}).Term(t)
	return list
}

// useFrame marks the frame bytes that a segment uses as used by the caller.
func (c *Case) useFrame(w *Written) {
	aligned := c.frame.AlignedPart()
	if w.align != 0 {
		if aligned.Align != 0 && aligned.Align != w.align {
			machine.Fail("a segment aligns the frame in another way")
		}
		aligned.Align = w.align
	}
	for _, o := range []*machine.Object{c.frame, aligned} {
		if used, ok := w.accessed[nameOf(o)]; ok && used.low < used.end {
			o.Use(used.low, used.end)
		}
	}
	if aligned.Align != 0 && aligned.UsedWith(c.frame, aligned.Align) {
		machine.Fail("the frame is used by two addresses, by a segment too")
	}
}

// A result identifies a byte that a call to a segment has stored.
type result struct {
	call, object string
	offset       int64
	secret       bool
}

// forgetStored replaces the bytes that a segment was observed to store by unknowns.
func (c *Case) forgetStored(s *machine.State, stored map[Place]result) {
	for p, r := range stored {
		if p.Object.InFrame() {
			s.Mem.Put(p.Object, p.At, c.unknownByte(s, p, !r.secret))
			continue
		}
		if r.call == "" {
			machine.Fail("a segment stores to %s, whose call has no name", p.Object.Name)
		}
		leaf := c.result(r.call, r.object, r.offset)
		c.once(s, leaf)
		s.Mem.Put(p.Object, p.At, term.Byte(leaf<<3))
	}
}

// result returns the unknown that represents a byte of a segment's object after a call
// to the segment.
func (c *Case) result(call, object string, offset int64) term.Term {
	return term.Once(c.Store, result{call: call, object: object, offset: offset}, func() term.Term {
		return c.NewLeaf(8, term.LeafInfo{Name: fmt.Sprintf("%s[%d] after %s", object, offset, call)})
	})
}

// ExpectResult states that bytes of memory must be the bytes that a call to a segment
// has left in one of the segment's objects.
func (c *Case) ExpectResult(o *machine.Object, at int64, call, object string, offset, count int64) {
	for i := range count {
		c.ExpectByte(o, at+i, term.Byte(c.result(call, object, offset+i)<<3))
	}
}

// exit applies a segment's Exit to the state. It replaces the segment's unknowns by the
// caller's.
func (c *Case) exit(s *machine.State, call *Call, m *match) {
	exit := m.p.exit
	if len(call.Results) != len(exit.Unknown) {
		machine.Fail("a segment has %d results, the call has %d", len(exit.Unknown), len(call.Results))
	}
	for i, leaf := range call.Results {
		own, info := c.Info(exit.Unknown[i]), c.Info(leaf)
		if c.Width(leaf) != c.Width(exit.Unknown[i]) || info.Min > own.Min || info.Max < own.Max || info.Public && !own.Public {
			machine.Fail("more is known of %s than of a segment's %s", info.Name, own.Name)
		}
		c.once(s, leaf)
		m.bind[exit.Unknown[i]] = leaf
	}
	u := c.Replace(m.bind)
	for _, h := range exit.Has {
		c.set(s, m.of(h.Place), u.Term(h.Term))
	}
}

// exhaustive returns an error unless the entries cover all possible values of the
// inputs that they name.
func (c *Case) exhaustive(entries []Entry) error {
	var inputs []term.Term
	for _, e := range entries {
		for leaf := range e.Inputs {
			if !slices.Contains(inputs, leaf) {
				inputs = append(inputs, leaf)
			}
		}
	}
	slices.Sort(inputs)
	total := uint64(1)
	for _, leaf := range inputs {
		info := c.Info(leaf)
		if !c.inputs[leaf] || c.Marked(leaf) || info.Max-info.Min >= 1<<17 || total > 1<<17 {
			return fmt.Errorf("%s has too many values for cases, or is no input", info.Name)
		}
		total *= info.Max - info.Min + 1
	}
	covered := make([]bool, total)
	for _, e := range entries {
		if err := c.separate(e); err != nil {
			return err
		}
		at := []uint64{0} // the numbers of combinations of values
		for _, leaf := range inputs {
			values, err := c.values(leaf, e.Inputs)
			if err != nil {
				return err
			}
			var next []uint64
			for _, before := range at {
				for _, v := range values {
					next = append(next, before*(c.Info(leaf).Max-c.Info(leaf).Min+1)+v-c.Info(leaf).Min)
				}
			}
			at = next
		}
		for _, i := range at {
			covered[i] = true
		}
	}
	if len(entries) == 0 || slices.Contains(covered, false) {
		return errors.New("cases of a segment's entry do not cover all inputs")
	}
	return nil
}

// separate returns an error if a case uses one unknown for two inputs, because the case
// would not cover all combinations of their values.
func (c *Case) separate(e Entry) error {
	seen := map[term.Term]bool{}
	for leaf, t := range e.Inputs {
		if c.Width(leaf) != c.Width(t) {
			return fmt.Errorf("%s is no case of %s", c.Format(t), c.Info(leaf).Name)
		}
		for _, of := range append(slices.Clone(c.leavesOf(t)), leaf) {
			if seen[of] && of != leaf {
				return fmt.Errorf("%s is part of two cases", c.Format(of))
			}
			seen[of] = true
		}
	}
	return nil
}

// values returns the values that an input has in a case.
func (c *Case) values(leaf term.Term, inputs map[term.Term]term.Term) (list []uint64, err error) {
	info := c.Info(leaf)
	t, ok := inputs[leaf]
	if !ok {
		t = leaf
	}
	switch leaves := c.leavesOf(t); {
	case len(leaves) == 0:
		list = append(list, c.Known(t))
	case len(leaves) > 1 || leaves[0] != leaf && c.inputs[leaves[0]] || c.Info(leaves[0]).Public && !info.Public || c.Info(leaves[0]).Max-c.Info(leaves[0]).Min >= 1<<17:
		return nil, fmt.Errorf("%s is no case", c.Format(t))
	default:
		for v := c.Info(leaves[0]).Min; v <= c.Info(leaves[0]).Max; v++ {
			one, ok := c.At(t, leaves[0], v)
			if !ok {
				return nil, fmt.Errorf("%s is no case", c.Format(t))
			}
			list = append(list, one)
		}
	}
	for _, v := range list {
		if v < info.Min || v > info.Max {
			return nil, fmt.Errorf("%s is never %d", info.Name, v)
		}
	}
	return list, nil
}
