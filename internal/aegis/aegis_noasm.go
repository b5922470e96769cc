// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (!amd64 && !arm64) || !gc || purego

package aegis

func initialize(s *State, key, nonce []byte) { initializeGeneric(s, key, nonce) }

func absorb(s, before *State, data []byte) {
	*s = *before
	absorbGeneric(s, data)
}

func crypt(v Variant, open bool, key *Key, nonce, tag, dst, src, data []byte) {
	cryptGeneric(v, open, key, nonce, tag, dst, src, data)
}

func cryptPair(Variant, bool, *Key, *[2]Message) (tags [2][TagSize128]byte, ok bool) {
	return tags, false
}

func mac(s *State, tag, last []byte, total uint64) { macGeneric(s, tag, last, total) }
