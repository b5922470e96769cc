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

const (
	salsa20AMD64 = "internal/salsa20/salsa20_amd64.s"
	salsa20ARM64 = "internal/salsa20/salsa20_arm64.s"
)

// Kernels are the kernels of internal/salsa20.
var Kernels = []engine.Kernel{
	chacha20.XOR(salsa20AMD64, "xorSSE41", 256, block), chacha20.XOR(salsa20AMD64, "xorAVX2", 1024, block), chacha20.XOR(salsa20AMD64, "xorAVX512", 1024, block),
	chacha20.XOR(salsa20ARM64, "xorNEON", 320, block),
}

// block is a block of Salsa20's key stream.
func block(c *engine.Case, key, nonce *machine.Object, number term.Term) [64]term.Byte {
	s := spec.Salsa20Key(c.Store, key)
	nonce.Words(s[6:8], 0, 4, 4)
	s[8], s[9] = c.Low(number, 32), c.Low(c.Shr(number, 32), 32)
	return spec.Salsa20Block(c.Store, s)
}
