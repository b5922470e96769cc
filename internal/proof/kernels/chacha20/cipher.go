// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// A Block returns a block of key stream, by its number of 64 bits.
type Block func(c *engine.Case, key, nonce *machine.Object, number term.Term) [64]term.Byte

// ChaCha20 is the Block of ChaCha20.
func ChaCha20(c *engine.Case, key, nonce *machine.Object, number term.Term) [64]term.Byte {
	s := spec.ChaCha20Numbered(c.Store, spec.ChaCha20Key(c.Store, key, 0), number)
	s[14], s[15] = c.Load(nonce, 0, 4), c.Load(nonce, 4, 4)
	return spec.ChaCha20Block(c.Store, s)
}

// A Cipher is dst = src XOR a key stream.
type Cipher struct {
	Dst, Src, Key, Nonce *machine.Object
	Counter              term.Term
}

// Texts declares dst and src, which may be the same.
func (x *Cipher) Texts(c *engine.Case, n term.Term) {
	x.Dst, x.Src = engine.Writable(c.Bytes("dst", n)), c.Bytes("src", n)
	c.InPlace(x.Src, x.Dst)
}

// Keyed declares key, nonce and counter.
func (x *Cipher) Keyed(c *engine.Case) {
	x.Key, x.Nonce, x.Counter = c.Buffer("key", 32), engine.Public(c.Buffer("nonce", 8)), c.Input("counter", true)
}

// Expect says that the first n bytes of dst are src XOR the key stream, whose blocks are numbered from 0 on.
func (x *Cipher) Expect(c *engine.Case, n int64, block func(number uint64) [64]term.Byte) {
	for at := int64(0); at < n; at += 64 {
		for i, b := range block(uint64(at / 64)) {
			if i := at + int64(i); i < n {
				c.Expect(x.Dst, i, c.Xor(c.Load(x.Src, i, 1), c.Gather([]term.Byte{b})))
			}
		}
	}
}

// Stream has the blocks of a cipher from the counter on.
func (x *Cipher) Stream(c *engine.Case, of Block) func(number uint64) [64]term.Byte {
	return func(number uint64) [64]term.Byte { return of(c, x.Key, x.Nonce, c.AddConst(x.Counter, number)) }
}

// Advance says that the rest of the work begins n bytes later.
func (x *Cipher) Advance(c *engine.Case, n int64) {
	c.Become(x.Counter, c.AddConst(x.Counter, uint64(n/64)))
}
