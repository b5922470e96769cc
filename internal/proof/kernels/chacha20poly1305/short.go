// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"errors"
	"fmt"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/kernels/poly1305"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// Where shortAVX512IFMA has r and h.
var (
	shortR     = [2]poly1305.Register{"R8", "R9"}
	shortFives = poly1305.Register("R10") // 5·r1/4
	shortH     = [3]int{amd64.Register("R11"), amd64.Register("R12"), amd64.Register("R13")}
)

const (
	shortText = 64 // bytes at most
	shortData = 16
)

// A shortProof is one of shortAVX512IFMA.
type shortProof struct {
	poly1305.Scalar
	x     chacha20.Cipher
	ad    *machine.Object
	tag   *machine.Object
	count int64 // bytes of additional data
	open  bool
	s     [2]term.Term
}

// shortKernel is RFC 8439, section 2.8, for short messages. There is a variant for each number of
// bytes of additional data.
func shortKernel(file, name string) engine.Kernel {
	var p shortProof
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
		Setup: func(c *engine.Case) {
			var way string
			if _, err := fmt.Sscanf(c.Variant, "%s %d", &way, &p.count); err != nil {
				panic(err)
			}
			p.open = way == "open"
			p.Start(c, shortH)
			p.x.Dst, p.x.Src = engine.Writable(c.Bytes("dst", c.N)), c.Bytes("src", c.N)
			c.MayLie(p.x.Src, p.x.Dst, engine.InPlace)
			p.x.Key, p.x.Nonce = c.Buffer("key", 32), engine.Public(c.Buffer("nonce", 12))
			p.tag, p.ad = engine.Writable(c.Buffer("tag", 16)), engine.Public(c.Buffer("ad", p.count))
			p.s = [2]term.Term{c.Input("s0", false), c.Input("s1", false)}
			c.Pointers(p.tag, p.x.Dst, p.x.Src)
			c.Arg(c.N)
			c.Pointers(p.ad)
			c.Arg(c.Const(64, uint64(p.count)))
			c.Pointers(p.x.Key, p.x.Nonce)
			c.Arg(c.Const(64, map[bool]uint64{true: 1}[p.open]))
		},
		Cut: p.cut, StandIn: p.StandIn,
		Spec: func(c *engine.Case, n int64, _ bool) {
			for i := range n {
				c.Expect(p.x.Dst, i, c.Xor(c.Load(p.x.Src, i, 1), c.Gather([]term.Byte{p.block(c, 1)[i]})))
			}
			c.Free(p.tag, 0, 16)
		},
		Left:  p.left,
		Watch: func(*engine.Case) engine.Watch { return p.x.NotLate },
	}
}

// block returns a block of key stream.
func (p *shortProof) block(c *engine.Case, number uint64) [64]term.Byte {
	s := spec.ChaCha20Key(c.Store, p.x.Key)
	s[12] = c.Const(32, number)
	for i := range 3 {
		s[13+i] = c.Load(p.x.Nonce, int64(4*i), 4)
	}
	return spec.ChaCha20Block(c.Store, s)
}

// cut is the claim after each block. The first one is h itself, with the bit above it; before
// that r and s become unknowns.
func (p *shortProof) cut(c *engine.Case, s engine.View) *engine.Claim {
	if in := &c.Fn.Code[s.PC]; in.Op == "CMPQ" && in.Args[0].Name == "adLen" {
		return p.keyed(c, s)
	}
	if p.Adding(c, s) && s.Note == nil {
		h := p.Get(s)
		if h[2] != c.Const(64, 1) {
			machine.Fail("h begins without the bit above a block")
		}
		p.A.Word(h[0])
		p.A.Word(h[1])
		return p.Adds(c, s, poly1305.Note{H: h, Times: true, Blocks: [][2]term.Term{{h[0], h[1]}}})
	}
	return p.BlocksAdded(c, s)
}

// keyed is the claim that r and s are those of block 0.
func (p *shortProof) keyed(c *engine.Case, s engine.View) *engine.Claim {
	key := p.block(c, 0)
	var want [2]term.Term
	for i := range want {
		want[i] = c.And(c.Gather(key[8*i:8*i+8]), c.Const(64, spec.Poly1305Clamp[i]))
	}
	a := p.Keyed(c, [2]term.Term{shortR[0].Word(s), shortR[1].Word(s)}, want,
		[]engine.Place{shortR[0].Place()}, []engine.Place{shortR[1].Place()}, shortFives.Place())
	for i := range p.s {
		a.Of[p.s[i]] = c.Gather(key[16+8*i : 24+8*i])
	}
	a.Everywhere = true
	return a
}

func (p *shortProof) left(c *engine.Case, s engine.View, n int64, _ bool) error {
	var text []term.Byte
	add := func(b term.Byte) { text = append(text, b) }
	pad := func() {
		for len(text)%spec.Poly1305Block != 0 {
			add(term.ConstByte(0))
		}
	}
	for i := range p.count {
		add(p.ad.Initial(i))
	}
	pad()
	for i := range n {
		if p.open {
			add(p.x.Src.Initial(i))
		} else {
			add(s.Mem.Byte(p.x.Dst, i))
		}
	}
	pad()
	for _, length := range []int64{p.count, n} {
		var b [8]term.Byte
		c.Store.Bytes(b[:], c.Const(64, uint64(length)))
		text = append(text, b[:]...)
	}
	note, ok := s.Note.(poly1305.Note)
	if !ok || note.Times {
		return errors.New("the last product is missing")
	}
	if err := p.Read(c, s, text); err != nil {
		return err
	}
	return poly1305.HasTag(c, s, p.tag, 0, note.H, p.s)
}
