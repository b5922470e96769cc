// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (!amd64 && !arm64) || !gc || purego

package aegis

func initialize(s *State, key, nonce []byte) { initializeGeneric(s, key, nonce) }

func absorb(s *State, data []byte) { absorbGeneric(s, data) }

func encrypt(s *State, dst, src []byte) { encryptGeneric(s, dst, src) }

func decrypt(s *State, dst, src []byte) { decryptGeneric(s, dst, src) }

func finish(s *State, u *[blockSize]byte) { finishGeneric(s, u) }

func seal(v Variant, tag, dst, src, ad, key, nonce []byte) {
	sealGeneric(v, tag, dst, src, ad, key, nonce)
}

func open(v Variant, tag, dst, src, ad, key, nonce []byte) {
	openGeneric(v, tag, dst, src, ad, key, nonce)
}

func mac(s *State, tag, last []byte, total uint64) { macGeneric(s, tag, last, total) }

func sealPair(Variant, []byte, *[2]Message) (tags [2][TagSize128]byte, ok bool) { return tags, false }

func openPair(Variant, []byte, *[2]Message) (tags [2][TagSize128]byte, ok bool) { return tags, false }
