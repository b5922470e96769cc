// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	shortText = 64 // maximum text length in bytes
	shortData = 16
	shortS    = 352 // offset of s in the frame
)

type shortProof struct {
	sealing
	count int64 // bytes of additional data
}

// shortKernel returns the statement of a kernel for at most 64 bytes.
func shortKernel(name string) engine.Kernel {
	var p shortProof
	p.h, p.times = [3]string{"R11", "R12", "R13"}, true
	var variants []string
	for i := range shortData + 1 {
		variants = append(variants, fmt.Sprintf("seal %d", i), fmt.Sprintf("open %d", i))
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim:      "dst = src XOR the key stream from block 1, apart or in place; the tag of the ciphertext and 0 to 16 bytes of additional data, which is public, with the key from block 0",
		Variants:   variants,
		Range:      engine.Range{Unit: 1, Min: 1, Max: shortText, Lengths: "1 to 64 bytes"},
		Setup:      p.setup,
		Weakenings: engine.Weakenings{At: engine.Assertions{"keyed": p.checkKey}, Before: p.standInShort, After: p.cut},
		Spec: func(c *engine.Case, n int64, _ bool) {
			p.x.Expect(c, n, chacha20.ChaCha20)
			c.Checked(p.tag, 0, 16)
		},
		Left: p.left,
	}
}

func (p *shortProof) setup(c *engine.Case) {
	var direction string
	if _, err := fmt.Sscanf(c.Variant, "%s %d", &direction, &p.count); err != nil {
		panic(err)
	}
	open := uint64(0)
	if p.open = direction == "open"; p.open {
		open = 1
	}
	p.begin(c)
	p.x.Texts(c, c.N)
	p.x.Key, p.x.Nonce = c.Buffer("key", 32), engine.Public(c.Buffer("nonce", 12))
	p.x.Counter, p.x.After = c.Const(32, 0), 1
	p.tag, p.ad = engine.Writable(c.Buffer("tag", 16)), engine.Public(c.Buffer("ad", p.count))
	c.Arg(p.tag.Base, p.x.Dst.Base, p.x.Src.Base, c.N, p.ad.Base, c.Const(64, uint64(p.count)))
	c.Arg(p.x.Key.Base, p.x.Nonce.Base, c.Const(64, open))
}

func (p *shortProof) checkKey(c *engine.Case, s engine.View) *engine.Assertion {
	r, add := p.key(c)
	return p.assertKey(c, s, r, add, engine.In(c.Locals(), shortS), []engine.Place{c.Register("R10")}, [2]engine.Place{c.Register("R8"), c.Register("R9")})
}

// standInShort records the first block, which the kernel loads instead of adding.
func (p *shortProof) standInShort(c *engine.Case, s engine.View) *engine.Assertion {
	if p.learn(c.Fn); s.Note == nil && p.adds[s.PC] > 0 {
		h := p.contents(c, s)
		if h[2] != c.Const(64, 1) {
			machine.Fail("h begins without the bit above a block")
		}
		s.Note = hashNote{h: h, times: true, blocks: [][2]term.Term{{h[0], h[1]}}}
	}
	return p.standIn(c, s)
}

func (p *shortProof) left(c *engine.Case, s engine.View, n int64) error {
	text := append(padded(s, p.ad, 0, p.count), padded(s, p.ciphertext(), 0, n)...)
	return p.checkTag(c, s, text, c.Const(64, uint64(p.count)), c.Const(64, uint64(n)))
}
