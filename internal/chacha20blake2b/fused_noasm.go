// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package chacha20blake2b

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

// derive sets mac to a state for digests of size bytes, whose key is the digest of kdf.
func derive(mac, kdf *blake2b.State, size int, _, _ []byte, _ *chacha20.Stream) int {
	kdf.Derive(mac, size)
	return 0
}

// XORAndWrite sets dst to src XOR the key stream and writes dst to mac. The first at bytes,
// whole blocks of ChaCha20, were encrypted before.
func XORAndWrite(mac *blake2b.State, dst, src []byte, at int, s *chacha20.Stream) {
	xorAndWriteGeneric(mac, dst, src, at, 0, s)
}

// writeAndXOR writes src to mac.
func writeAndXOR(mac *blake2b.State, _, src []byte, at int, _ *chacha20.Stream) int {
	mac.Write(src)
	return at
}

func decryptsAhead(int) bool { return false }
