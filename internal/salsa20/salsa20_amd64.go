// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package salsa20

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useAVX512 = cpu.AVX512()
	useAVX2   = cpu.AVX2()
)

func init() {
	impl.Register("salsa20", "avx512", &useAVX512)
	impl.Register("salsa20", "avx2", &useAVX2)
}

// xor is xorGeneric by the best kernel that is on. At least one byte, and at most impl.MaxCall,
// may be given at once, and dst has the length of src.
func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	switch {
	case useAVX512:
		xorAVX512(&dst[0], &src[0], len(src), key, nonce, counter)
	case useAVX2:
		xorAVX2(&dst[0], &src[0], len(src), key, nonce, counter)
	default:
		xorGeneric(dst, src, key, nonce, counter)
	}
}
