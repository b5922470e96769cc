// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis states what the kernels of AEGIS compute.
package aegis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels are those of package aegis, of each family with each number of lanes that an instruction set takes at once.
var Kernels = slices.Concat(
	kernels(amd64, 1, "SSE41AES"), kernels(amd64, 1, "AVX2AES"), kernels(amd64, 2, "X2AVX2VAES"), kernels(amd64, 4, "X4AVX512VAES"),
	kernels(arm64, 1, "NEONAES"), pairs(),
)

// An architecture has its own registers.
type architecture struct {
	file              string
	message, mode, at string // in which a kernel has these
	vector            string // the first letter of vectors, of which the first have the state
	changes           string // what the end of a kernel changes besides
	vectors           int    // as many
}

var (
	amd64 = architecture{"internal/aegis/aegis_amd64.s", "AX", "CX", "DX", "Z", "AX BX CX DX SI", 16}
	arm64 = architecture{"internal/aegis/aegis_arm64.s", "R0", "R1", "R2", "V", "R10 R11", 24}
)

// register names a vector.
func (a *architecture) register(i int) string { return fmt.Sprint(a.vector, i) }

// changed lists what the end of a kernel changes.
func (a *architecture) changed() []string {
	names := strings.Fields(a.changes)
	for i := range a.vectors {
		names = append(names, a.register(i))
	}
	return names
}

// A word of a State has room for four lanes.
const (
	block = 16
	word  = 4 * block

	messageSize = 120
)

// What a kernel does: it absorbs unless it encrypts or decrypts.
const (
	begin = 1 << iota
	seal
	open
	sums
	tag
	store
	code // the tag is that of a code, for which lane 0 finishes again with the others'
	data // a piece of additional data comes before the message
	long // what comes after the message is a tag of 32 bytes: the mode does not say that
	text = seal | open
)

// modes are those that callers give.
var modes = []int{
	begin | store, store, sums | store, tag,
	seal | store, seal | begin | tag, seal | begin | data | tag, seal | tag,
	open | store, open | begin | tag, open | begin | data | tag, open | tag,
}

// A message is one case of the proof.
type message struct {
	in     architecture
	blocks int // of a lane
	width  int // lanes of the kernel

	lanes, at, mode, size                          int
	dst, src, from, to, key, nonce, ctx, out, call *machine.Object
	other                                          int         // messages before it, the nonces of which are before its own
	two                                            *[2]message // side by side, with what both have here
	u                                              spec.Block
	head, taken                                    []spec.Lane // at the loop's head, and after the message: unknown
}

// kernels returns the statements of what a generator writes for so many lanes.
func kernels(in architecture, width int, set string) (list []engine.Kernel) {
	for _, blocks := range []int{8, 6} {
		m := &message{in: in, blocks: blocks, width: width}
		list = append(list, engine.Kernel{
			File: in.file, Func: fmt.Sprintf("run%d%s", map[int]int{8: 128, 6: 256}[blocks], set), Variants: m.variants(),
			Claim: "from a state, or a key and a nonce, and a piece of additional data if there is one: dst = src encrypted or decrypted, apart or in place, or src is absorbed, with zeros after it; " +
				"then the lanes' state, the sums of which their tags consist, or the tag, of 16 or 32 bytes",
			At: engine.Claims{"taken": m.pass},
			Sections: []engine.Kernel{{
				File: in.file, Func: fmt.Sprintf("run%d%s", map[int]int{8: 128, 6: 256}[blocks], set), Variants: m.endings(),
				From: "taken", To: "stored", Changes: in.changed(), Narrow: strings.HasPrefix(set, "SSE"),
				Setup: m.setupEnd,
				Enter: m.enter,
				Spec:  func(c *engine.Case, _ int64, _ bool) { m.end(c, m.head) },
			}},
			Lengths: "0 to 64 KiB, of messages with up to 4 lanes, for each place of the kernel's",
			Unit:    1, Min: 0, Max: 64 << 10,
			Turn: func(variant string) int64 {
				m.choose(variant)
				return m.rate()
			},
			Setup:     m.setup,
			Spec:      m.spec,
			Invariant: m.invariant,
		})
	}
	return list
}

