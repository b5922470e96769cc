// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package multimixer

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var choice dispatch.Choice

func init() { dispatch.Register("multimixer", &choice, cpu.NEON) }

// digestBlocks implements digestGeneric with the best enabled kernel for at most maxSum
// bytes.
func digestBlocks(dst *[DigestSize]byte, key, msg []byte) {
	dispatch.CheckCall(len(msg) + len(key[:len(msg)]))
	if choice.Level == cpu.NEON {
		sumNEON(dst, &key[0], &msg[0], len(msg))
	} else {
		digestGeneric(dst, key, msg)
	}
}

//go:noescape
func sumNEON(dst *[64]byte, key *byte, msg *byte, n int)
