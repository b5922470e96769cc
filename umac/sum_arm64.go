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
	useNEONAES = cpu.NEONAES()

	// hasAES does not change: a Key may be older than what is on.
	hasAES = cpu.NEONAES()
)

// sum stores the tag of a message in tag, which has its length, in one call of assembly.
// The pad begins at byte at of the encrypted block. It reports false where there is no
// kernel that is on, and for messages of more than one chunk. At most impl.MaxCall bytes
// may be given.
func sum(tag []byte, k *keys, block padBlock, at int, msg []byte) bool {
	impl.CheckCall(len(msg))
	if !useNEONAES || len(msg) > chunkSize {
		return false
	}
	sumNEONAES(unsafe.SliceData(tag), k, block.lo, block.hi, at, unsafe.SliceData(msg), len(msg))
	return true
}

// canSumFour is false: there is no kernel for four messages.
func canSumFour() bool { return false }

func sumFour([]byte, *keys, *[4]message) { panic("umac: no kernel for four messages") }

// expand expands the pad's key for the kernel.
func (r *roundKeys) expand(key []byte) {
	if hasAES {
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