// words is how many blocks of a piece a lane takes.
func (m *message) words() int { return m.blocks/2 - 2 }

func (m *message) rate() int64 { return int64(block * m.words() * m.lanes) }

// codes reports whether the kernel makes codes of its lanes.
func (m *message) codes() bool { return m.width > 1 }

// variant names a case: the lanes of the message, the first that is worked on, and what is done.
const variant = "%d lanes from %d on, %d"

func (m *message) variants() (names []string) {
	for lanes := m.width; lanes <= 4; lanes *= 2 {
		for at := 0; at < lanes; at += m.width {
			for _, mode := range modes {
				if lanes > 1 && mode == tag {
					continue // of a code, lanes have tags of their own
				}
				names = append(names, fmt.Sprintf(variant, lanes, at, mode))
			}
		}
	}
	if m.codes() {
		names = append(names, fmt.Sprintf(variant, m.width, 0, code|tag))
	}
	return names
}

// endings are the variants of what comes after the message.
func (m *message) endings() (names []string) {
	for at := 0; at < 4; at += m.width {
		for _, mode := range modes {
			names = append(names, fmt.Sprintf(variant, 4, at, mode))
			if mode&tag != 0 {
				names = append(names, fmt.Sprintf(variant, 4, at, mode|long))
			}
		}
	}
	if m.codes() {
		names = append(names, fmt.Sprintf(variant, m.width, 0, code|tag), fmt.Sprintf(variant, m.width, 0, code|tag|long))
	}
	return names
}

// choose has the message be a variant.
func (m *message) choose(of string) {
	if _, err := fmt.Sscanf(of, variant, &m.lanes, &m.at, &m.mode); err != nil {
		panic(err)
	}
}

func (m *message) setup(c *engine.Case) {
	m.choose(c.Variant)
	m.call = c.Buffer("m", messageSize)
	m.text(c)
	m.output(c, c.Scale(c.NewLeaf(64, term.LeafInfo{Name: "size", Public: true, Min: 1, Max: 2}), block))
	c.Head = map[int]string{0: "absorbPiece", seal: "sealPiece", open: "openPiece"}[m.mode&text]
	c.Arg(m.call.Base)
	m.head, m.taken = m.unknown(c), m.unknown(c)
}

// unknown returns lanes of which nothing is known.
func (m *message) unknown(c *engine.Case) []spec.Lane {
	lanes := make([]spec.Lane, m.width)
	for i := range m.blocks {
		for lane := range lanes {
			var b spec.Block
			for half := range 2 {
				c.Store.Bytes(b[8*half:8*half+8], c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("S%d", i), Max: 1<<64 - 1}))
			}
			lanes[lane] = append(lanes[lane], b)
		}
	}
	return lanes
}

// setupEnd is setup of what comes after the message.
func (m *message) setupEnd(c *engine.Case) {
	m.choose(c.Variant)
	m.size = block
	if m.mode&long != 0 {
		m.size = 2 * block
	}
	m.mode &^= long
	m.call, m.from = c.Buffer("m", messageSize), nil
	m.output(c, c.Const(64, uint64(m.size)))
	m.head = m.unknown(c)
}

// registers says what a kernel has in registers besides the state.
func (m *message) registers(c *engine.Case) []engine.Has {
	has := []engine.Has{c.Register(m.in.message).Has(m.call.Base)}
	if m.two == nil {
		has = append(has, c.Register(m.in.mode).Has(c.Const(64, uint64(m.mode))))
	}
	if m.width < 4 {
		has = append(has, c.Register(m.in.at).Has(c.Const(64, uint64(block*m.at))))
	}
	return has
}

