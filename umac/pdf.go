// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"unsafe"
)

// kdf is the key derivation function (RFC 4418, section 3.2.1).
type kdf struct {
	block cipher.Block
}

// derive fills dst with the key material of an index and returns it.
func (k *kdf) derive(dst []byte, index uint64) []byte {
	var out [aes.BlockSize]byte
	for i := 0; i < len(dst); i += len(out) {
		binary.BigEndian.PutUint64(out[:8], index)
		binary.BigEndian.PutUint64(out[8:], uint64(i/len(out)+1))
		k.block.Encrypt(out[:], out[:])
		copy(dst[i:], out[:])
	}
	return dst
}

// padNonce returns the block that a nonce's pad is encrypted from and the place
// of the pad in the result (RFC 4418, section 3.3.1). Short tags use a part of
// the block only: the nonce's last bits choose it and are cleared.
func padNonce(nonce []byte, size int) (in [aes.BlockSize]byte, at int) {
	copy(in[:], nonce)
	if size < Size96 {
		last := &in[len(nonce)-1]
		parts := byte(aes.BlockSize / size)
		at = int(*last&(parts-1)) * size
		*last &^= parts - 1
	}
	return in, at
}

// encrypt is block.Encrypt for a dst and a src that may stand on the stack. A
// call through an interface lets its arguments escape to the heap; crypto/aes
// keeps neither, so hiding them from the compiler's analysis is safe, and it is
// what keeps the one-shot functions free of allocations.
func encrypt(block cipher.Block, dst, src *[aes.BlockSize]byte) {
	block.Encrypt(noescape(dst)[:], noescape(src)[:])
}

// noescape returns p, which the compiler then takes for unrelated to p.
//
//go:nocheckptr
func noescape(p *[aes.BlockSize]byte) *[aes.BlockSize]byte {
	return (*[aes.BlockSize]byte)(unsafe.Add(unsafe.Pointer(nil), uintptr(unsafe.Pointer(p))))
}
