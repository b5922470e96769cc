// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 makes the key stream of ChaCha20 (RFC 8439, section 2.4).
package chacha20

import (
	"fmt"

	"golang.org/x/crypto/chacha20"
)

const (
	KeySize   = 32
	NonceSize = 12
	BlockSize = 64
)

// KeyStream fills dst with the key stream from the block with number counter
// on. It panics if the stream would go on after block 2^32 - 1.
func KeyStream(dst []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint32) {
	c, err := chacha20.NewUnauthenticatedCipher(key[:], nonce[:])
	if err != nil {
		panic(fmt.Sprintf("chacha20: %v", err))
	}
	c.SetCounter(counter)
	clear(dst)
	c.XORKeyStream(dst, dst)
}
