// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package chacha20blake2b

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

// Available reports whether there is a kernel that is on.
func Available() bool { return false }

func derives() bool { return false }

func hashed(n int) int { return n }

// MinMessage is the length of messages from which the kernel saves time.
func MinMessage() int { return 0 }

func lead() int { return 0 }

func beside(h *[8]uint64, blocks []byte, t uint64, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte, counter uint64) {
	panic("chacha20blake2b: no kernel")
}

func derive(d blake2b.Derivation, dst, src []byte, s *chacha20.Stream) {
	panic("chacha20blake2b: no kernel")
}
