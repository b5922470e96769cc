// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"errors"
	"strings"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// What the Go code's message has, from its counter on, and the tag after it; the flags of a call.
const (
	avx2Nonce   = aeadNonce - aeadCounter
	avx2H       = aeadH - aeadCounter
	avx2R       = aeadR - aeadCounter
	avx2S       = aeadS - aeadCounter
	avx2Lengths = aeadLengths - aeadCounter
	avx2Tag     = avx2Lengths + 16
	avx2Size    = avx2Tag + 16

	avx2First, avx2Last, avx2Open = 1, 2, 4

	avx2Unit   = 1024                    // what calls but the last have multiples of
	avx2Before = 1 << 32 * 64 / avx2Unit // of them in the longest text, 256 GiB
)

// A layout is what is to be known of a kernel that seals or opens in one pass.
type layout struct {
	step    int64             // bytes in a turn of its loop
	h       [3]int            // the registers of h
	r0      poly1305.Register // what r0 is in
	changes string            // the registers that a section changes in which additional data is hashed
	r1      int64             // the place of r1 in the frame, with 5·r1/4 after it
	left    int64             // the place of the number of blocks that are to be hashed

	// sites are the places where additional data is hashed: after a step in which the key was made, by
	// the label of its rounds, or without one.
	sites []string
}

var (
	layoutAVX2 = &layout{
		step: 1024,
		h:    [3]int{amd64.Register("DX"), amd64.Register("CX"), amd64.Register("BX")}, r0: "SI",
		changes: "DX CX BX DI R8 R9 R10 R11 R12 R13 R14",
		r1:      2256, left: 2272,
		sites: []string{"", "rounds6", "rounds8", "rounds16"},
	}
	layoutSSE41 = &layout{
		step: 256,
		h:    [3]int{amd64.Register("SI"), amd64.Register("DI"), amd64.Register("R8")}, r0: "R9",
		changes: "AX CX DX SI DI R8 R10 R11 R12 R13 R14",
		r1:      392, left: 408,
		sites: []string{"", "rounds4"},
	}
)

// A cryptAVX2 is the proof of one statement about cryptAVX2 or cryptSSE41.
type cryptAVX2 struct {
	avx2Poly
	x       chacha20.Cipher
	message *machine.Object
	h       poly1305.Number
	s       [2]term.Term
	open    bool
	first   bool // no h, r and s are there yet
	last    bool
}

// cryptKernel is RFC 8439, section 2.8, in one call or in several.
func cryptKernel(file, name string, l *layout) engine.Kernel {
	p := cryptAVX2{avx2Poly: avx2Poly{layout: l}}
	var variants []string
	for _, call := range []string{"the only call", "the first call", "another call", "the last call"} {
		variants = append(variants, "seal, "+call, "open, "+call)
	}
	at := map[string]func(*engine.Case, engine.View) *engine.Claim{}
	for _, site := range l.sites {
		at["data"+site] = func(c *engine.Case, s engine.View) *engine.Claim { return p.keyed(c, s, site) }
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "dst = src XOR the key stream from block counter, apart or in place; modulo 2^130 - 5, h takes 0 to 65551 bytes of additional data and the ciphertext, each with zeros up to whole blocks; the first call takes r, clamped, and s from block 0; the last one makes the tag, and zeros of h, r and s; other calls, for multiples of 1024 bytes, leave them and the counter; it changes its arguments dst, src and n",
		Variants: variants,
		Wipes:    true,
		Unit:     1, Min: 0, Max: 64 << 10, Step: l.step, Reached: l.step, Head: "stepped",
		Given:    func(_ *engine.Case, n int64) bool { return p.last || n%avx2Unit == 0 },
		Sections: l.data(file, name),
		Marks:    l.marks,
		Setup:    p.setup,
		At:       at,
		Cut:      p.cut,
		StandIn:  p.StandIn,
		Spec:     p.spec,
		Advance: func(c *engine.Case) {
			c.Move(p.x.Dst, l.step)
			c.Move(p.x.Src, l.step)
			c.Become(p.x.Counter, c.AddConst(p.x.Counter, uint64(l.step/64)))
		},
		Invariant: func(c *engine.Case, s engine.View, first bool) *engine.Claim {
			return p.invariant(c, s, first, p.text(s, 0, l.step, false))
		},
		Left:  p.left,
		Watch: func(*engine.Case) engine.Watch { return p.x.NotLate },
	}
}

