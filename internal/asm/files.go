// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"github.com/unimac/unimac/internal/asm/blake2b"
	"github.com/unimac/unimac/internal/asm/chacha20"
	"github.com/unimac/unimac/internal/asm/fused"
	"github.com/unimac/unimac/internal/asm/multimixer"
	"github.com/unimac/unimac/internal/asm/poly1305"
	"github.com/unimac/unimac/internal/asm/umac"
)

// files lists everything that is generated.
var files = []file{
	{"internal/blake2b/compress_amd64.s", first(blake2b.AMD64)},
	{"internal/blake2b/compress_amd64_stubs.go", second(blake2b.AMD64)},
	{"internal/blake2b/compress_arm64.s", blake2b.ARM64},
	{"internal/chacha20/chacha20_amd64.s", first(chacha20.AMD64)},
	{"internal/chacha20/chacha20_amd64_stubs.go", second(chacha20.AMD64)},
	{"aead/internal/fused/kernel_amd64.s", first(fused.AMD64)},
	{"aead/internal/fused/kernel_amd64_stubs.go", second(fused.AMD64)},
	{"multimixer/f128_amd64.s", first(multimixer.AMD64)},
	{"multimixer/f128_amd64_stubs.go", second(multimixer.AMD64)},
	{"multimixer/f128_arm64.s", multimixer.ARM64},
	{"poly1305/blocks_amd64.s", first(poly1305.AMD64)},
	{"poly1305/blocks_amd64_stubs.go", second(poly1305.AMD64)},
	{"poly1305/blocks_arm64.s", poly1305.ARM64},
	{"umac/nh_amd64.s", first(umac.AMD64)},
	{"umac/nh_amd64_stubs.go", second(umac.AMD64)},
	{"umac/nh_arm64.s", umac.ARM64},
}

// first and second split a generator of assembly and of the declarations of its
// functions.
func first(generate func() (assembly, stubs []byte)) func() []byte {
	return func() []byte { assembly, _ := generate(); return assembly }
}

func second(generate func() (assembly, stubs []byte)) func() []byte {
	return func() []byte { _, stubs := generate(); return stubs }
}
