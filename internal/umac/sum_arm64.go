// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package umac

import (
	"unsafe"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

// Sum stores the tag of a message in tag, which has its length. The pad may be kept, too. The
// kernel takes one chunk.
func (k *Key) Sum(tag []byte, pad Pad, kept *KeptPad, msg []byte) {
	if len(msg) > ChunkSize || on.Level != cpu.NEONAES {
		k.sumInSteps(tag, pad, kept, msg)
		return
	}
	impl.CheckCall(len(msg))
	sumNEONAES(unsafe.SliceData(tag), k.keys, pad.lo, pad.hi, pad.at, unsafe.SliceData(msg), len(msg))
}

// SumEach stores the tags of messages under as many nonces, one after the other.
func (k *Key) SumEach(tags []byte, nonces, msgs [][]byte) {
	for i, msg := range msgs {
		k.Sum(tags[i*k.size:][:k.size], PadOf(nonces[i], k.size), nil, msg)
	}
}

// mostOfFour is -1: there is no kernel for four messages.
func mostOfFour(int) int { return -1 }

func sumFour([]byte, *keys, *[4]message) { panic("umac: no kernel for four messages") }

// expand expands the pad's key for the kernel.
func (r *roundKeys) expand(key []byte) {
	if has == cpu.NEONAES {
		r.set(key, func(w uint32) uint32 {
			subWordNEONAES(&w)
			return w
		})
	}
}

// sumNEONAES stores the tag of a message of at most one chunk, 4 bytes for each stream. Its
// pad begins at byte at of the block lo and hi, encrypted. For NEON and AES's instructions.
//
//go:noescape
func sumNEONAES(tag *byte, k *keys, lo uint64, hi uint64, at int, msg *byte, n int)

// subWordNEONAES replaces each byte of w with that of AES's S-box.
//
//go:noescape
func subWordNEONAES(w *uint32)

// canEncrypt is false: there is no kernel that encrypts and nothing else.
func canEncrypt() bool { return false }

func encrypt(*[kernelBlocks * 16]byte, *roundKeys) { panic("umac: no kernel that encrypts") }
