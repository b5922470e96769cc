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
	cipher cipher.Block
}

// derive fills dst with the key material of an index and returns it.
func (k *kdf) derive(dst []byte, index uint64) []byte {
	var out [aes.BlockSize]byte
	for i := 0; i < len(dst); i += len(out) {
		binary.BigEndian.PutUint64(out[:8], index)
		binary.BigEndian.PutUint64(out[8:], uint64(i/len(out)+1))
		k.cipher.Encrypt(out[:], out[:])
		copy(dst[i:], out[:])
	}
	return dst
}

// pad is the result of the pad derivation function (RFC 4418, section 3.3.1)
// for one nonce. Short tags use a part of the block only: the last bits of the
// nonce choose it and are cleared before encryption.
type pad struct {
	out   [aes.BlockSize]byte // the block, encrypted unless stale
	stale bool
	at    int      // where the pad begins in it
	in    padBlock // what it was, or is to be, encrypted from
}

// padBlock is 16 bytes as two little-endian words, which stay in registers.
type padBlock struct{ lo, hi uint64 }

// newPadBlock returns a nonce of 1 to 16 bytes, less the bits part of its last
// byte, followed by zeros. Where the nonce's length is no power of two it reads
// words that overlap, instead of copying bytes.
func newPadBlock(nonce []byte, part byte) (b padBlock) {
	n := len(nonce)
	last := uint64(part) << ((n - 1) % 8 * 8)
	switch {
	case n > 8:
		b.lo = binary.LittleEndian.Uint64(nonce)
		b.hi = binary.LittleEndian.Uint64(nonce[n-8:])>>(8*(16-n)) ^ last
		return b
	case n >= 4:
		b.lo = uint64(binary.LittleEndian.Uint32(nonce)) |
			uint64(binary.LittleEndian.Uint32(nonce[n-4:]))<<(8*(n-4))
	default:
		b.lo = uint64(nonce[0]) | uint64(nonce[n/2])<<(n/2*8) | uint64(nonce[n-1])<<((n-1)*8)
	}
	b.lo ^= last
	return b
}

// partOf has, by the size of a tag, the bits of a nonce's last byte that choose a part
// of the encrypted block.
var partOf = [32]byte{Size32: 3, Size64: 1}

// padOf returns the block whose encryption has the pad of a nonce for a tag of size
// bytes, and where the pad begins in it.
func padOf(nonce []byte, size int) (in padBlock, at int) {
	if len(nonce) == 8 {
		return padOf8(nonce, size)
	}
	part := nonce[len(nonce)-1] & partOf[size%len(partOf)]
	return newPadBlock(nonce, part), int(part) * size
}

// padOf8 is padOf for nonces of 8 bytes, the usual length. It is small enough that it
// takes no call.
func padOf8(nonce []byte, size int) (in padBlock, at int) {
	in.lo = binary.LittleEndian.Uint64(nonce)
	part := in.lo >> 56 & uint64(partOf[size%len(partOf)])
	in.lo ^= part << 56
	return in, int(part) * size
}

// set prepares the pad for a block that is to be encrypted.
func (p *pad) set(in padBlock, at int) {
	p.at = at
	if in != p.in {
		p.in = in
		p.stale = true
		binary.LittleEndian.PutUint64(p.out[:8], in.lo)
		binary.LittleEndian.PutUint64(p.out[8:], in.hi)
	}
}

// encrypt computes the block. It comes some time after set, and the hash in
// between, because reading 16 bytes that were just written as two words stalls.
//
// A call through an interface lets its arguments escape to the heap, and with
// them every pad; crypto/aes keeps no reference, so hiding the pad from the
// compiler's analysis is safe, and it is what keeps the one-shot functions free
// of allocations.
func (p *pad) encrypt(cipher cipher.Block) {
	out := noescape(&p.out)
	cipher.Encrypt(out[:], out[:])
	p.stale = false
}

// noescape returns b, which the compiler then takes for unrelated to b.
//
//go:nocheckptr
func noescape(b *[aes.BlockSize]byte) *[aes.BlockSize]byte {
	return (*[aes.BlockSize]byte)(unsafe.Add(unsafe.Pointer(nil), uintptr(unsafe.Pointer(b))))
}
