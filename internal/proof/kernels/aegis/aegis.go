// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis specifies the kernels of internal/aegis. A kernel processes one or more
// lanes, each with its own AEGIS state. A piece is the part of the message that one
// update of all lanes absorbs.
package aegis

import (
	"fmt"
	"slices"

	layout "github.com/unimac/unimac/internal/layout/aegis"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels contains the statements of all kernels of internal/aegis.
var Kernels = engine.Constructed(func() []engine.Kernel {
	return slices.Concat(
		kernels(amd64, 1, "SSE41AES"), kernels(amd64, 1, "AVX2AES"), kernels(amd64, 2, "X2AVX2VAES"), kernels(amd64, 4, "X4AVX512VAES"),
		kernels(arm64, 1, "NEONAES"), []engine.Kernel{pair()},
	)
})

type architecture struct {
	file              string
	message, mode, at string // registers of the message, the mode and the first lane's byte offset
	vector            string // prefix of vector registers; the first of them contain the state
}

var (
	amd64 = architecture{"internal/aegis/aegis_amd64.s", "AX", "CX", "DX", "Z"}
	arm64 = architecture{"internal/aegis/aegis_arm64.s", "R0", "R1", "R2", "V"}
)

const (
	block = 16
	word  = layout.WordStride // of the state; it holds up to four blocks, one per lane

	text = layout.ModeSeal | layout.ModeOpen // if not set, the kernel absorbs the message
	long = 1 << 8                            // set in the mode of variants whose tag has 32 bytes
)

// modes returns the modes of a kernel for one message.
func modes() []int {
	const begin, store, tag = layout.ModeInit, layout.ModeStore, layout.ModeTag
	list := []int{begin | store, store, layout.ModeSums | store, tag}
	for _, text := range []int{layout.ModeSeal, layout.ModeOpen} {
		list = append(list, text|store, text|begin|tag, text|begin|layout.ModeData|tag, text|tag)
	}
	return list
}

type message struct {
	in     architecture
	blocks int64      // in a lane's state
	words  int64      // how many blocks each lane absorbs per update
	parts  int64      // blocks in the key and in the nonce
	width  int64      // lanes that the kernel processes in parallel
	all    []*message // the messages of a pair, or this one

	lanes, at, size                                int64
	mode                                           int
	dst, src, from, to, key, nonce, ctx, out, call *machine.Object
	other                                          int64     // index in a pair; earlier messages' nonces come first
	blocksOut                                      term.Term // size of the tag in 16-byte blocks
	u                                              spec.Block
	head, taken                                    []spec.Lane // unknown lanes: at the loop head, and after the message
}

func kernels(in architecture, width int64, set string) (list []engine.Kernel) {
	for _, m := range []*message{{blocks: 8, words: 2, parts: 1}, {blocks: 6, words: 1, parts: 2}} {
		m.in, m.width, m.all = in, width, []*message{m}
		k := m.kernel(fmt.Sprintf("run%d%s", 128*m.parts, set), m.setup, m.setupEnd)
		k.Claim = "from a state, or a key and a nonce, and a piece of additional data if there is one: dst = src encrypted or decrypted, apart or in place, or src is absorbed, with zeros after it; " +
			"then the lanes' state, the sums of which their tags consist, or the tag, of 16 or 32 bytes"
		k.Variants, k.Segments[0].Variants = m.variants(width, false), m.variants(4, true)
		k.Range = engine.Range{Lengths: "0 to 64 KiB, of messages with up to 4 lanes, for each place of the kernel's", Unit: 1, Min: 0, Max: 64 << 10}
		k.StepOf = m.choose
		list = append(list, k)
	}
	return list
}

// kernel returns the parts of a statement that all kernels share.
func (m *message) kernel(name string, setup, setupEnd func(*engine.Case)) engine.Kernel {
	return engine.Kernel{
		File: m.in.file, Func: name,
		Weakenings: engine.Weakenings{At: engine.Assertions{"taken": m.callEnd}},
		Segments: []engine.Kernel{{
			File: m.in.file, Func: name,
			Segment: engine.Segment{From: "taken", To: "stored", Enter: func(c *engine.Case) *engine.Assertion {
				return &engine.Assertion{Has: append(m.registers(c), m.state(c, m.head)...)} // any AEGIS state
			}},
			Setup: setupEnd,
			Spec: func(c *engine.Case, _ int64, _ bool) {
				for _, one := range m.all {
					one.end(c)
				}
			},
		}},
		Loop: engine.Loop{Invariant: func(c *engine.Case) *engine.Assertion {
			return m.stateAfter(c, m.head, func() int64 { return m.rate() * c.Iterations() })
		}},
		Setup: setup, Spec: m.spec,
	}
}

// rate returns the size of a piece in bytes.
func (m *message) rate() int64 { return block * m.words * m.lanes }

const variant = "%d lanes from %d on, %d"

// variants returns a kernel's variants for messages with at least the given number of
// lanes. If ending is true, it returns the variants of the kernel's segment.
func (m *message) variants(lanes int64, ending bool) (names []string) {
	add := func(lanes, at int64, mode int) {
		names = append(names, fmt.Sprintf(variant, lanes, at, mode))
		if ending && mode&layout.ModeTag != 0 {
			names = append(names, fmt.Sprintf(variant, lanes, at, mode|long))
		}
	}
	for ; lanes <= 4; lanes *= 2 {
		for at := int64(0); at < lanes; at += m.width {
			for _, mode := range modes() {
				if ending || lanes == 1 || mode != layout.ModeTag { // the tag mode is for messages with a single lane
					add(lanes, at, mode)
				}
			}
		}
	}
	if m.width > 1 { // the kernel computes the MAC of all its lanes
		add(m.width, 0, layout.ModeCode|layout.ModeTag)
	}
	return names
}

// choose parses a variant and returns the size of a piece.
func (m *message) choose(of string) int64 {
	if _, err := fmt.Sscanf(of, variant, &m.lanes, &m.at, &m.mode); err != nil {
		panic(err)
	}
	m.size = block
	if m.mode&long != 0 {
		m.size = 2 * block
	}
	m.mode &^= long
	return m.rate()
}

// setup declares the message and the data that determines the initial state.
func (m *message) setup(c *engine.Case) {
	m.choose(c.Variant)
	number := func(n int64) term.Term { return c.Const(64, uint64(n)) }
	m.text(c)
	const begin, data = layout.ModeInit, layout.ModeData
	m.from = c.Buffer("from", map[int]int64{0: word * m.blocks, begin | data: m.rate()}[m.mode&(begin|data)]) // a state or a piece
	m.key, m.nonce = m.buffer(c, "key", begin, block*m.parts), m.buffer(c, "nonce", begin, block*m.parts)
	m.ctx = m.buffer(c, "context", begin, block*m.lanes)
	if m.mode&begin != 0 && m.lanes == 1 {
		m.ctx.Set(0, number(0), number(0)) // a single lane uses no context
	}
	m.blocksOut = c.NewLeaf(64, term.LeafInfo{Name: "size", Public: true, Min: 1, Max: 2})
	m.output(c, c.Scale(m.blocksOut, block))
	if m.mode&layout.ModeStore != 0 {
		c.InPlace(m.from, m.to)
	}
	// Fields with consecutive offsets.
	m.call.Set(layout.MessageDst, m.dst.Base, m.src.Base, c.N, number(block*m.lanes), number(block*m.at), m.from.Base)
	m.call.Set(layout.MessageKey, m.key.Base, m.nonce.Base, m.ctx.Base)
	m.taken = m.unknown(c)
	c.Head = map[int]string{0: "absorbPiece", layout.ModeSeal: "sealPiece", layout.ModeOpen: "openPiece"}[m.mode&text]
	c.Arg(m.call.Base)
}

// text declares src and, if the kernel encrypts or decrypts, dst.
func (m *message) text(c *engine.Case) {
	m.src, m.dst = c.Bytes("src", c.N), c.Buffer("dst", 0)
	if m.mode&text != 0 {
		c.Resize(m.dst, c.N)
		c.InPlace(m.src, engine.Writable(m.dst))
	}
}

// buffer declares memory that is empty unless one of the modes is set.
func (m *message) buffer(c *engine.Case, name string, modes int, size int64) *machine.Object {
	if m.mode&modes == 0 {
		size = 0
	}
	return c.Buffer(name, size)
}

// output declares the results, for a tag of the given size.
func (m *message) output(c *engine.Case, size term.Term) {
	m.to, m.out = m.buffer(c, "to", layout.ModeStore, word*m.blocks), m.buffer(c, "out", layout.ModeSums, 3*word)
	m.to.Writable, m.out.Writable = m.mode&layout.ModeStore != 0, m.mode&(layout.ModeSums|layout.ModeTag) != 0
	m.declareEnd(c)
	m.call.Set(layout.MessageTo, m.to.Base)
	m.call.Set(layout.MessageMode, c.Const(64, uint64(m.mode)))
	if m.mode&layout.ModeTag != 0 {
		c.Resize(m.out, size)
		m.call.Set(layout.MessageSize, size)
	}
}

// declareEnd declares what all segments use: u, the operand of Finish, and the lanes.
func (m *message) declareEnd(c *engine.Case) {
	x, y := c.Input("x", true), c.Input("y", true)
	m.call, m.u, m.head = c.Buffer("m", layout.SizeofMessage), spec.BlockOf(c.Store, x, y), m.unknown(c)
	m.call.Set(layout.MessageX, x, y)
	m.call.Set(layout.MessageOut, m.out.Base)
}

func (m *message) setupEnd(c *engine.Case) {
	m.choose(c.Variant)
	m.output(c, c.Const(64, uint64(m.size)))
}

// unknown returns one lane of new unknowns for each lane of the kernel.
func (m *message) unknown(c *engine.Case) (lanes []spec.Lane) {
	for range m.width {
		var s spec.Lane
		for i := range m.blocks {
			name := fmt.Sprint("S", i)
			s = append(s, spec.BlockOf(c.Store, c.Input(name, false), c.Input(name, false)))
		}
		lanes = append(lanes, s)
	}
	return lanes
}

func terms(c *engine.Case, lanes []spec.Lane) (list []term.Term) {
	for _, s := range lanes {
		for _, b := range s {
			list = append(list, c.Gather(b[:8]), c.Gather(b[8:]))
		}
	}
	return list
}

// registers returns assertions about the registers that do not contain the AEGIS state.
func (m *message) registers(c *engine.Case) []engine.Has {
	has := []engine.Has{c.Register(m.in.message).Has(m.call.Base)}
	if len(m.all) == 1 {
		has = append(has, c.Register(m.in.mode).Has(c.Const(64, uint64(m.mode))))
	}
	if m.width < 4 {
		has = append(has, c.Register(m.in.at).Has(c.Const(64, uint64(block*m.at))))
	}
	return has
}

func (m *message) state(c *engine.Case, lanes []spec.Lane) (has []engine.Has) {
	for i, t := range terms(c, lanes) {
		half, at, lane := i%2, i/2%int(m.blocks), i/2/int(m.blocks)
		has = append(has, c.Lane(fmt.Sprint(m.in.vector, at), 2*lane+half).Has(t))
	}
	return has
}

// callEnd asserts the state after the whole message and calls the last segment.
func (m *message) callEnd(c *engine.Case, s engine.View) *engine.Assertion {
	n, _ := s.Value(s.Length)
	a := m.stateAfter(c, m.taken, func() int64 { return int64(n) })
	a.Has, a.Call = append(a.Has, m.registers(c)...), &engine.Call{To: "stored", Name: "end", Buffers: map[string]engine.Place{
		"m": engine.In(m.call, 0), "to": engine.In(m.to, 0), "out": engine.In(m.out, 0),
	}}
	lanes := int64(4)
	if m.mode&layout.ModeCode != 0 {
		lanes = m.width
	}
	switch {
	case len(m.all) > 1:
		a.Call.Cases = []engine.Entry{{}}
	case m.mode&layout.ModeTag == 0:
		a.Call.Cases = []engine.Entry{{Variant: fmt.Sprintf(variant, lanes, m.at, m.mode)}}
	default:
		for i, mode := range []int{m.mode, m.mode | long} {
			inputs := map[term.Term]engine.Values{m.blocksOut: engine.One(uint64(1 + i))}
			a.Call.Cases = append(a.Call.Cases, engine.Entry{Variant: fmt.Sprintf(variant, lanes, m.at, mode), Inputs: inputs})
		}
	}
	return a
}

// stateAfter returns the assertion that unknown equals the lanes after n bytes.
func (m *message) stateAfter(c *engine.Case, unknown []spec.Lane, n func() int64) *engine.Assertion {
	return &engine.Assertion{Unknown: terms(c, unknown), Has: m.state(c, unknown), Where: func(v engine.View) error {
		var want []spec.Lane
		for _, one := range m.all {
			want = append(want, one.after(c, n()).lanes...)
		}
		got := v.Of(terms(c, unknown)...)
		for i, w := range terms(c, want) {
			if err := v.Is("a word of the state", got[i], w); err != nil {
				return fmt.Errorf("word %d: %w", i, err)
			}
		}
		return nil
	}}
}

// load returns count blocks of o's initial contents, one every stride bytes.
func load(c *engine.Case, o *machine.Object, at, stride, count int64) (blocks []spec.Block) {
	for i := range count {
		blocks = append(blocks, spec.BlockOf(c.Store, o.Words(at+stride*i, 2, 8, 8)...))
	}
	return blocks
}

// start returns the initial state of the lane at byte offset at.
func (m *message) start(c *engine.Case, at int64) spec.Lane {
	if m.mode&layout.ModeInit == 0 {
		return load(c, m.from, at, word, m.blocks)
	}
	key, nonce := load(c, m.key, 0, block, m.parts), load(c, m.nonce, block*m.parts*m.other, block, m.parts)
	s := spec.AEGISLane(c.Store, key, nonce, load(c, m.ctx, at+block*m.lanes*m.other, block, 1)[0])
	if m.mode&layout.ModeData != 0 {
		s = s.Update(c.Store, load(c, m.from, at, block*m.lanes, m.words)...)
	}
	return s
}

// An outcome holds the lanes and the output after part of a message.
type outcome struct {
	lanes []spec.Lane
	dst   []term.Byte
}

// after returns the outcome of n bytes, from the loop's head if c.Looped.
func (m *message) after(c *engine.Case, n int64) *outcome {
	return term.Memo(c.Store, [3]any{m, n, c.Looped}, func() *outcome {
		after := &outcome{}
		switch {
		case n > 0:
			m.absorb(c, after, (n-1)/m.rate()*m.rate(), n)
		case c.Looped:
			after.lanes = m.head
		default:
			for lane := range m.width {
				after.lanes = append(after.lanes, m.start(c, block*(m.at+lane)))
			}
		}
		return after
	})
}

// absorb sets after to the outcome of the piece at src[from:], which is padded with
// zeros from src[end] on, and of all pieces before.
func (m *message) absorb(c *engine.Case, after *outcome, from, end int64) {
	before := m.after(c, from)
	after.dst = slices.Clone(before.dst)
	for at := from; at < end && m.mode&text != 0; at++ {
		after.dst = append(after.dst, m.dst.Initial(at)) // other lanes' bytes are unchanged
	}
	for lane, s := range before.lanes {
		var input []spec.Block
		for w := range m.words {
			at := from + block*(w*m.lanes+m.at+int64(lane))
			n := min(max(end-at, 0), block) // bytes of the block that the message contains
			var in spec.Block
			for i := range n {
				in[i] = m.src.Initial(at + i)
			}
			if m.mode&text != 0 {
				out := spec.XorBlocks(c.Store, in, s.KeyStream(c.Store)[w])
				copy(after.dst[min(at, end):], out[:n])
				if m.mode&layout.ModeOpen != 0 {
					copy(in[:n], out[:n])
				}
			}
			input = append(input, in)
		}
		after.lanes = append(after.lanes, s.Update(c.Store, input...))
	}
}

// spec requires dst to hold the text, and each output to hold what the segment stored.
func (m *message) spec(c *engine.Case, n int64, last bool) {
	for _, one := range m.all {
		c.ExpectBytes(one.dst, 0, one.after(c, n).dst...)
	}
	if last && m.mode&layout.ModeTag != 0 {
		c.ExpectResult(m.out, 0, "end", "out", 0, 2*block)
	}
	for i := range m.blocks {
		for lane := m.at; last && lane < m.at+m.width; lane++ {
			at := word*i + block*lane
			if m.mode&layout.ModeSums != 0 && i < 3 {
				c.ExpectResult(m.out, at, "end", "out", at, block)
			}
			if m.mode&layout.ModeStore != 0 {
				c.ExpectResult(m.to, at, "end", "to", at, block)
			}
		}
	}
}

// end requires what the segment after the message must store.
func (m *message) end(c *engine.Case) {
	lanes, u := m.head, m.u
	if m.mode&layout.ModeCode != 0 {
		lanes = []spec.Lane{m.absorbed(c)}
		c.Store.Bytes(u[:8], c.Const(64, uint64(m.lanes)))
	}
	var all [3]spec.Block
	for lane, s := range lanes {
		at := block * (m.at + int64(lane))
		if m.mode&(layout.ModeSums|layout.ModeTag) != 0 {
			s = s.Finish(c.Store, u)
			for i, sum := range s.Tags(c.Store) {
				if m.mode&layout.ModeSums != 0 {
					c.ExpectBytes(m.out, int64(word*i)+at, sum[:]...)
				}
				all[i] = spec.XorBlocks(c.Store, all[i], sum)
			}
		}
		if m.mode&layout.ModeStore != 0 {
			for i, b := range s {
				c.ExpectBytes(m.to, int64(word*i)+at, b[:]...)
			}
		}
	}
	switch {
	case m.mode&layout.ModeTag != 0 && m.size == block:
		c.ExpectBytes(m.out, block*m.other, all[2][:]...)
	case m.mode&layout.ModeTag != 0:
		c.ExpectBytes(m.out, 0, slices.Concat(all[0][:], all[1][:])...)
	}
}

// absorbed returns lane 0 after absorbing the other lanes' tags (section 8).
func (m *message) absorbed(c *engine.Case) spec.Lane {
	var input []spec.Block
	for lane, s := range m.head {
		tags := s.Finish(c.Store, m.u).Tags(c.Store)
		switch {
		case m.size == block && int64(lane)+m.words > 1:
			input = append(input, tags[2])
		case m.size > block && lane > 0:
			input = append(input, tags[:2]...)
		}
	}
	first := m.head[0].Finish(c.Store, m.u)
	for ; len(input) > 0; input = input[m.words:] {
		first = first.Update(c.Store, input[:m.words]...)
	}
	return first
}

// pair returns the statement of a kernel for two messages, each in half of its lanes.
func pair() engine.Kernel {
	m := &message{in: amd64, blocks: 6, words: 1, parts: 2, width: 4, lanes: 2, size: block, mode: layout.ModeTag, all: []*message{{}, {}}}
	k := m.kernel("pair256X2AVX512VAES", m.setupPair, m.setupPairEnd)
	k.Claim = "from a key and two nonces: each dst = src encrypted or decrypted, apart or in place; then both tags, of 16 bytes"
	k.Variants, k.Step = []string{"seal", "open"}, m.rate()
	k.Range = engine.Range{Unit: m.rate(), Min: m.rate(), Max: 64 << 10}
	return k
}

func (m *message) setupPair(c *engine.Case) {
	m.mode = layout.ModeInit | map[string]int{"seal": layout.ModeSeal, "open": layout.ModeOpen}[c.Variant] | layout.ModeTag
	m.key, m.nonce, m.ctx = c.Buffer("key", 2*block), c.Buffer("nonces", 4*block), c.Buffer("context", word)
	m.setupPairEnd(c)
	m.taken = m.unknown(c)
	for _, one := range m.all {
		one.text(c)
	}
	// Fields with consecutive offsets.
	m.call.Set(layout.MessageDst, m.all[0].dst.Base, m.all[0].src.Base, c.N)
	m.call.Set(layout.MessageFrom, m.all[1].src.Base, m.all[1].dst.Base, m.key.Base, m.nonce.Base, m.ctx.Base)
	m.call.Set(layout.MessageMode, c.Const(64, uint64(m.mode)))
	c.Head = c.Variant
	c.Arg(m.call.Base)
}

func (m *message) setupPairEnd(c *engine.Case) {
	m.out = engine.Writable(c.Buffer("out", 2*block))
	m.declareEnd(c)
	for i, one := range m.all {
		*one = *m
		one.width, one.other, one.head = 2, int64(i), m.head[2*i:][:2]
	}
}
