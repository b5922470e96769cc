// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// derive are the kernels of package umac that key schedules are made with, and keys derived.
var derive = []engine.Kernel{
	subWord(sumAMD64, "subWordAVX2AES", "returns AES's S-box of each byte of w"),
	subWord(sumAMD64, "subWordSSE41AES", "returns AES's S-box of each byte of w"),
	subWord(sumARM64, "subWordNEONAES", "w is AES's S-box of each of its bytes"),
	encryptAMD64("encryptAVX2AES"), encryptAMD64("encryptSSE41AES"),
}

func subWord(file, name, claim string) engine.Kernel {
	var w term.Term
	var to *machine.Object
	var at int64
	return engine.Kernel{
		File: file, Func: name, Claim: claim,
		Setup: func(c *engine.Case) {
			if file == sumAMD64 {
				w, to, at = c.Arg32("w"), c.Arguments, c.Result(4)
				return
			}
			to = engine.Writable(c.Buffer("w", 4))
			w = to.Load(0, 4)
			c.Arg(to.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			var b [4]term.Byte
			c.Store.Bytes(b[:], w)
			c.SubBytes(b[:], b[:])
			c.ExpectBytes(to, at, b[:]...)
		},
	}
}

// encryptAMD64 encrypts blocks. The round keys lie in package umac's struct as in a key's.
func encryptAMD64(name string) engine.Kernel {
	const size, keysAt = 8 * 16, umacAES - umacRounds
	var blocks, keys *machine.Object
	var rounds int
	return engine.Kernel{
		File: sumAMD64, Func: name,
		Claim:    "each of eight blocks is encrypted by AES, in its place",
		Variants: []string{"10 rounds", "12 rounds", "14 rounds"},
		Setup: func(c *engine.Case) {
			blocks, keys = engine.Writable(c.Buffer("blocks", size)), c.Buffer("keys", keysAt+15*16)
			fmt.Sscan(c.Variant, &rounds)
			keys.Set(0, c.Const(64, uint64(rounds)))
			c.Arg(blocks.Base, keys.Base)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			for at := int64(0); at < size; at += 16 {
				var block [16]term.Byte
				for i := range block {
					block[i] = blocks.Initial(at + int64(i))
				}
				block = spec.AESEncrypt(c.Store, block, keys, keysAt, rounds)
				c.ExpectBytes(blocks, at, block[:]...)
			}
		},
	}
}
