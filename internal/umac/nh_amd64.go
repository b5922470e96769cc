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

	sumPath, nhPath dispatch.Operation[cpu.Level]

	// startLevel is the highest available level, which is selected at program start.
	// Every Key contains the round keys for startLevel, so the Key is usable at every
	// level.
	startLevel cpu.Level
)

func init() {
	dispatch.Register("umac", &choice, cpu.SSE41, cpu.SSE41AES, cpu.AVX2AES, cpu.AVX512AES)
	dispatch.Bind("umac", &sumPath, sumPaths)
	dispatch.Bind("umac", &nhPath, nhPaths)
	startLevel = choice.Level
}

func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	dispatch.CheckCall(len(chunk))
	switch nhPath.Choose(len(chunk)) {
	case cpu.AVX512:
		nhAVX512(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	case cpu.AVX2:
		nhAVX2(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	case cpu.SSE41:
		nhSSE41(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	default:
		nhGeneric(values, key, chunk, streams)
	}
}

// nhPoly implements nhPolyGeneric with the best enabled kernel for at most
// dispatch.MaxCall bytes.
func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	dispatch.CheckCall(len(chunks))
	n := len(chunks) / ChunkSize * ChunkSize
	switch choice.Level {
	case cpu.AVX512AES:
		nhPolyAVX512(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	case cpu.AVX2AES:
		nhPolyAVX2(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	case cpu.SSE41AES, cpu.SSE41:
		nhPolySSE41(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	default:
		nhPolyGeneric(st, u, chunks)
	}
}
