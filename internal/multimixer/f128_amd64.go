// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package multimixer

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	useAVX512 = cpu.AVX512()
	useAVX2   = cpu.AVX2()
)

func init() {
	impl.Register("multimixer", "avx512", &useAVX512)
	impl.Register("multimixer", "avx2", &useAVX2)
}

// digestBlocks is digestGeneric by the best kernel that is on. At least one block, and at
// most maxSum bytes of message, may be given at once.
func digestBlocks(dst *[DigestSize]byte, key, msg []byte) {
	impl.CheckCall(len(msg) + len(key[:len(msg)]))
	switch {
	case useAVX512:
		sumAVX512(dst, &key[0], &msg[0], len(msg))
	case useAVX2:
		sumAVX2(dst, &key[0], &msg[0], len(msg))
	default:
		digestGeneric(dst, key, msg)
	}
}
