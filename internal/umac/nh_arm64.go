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
	impl.Register("umac", "neonaes", &useNEONAES)
	impl.Register("umac", "neon", &useNEON)
}

// nh is nhGeneric by the best kernel that is on.
func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	if useNEON || useNEONAES {
		nhNEON(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	} else {
		nhGeneric(values, key, chunk, streams)
	}
}

// nhPoly is nhPolyGeneric by the best kernel that is on. At most impl.MaxCall bytes
// may be given at once.
func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	impl.CheckCall(len(chunks))
	if useNEON || useNEONAES {
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
