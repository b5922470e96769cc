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

// Blocks that the kernels take, and where the round keys begin in package umac's struct.
const (
	encryptBlocks = 8
	roundKeysAt   = umacAES - umacRounds
)

// encrypt are the kernels of package umac that keys are derived with.
var encrypt = []engine.Kernel{encryptAMD64("encryptAVX2AES"), encryptAMD64("encryptSSE41AES")}

// encryptAMD64 is the kernel of one instruction set.
func encryptAMD64(name string) engine.Kernel {
	return engine.Kernel{
		File: "internal/umac/sum_amd64.s", Func: name,
		Claim:    "each of eight blocks is encrypted by AES, in its place",
		Variants: []string{"10 rounds", "12 rounds", "14 rounds"},
		Setup: func(c *engine.Case) {
			blocks := engine.Writable(c.Buffer("blocks", 16*encryptBlocks))
			keys := c.Buffer("keys", roundKeysAt+15*16)
			var rounds int
			fmt.Sscan(c.Variant, &rounds)
			keys.Set(0, c.Const(64, uint64(rounds)))
			c.Memo["blocks"], c.Memo["keys"], c.Memo["rounds"] = blocks, keys, rounds
			c.Pointers(blocks, keys)
		},
		Spec: func(c *engine.Case, _ int64, _ bool) {
			blocks, keys := c.Memo["blocks"].(*machine.Object), c.Memo["keys"].(*machine.Object)
			for at := int64(0); at < 16*encryptBlocks; at += 16 {
				var block [16]term.Byte
				for i := range block {
					block[i] = blocks.Initial(at + int64(i))
				}
				for i, b := range spec.AESEncrypt(c.Store, block, keys, roundKeysAt, c.Memo["rounds"].(int)) {
					c.ExpectByte(blocks, at+int64(i), b)
				}
			}
		},
	}
}
