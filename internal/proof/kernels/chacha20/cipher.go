// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"strings"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Stream returns byte i of the key stream that begins with a block's number.
type Stream func(c *engine.Case, key, nonce *machine.Object, counter term.Term, i int64) term.Byte

// stream is that of ChaCha20.
func stream(c *engine.Case, key, nonce *machine.Object, counter term.Term, i int64) term.Byte {
	b, ok := c.Memo[i/64].([64]term.Byte)
	if !ok {
		s := spec.ChaCha20Key(c.Store, key)
		block := c.AddConst(counter, uint64(i/64))
		s[12], s[13] = c.Low(block, 32), c.Low(c.Shr(block, 32), 32)
		s[14], s[15] = c.Load(nonce, 0, 4), c.Load(nonce, 4, 4)
		b = spec.ChaCha20Block(c.Store, s)
		c.Memo[i/64] = b
	}
	return b[i%64]
}

// A Cipher is what ChaCha20 does in a fused kernel.
type Cipher struct {
	Dst, Src, Key, Nonce *machine.Object
	Counter              term.Term
}

// Texts declares dst and src, apart or in place.
func (x *Cipher) Texts(c *engine.Case, n term.Term) {
	x.Dst = engine.Writable(c.Bytes("dst", n))
	x.Src = x.Dst
	if strings.HasSuffix(c.Variant, "apart") {
		x.Src = c.Bytes("src", n)
	}
}

// NotLate is a Watch that has every byte of src be read before that of dst is stored: what is
// shown where they are apart then holds where they are the same.
func (x *Cipher) NotLate(mem engine.Memory, o *machine.Object, offset, size int64, store bool) {
	for at := offset; o == x.Src && at < offset+size; at++ {
		if _, ok := mem.Stored(x.Dst, at); ok {
			machine.Fail("reads src[%d] after dst[%d] is stored", at, at)
		}
	}
}

// Once has no byte of dst be stored twice: what others read there is final.
func Once(mem engine.Memory, dst, o *machine.Object, offset, size int64, store bool) {
	for at := offset; o == dst && store && at < offset+size; at++ {
		if _, ok := mem.Stored(o, at); ok {
			machine.Fail("stores dst[%d] twice", at)
		}
	}
}

// Behind has all bytes of dst be stored that lie lead bytes or more before the end of what is read of
// a text.
func (x *Cipher) Behind(mem engine.Memory, end, lead int64) {
	for at := range end - lead {
		if _, ok := mem.Stored(x.Dst, at); !ok {
			machine.Fail("reads byte %d of the text before dst[%d] is stored", end-1, at)
		}
	}
}

// Expect says that the first n bytes of dst are src XOR the key stream.
func (x *Cipher) Expect(c *engine.Case, n int64) {
	for i := range n {
		c.Expect(x.Dst, i, c.Xor(c.Load(x.Src, i, 1), c.Gather([]term.Byte{stream(c, x.Key, x.Nonce, x.Counter, i)})))
	}
}
