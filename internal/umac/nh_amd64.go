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
	on dispatch.Choice

	// has is the level at program start. Tests do not change it, so that Keys created
	// before a change of on remain usable.
	has cpu.Level
)

func init() {
	dispatch.Register("umac", &on, cpu.SSE41, cpu.SSE41AES, cpu.AVX2AES, cpu.AVX512AES)
	has = on.Level
}

// thresholds contains the message lengths at which the choice of kernel changes.
type thresholds struct {
	avx512 int // minimum chunk length, in bytes, for the AVX-512 kernel of NH
	sum    int // minimum message length, in bytes, for the AVX-512 kernel of whole messages

	// four contains, for each tag size in 4-byte words, the length in bytes of the
	// longest message for which the four-message kernel is faster, or -1.
	four [maxStreams + 1]int
}

// table contains the thresholds by kind of processor.
var (
	four  = [maxStreams + 1]int{1: maxShort, 2: 64, 3: -1, 4: -1}
	table = [...]thresholds{
		cpu.Narrow:     {128, 0, four},
		cpu.Full:       {128, 225, four},
		cpu.FullSlow:   {128, 0, four},
		cpu.Halved:     {128, 0, four},
		cpu.Unmeasured: {128, 225, four},
		cpu.Alone:      {0, 0, four},
	}
)

// nh implements nhGeneric with the best enabled kernel. For short chunks, preparing
// masks makes the AVX-512 kernel slower, and its loads would stall on a message that
// has just been copied.
func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	dispatch.CheckCall(len(chunk))
	level := on.Level
	if level == cpu.AVX512AES && len(chunk) < table[on.Kind].avx512 {
		level = cpu.AVX2AES
	}
	switch level {
	case cpu.AVX512AES:
		nhAVX512(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	case cpu.AVX2AES:
		nhAVX2(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	case cpu.SSE41AES, cpu.SSE41:
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
	switch on.Level {
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
