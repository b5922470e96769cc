// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var (
	choice dispatch.Choice

	// startLevel is the highest available level, which is selected at program start.
	// Every Key contains the round keys for startLevel, so the Key is usable at every
	// level.
	startLevel cpu.Level
)

func init() {
	dispatch.Register("umac", &choice, cpu.NEON, cpu.NEONAES)
	startLevel = choice.Level
}

func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	dispatch.CheckCall(len(chunk))
	if choice.Level >= cpu.NEON {
		nhNEON(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	} else {
		nhGeneric(values, key, chunk, streams)
	}
}

func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	dispatch.CheckCall(len(chunks))
	if choice.Level >= cpu.NEON {
		n := len(chunks) / ChunkSize * ChunkSize
		nhPolyNEON(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	} else {
		nhPolyGeneric(st, u, chunks)
	}
}

//go:noescape
func nhNEON(values *[maxStreams]uint64, key *nhKey, chunk *byte, n int, streams int)

//go:noescape
func nhPolyNEON(st *polyState, key *nhKey, poly *poly64Key, msg *byte, n int, streams int)
