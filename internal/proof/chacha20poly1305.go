// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// chacha20Poly1305 are the kernels of internal/chacha20poly1305 that encrypt.
var chacha20Poly1305 = []Kernel{
	streamKernel(chachaPolyFile, "keyStreamAVX512IFMA"), xorKernel(chachaPolyFile, "xorAVX512IFMA"),
	subkeysKernel(chachaPolyFile, "hChaCha20LanesAVX512IFMA"), textsKernel(chachaPolyFile, "xorLanesAVX512IFMA"),
	tagsKernel(chachaPolyFile, "tagLanesAVX512IFMA"), stepsKernel(chachaPolyFile, "cryptAVX512IFMA"),
	cryptKernel(chachaPolyFile, "cryptAVX2"), shortKernel(chachaPolyFile, "shortAVX512IFMA"),
}

// chachaState returns the state of ChaCha20 in memory, whose word 12 counts blocks.
func (c *Case) chachaState(o *machine.Object) (s chachaState) {
	for i := range s {
		s[i] = c.Load(o, int64(4*i), 4)
	}
	return s
}

// keptBlock is chachaBlock, which is made once.
func (c *Case) keptBlock(s chachaState) [64]term.Byte {
	b, ok := c.Memo[s].([64]term.Byte)
	if !ok {
		b = c.chachaBlock(s)
		c.Memo[s] = b
	}
	return b
}

// ahead returns the state of a block that comes so many after. RFC 8439 has a counter of 32
// bits.
func (c *Case) ahead(s chachaState, blocks int64) chachaState {
	s[12] = c.AddConst(s[12], uint64(blocks))
	return s
}

// streamKernel makes key stream; its length counts blocks.
func streamKernel(file, name string) Kernel {
	var state, stream *machine.Object
	const most = 32
	sizes := []int64{24, 16, 8, 4}
	stored := func(n int64) int64 {
		to := int64(most)
		for _, size := range sizes {
			if n <= size {
				to = size
			}
		}
		return to
	}
	return Kernel{
		File: file, Func: name,
		Claim: "stream = n blocks of key stream and what comes after them, 4, 8, 16, 24 or 32 blocks; the counter moves by n",
		Wipes: true,
		Unit:  1, Min: 1, Max: most, Lengths: "1 to 32 blocks",
		Setup: func(c *Case) {
			size := c.Const(64, 64*most)
			for _, n := range sizes {
				above := c.Borrow(c.Const(64, uint64(n)), c.N, c.Const(8, 0))
				size = c.Choose(above, size, c.Const(64, uint64(64*n)))
			}
			state, stream = Writable(c.Buffer("s", 64)), Writable(c.Bytes("stream", size))
			c.Pointers(state, stream)
			c.Arg(c.N)
		},
		Spec: func(c *Case, n int64, _ bool) {
			s := c.chachaState(state)
			for i := range stored(n) {
				for j, b := range c.keptBlock(c.ahead(s, i)) {
					c.ExpectByte(stream, 64*i+int64(j), b)
				}
			}
			c.Expect(state, 4*12, c.AddConst(s[12], uint64(n)))
		},
	}
}

// xorKernel is dst = src XOR stream.
func xorKernel(file, name string) Kernel {
	const step = 64
	var x cipher
	var stream *machine.Object
	return Kernel{
		File: file, Func: name,
		Claim:    "dst = src XOR stream",
		Variants: []string{"apart", "in place"},
		Unit:     1, Min: 1, Max: 64 << 10, Step: step,
		Setup: func(c *Case) {
			x.texts(c, c.N)
			stream = c.Bytes("stream", c.N)
			c.Pointers(x.dst, x.src, stream)
			c.Arg(c.N)
		},
		Spec: func(c *Case, n int64, _ bool) {
			for i := range n {
				c.Expect(x.dst, i, c.Xor(c.Load(x.src, i, 1), c.Load(stream, i, 1)))
			}
		},
		Advance: func(c *Case) {
			for _, o := range []*machine.Object{x.dst, x.src, stream} {
				c.Move(o, step)
			}
		},
	}
}
