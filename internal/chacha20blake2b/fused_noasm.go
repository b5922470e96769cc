// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package chacha20blake2b

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

// XORAndWrite sets dst to src XOR the keystream and writes dst to mac.
func XORAndWrite(mac *blake2b.State, dst, src []byte, s *chacha20.Stream) {
	xorAndWriteGeneric(mac, dst, src, 0, 0, s)
}

// writeAndXOR writes src to mac and returns 0: it encrypts nothing.
func writeAndXOR(mac *blake2b.State, _, src []byte, _ *chacha20.Stream) int {
	mac.Write(src)
	return 0
}

// decryptsAhead returns false: there is no kernel that decrypts while BLAKE2b runs.
func decryptsAhead(int) bool { return false }
