// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Following counts the comparisons that Follow has made.
type Following struct {
	Steps      int // executed instructions
	Assertions int // states that were compared with an assertion
	Facts      int // evaluated equations and congruences
	Bytes      int // bytes of memory that the specification determines
}

// Add adds y to x.
func (x *Following) Add(y Following) {
	x.Steps, x.Assertions, x.Facts, x.Bytes = x.Steps+y.Steps, x.Assertions+y.Assertions, x.Facts+y.Facts, x.Bytes+y.Bytes
}

// A belief is one step on a path of a proof. It holds either everything that the proof
// knows after an assertion, or a fact that the proof has shown.
type belief struct {
	before *belief // the previous one of the same path
	fact   *fact

	// If fact is nil:
	pc    int
	visit int32                   // how often control has come to pc on the path, including this time
	after bool                    // after the instruction at pc
	state *machine.State          // nil for Kernel.Before
	head  bool                    // at the loop's head
	end   bool                    // where the function returns
	of    map[term.Term]term.Term // the terms that unknowns represent, which contain only earlier unknowns
}

// A recorder records the paths of a proof. It implements observer.
type recorder struct{ paths [][]*belief }

func (f *recorder) add(s *machine.State, b *belief) {
	b.before, _ = s.Trail.(*belief)
	s.Trail = b
}

func (f *recorder) assertion(s *machine.State, after bool, of map[term.Term]term.Term) {
	b := &belief{pc: s.Next, after: after, of: of, state: s.Clone()}
	if after {
		b.pc = s.PC
	}
	b.visit = s.Visits()[b.pc]
	if b.pc != s.PC { // after a segment's call; control reaches b.pc next
		b.visit++
	}
	f.add(s, b)
}

func (f *recorder) fact(s *machine.State, shown fact) { f.add(s, &belief{fact: &shown}) }

// end records the path of a state.
func (f *recorder) end(s *machine.State) {
	path := []*belief{}
	for b, _ := s.Trail.(*belief); b != nil; b = b.before {
		path = append(path, b)
	}
	slices.Reverse(path)
	f.paths = append(f.paths, path)
}

// recorded runs a part of a proof and returns the paths that it took.
func (r *Session) recorded(proof func()) ([][]*belief, error) {
	f := &recorder{}
	r.observer = f
	defer func() { r.observer = nil }()
	err := machine.Try(proof)
	return f.paths, err
}

// A Follower executes a kernel and compares the states of the execution with those that
// the proof assumes.
type Follower struct {
	r      *Session
	proofs map[int64]following // by lengths
}

// NewFollower returns a Follower for the kernel of a session.
func NewFollower(r *Session) *Follower { return &Follower{r, map[int64]following{}} }

// Follow proves the function for length n and executes it with numbers for all inputs.
// At each assertion and at the loop's head, it compares the machine's state with
// everything that the proof assumes from there on, and reads the values of unknowns
// from that state. It evaluates the facts that the proof has shown on the path, and
// compares memory with the specification. Inputs have the values that choose returns,
// except for inputs that are congruent to others.
//
// If wrong is not nil, Follow executes it in place of the proven function, most of
// whose labels it must contain. If plant is not negative, Follow falsifies the
// assertion with this number before comparing it.
func (f *Follower) Follow(n int64, choose func(*term.LeafInfo) uint64, wrong *asm.Func, plant int) (Following, error) {
	r := f.r
	r.choose(All)
	first, err := r.numbers(n, choose)
	if err != nil {
		return Following{}, err
	}
	e, proven := f.proofs[n]
	if !proven {
		e = following{r: r, n: n, rest: n, first: first}
		if err := e.prove(); err != nil {
			return Following{}, fmt.Errorf("the proof: %w", err)
		}
		f.proofs[n] = e
	}
	e.first, e.program, e.plant = first, r.program, plant
	if wrong != nil {
		e.program, e.moves = r.arch.Program(wrong, r.env), moved(r.Fn, wrong)
	}
	err = e.run()
	return e.Following, err
}

// moved maps instruction indices of a function to those of a changed version. It
// matches the instructions at each common label and the equal instructions around them.
func moved(from, to *asm.Func) map[int]int {
	moves := map[int]int{}
	for label, pc := range from.Labels {
		other, ok := to.Labels[label]
		if !ok {
			continue
		}
		moves[pc] = other
		for i := 0; pc+i < len(from.Code) && other+i < len(to.Code) && from.Code[pc+i].String() == to.Code[other+i].String(); i++ {
			moves[pc+i] = other + i
		}
		for i := 1; i <= min(pc, other) && from.Code[pc-i].String() == to.Code[other-i].String(); i++ {
			moves[pc-i] = other - i
		}
	}
	return moves
}

