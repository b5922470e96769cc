// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var useNEON = cpu.NEON()

func init() {
	impl.Register("umac", "neon", &useNEON)
}

// nh is nhGeneric by the best kernel that is on. At most 64 KiB of message may
// be given at once.
func nh(dst []uint64, key *nhKey, msg []byte, streams int) {
	_ = dst[max(1, (len(msg)+chunkSize-1)/chunkSize)*streams-1]
	if useNEON {
		nhNEON(&dst[0], key, unsafe.SliceData(msg), len(msg), streams)
	} else {
		nhGeneric(dst, key, msg, streams)
	}
}

// nhNEON is nhGeneric for NEON.
//
//go:noescape
func nhNEON(dst *uint64, key *nhKey, msg *byte, n int, streams int)
