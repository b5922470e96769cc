// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package proof

import (
	"fmt"
	"strings"

	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

const (
	fusedFile = "internal/chacha20blake2b/kernel_amd64.s"
	group     = 512            // bytes that ChaCha20 takes at once
	maxBeside = 64<<10 - group // bytes of dst in one call
)

// fused are the kernels of internal/chacha20blake2b.
var fused = []Kernel{
	besideKernel("besideAVX512", 1, blake2bBlock, group+2*blake2bBlock), besideKernel("besideAVX2", 2, 0, 2*blake2bBlock),
	deriveKernel("deriveAVX512"),
}

// A cipher is what ChaCha20 does in a fused kernel.
type cipher struct {
	dst, src, key, nonce *machine.Object
	counter              term.Term
}

// texts declares dst and src, apart or in place.
func (x *cipher) texts(c *Case, n term.Term) {
	x.dst = Writable(c.Bytes("dst", n))
	x.src = x.dst
	if strings.HasSuffix(c.Variant, "apart") {
		x.src = c.Bytes("src", n)
	}
}

// notLate is a Watch that has every byte of src be read before that of dst is stored: what is
// shown where they are apart then holds where they are the same.
func (x *cipher) notLate(mem *machine.Memory, o *machine.Object, offset, size int64, store bool) {
	for at := offset; o == x.src && at < offset+size; at++ {
		if _, ok := mem.Stored(x.dst, at); ok {
			machine.Fail("reads src[%d] after dst[%d] is stored", at, at)
		}
	}
}

// once has no byte of dst be stored twice: what others read there is final.
func once(mem *machine.Memory, dst, o *machine.Object, offset, size int64, store bool) {
	for at := offset; o == dst && store && at < offset+size; at++ {
		if _, ok := mem.Stored(o, at); ok {
			machine.Fail("stores dst[%d] twice", at)
		}
	}
}

// behind has all bytes of dst be stored that lie lead bytes or more before the end of what is read of
// a text.
func (x *cipher) behind(mem *machine.Memory, end, lead int64) {
	for at := range end - lead {
		if _, ok := mem.Stored(x.dst, at); !ok {
			machine.Fail("reads byte %d of the text before dst[%d] is stored", end-1, at)
		}
	}
}

// expect says that the first n bytes of dst are src XOR the key stream.
func (x *cipher) expect(c *Case, n int64) {
	for i := range n {
		c.Expect(x.dst, i, c.Xor(c.Load(x.src, i, 1), c.Gather([]term.Byte{c.stream(x.key, x.nonce, x.counter, i)})))
	}
}

// besideKernel takes blocks into h, n bytes and some more, and encrypts n·times bytes. Blocks may be in dst's buffer, lead bytes before it or more: Watch has each byte
// of blocks be read only after what is so many bytes before it was stored.
func besideKernel(name string, times, more, lead int64) Kernel {
	var x cipher
	m := message{stride: 8}
	blocks, dst := fmt.Sprintf("n + %d", more), "dst"
	if times > 1 {
		blocks, dst = "n", fmt.Sprintf("%d·n bytes of dst", times)
	}
	return Kernel{
		File: fusedFile, Func: name,
		Claim:    fmt.Sprintf("h after %s bytes of blocks, after t bytes before; %s = src XOR the key stream from block counter; blocks may lie %d bytes or more before dst in its buffer", blocks, dst, lead),
		Variants: []string{"apart", "in place"},
		Wipes:    true,
		Unit:     group / times, Min: group / times, Max: maxBeside / times, Step: group / times,
		Setup: func(c *Case) {
			m.chain, m.blocks = Writable(c.Buffer("h", 64)), c.Bytes("blocks", c.AddConst(c.N, uint64(more)))
			m.t, m.f = c.Input("t", true), c.Const(64, 0)
			n := c.Scale(c.N, uint64(times))
			x.texts(c, n)
			x.key, x.nonce, x.counter = c.Buffer("key", 32), Public(c.Buffer("nonce", 8)), c.Input("counter", true)
			c.Pointers(m.chain, m.blocks)
			c.Arg(m.t)
			c.Pointers(x.dst, x.src)
			c.Arg(n)
			c.Pointers(x.key, x.nonce)
			c.Arg(x.counter)
		},
		Spec: func(c *Case, n int64, last bool) {
			x.expect(c, times*n)
			if last {
				m.expect(c, n+more)
			}
		},
		Advance: func(c *Case) {
			m.advance(c, group/times)
			c.Move(x.dst, group)
			c.Move(x.src, group)
			c.Become(x.counter, c.AddConst(x.counter, group/64))
		},
		Watch: func(c *Case) machine.Watch {
			return func(mem *machine.Memory, o *machine.Object, offset, size int64, store bool) {
				once(mem, x.dst, o, offset, size, store)
				if o == m.blocks {
					x.behind(mem, offset+size, lead)
				}
			}
		},
	}
}

// deriveKernel takes the last block of one message into its chain value kdf, then the
// result as the first block into h, and encrypts a group from block 0 on.
func deriveKernel(name string) Kernel {
	var x cipher
	var h, kdf, block *machine.Object
	var t term.Term
	return Kernel{
		File: fusedFile, Func: name,
		Claim:    "h after the block that has kdf after its last block, ending at t bytes, and zeros; 512 bytes of dst = src XOR the key stream from block 0",
		Variants: []string{"apart", "in place"},
		Wipes:    true,
		Setup: func(c *Case) {
			h, kdf, block, t = Writable(c.Buffer("h", 64)), Writable(c.Buffer("kdf", 64)), c.Buffer("block", 128), c.Input("t", true)
			x.texts(c, c.Const(64, group))
			x.key, x.nonce, x.counter = c.Buffer("key", 32), Public(c.Buffer("nonce", 8)), c.Const(64, 0)
			c.Pointers(h, kdf, block)
			c.Arg(t)
			c.Pointers(x.dst, x.src, x.key, x.nonce)
		},
		Spec: func(c *Case, _ int64, _ bool) {
			zero := c.Const(64, 0)
			key := c.blake2bF(c.loadChain(kdf, 0, 8), block, 0, t, c.Not(zero))
			m := [16]term.Term{}
			for i := range m {
				m[i] = zero
			}
			copy(m[:], key[:])
			for i, word := range c.blake2bWords(c.loadChain(h, 0, 8), m, c.Const(64, blake2bBlock), zero) {
				c.Expect(h, int64(8*i), word)
			}
			x.expect(c, group)
		},
	}
}
