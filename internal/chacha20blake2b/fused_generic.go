// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20blake2b

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

// xorAndWriteGeneric is XORAndWrite in turn for each piece, so that BLAKE2b finds dst in the
// first-level cache. Of dst, at bytes were encrypted before, and written bytes hashed.
func xorAndWriteGeneric(mac *blake2b.State, dst, src []byte, at, written int, s *chacha20.Stream) {
	const piece = 16 << 10 // whole blocks of ChaCha20
	for len(src)-at > piece {
		s.XORKeyStream(dst[at:at+piece], src[at:at+piece], uint64(at/chacha20.BlockSize))
		at += piece
		mac.Write(dst[written:at])
		written = at
	}
	s.XORKeyStream(dst[at:], src[at:], uint64(at/chacha20.BlockSize))
	mac.Write(dst[written:])
}
