// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package aegis states what the kernels of AEGIS compute.
package aegis

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Kernels are those of package aegis: what absorbs, encrypts and decrypts, of each family with each number of lanes
// that an instruction set takes at once.
var Kernels = slices.Concat(
	kernels("internal/aegis/aegis_amd64.s", 1, "AVX2AES", vex),
	kernels("internal/aegis/aegis_amd64.s", 2, "X2AVX2VAES", vex),
	kernels("internal/aegis/aegis_amd64.s", 4, "X4AVX512VAES", vex),
)

// vex names the registers that have the state at the loop's head.
func vex(i int) string { return fmt.Sprintf("Z%d", i) }

// A word of a State has room for four lanes.
const (
	block = 16
	word  = 4 * block
)

// What a kernel does besides the text.
const (
	begin = 1 << iota
	last
	finish
	store
)

// A message is one case of the proof.
type message struct {
	blocks   int  // of a lane
	width    int  // lanes of the kernel
	text     bool // it is encrypted or decrypted
	open     bool
	register func(block int) string

	lanes, from, mode                                   int
	dst, src, piece, mask, state, key, nonce, ctx, sums *machine.Object
	u                                                   [2]term.Term
	head                                                []spec.Lane // at the loop's head: unknown
}

// kernels returns the statements of what a generator writes for so many lanes.
func kernels(file string, width int, set string, register func(block int) string) (list []engine.Kernel) {
	for _, blocks := range []int{8, 6} {
		for _, op := range []string{"absorb", "seal", "open"} {
			m := &message{blocks: blocks, width: width, text: op != "absorb", open: op == "open", register: register}
			list = append(list, m.kernel(file, fmt.Sprintf("%s%d%s", op, map[int]int{8: 128, 6: 256}[blocks], set), op))
		}
	}
	return list
}

// words is how many blocks of a piece a lane takes.
func (m *message) words() int { return m.blocks/2 - 2 }

func (m *message) rate() int64 { return int64(block * m.words() * m.lanes) }

// variant names a case: the lanes of the message, the first that is worked on, and what is done
// before the whole pieces and after them.
const variant = "%d lanes from %d on, %d"

func (m *message) variants() (names []string) {
	for lanes := m.width; lanes <= 4; lanes *= 2 {
		for from := 0; from < lanes; from += m.width {
			for _, mode := range []int{begin | store, store, begin | finish, finish, finish | store} {
				if m.text && (mode == begin|store || mode == finish|store) || !m.text && mode == begin|finish {
					continue
				}
				names = append(names, fmt.Sprintf(variant, lanes, from, mode), fmt.Sprintf(variant, lanes, from, mode|last))
			}
		}
	}
	return names
}

func (m *message) kernel(file, name, op string) engine.Kernel {
	return engine.Kernel{
		File: file, Func: name, Variants: m.variants(),
		Claim: "from a state, or a key and a nonce: the lanes' state, or what their tags consist of, after n pieces of src and one at last" +
			map[string]string{
				"absorb": "",
				"seal":   "; dst and last = the ciphertext, apart or in place",
				"open":   ", deciphered; dst and last = the plaintext, apart or in place; of last, the bits that mask has",
			}[op],
		Lengths: "0 to 4096 pieces, of messages with up to 4 lanes, for each place of the kernel's",
		Unit:    1, Min: 0, Max: 4096, Step: 1,
		Setup:     m.setup,
		Spec:      m.spec,
		Invariant: m.invariant,
	}
}

func (m *message) setup(c *engine.Case) {
	if _, err := fmt.Sscanf(c.Variant, variant, &m.lanes, &m.from, &m.mode); err != nil {
		panic(err)
	}
	n := c.Scale(c.N, uint64(m.rate()))
	c.Head = "piece"
	if m.text {
		m.dst = engine.Writable(c.Bytes("dst", n))
		c.Arg(m.dst.Base)
	}
	m.src = c.Bytes("src", n)
	if m.text {
		c.InPlace(m.src, m.dst)
	}
	m.piece = m.buffer(c, "last", last, m.rate())
	c.Arg(m.src.Base, n, c.Const(64, uint64(block*m.lanes)), c.Const(64, uint64(block*m.from)), m.piece.Base)
	if m.text && m.mode&last != 0 {
		engine.Writable(m.piece)
	}
	if m.open {
		m.mask = m.buffer(c, "mask", last, m.rate())
		c.Arg(m.mask.Base)
	}
	if m.mode&begin == 0 || m.mode&store != 0 {
		m.state = c.Buffer("s", int64(word*m.blocks))
	} else {
		m.state = c.Buffer("s", 0)
	}
	if m.mode&store != 0 {
		engine.Writable(m.state)
	}
	parts := int64(block * (3 - m.words()))
	m.key, m.nonce = m.buffer(c, "key", begin, parts), m.buffer(c, "nonce", begin, parts)
	m.ctx = m.buffer(c, "context", begin, int64(block*m.lanes))
	m.sums = m.buffer(c, "sums", finish, 3*word)
	if m.mode&finish != 0 {
		engine.Writable(m.sums)
	}
	m.u = [2]term.Term{c.Input("u0", true), c.Input("u1", true)}
	c.Arg(m.state.Base, m.key.Base, m.nonce.Base, m.ctx.Base, c.Const(64, uint64(m.mode)), m.sums.Base, m.u[0], m.u[1])
	m.head = nil
	for range m.width {
		m.head = append(m.head, spec.Lane{})
	}
	for i := range m.blocks {
		for lane := range m.head {
			var b spec.Block
			for half := range 2 {
				c.Store.Bytes(b[8*half:8*half+8], c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("S%d", i), Max: 1<<64 - 1}))
			}
			m.head[lane] = append(m.head[lane], b)
		}
	}
}

