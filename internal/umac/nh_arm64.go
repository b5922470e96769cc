// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var (
	on impl.Choice

	// has does not change: a Key may be older than what is on.
	has cpu.Level
)

func init() {
	impl.Register("umac", &on, cpu.NEON, cpu.NEONAES)
	has = on.Level
}

// nh is nhGeneric by the best kernel that is on.
func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	if on.Level >= cpu.NEON {
		nhNEON(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	} else {
		nhGeneric(values, key, chunk, streams)
	}
}

// nhPoly is nhPolyGeneric by the best kernel that is on. At most impl.MaxCall bytes
// may be given at once.
func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	impl.CheckCall(len(chunks))
	if on.Level >= cpu.NEON {
		n := len(chunks) / ChunkSize * ChunkSize
		nhPolyNEON(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	} else {
		nhPolyGeneric(st, u, chunks)
	}
}

// nhNEON is nhGeneric for NEON.
//
//go:noescape
func nhNEON(values *[maxStreams]uint64, key *nhKey, chunk *byte, n int, streams int)

// nhPolyNEON is nhPolyGeneric for NEON.
//
//go:noescape
func nhPolyNEON(st *polyState, key *nhKey, poly *poly64Key, msg *byte, n int, streams int)
