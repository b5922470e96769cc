// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build (!amd64 && !arm64) || !gc || purego

package aegis

import "unsafe"

func initialize(s *State, key, nonce []byte) { initializeGeneric(s, key, nonce) }

func absorb(s, base *State, data []byte) {
	*s = *base
	absorbGeneric(s, data)
}

func crypt(c *Cipher, open bool, nonce, tag, dst, src *byte, n int, ad *byte, adLen int) {
	cryptGeneric(c, open, unsafe.Slice(nonce, c.Variant.KeySize()), unsafe.Slice(tag, c.TagSize), unsafe.Slice(dst, n), unsafe.Slice(src, n), unsafe.Slice(ad, adLen))
}

func cryptPair(*Cipher, bool, *[2]Message, *[2][TagSize128]byte) bool { return false }

func mac(s *State, tag, last []byte, total uint64) { macGeneric(s, tag, last, total) }
