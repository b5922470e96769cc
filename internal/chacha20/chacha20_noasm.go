// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !(amd64 || arm64 || loong64 || ppc64 || ppc64le || s390x)

package chacha20

func xor(dst, src []byte, key *[KeySize]byte, nonce *[NonceSize]byte, counter uint64) {
	xorGeneric(dst, src, key, nonce, counter)
}

func block(out *[BlockSize]byte, key *[KeySize]byte, x *[16]byte) { blockOfStream(out, key, x) }

func hChaCha20(out, key *[KeySize]byte, nonce *[16]byte) {
	hChaCha20Generic(out, key, nonce)
}