func (p *cryptAVX2) setup(c *engine.Case) {
	p.open, p.first = strings.HasPrefix(c.Variant, "open"), !strings.Contains(c.Variant, "another") && !strings.Contains(c.Variant, "last")
	p.last = strings.Contains(c.Variant, "only") || strings.Contains(c.Variant, "last")
	p.Start(c, p.layout.h)
	p.h, p.s = poly1305.NewNumber(c, "h", poly1305.MaxH2), [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
	p.message = engine.Writable(c.Buffer("m", avx2Size))
	p.x.Counter = c.Input("counter", true)
	o := p.message
	o.Set(0, p.x.Counter)
	endsAfter(c, p.x.Counter)
	o.Set(avx2Nonce, c.Input("nonce", true))
	o.Set(avx2Lengths, c.Input("lengths0", true))
	// The text's length is that of the whole message: only the last call knows how long it is.
	switch {
	case !p.last:
		o.Set(avx2Lengths+8, c.Input("lengths1", true))
	case p.first:
		o.Set(avx2Lengths+8, c.N)
	default:
		before := c.NewLeaf(64, term.LeafInfo{Name: "before", Public: true, Max: avx2Before})
		o.Set(avx2Lengths+8, c.Add(c.Scale(before, avx2Unit), c.N))
	}
	if p.first {
		p.h = poly1305.Number{c.Const(64, 0), c.Const(64, 0), c.Const(64, 0)}
	} else {
		for i, t := range p.h {
			o.Set(avx2H+int64(8*i), t)
		}
		for i := range int64(2) {
			o.Set(avx2R+8*i, p.R[i])
			o.Set(avx2S+8*i, p.s[i])
		}
	}
	p.x.Dst, p.x.Src = engine.Writable(c.Bytes("dst", c.N)), c.Bytes("src", c.N)
	c.MayLie(p.x.Src, p.x.Dst, engine.InPlace)
	p.x.Key = c.Buffer("key", 32)
	c.Pointers(o, p.x.Key, p.x.Dst, p.x.Src)
	c.Arg(c.N)
	c.Pointers(c.Buffer("ad", 0))
	c.Arg(c.Input("adLen", true))
	flags := uint64(0)
	for flag, is := range map[uint64]bool{avx2First: p.first, avx2Last: p.last, avx2Open: p.open} {
		if is {
			flags |= flag
		}
	}
	c.Arg(c.Const(64, flags))
	engine.Writable(c.Arguments)
}

// stream returns a byte of the key stream, of block 0 or from the counter on.
func (p *cryptAVX2) stream(c *engine.Case, block0 bool, i int64) term.Byte {
	type key struct {
		block0 bool
		block  int64
	}
	b, ok := c.Memo[key{block0, i / 64}].(*[64]term.Byte)
	if !ok {
		made := p.streamBlock(c, block0, i)
		b = &made
		c.Memo[key{block0, i / 64}] = b
	}
	return b[i%64]
}

func (p *cryptAVX2) streamBlock(c *engine.Case, block0 bool, i int64) [64]term.Byte {
	s := spec.ChaCha20Key(c.Store, p.x.Key)
	number := c.AddConst(p.x.Counter, uint64(i/64))
	s[12], s[13] = c.Low(number, 32), c.Low(c.Shr(number, 32), 32)
	if block0 {
		s[12], s[13] = c.Const(32, 0), c.Load(p.message, 4, 4)
	}
	s[14], s[15] = c.Load(p.message, avx2Nonce, 4), c.Load(p.message, avx2Nonce+4, 4)
	return spec.ChaCha20Block(c.Store, s)
}

func (p *cryptAVX2) spec(c *engine.Case, n int64, last bool) {
	for i := range n {
		c.Expect(p.x.Dst, i, c.Xor(c.Load(p.x.Src, i, 1), c.Gather([]term.Byte{p.stream(c, false, i)})))
	}
	if !last {
		return
	}
	c.Free(c.Arguments, 16, 40) // dst, src and n
	if p.last {
		for at := int64(avx2H); at < avx2Lengths; at++ {
			c.ExpectByte(p.message, at, term.ConstByte(0))
		}
		c.Free(p.message, 0, 8)
		c.Free(p.message, avx2Tag, avx2Size)
		return
	}
	c.Expect(p.message, 0, c.AddConst(p.x.Counter, uint64(n/64)))
	c.Free(p.message, avx2H, avx2R)
	for i := range int64(2) {
		c.Expect(p.message, avx2R+8*i, p.R[i])
		c.Expect(p.message, avx2S+8*i, p.s[i])
	}
}

// text returns the ciphertext that has been hashed when n bytes are encrypted, from the
// function's beginning or the loop's head on; in the loop, what is sealed waits for the
// next step.
func (p *cryptAVX2) text(s engine.View, from, n int64, all bool) (text []term.Byte) {
	for i := from; i < n; i++ {
		if p.open {
			text = append(text, p.x.Src.Initial(i))
		} else if all {
			text = append(text, s.Mem.Byte(p.x.Dst, i))
		}
	}
	return text
}

func (p *cryptAVX2) left(c *engine.Case, s engine.View, n int64, last bool) error {
	if s.Note == nil {
		return errors.New("additional data is not read")
	}
	from := int64(0)
	if p.open && c.Looped {
		from = p.layout.step // which was hashed before
	}
	if !last && p.open {
		n += p.layout.step
	}
	text := p.text(s, from, n, true)
	if !last || !p.last {
		err := p.Read(c, s, text)
		if err == nil && last {
			h := poly1305.Number{s.Stored(p.message, avx2H), s.Stored(p.message, avx2H+8), s.Stored(p.message, avx2H+16)}
			if s.Note.(poly1305.Note).H != h {
				err = errors.New("h is another number")
			}
		}
		return err
	}
	for len(text)%spec.Poly1305Block != 0 {
		text = append(text, term.ConstByte(0))
	}
	for i := range int64(16) {
		text = append(text, s.Mem.Byte(p.message, avx2Lengths+i))
	}
	if err := p.Read(c, s, text); err != nil {
		return err
	}
	note := s.Note.(poly1305.Note)
	if note.Times {
		return errors.New("the last product is missing")
	}
	return poly1305.HasTag(c, s, p.message, avx2Tag, note.H, p.s)
}

// cut is the claim after each block.
func (p *cryptAVX2) cut(c *engine.Case, s engine.View) *engine.Claim {
	if s.Note != nil {
		return p.BlocksAdded(c, s)
	}
	if p.Adding(c, s) {
		machine.Fail("hashes text before additional data")
	}
	return nil
}

// keyed is the claim that r, s and h are what they are to be, after which the section reads the data.
func (p *cryptAVX2) keyed(c *engine.Case, s engine.View, site string) *engine.Claim {
	word := func(at int64) term.Term {
		var b [8]term.Byte
		for i := range b {
			b[i] = p.stream(c, true, at+int64(i))
		}
		return c.Gather(b[:])
	}
	want := p.R
	for i := range want {
		if p.first {
			want[i] = c.And(word(int64(8*i)), c.Const(64, spec.Poly1305Clamp[i]))
		}
	}
	if p.Get(s) != p.h || s.Note != nil {
		machine.Fail("h begins otherwise")
	}
	frame := c.Locals()
	a := p.Keyed(c, [2]term.Term{p.layout.r0.Word(s), s.Stored(frame, p.layout.r1)}, want,
		[]engine.Place{p.layout.r0.Place()}, []engine.Place{engine.In(frame, p.layout.r1)}, engine.In(frame, p.layout.r1+8))
	for i := range p.s {
		if p.first {
			a.Of[p.s[i]] = word(16 + int64(8*i))
		}
		a.Has = append(a.Has, engine.Has{Place: engine.In(p.message, avx2S+int64(8*i)), Term: p.s[i]})
	}
	h, ok := c.Memo["data"].(poly1305.Number)
	if !ok {
		h = poly1305.NewNumber(c, "data", poly1305.MaxH2)
		c.Memo["data"] = h
	}
	a.To = p.layout.section(site).To
	a.Then = append(p.At(h).Has, engine.Has{Place: engine.In(c.Locals(), p.layout.left), Term: c.Const(64, 0)})
	a.Note = poly1305.Note{H: h, Times: true}
	return a
}