// enter is where the message is taken, with any state.
func (m *message) enter(c *engine.Case) *engine.Claim {
	a := &engine.Claim{Has: m.registers(c)}
	m.state(c, m.head, func(p engine.Place, t term.Term) { a.Has = append(a.Has, p.Has(t)) })
	return a
}

// state goes through the places of lanes.
func (m *message) state(c *engine.Case, lanes []spec.Lane, f func(engine.Place, term.Term)) {
	for lane, s := range lanes {
		for i, b := range s {
			for half := range 2 {
				f(c.Lane(m.in.register(i), 2*lane+half), c.Gather(b[8*half:8*half+8]))
			}
		}
	}
}

// pass is the same place in the whole: what comes after it is a section.
func (m *message) pass(c *engine.Case, s engine.View) *engine.Claim {
	a := &engine.Claim{Has: m.registers(c), To: "stored"}
	m.state(c, m.taken, a.Any)
	n, _ := s.Value(s.Length())
	a.Where = func(v engine.View) error { return m.are(c, v, m.taken, m.reached(c, int64(n))) }
	return a
}

// reached returns the lanes after n bytes, of two messages those of both.
func (m *message) reached(c *engine.Case, n int64) []spec.Lane {
	if m.two == nil {
		return m.after(c, n).lanes
	}
	return slices.Concat(m.two[0].after(c, n).lanes, m.two[1].after(c, n).lanes)
}