// pc returns the index that an instruction of the proven function has in the executed
// one, or a negative number if it was changed.
func (e *following) pc(pc int) int {
	if e.moves == nil {
		return pc
	}
	if to, ok := e.moves[pc]; ok {
		return to
	}
	return -1
}

// A following is an execution of the function on numbers.
type following struct {
	Following
	r          *Session
	n, rest    int64 // the length, and the length that remains after all iterations
	loop       *loop
	iterations int64
	program    *machine.Program // the program to execute
	moves      map[int]int      // indices of the proven function's instructions in program; nil if program is that function
	plant      int              // number of the whole-state assertion to falsify

	begin, iteration, end [][]*belief // paths to the loop's head, of an iteration, and to the end

	first *values              // inputs on entry
	now   *values              // inputs of the remaining work
	kept  map[term.Term]uint64 // values of unknowns before the loop
	came  int64                // how often control has come to the loop's head
	base  []int32              // visits before the current paths
	paths [][]*belief
	next  []int // index of each path's next belief; -1 if the path is no longer possible
}

// prove records the paths.
func (e *following) prove() (err error) {
	r := e.r
	if err := e.findLoop(); err != nil {
		return err
	}
	end := func(start *machine.State) func() {
		return func() {
			r.eachLength([]int64{e.rest}, start, func(s *machine.State, _ int64) {
				r.ends(s, e.rest)
				f := r.observer.(*recorder)
				f.add(s, &belief{end: true, state: s.Clone()})
				f.end(s)
			})
		}
	}
	l := e.loop
	r.begins(nil)
	if l == nil {
		e.end, err = r.recorded(end(r.entry))
		return err
	}
	e.begin, err = r.recorded(func() { r.observer.end(r.arrive(l.pc, l.from)) })
	if err == nil && e.iterations > 0 {
		e.iteration, err = r.recorded(func() { r.iterate(l, nil) })
	}
	if err == nil {
		r.begins(l)
		e.end, err = r.recorded(end(l.head))
	}
	return err
}

// findLoop finds the loop that the length reaches, if there is one.
func (e *following) findLoop() (err error) {
	r := e.r
	if r.Kernel.Step == 0 {
		return nil
	}
	l := r.hint
	if l == nil {
		r.begins(nil)
		if err := machine.Try(func() { l = r.findLoop() }); err != nil {
			return err
		}
	}
	if e.n >= l.from {
		e.loop, e.iterations = l, (e.n-l.from)/r.Kernel.Step
		e.rest = e.n - e.iterations*r.Kernel.Step
	}
	return nil
}

// run executes the function.
func (e *following) run() error {
	r := e.r
	isBase := map[term.Term]bool{}
	for _, o := range r.mem.Objects() {
		isBase[o.Base] = true
	}
	s := r.entry.Begin()
	s.Mem.Watch = r.watch
	s.Give(r.Substitute(func(leaf term.Term) term.Term {
		if isBase[leaf] || !e.first.input(leaf) {
			return leaf
		}
		return r.Const(r.Width(leaf), e.first.choose(leaf))
	}))
	r.begins(nil)
	e.now, e.base = e.first, make([]int32, len(e.program.Ops))
	if e.paths = e.end; e.loop != nil {
		e.paths = e.begin
	}
	e.next = make([]int, len(e.paths))
	at := func(after bool) func(*machine.State) {
		return func(s *machine.State) {
			if e.loop != nil && !after && s.PC == e.pc(e.loop.pc) && e.came <= e.iterations {
				if err := e.head(s); err != nil {
					machine.Fail("at the loop's head, iteration %d: %v", e.came, err)
				}
			}
			if err := e.pass(s, after); err != nil {
				machine.Fail("%v", err)
			}
		}
	}
	s.Before, s.After = at(false), at(true)
	if err := s.Run(e.program, machine.NoStop); err != nil {
		return err
	}
	for _, count := range s.Visits() {
		e.Steps += int(count)
	}
	if e.loop != nil && e.came != e.iterations+1 {
		return fmt.Errorf("control came to the loop's head %d times, want %d", e.came, e.iterations+1)
	}
	end, err := e.finish()
	if err != nil {
		return err
	}
	if err := e.left(s, end[len(end)-1]); err != nil {
		return err
	}
	if err := machine.Try(func() { r.expect(e.rest, true) }); err != nil {
		return err
	}
	return e.memory(s, -1)
}