// buffer declares memory that is used where mode has a bit.
func (m *message) buffer(c *engine.Case, name string, bit int, size int64) *machine.Object {
	if m.mode&bit == 0 {
		size = 0
	}
	return c.Buffer(name, size)
}

// output returns memory where a text is stored, if it is.
func (m *message) output(o *machine.Object) *machine.Object {
	if m.text {
		return o
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
		at := int64(block * (m.from + lane))
		s := make(spec.Lane, m.blocks)
		if m.mode&begin == 0 {
			for i := range s {
				s[i] = load(m.state, int64(word*i)+at)
			}
		} else {
			var key, nonce []spec.Block
			for i := range int64(3 - m.words()) {
				key, nonce = append(key, load(m.key, block*i)), append(nonce, load(m.nonce, block*i))
			}
			s = spec.AEGISLane(c.Store, key, nonce, load(m.ctx, at))
		}
		lanes = append(lanes, s)
	}
	return lanes
}

// at is where the block is that is a word of one of the kernel's lanes in a piece.
func (m *message) at(word, lane int) int64 { return int64(block * (word*m.lanes + m.from + lane)) }

// take has lanes take a piece of src from some place on. It says what dst is there, if there is any.
func (m *message) take(c *engine.Case, lanes []spec.Lane, src, dst, mask *machine.Object, from int64) {
	if dst != nil {
		for at := from; at < from+m.rate(); at++ {
			c.ExpectByte(dst, at, dst.Initial(at)) // what is of other lanes
		}
	}
	for lane, s := range lanes {
		var input []spec.Block
		for w := range m.words() {
			at := m.at(w, lane)
			in := load(src, from+at)
			if m.text {
				z := s.KeyStream(c.Store)[w]
				if mask != nil {
					z = spec.AndBlocks(c.Store, z, load(mask, at))
				}
				out := spec.XorBlocks(c.Store, in, z)
				if dst != nil {
					c.ExpectBytes(dst, from+at, out[:]...)
				}
				if m.open {
					in = out
				}
			}
			input = append(input, in)
		}
		lanes[lane] = s.Update(c.Store, input...)
	}
}

// spec is Kernel.Spec. On a way from the loop's head the lanes are those that the invariant has there.
func (m *message) spec(c *engine.Case, n int64, end bool) {
	var lanes []spec.Lane
	if c.Looped {
		lanes = slices.Clone(m.head)
	} else {
		lanes = m.start(c)
	}
	for i := range n {
		m.take(c, lanes, m.src, m.output(m.dst), nil, m.rate()*i)
	}
	if !end {
		return
	}
	if m.mode&last != 0 {
		m.take(c, lanes, m.piece, m.output(m.piece), m.mask, 0)
	}
	for lane, s := range lanes {
		at := int64(block * (m.from + lane))
		if m.mode&finish != 0 {
			var u spec.Block
			c.Store.Bytes(u[:8], m.u[0])
			c.Store.Bytes(u[8:], m.u[1])
			s = s.Finish(c.Store, u)
			for i, sum := range s.Tags(c.Store) {
				c.ExpectBytes(m.sums, int64(word*i)+at, sum[:]...)
			}
		}
		if m.mode&store != 0 {
			for i, b := range s {
				c.ExpectBytes(m.state, int64(word*i)+at, b[:]...)
			}
		}
	}
}

// invariant claims that registers have the state: at first the one before the whole pieces, and after each turn that
// after one piece more.
func (m *message) invariant(c *engine.Case) *engine.Claim {
	a := &engine.Claim{}
	for lane, s := range m.head {
		for i, b := range s {
			for half := range 2 {
				a.Any(c.Lane(m.register(i), 2*lane+half), c.Gather(b[8*half:8*half+8]))
			}
		}
	}
	a.Where = func(v engine.View) error {
		want := m.start
		if c.Looped {
			want = func(c *engine.Case) []spec.Lane {
				lanes := slices.Clone(m.head)
				m.take(c, lanes, m.src, nil, nil, 0)
				return lanes
			}
		}
		for lane, s := range want(c) {
			for i, b := range s {
				for half := range 2 {
					got := v.Of(c.Gather(m.head[lane][i][8*half : 8*half+8]))[0]
					if !c.Equal(got, c.Gather(b[8*half:8*half+8])) {
						return fmt.Errorf("word S%d of lane %d is %s", i, lane, c.Format(got))
					}
				}
			}
		}
		return nil
	}
	return a
}
