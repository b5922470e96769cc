// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// subWord are the kernels of package umac that key schedules are made with.
var subWord = []engine.Kernel{
	subWordAMD64("subWordAVX2AES"), subWordAMD64("subWordSSE41AES"),
	{
		File: "internal/umac/sum_arm64.s", Func: "subWordNEONAES", Claim: "w is AES's S-box of each of its bytes",
		Setup: func(c *engine.Case) {
			w := engine.Writable(c.Buffer("w", 4))
			c.Memo["w"] = w
			c.Pointers(w)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			w := c.Memo["w"].(*machine.Object)
			for i := range int64(4) {
				c.Expect(w, i, c.Apply(term.SubByte, 8, 0, c.Load(w, i, 1)))
			}
		},
	},
}

// subWordAMD64 is the kernel of one instruction set.
func subWordAMD64(name string) engine.Kernel {
	return engine.Kernel{
		File: "internal/umac/sum_amd64.s", Func: name, Claim: "returns AES's S-box of each byte of w",
		Setup: func(c *engine.Case) {
			w := c.Arg32("w")
			c.Memo["w"], c.Memo["ret"] = w, c.Result(4)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			var b [4]term.Byte
			c.Store.Bytes(b[:], c.Memo["w"].(term.Term))
			c.SubBytes(b[:], b[:])
			for i := range b {
				c.ExpectByte(c.Arguments, c.Memo["ret"].(int64)+int64(i), b[i])
			}
		},
	}
}
