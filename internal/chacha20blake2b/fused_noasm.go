// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package chacha20blake2b

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

func XORAndWrite(mac *blake2b.State, dst, src []byte, s *chacha20.Stream) {
	xorAndWriteGeneric(mac, dst, src, 0, 0, s)
}

// writeAndXOR writes src to mac and encrypts nothing.
func writeAndXOR(mac *blake2b.State, _, src []byte, _ *chacha20.Stream) int {
	mac.Write(src)
	return 0
}

// decryptsAhead returns false because no kernel decrypts while BLAKE2b runs.
func decryptsAhead(int) bool { return false }
