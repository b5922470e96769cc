// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	blake2bAMD64 = "internal/blake2b/compress_amd64.s"
	blake2bARM64 = "internal/blake2b/compress_arm64.s"
	blake2bBlock = 128
)

// blake2b are the kernels of internal/blake2b.
var blake2b = []Kernel{
	compressBLAKE2b("compressAMD64"), compressBLAKE2b("compressAVX2"), compressBLAKE2b("compressAVX512"),
	lanesBLAKE2b(blake2bAMD64, "lanes4AVX2", 4), lanesBLAKE2b(blake2bAMD64, "lanes8AVX2", 8),
	lanesBLAKE2b(blake2bAMD64, "lanes4AVX512", 4), lanesBLAKE2b(blake2bAMD64, "lanes8AVX512", 8),
	lanesBLAKE2b(blake2bARM64, "lanes2NEON", 2),
}

// A chain is a chain value of 8 words.
type chain [8]term.Term

// The constants of RFC 7693, sections 2.1, 2.6 and 2.7.
var (
	blake2bRounds    = 12
	blake2bRotations = [4]int{32, 24, 16, 63}
	blake2bIV        = [8]uint64{
		0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
		0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
	}
	blake2bSigma = [10][16]int64{
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
		{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
		{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
		{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
		{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
		{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
		{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
		{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
		{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
	}
)

// blake2bF is F of RFC 7693, section 3.2, for the block at an offset: t is the number
// of bytes up to its end, f all ones for the last block.
func (c *Case) blake2bF(h chain, blocks *machine.Object, at int64, t, f term.Term) chain {
	var m [16]term.Term
	for i := range m {
		m[i] = c.Load(blocks, at+8*int64(i), 8)
	}
	return c.blake2bWords(h, m, t, f)
}

func (c *Case) blake2bWords(h chain, m [16]term.Term, t, f term.Term) chain {
	var v [16]term.Term
	for i := range 8 {
		v[i], v[8+i] = h[i], c.Const(64, blake2bIV[i])
	}
	v[12], v[14] = c.Xor(v[12], t), c.Xor(v[14], f)
	for round := range blake2bRounds {
		s := &blake2bSigma[round%10]
		g := func(i, a, b, d, e int) {
			half := func(x term.Term, first, second int) {
				v[a] = c.Add(c.Add(v[a], v[b]), x)
				v[e] = c.Rot(c.Xor(v[e], v[a]), -first)
				v[d] = c.Add(v[d], v[e])
				v[b] = c.Rot(c.Xor(v[b], v[d]), -second)
			}
			half(m[s[2*i]], blake2bRotations[0], blake2bRotations[1])
			half(m[s[2*i+1]], blake2bRotations[2], blake2bRotations[3])
		}
		for i := range 4 {
			g(i, i, 4+i, 8+i, 12+i)
		}
		for i := range 4 {
			g(4+i, i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4)
		}
	}
	for i := range h {
		h[i] = c.Xor(h[i], c.Xor(v[i], v[8+i]))
	}
	return h
}

// loadChain returns a chain value whose words are stride bytes apart.
func (c *Case) loadChain(o *machine.Object, at, stride int64) (h chain) {
	for i := range h {
		h[i] = c.Load(o, at+stride*int64(i), 8)
	}
	return h
}

// A message is what one lane works on.
type message struct {
	chain      *machine.Object
	at, stride int64 // of the chain's words
	blocks     *machine.Object
	t, f       term.Term
}

// after returns the chain value after n bytes.
func (m *message) after(c *Case, n int64) chain {
	h, t := c.loadChain(m.chain, m.at, m.stride), m.t
	for at := int64(0); at < n; at += blake2bBlock {
		t = c.AddConst(t, blake2bBlock)
		h = c.blake2bF(h, m.blocks, at, t, m.f)
	}
	return h
}

// expect says that the chain value is that after n bytes.
func (m *message) expect(c *Case, n int64) {
	for i, word := range m.after(c, n) {
		c.Expect(m.chain, m.at+m.stride*int64(i), word)
	}
}

// advance says that the rest of the work begins n bytes later.
func (m *message) advance(c *Case, n int64) {
	old := c.loadChain(m.chain, m.at, m.stride)
	for i, word := range m.after(c, n) {
		c.Become(old[i], word)
	}
	c.Become(m.t, c.AddConst(m.t, uint64(n)))
	c.Move(m.blocks, n)
}

// compressBLAKE2b takes the blocks of one message into h.
func compressBLAKE2b(name string) Kernel {
	m := message{stride: 8}
	return Kernel{
		File: blake2bAMD64, Func: name,
		Claim: "h after n bytes of whole blocks, after t bytes before; f marks the last block",
		Wipes: name != "compressAMD64", // it keeps words of the state in its frame
		Unit:  blake2bBlock, Min: blake2bBlock, Max: 64 << 10, Step: blake2bBlock,
		Setup: func(c *Case) {
			m.chain, m.blocks = Writable(c.Buffer("h", 64)), c.Bytes("blocks", c.N)
			m.t, m.f = c.Input("t", true), c.Input("f", true)
			c.Pointers(m.chain, m.blocks)
			c.Arg(c.N)
			c.Arg(m.t)
			c.Arg(m.f)
		},
		Spec: func(c *Case, n int64, last bool) {
			if last {
				m.expect(c, n)
			}
		},
		Advance: func(c *Case) { m.advance(c, blake2bBlock) },
	}
}

// lanesBLAKE2b takes as many bytes of each of several messages into the chain values
// of a struct: 8 rows of 8 words, a column for each message; 8 counts of bytes
// before; 8 pointers.
func lanesBLAKE2b(file, name string, count int) Kernel {
	const counts, pointers = 512, 576
	messages := make([]message, count)
	return Kernel{
		File: file, Func: name,
		Claim: fmt.Sprintf("the chain values and counts of %d lanes after n bytes of whole blocks each; f marks last blocks", count),
		Wipes: true,
		Unit:  blake2bBlock, Min: blake2bBlock, Max: 64 << 10, Step: blake2bBlock,
		Setup: func(c *Case) {
			l, f := Writable(c.Buffer("l", 640)), c.Input("f", true)
			for i := range messages {
				m := message{chain: l, at: int64(8 * i), stride: 64, f: f}
				m.t = c.Load(l, counts+int64(8*i), 8)
				m.blocks = c.Bytes(fmt.Sprintf("blocks%d", i), c.N)
				l.Set(pointers+int64(8*i), m.blocks.Base)
				messages[i] = m
			}
			c.Pointers(l)
			c.Arg(c.N)
			c.Arg(f)
		},
		Spec: func(c *Case, n int64, last bool) {
			for i := range messages {
				if m := &messages[i]; last {
					m.expect(c, n)
					c.Expect(m.chain, counts+int64(8*i), c.AddConst(m.t, uint64(n)))
				}
			}
		},
		Advance: func(c *Case) {
			for i := range messages {
				messages[i].advance(c, blake2bBlock)
			}
		},
	}
}
