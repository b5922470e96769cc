// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// What the Go code's message has, in bytes from its beginning, and what follows it.
const (
	atKey     = 16
	atCounter = 48
	atNonce   = 56
	atH       = 64
	atR       = 88
	atS       = 104
	atLengths = 120
	atTag     = 136 // for amd64
	atBegun   = 136 // for arm64
)

// A sealing is RFC 8439, section 2.8: a text, and the tag of additional data and of the ciphertext.
type sealing struct {
	poly1305.Chain
	x     chacha20.Cipher
	tag   *machine.Object
	tagAt int64
	s     [2]term.Term
	open  bool
}

// begin declares r, s and the texts.
func (p *sealing) begin(c *engine.Case) {
	p.Begin(c)
	p.s = [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
	p.x.Texts(c, c.N)
}

// text returns the ciphertext.
func (p *sealing) text(s engine.View, from, to int64) (text []term.Byte) {
	if p.open {
		return initial(p.x.Src, from, to)
	}
	for i := from; i < to; i++ {
		text = append(text, s.Mem.Byte(p.x.Dst, i))
	}
	return text
}

// initial returns what is in memory at first.
func initial(o *machine.Object, from, to int64) (bytes []term.Byte) {
	for i := from; i < to; i++ {
		bytes = append(bytes, o.Initial(i))
	}
	return bytes
}

// padded returns bytes with zeros up to whole blocks.
func padded(bytes []term.Byte) []term.Byte {
	for len(bytes)%spec.Poly1305Block != 0 {
		bytes = append(bytes, term.ConstByte(0))
	}
	return bytes
}

// tagged has the tag be that of what has been read: bytes, which are the last ones.
func (p *sealing) tagged(c *engine.Case, s engine.View, bytes []term.Byte) error {
	if err := p.Read(c, s, bytes); err != nil {
		return err
	}
	return p.HasTag(c, s, p.tag, p.tagAt, p.s)
}

// An aead is a sealing in one call or in several, which keep h, r and s in the message.
type aead struct {
	sealing
	file, arguments string
	message         *machine.Object
	size, base      int64                                             // of the message; from where on the kernel has it
	wiped           [][2]int64                                        // of it, in the end
	number0         func(c *engine.Case, counter term.Term) term.Term // of the block that has r and s

	step        int64           // bytes in a turn of the loop
	unit        int64           // what calls but the last have multiples of
	hashed      int64           // at the loop's head, of a text that is opened
	begun       poly1305.Number // h as the call begins
	call        int             // of calls
	first, last bool            // in a first call there is no h, r and s yet

	// Where additional data is hashed; what that may change of registers and of the frame; where r is then, and 5·r1/4;
	// and what else is known afterwards.
	sites   [][2]string // labels
	changes string
	scratch []int64
	key     func(c *engine.Case) (r [2]engine.Place, fives []engine.Place)
	leaves  func(c *engine.Case, p *aead) []engine.Has
}

// calls are the variants of an aead.
var calls = []string{"the only call", "the first call", "another call", "the last call"}

// kernel returns the statement, but for what differs by architecture.
func (p *aead) kernel(name string) engine.Kernel {
	at := engine.Claims{}
	var sections []engine.Kernel
	for _, site := range p.sites {
		sections = append(sections, p.hashes(name, site))
		at[site[0]] = func(c *engine.Case, s engine.View) *engine.Claim { return p.keyed(c, s, site) }
	}
	return engine.Kernel{
		File: p.file, Func: name,
		Variants: calls,
		Wipes:    true,
		Unit:     1, Min: 0, Max: 64 << 10, Step: p.step,
		Given:    func(_ *engine.Case, n int64) bool { return p.last || n%p.unit == 0 },
		Sections: sections,
		At:       at,
		Cut:      p.Cut,
		StandIn:  p.StandIn,
		Advance:  func(c *engine.Case) { p.x.Advance(c, p.step) },
		Invariant: func(c *engine.Case) *engine.Claim {
			return p.Invariant(c, func(s engine.View) []term.Byte {
				return p.text(s, p.ahead()*c.Turns(), p.ahead()+p.step*c.Turns())
			})
		},
		Left: p.left,
	}
}

// declare declares the message and the texts.
func (p *aead) declare(c *engine.Case) {
	p.call = slices.IndexFunc(calls, func(call string) bool { return strings.HasSuffix(c.Variant, call) })
	p.first, p.last = p.call < 2, p.call == 0 || p.call == 3
	o := engine.Writable(c.Buffer("m", p.size))
	p.begin(c)
	p.message, p.x.Counter = o, c.Input("counter", true)
	o.Set(p.of(atCounter), p.x.Counter)
	p.x.Nonce, p.x.NonceAt = o, p.of(atNonce)
	o.Set(p.of(atNonce), c.Input("nonce", true))
	if zero := c.Const(64, 0); p.first {
		p.begun = poly1305.Number{zero, zero, zero}
	} else {
		p.begun = poly1305.NewNumber(c, "h", p.Most)
		o.Set(p.of(atH), p.begun[:]...)
		o.Set(p.of(atR), p.R[0], p.R[1], p.s[0], p.s[1])
	}
	// The numbers of the blocks must stay in the lower half of a word, which is RFC 8439's counter: here the carry
	// goes on into the nonce.
	number := c.Low(c.AddConst(p.x.Counter, p.x.After), 32)
	blocks := c.Shr(c.AddConst(c.N, 63), 6)
	c.AtMost("the number after the last block", c.Add(c.Extend(number, 64), blocks), 1<<32)
}

// spec says what is in memory, but for what differs by architecture.
func (p *aead) spec(c *engine.Case, n int64, last bool) {
	p.x.Expect(c, n, chacha20.ChaCha20)
	switch m := p.message; {
	case !last:
	case p.last:
		for _, wiped := range p.wiped {
			c.ExpectZeros(m, p.of(wiped[0]), p.of(wiped[1]))
		}
		c.Free(p.tag, p.tagAt, p.tagAt+16)
	default:
		c.Free(m, p.of(atH), p.of(atR))
		c.Expect(m, p.of(atR), p.R[0], p.R[1], p.s[0], p.s[1])
	}
}

// keyed is the claim that r, s and h are what they are to be, after which a section reads the additional data: r and s
// are from the block before the text in a first call, and become the unknowns that other calls begin with.
func (p *aead) keyed(c *engine.Case, s engine.View, site [2]string) *engine.Claim {
	if p.Get(c, s) != p.begun || s.Note != nil {
		machine.Fail("h begins otherwise")
	}
	r, fives := p.key(c)
	places := [][2]engine.Place{r}
	want, add := p.R, p.s
	if p.first {
		want, add = spec.Poly1305Key(c.Store, chacha20.ChaCha20(c, &p.x, p.number0(c, p.x.Counter)))
	}
	if p.base == 0 { // arm64 has stored r already
		places = append(places, [2]engine.Place{engine.In(p.message, atR), engine.In(p.message, atR+8)})
	}
	a := p.Keyed(c, s, want, fives, places...)
	for i := range int64(2) {
		a.Of[p.s[i]] = add[i]
		a.Has = append(a.Has, engine.In(p.message, p.of(atS+8*i)).Has(p.s[i]))
	}
	data := p.At(c, term.Once(c.Store, "data", func() poly1305.Number { return poly1305.NewNumber(c, "data", p.Most) }))
	a.To, a.Then, a.Note = site[1], slices.Concat(data.Has, p.leaves(c, p)), data.Note
	return a
}

// ahead is how much of a text that is opened has been hashed at the loop's head.
func (p *aead) ahead() int64 {
	if p.open {
		return p.hashed
	}
	return 0
}

func (p *aead) left(c *engine.Case, s engine.View, n int64) error {
	text := p.text(s, p.ahead()*c.Turns(), n)
	if !p.last {
		if err := p.Read(c, s, text); err != nil {
			return err
		}
		return p.Is(s, poly1305.Stored(s, p.message, p.of(atH)))
	}
	var length [8]term.Byte // arm64 has wiped the other one
	c.Store.Bytes(length[:], s.Stored(p.message, p.of(atLengths+8)))
	return p.tagged(c, s, slices.Concat(padded(text), initial(p.message, p.of(atLengths), p.of(atLengths+8)), length[:]))
}

const (
	shortText = 64 // bytes at most
	shortData = 16
)

// A shortProof is one of shortAVX512IFMA.
type shortProof struct {
	sealing
	ad    *machine.Object
	count int64 // bytes of it
}

// shortKernel is RFC 8439, section 2.8, for short messages. There is a variant for each number of
// bytes of additional data.
func shortKernel(name string) engine.Kernel {
	var p shortProof
	p.H, p.Times = [3]string{"R11", "R12", "R13"}, true
	var variants []string
	for i := range shortData + 1 {
		variants = append(variants, fmt.Sprintf("seal %d", i), fmt.Sprintf("open %d", i))
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim:    "dst = src XOR the key stream from block 1, apart or in place; the tag of the ciphertext and 0 to 16 bytes of additional data, which is public, with the key from block 0",
		Variants: variants,
		Wipes:    true,
		Unit:     1, Min: 1, Max: shortText, Lengths: "1 to 64 bytes",
		Setup:   p.setup,
		At:      engine.Claims{"keyed": p.keyed},
		Cut:     p.Cut,
		StandIn: p.standIn,
		Spec: func(c *engine.Case, n int64, _ bool) {
			p.x.Expect(c, n, shortBlock)
			c.Free(p.tag, 0, 16)
		},
		Left: p.left,
	}
}

func (p *shortProof) setup(c *engine.Case) {
	var way string
	if _, err := fmt.Sscanf(c.Variant, "%s %d", &way, &p.count); err != nil {
		panic(err)
	}
	open := uint64(0)
	if p.open = way == "open"; p.open {
		open = 1
	}
	p.begin(c)
	p.x.Key, p.x.Nonce = c.Buffer("key", 32), engine.Public(c.Buffer("nonce", 12))
	p.x.Counter, p.x.After = c.Const(64, 0), 1
	p.tag, p.ad = engine.Writable(c.Buffer("tag", 16)), engine.Public(c.Buffer("ad", p.count))
	c.Arg(p.tag.Base, p.x.Dst.Base, p.x.Src.Base, c.N, p.ad.Base, c.Const(64, uint64(p.count)))
	c.Arg(p.x.Key.Base, p.x.Nonce.Base, c.Const(64, open))
}

// shortBlock is a block of key stream, whose number is known.
func shortBlock(c *engine.Case, x *chacha20.Cipher, number term.Term) [64]term.Byte {
	return spec.ChaCha20Stream(c.Store, x.Key, x.Nonce, c.Known(number))
}

// keyed is the claim that r and s are those of block 0.
func (p *shortProof) keyed(c *engine.Case, s engine.View) *engine.Claim {
	r, add := spec.Poly1305Key(c.Store, shortBlock(c, &p.x, p.x.Counter))
	a := p.Keyed(c, s, r, []engine.Place{c.Register("R10")}, [2]engine.Place{c.Register("R8"), c.Register("R9")})
	for i := range p.s {
		a.Of[p.s[i]] = add[i]
	}
	a.Everywhere = true
	return a
}

// standIn begins with the first block, which is h itself, with the bit above it.
func (p *shortProof) standIn(c *engine.Case, s engine.View) *engine.StandIn {
	if s.Note == nil && p.Adds(c, s) {
		h := p.Get(c, s)
		if h[2] != c.Const(64, 1) {
			machine.Fail("h begins without the bit above a block")
		}
		s.Note = poly1305.Note{H: h, Times: true, Blocks: [][2]term.Term{{h[0], h[1]}}}
	}
	return p.StandIn(c, s)
}

func (p *shortProof) left(c *engine.Case, s engine.View, n int64) error {
	var lengths [16]term.Byte
	c.Store.Bytes(lengths[:8], c.Const(64, uint64(p.count)))
	c.Store.Bytes(lengths[8:], c.Const(64, uint64(n)))
	return p.tagged(c, s, slices.Concat(padded(initial(p.ad, 0, p.count)), padded(p.text(s, 0, n)), lengths[:]))
}
