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
	useAVX512 = cpu.AVX512()
	useAVX2   = cpu.AVX2()
	useSSE41  = cpu.SSE41()
)

// minAVX512 is the length in bytes from which a chunk is worth the AVX-512 kernel.
const minAVX512 = 128

func init() {
	impl.Register("umac", "avx512aes", &useAVX512AES)
	impl.Register("umac", "avx512", &useAVX512)
	impl.Register("umac", "avx2aes", &useAVX2AES)
	impl.Register("umac", "avx2", &useAVX2)
	impl.Register("umac", "sse41aes", &useSSE41AES)
	impl.Register("umac", "sse41", &useSSE41)
}

// nh is nhGeneric by the best kernel that is on. AVX-512's masks are worth their
// set-up only where its wide steps are; and it would wait for a short message
// that was just copied in pieces narrower than its loads.
func nh(values *[maxStreams]uint64, key *nhKey, chunk []byte, streams int) {
	switch wide, narrow := useAVX512AES || useAVX512, useAVX2AES || useAVX2; {
	case wide && (len(chunk) >= minAVX512 || !narrow):
		nhAVX512(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	case narrow:
		nhAVX2(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	case useSSE41AES || useSSE41:
		nhSSE41(values, key, unsafe.SliceData(chunk), len(chunk), streams)
	default:
		nhGeneric(values, key, chunk, streams)
	}
}

// nhPoly is nhPolyGeneric by the best kernel that is on. At most impl.MaxCall bytes
// may be given at once.
func nhPoly(st *polyState, u *uhashKey, chunks []byte) {
	impl.CheckCall(len(chunks))
	n := len(chunks) / ChunkSize * ChunkSize
	switch {
	case useAVX512AES || useAVX512:
		nhPolyAVX512(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	case useAVX2AES || useAVX2:
		nhPolyAVX2(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	case useSSE41AES || useSSE41:
		nhPolySSE41(st, &u.nh, &u.poly64, unsafe.SliceData(chunks), n, u.streams)
	default:
		nhPolyGeneric(st, u, chunks)
	}
}
