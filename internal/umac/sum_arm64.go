// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// Sum stores the tag of msg in tag, which must be k.Size() bytes long. If cached is not
// nil, the caller must have called cached.Set(pad).
func (k *Key) Sum(tag []byte, pad Pad, cached *CachedPad, msg []byte) {
	// The kernel accepts at most one chunk.
	if len(msg) > ChunkSize || choice.Level != cpu.NEONAES {
		k.sumInSteps(tag, pad, cached, msg)
		return
	}
	dispatch.CheckCall(len(msg))
	sumNEONAES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
}

// SumEach computes the tag of each message, using nonces[i] for msgs[i], and stores the
// tags consecutively in tags.
func (k *Key) SumEach(tags []byte, nonces, msgs [][]byte) {
	for i, msg := range msgs {
		k.Sum(tags[i*k.size:][:k.size], PadOf(nonces[i], k.size), nil, msg)
	}
}

// maxOfFour returns -1 because arm64 has no kernel for four messages.
func maxOfFour(int) int { return -1 }

func sumFour([]byte, *keys, *[4]message) { panic("umac: no kernel for four messages") }

func (r *roundKeys) expand(key []byte) {
	if startLevel == cpu.NEONAES {
		r.set(key, func(w uint32) uint32 {
			subWordNEONAES(&w)
			return w
		})
	}
}

// sumNEONAES stores the tag of a message of at most ChunkSize bytes. lo, hi and at are
// the fields of a Pad.
//
//go:noescape
func sumNEONAES(tag *byte, k *keys, lo uint64, hi uint64, at int, msg *byte, n int)

//go:noescape
func subWordNEONAES(w *uint32)

// canEncrypt returns false because arm64 has no kernel that only encrypts.
func canEncrypt() bool { return false }

func encrypt(*[kernelBlocks * 16]byte, *roundKeys) { panic("umac: no kernel that encrypts") }
