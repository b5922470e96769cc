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
)

func init() {
	impl.Register("umac", "avx512", &useAVX512)
	impl.Register("umac", "avx2", &useAVX2)
}

// nh is nhGeneric by the best kernel that is on. At most 64 KiB of message may
// be given at once.
func nh(dst []uint64, key *nhKey, msg []byte, streams int) {
	_ = dst[max(1, (len(msg)+chunkSize-1)/chunkSize)*streams-1]
	switch {
	case useAVX512:
		nhAVX512(&dst[0], key, unsafe.SliceData(msg), len(msg), streams)
	case useAVX2:
		nhAVX2(&dst[0], key, unsafe.SliceData(msg), len(msg), streams)
	default:
		nhGeneric(dst, key, msg, streams)
	}
}