// pass compares the state with the next assertions of the paths that are still
// possible. It drops paths whose assertions fail, and returns an error if no path
// remains.
func (e *following) pass(s *machine.State, after bool) (err error) {
	passed, left := false, 0
	counted := false // reports whether plant was decremented; it counts whole-state assertions
	for i, path := range e.paths {
		for e.next[i] >= 0 && e.next[i] < len(path) {
			b := path[e.next[i]]
			if b.fact == nil && !b.end && e.moves != nil && e.pc(b.pc) < 0 {
				e.next[i]++ // the instruction is changed
				continue
			}
			if b.end {
				break
			}
			if b.fact == nil && (e.pc(b.pc) != s.PC || b.after != after || b.visit != s.Visits()[s.PC]-e.base[s.PC]) {
				break
			}
			e.next[i]++
			if b.fact != nil {
				continue
			}
			if b.state != nil && !counted {
				e.plant--
				counted = true
			}
			passed = true
			if wrong := e.compare(s, b); wrong != nil {
				err, e.next[i] = wrong, -1
			} else if b.state != nil {
				e.Assertions++
			}
		}
		if e.next[i] >= 0 {
			left++
		}
	}
	if passed && left == 0 {
		return err
	}
	return nil
}

// finish ends the current paths and returns the path that control has taken. Control
// must have passed all of the path's assertions, and all of its facts must be true.
func (e *following) finish() (path []*belief, err error) {
	err = errors.New("control takes no path of the proof")
	for i, path := range e.paths {
		if e.next[i] < 0 {
			continue
		}
		var wrong error
		for j, b := range path {
			switch {
			case b.end || wrong != nil:
			case b.fact != nil:
				wrong = e.now.evaluate(b.fact)
				e.Facts++
			case j >= e.next[i]:
				wrong = fmt.Errorf("control does not pass the assertion at line %d", e.r.program.Lines[b.pc])
			}
		}
		if wrong == nil {
			return path, nil
		}
		err = wrong
	}
	return nil, err
}

