// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package multimixer

import (
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var useNEON = cpu.NEON()

func init() {
	impl.Register("multimixer", "neon", &useNEON)
}

// sum is sumGeneric by the best kernel that is on. At least one block, and at
// most maxSum bytes of message, may be given at once.
func sum(acc *[8]uint64, key, msg []byte) {
	impl.CheckCall(len(msg) + len(key[:len(msg)]))
	if useNEON {
		sumNEON(acc, &key[0], &msg[0], len(msg))
	} else {
		sumGeneric(acc, key, msg)
	}
}

// sumNEON is sumGeneric for NEON.
//
//go:noescape
func sumNEON(acc *[8]uint64, key *byte, msg *byte, n int)
