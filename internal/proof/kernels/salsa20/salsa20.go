// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package salsa20 states what the kernels of internal/salsa20 compute.
package salsa20

import (
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/kernels/chacha20"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

const file = "internal/salsa20/salsa20_amd64.s"

// Kernels are the kernels of internal/salsa20.
var Kernels = []engine.Kernel{
	chacha20.XOR(file, "xorSSE41", 256, stream), chacha20.XOR(file, "xorAVX2", 1024, stream), chacha20.XOR(file, "xorAVX512", 1024, stream),
}

// stream is the key stream of Salsa20.
func stream(c *engine.Case, key, nonce *machine.Object, counter term.Term, i int64) term.Byte {
	b, ok := c.Memo[i/64].([64]term.Byte)
	if !ok {
		s := spec.Salsa20Key(c.Store, key)
		block := c.AddConst(counter, uint64(i/64))
		s[6], s[7] = c.Load(nonce, 0, 4), c.Load(nonce, 4, 4)
		s[8], s[9] = c.Low(block, 32), c.Low(c.Shr(block, 32), 32)
		b = spec.Salsa20Block(c.Store, s)
		c.Memo[i/64] = b
	}
	return b[i%64]
}
