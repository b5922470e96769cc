// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package multimixer

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var choice dispatch.Choice

func init() { dispatch.Register("multimixer", &choice, cpu.AVX2, cpu.AVX512) }

// digestBlocks implements digestGeneric with the best enabled kernel for at most maxSum
// bytes.
func digestBlocks(dst *[DigestSize]byte, key, msg []byte) {
	dispatch.CheckCall(len(msg) + len(key[:len(msg)]))
	switch choice.Level {
	case cpu.AVX512:
		sumAVX512(dst, &key[0], &msg[0], len(msg))
	case cpu.AVX2:
		sumAVX2(dst, &key[0], &msg[0], len(msg))
	default:
		digestGeneric(dst, key, msg)
	}
}
