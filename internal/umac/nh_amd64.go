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

	// has is the level at start. It does not follow tests that change on, because Keys
	// created earlier must remain usable.
	has cpu.Level
)

func init() {
	impl.Register("umac", &on, cpu.SSE41, cpu.SSE41AES, cpu.AVX2AES, cpu.AVX512AES)
	has = on.Level
}

// A column is what pays on one kind of processor.
type column struct {
	avx512 int // bytes from which a chunk is worth AVX-512's kernel
	sum    int // and from which a whole message is

	// four are the most bytes of messages that gain by the kernel for four, which hashes one
	// after the other, for each number of streams; -1 if none does.
	four [maxStreams + 1]int
}

// On a Zen 5, four messages of 64 bytes with two streams take 47 ns by the kernel for four and 49
// alone, four of 256 bytes 67 and 63; with four streams four of 32 bytes take 60 and 54.
//
// On Granite Rapids, a message of 144 to 192 bytes takes AVX-512's kernel 1.13 to 1.18 of AVX2's time, whatever its
// streams are; one of 256 0.97, of 272 to 320 up to 1.08, and then always less.
var (
	four  = [maxStreams + 1]int{1: maxShort, 2: 64, 3: -1, 4: -1}
	table = [...]column{
		cpu.Narrow:     {128, 0, four},
		cpu.Full:       {128, 225, four},
		cpu.FullSlow:   {128, 0, four},
		cpu.Halved:     {128, 0, four},
		cpu.Unmeasured: {128, 225, four},
		cpu.Alone:      {0, 0, four},
	}
)

// nh is nhGeneric with the best enabled kernel. For short chunks it avoids the AVX-512
// kernel, whose masks take time to prepare, and whose loads would stall on a message
// that has just been copied with narrower stores.
func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	impl.CheckCall(len(chunk))
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

// nhPoly is nhPolyGeneric with the best enabled kernel. It accepts at most impl.MaxCall
// bytes.
func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	impl.CheckCall(len(chunks))
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