// left compares memory, including the frame, with the memory at the end of the proof.
func (e *following) left(s *machine.State, b *belief) error {
	for _, o := range s.Mem.Objects() {
		if !o.Writable {
			continue
		}
		by := e.shift(o)
		for at := range max(s.Mem.Extent(o)-by, b.state.Mem.Extent(o)) {
			if err := e.same(s.Mem.Byte(o, at+by), b.state.Mem.Byte(o, at), e.now, func() string { return "in the end " + e.r.name(In(o, at+by)) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// head ends the paths to the loop's head and begins the paths from there. It compares
// the state with the invariant, for the inputs of the remaining work.
func (e *following) head(s *machine.State) error {
	r := e.r
	if _, err := e.finish(); err != nil {
		return err
	}
	r.begins(e.loop)
	r.advanceInputs()
	r.become[r.N], r.become[e.loop.iterations] = r.AddConst(r.N, -uint64(r.Kernel.Step)), r.AddConst(e.loop.iterations, 1)
	before := e.now
	if e.came > 0 {
		if err := machine.Try(func() { r.expect(r.Kernel.Step, false) }); err != nil {
			return err
		}
		if err := e.memory(s, r.Kernel.Step); err != nil {
			return err
		}
		now := &values{r: r, named: before.named}
		now.choose = func(leaf term.Term) uint64 {
			x, _ := before.term(r.advance(leaf))
			now.of[leaf] = x
			return x
		}
		e.now = now
	} else {
		// Unknowns of assertions before the loop represent the same numbers in all
		// iterations.
		e.kept = map[term.Term]uint64{}
		for leaf, x := range before.of {
			if !before.input(leaf) && leaf != r.N {
				e.kept[leaf] = x
			}
		}
		now := &values{r: r, named: before.named}
		now.choose = func(leaf term.Term) uint64 {
			now.of[leaf] = before.choose(leaf)
			return now.of[leaf]
		}
		e.now = now
	}
	e.now.of = maps.Clone(e.kept)
	e.plant--
	e.now.of[e.loop.iterations] = uint64(e.came)
	e.now.reset()
	if err := e.compare(s, &belief{state: e.loop.head, head: true}); err != nil {
		return err
	}
	e.Assertions++
	if e.came++; e.came <= e.iterations {
		e.paths = e.iteration
	} else {
		e.paths = e.end
	}
	e.next, e.base = make([]int, len(e.paths)), slices.Clone(s.Visits())
	e.base[s.PC]--
	return nil
}

// shift returns the offset at which the remaining work begins in an object.
func (e *following) shift(o *machine.Object) int64 {
	if e.came == 0 {
		return 0
	}
	return e.r.moves[o] * (e.came - 1)
}

// values holds the numbers of leaves during a following.
type values struct {
	r          *Session
	of         map[term.Term]uint64
	choose     func(leaf term.Term) uint64
	named      []*algebra.Algebra // whose named unknowns have values
	with       *term.Evaluation
	known      []uint32 // by term: all if every leaf has a value, or the generation in which one had none
	generation uint32
}

// all is the entry in values.known of a term whose leaves all have a value.
const all = 1

// numbers chooses a number for each input.
func (r *Session) numbers(n int64, choose func(*term.LeafInfo) uint64) (*values, error) {
	v := &values{r: r, of: map[term.Term]uint64{}}
	for i, o := range r.mem.Objects() {
		v.of[o.Base] = uint64(i+1) << 32
		if !o.InFrame() { // a multiple of Align, and sometimes of no larger number
			v.of[o.Base] += choose(r.Info(o.Base)) % 64 * uint64(max(1, o.Align))
		}
	}
	if r.Kernel.Unit > 0 {
		v.of[r.N] = uint64(n)
	}
	v.choose = func(leaf term.Term) uint64 {
		old, ok := v.of[leaf]
		if !ok {
			old = choose(r.Info(leaf)) & (^uint64(0) >> (64 - r.Width(leaf)))
			v.of[leaf] = old
		}
		return old
	}
	for _, ring := range r.Rings {
		model, err := ring.Model(ring.Prime, v.choose)
		if err != nil {
			return nil, err
		}
		// Congruences of unknowns hold for values that an execution computes, but not
		// for values that a model chooses.
		if len(model) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(model)), func(leaf term.Term) bool { return !v.input(leaf) }) {
			v.named = append(v.named, ring.Algebra)
			maps.Copy(v.of, model)
		}
	}
	v.reset()
	return v, nil
}

// reset forgets the values of terms, after values of leaves have changed.
func (v *values) reset() {
	v.known, v.generation = nil, all
	v.with = v.r.Evaluate(func(leaf term.Term) uint64 {
		if x, ok := v.of[leaf]; ok || !v.input(leaf) {
			return x
		}
		return v.choose(leaf)
	})
	v.learn()
}

// learn forgets which terms have no value, after unknowns have got values.
func (v *values) learn() { v.generation++ }

// input reports whether a leaf is an input: a leaf that Setup declared, or an initial
// byte of memory.
func (v *values) input(leaf term.Term) bool {
	return v.r.inputs[leaf] || v.r.mem.Origin(leaf).Object != nil
}

// term returns the value of a term, and reports whether all leaves of the term have a
// value.
func (v *values) term(t term.Term) (uint64, bool) {
	if !v.hasValue(t) {
		return 0, false
	}
	return v.with.Term(t), true
}

// byte is like term for a byte.
func (v *values) byte(b term.Byte) (uint8, bool) {
	for {
		t, at := b.Of()
		if v.r.Op(t) == term.Join {
			b = term.Byte(v.r.Args(t)[at])
			continue
		}
		if !v.hasValue(t) {
			return 0, false
		}
		return v.with.Byte(b), true
	}
}

// hasValue reports whether all leaves of a term have a value.
func (v *values) hasValue(t term.Term) (has bool) {
	if int(t) >= len(v.known) {
		v.known = append(v.known, make([]uint32, max(v.r.Len(), int(t)+1)-len(v.known))...)
	}
	switch v.known[t] {
	case all:
		return true
	case v.generation:
		return false
	}
	switch has = true; v.r.Op(t) {
	case term.Const:
	case term.Leaf:
		_, has = v.of[t]
		has = has || v.input(t)
	default:
		join := v.r.Op(t) == term.Join
		for _, a := range v.r.Args(t) {
			of := term.Term(a)
			if join {
				of, _ = term.Byte(a).Of()
			}
			if has = v.hasValue(of); !has {
				break
			}
		}
	}
	if v.known[t] = v.generation; has {
		v.known[t] = all
	}
	return has
}

// compare first determines the values of unknowns, and then compares the state with a
// belief.
func (e *following) compare(s *machine.State, b *belief) error {
	v := e.now
	changed := false
	for _, leaf := range slices.Sorted(maps.Keys(b.of)) {
		if _, ok := v.of[leaf]; !ok && !v.input(leaf) {
			if x, ok := v.term(b.of[leaf]); ok {
				v.of[leaf], changed = x, true
			}
		}
	}
	if changed {
		v.learn()
	}
	if b.state == nil {
		return nil
	}
	e.read(s, b)
	if e.plant == -1 { // decremented at each assertion
		b = e.planted(b)
	}
	for i, want := range b.state.Regs {
		if err := e.same(s.Regs[i], want, v, func() string { return v.r.layout.Name(i) }); err != nil {
			return err
		}
	}
	for _, o := range s.Mem.Objects() {
		by := e.moved(o, b)
		for at := range max(s.Mem.Extent(o)-by, b.state.Mem.Extent(o)) {
			if err := e.same(s.Mem.Byte(o, at+by), b.state.Mem.Byte(o, at), v, func() string { return v.r.name(In(o, at+by)) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// planted returns a copy of a belief in which one register byte with a known value is
// wrong.
func (e *following) planted(b *belief) *belief {
	other := *b
	other.state = b.state.Clone()
	for i, want := range other.state.Regs {
		if x, ok := e.now.byte(want); ok {
			other.state.Regs[i] = term.ConstByte(x ^ 1)
			break
		}
	}
	return &other
}

// moved returns the offset at which an object begins in a belief. At the loop's head,
// e.came does not count the current arrival yet.
func (e *following) moved(o *machine.Object, b *belief) int64 {
	if b.head {
		return e.r.moves[o] * e.came
	}
	return e.shift(o)
}

// same compares a byte of a state with the byte that the proof assumes.
func (e *following) same(got, want term.Byte, of *values, name func() string) error {
	x, ok1 := of.byte(want)
	y, ok2 := e.first.byte(got)
	if ok1 && ok2 && x != y {
		return fmt.Errorf("%s is %#x, want %#x: %s", name(), y, x, e.r.FormatByte(want))
	}
	return nil
}

// read assigns values to unknowns. It reads the values from the places that contain the
// unknowns in a belief.
func (e *following) read(s *machine.State, b *belief) {
	v, assumed := e.now, b.state
	type part struct{ bits, known uint64 }
	found := map[term.Term]part{}
	look := func(want, got term.Byte) {
		leaf, at := want.Of()
		if v.r.Op(leaf) != term.Leaf {
			return
		}
		if _, ok := v.of[leaf]; ok || v.input(leaf) {
			return
		}
		if x, ok := e.first.byte(got); ok {
			p := found[leaf]
			if low := uint64(0xff) << (8 * at); p.known&low == 0 {
				found[leaf] = part{p.bits | uint64(x)<<(8*at), p.known | low}
			}
		}
	}
	for i, want := range assumed.Regs {
		look(want, s.Regs[i])
	}
	for _, o := range s.Mem.Objects() {
		for at := range assumed.Mem.Extent(o) {
			look(assumed.Mem.Byte(o, at), s.Mem.Byte(o, at+e.moved(o, b)))
		}
	}
	for leaf, p := range found {
		if p.known == ^uint64(0)>>(64-v.r.Width(leaf)) {
			v.of[leaf] = p.bits
		}
	}
	v.learn()
}

// evaluate returns an error if a fact is false. It skips facts about unknowns without a
// value.
func (v *values) evaluate(f *fact) error {
	if f.algebra != nil {
		number := func(t term.Term) (uint64, bool) { return v.term(t) }
		named := slices.Contains(v.named, f.algebra)
		got, ok1 := f.algebra.EvaluateKnown(f.left, named, number)
		want, ok2 := f.algebra.EvaluateKnown(f.right, named, number)
		if ok1 && ok2 && new(big.Int).Mod(got.Sub(got, want), f.prime).Sign() != 0 {
			return fmt.Errorf("%s is not congruent modulo %v", f.what, f.prime)
		}
		return nil
	}
	got, ok1 := v.term(f.got)
	want, ok2 := v.term(f.want)
	if ok1 && ok2 && (got != want && !f.most || got > want) {
		return fmt.Errorf("%s is %#x, want %#x", f.what, got, want)
	}
	return nil
}

// memory compares memory with the specification: the bytes that an iteration finishes or, if
// step is negative, all bytes.
func (e *following) memory(s *machine.State, step int64) error {
	for _, o := range s.Mem.Objects() {
		if !o.Writable || o.InFrame() {
			continue
		}
		by, end := e.shift(o), e.r.moves[o]
		if step < 0 {
			end = max(s.Mem.Extent(o)-by, int64(len(e.r.want[o])))
		}
		for at := range end {
			want, said := e.r.want[o].At(at)
			if want == free || want == checked || want == secret {
				continue
			}
			of := e.now
			if !said { // the byte must be unchanged
				want, of = o.Initial(at+by), e.first
			}
			if err := e.same(s.Mem.Byte(o, at+by), want, of, func() string { return "specified " + e.r.name(In(o, at+by)) }); err != nil {
				return err
			}
			e.Bytes++
		}
	}
	return nil
}
