// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package chacha20poly1305

// groupModelOf returns nil because there is no kernel for groups.
func groupModelOf(Kind) *groupModel { return nil }

func newGroup(Kind, *[KeySize]byte) group { panic("chacha20poly1305: no kernel") }

// xorSIV encrypts src, starting with block 0.
func xorSIV(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte) {
	xorGeneric(dst, src, key, nonce, 0)
}