// are compares what unknown lanes stand for.
func (m *message) are(c *engine.Case, v engine.View, unknown, want []spec.Lane) error {
	for lane, s := range want {
		for i, b := range s {
			for half := range 2 {
				got := v.Of(c.Gather(unknown[lane][i][8*half : 8*half+8]))[0]
				if err := v.Is(fmt.Sprintf("word S%d of lane %d", i, lane), got, c.Gather(b[8*half:8*half+8])); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// load returns a block of memory.
func load(o *machine.Object, at int64) (b spec.Block) {
	for i := range b {
		b[i] = o.Initial(at + int64(i))
	}
	return b
}

// start returns the lanes before the whole pieces.
func (m *message) start(c *engine.Case) (lanes []spec.Lane) {
	for lane := range m.width {
		at := int64(block * (m.at + lane))
		s := make(spec.Lane, m.blocks)
		if m.mode&begin == 0 {
			for i := range s {
				s[i] = load(m.from, int64(word*i)+at)
			}
		} else {
			var key, nonce []spec.Block
			for i := range 3 - m.words() {
				key = append(key, load(m.key, int64(block*i)))
				nonce = append(nonce, load(m.nonce, int64(block*(i+m.other*(3-m.words())))))
			}
			s = spec.AEGISLane(c.Store, key, nonce, load(m.ctx, at+int64(block*m.lanes*m.other)))
			if m.mode&data != 0 {
				var piece []spec.Block
				for w := range m.words() {
					piece = append(piece, load(m.from, at+int64(block*m.lanes*w)))
				}
				s = s.Update(c.Store, piece...)
			}
		}
		lanes = append(lanes, s)
	}
	return lanes
}

// An outcome is what there is after some bytes: the lanes, and what dst has, if there is any.
type outcome struct {
	lanes []spec.Lane
	dst   []term.Byte
}

// take has lanes take a piece of src, of which the message has all that is before an end: zeros come after it.
func (m *message) take(c *engine.Case, after *outcome, from, end int64) {
	for lane, s := range after.lanes {
		var input []spec.Block
		for w := range m.words() {
			at := from + int64(block*(w*m.lanes+m.at+lane))
			n := min(max(end-at, 0), block) // bytes of it
			in := constant()
			for i := range n {
				in[i] = m.src.Initial(at + i)
			}
			if m.mode&text != 0 {
				out := spec.XorBlocks(c.Store, in, s.KeyStream(c.Store)[w])
				copy(after.dst[min(at, end):], out[:n])
				if m.mode&open != 0 {
					in = constant()
					copy(in[:n], out[:n])
				}
			}
			input = append(input, in)
		}
		after.lanes[lane] = s.Update(c.Store, input...)
	}
}

// constant returns a block of zeros.
func constant() (b spec.Block) {
	for i := range b {
		b[i] = term.ConstByte(0)
	}
	return b
}

// after returns what there is after n bytes. On a way from the loop's head the lanes are there what the invariant has.
func (m *message) after(c *engine.Case, n int64) *outcome {
	return term.Once(c.Store, [3]any{m, n, c.Looped}, func() *outcome {
		after := &outcome{lanes: slices.Clone(m.head)}
		if !c.Looped {
			after.lanes = slices.Clone(term.Once(c.Store, [2]any{m, "start"}, func() []spec.Lane { return m.start(c) }))
		}
		for at := int64(0); at < n && m.mode&text != 0; at++ {
			after.dst = append(after.dst, m.dst.Initial(at)) // what is of other lanes
		}
		for from := int64(0); from < n; from += m.rate() {
			m.take(c, after, from, n)
		}
		return after
	})
}

// spec is Kernel.Spec.
func (m *message) spec(c *engine.Case, n int64, _ bool) {
	c.ExpectBytes(m.dst, 0, m.after(c, n).dst...)
}

// end says what there is after the message.
func (m *message) end(c *engine.Case, lanes []spec.Lane) {
	if m.mode&code != 0 {
		lanes = []spec.Lane{m.absorbed(c, lanes)}
	}
	var all [3]spec.Block
	u := m.u
	if m.mode&code != 0 {
		c.Store.Bytes(u[:8], c.Const(64, uint64(m.lanes)))
	}
	for lane, s := range lanes {
		at := int64(block * (m.at + lane))
		if m.mode&(sums|tag) != 0 {
			s = s.Finish(c.Store, u)
			for i, sum := range s.Tags(c.Store) {
				if m.mode&sums != 0 {
					c.ExpectBytes(m.out, int64(word*i)+at, sum[:]...)
				}
				if lane > 0 {
					sum = spec.XorBlocks(c.Store, all[i], sum)
				}
				all[i] = sum
			}
		}
		if m.mode&store != 0 {
			for i, b := range s {
				c.ExpectBytes(m.to, int64(word*i)+at, b[:]...)
			}
		}
	}
	switch {
	case m.mode&tag != 0 && m.size == block:
		c.ExpectBytes(m.out, 0, all[2][:]...)
	case m.mode&tag != 0:
		c.ExpectBytes(m.out, 0, all[0][:]...)
		c.ExpectBytes(m.out, block, all[1][:]...)
	}
}

// absorbed returns lane 0 after it has absorbed the tags of the lanes (section 8): of the others alone, except where
// two make a piece.
func (m *message) absorbed(c *engine.Case, lanes []spec.Lane) spec.Lane {
	var input []spec.Block
	for lane, s := range lanes {
		tags := s.Finish(c.Store, m.u).Tags(c.Store)
		switch {
		case m.size == block && lane+m.words() > 1:
			input = append(input, tags[2])
		case m.size > block && lane > 0:
			input = append(input, tags[:2]...)
		}
	}
	first := lanes[0].Finish(c.Store, m.u)
	for ; len(input) > 0; input = input[m.words():] {
		first = first.Update(c.Store, input[:m.words()]...)
	}
	return first
}

// invariant claims that registers have the state: at first the one before the whole pieces, and after each turn that
// after one piece more.
func (m *message) invariant(c *engine.Case) *engine.Claim {
	a := &engine.Claim{}
	m.state(c, m.head, a.Any)
	a.Where = func(v engine.View) error { return m.are(c, v, m.head, m.reached(c, m.rate()*c.Turns())) }
	return a
}
