// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"github.com/unimac/unimac/internal/asm/aegis"
	"github.com/unimac/unimac/internal/asm/blake2b"
	"github.com/unimac/unimac/internal/asm/chacha20"
	"github.com/unimac/unimac/internal/asm/chacha20blake2b"
	"github.com/unimac/unimac/internal/asm/chacha20poly1305"
	"github.com/unimac/unimac/internal/asm/cpu"
	"github.com/unimac/unimac/internal/asm/multimixer"
	"github.com/unimac/unimac/internal/asm/poly1305"
	"github.com/unimac/unimac/internal/asm/umac"
)

var generators = []generator{
	{"internal/aegis/aegis", aegis.AMD64, aegis.ARM64},
	{"internal/blake2b/compress", blake2b.AMD64, blake2b.ARM64},
	{"internal/chacha20/chacha20", chacha20.AMD64, chacha20.ARM64},
	{"internal/chacha20blake2b/fused", chacha20blake2b.AMD64, nil},
	{"internal/chacha20poly1305/chacha20poly1305", chacha20poly1305.AMD64, chacha20poly1305.ARM64},
	{"internal/cpu/cpuid", cpu.AMD64, nil},
	{"internal/multimixer/f128", multimixer.AMD64, multimixer.ARM64},
	{"internal/poly1305/blocks", poly1305.AMD64, poly1305.ARM64},
	{"internal/salsa20/salsa20", chacha20.Salsa20AMD64, chacha20.Salsa20ARM64},
	{"internal/umac/batch", umac.BatchAMD64, nil},
	{"internal/umac/nh", umac.AMD64, umac.ARM64},
	{"internal/umac/sum", umac.SumAMD64, umac.SumARM64},
}
