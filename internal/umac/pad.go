// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"unsafe"
)

// kdf is the key derivation function (RFC 4418, section 3.2.1).
type kdf struct {
	cipher cipher.Block // nil where a kernel encrypts
	keys   roundKeys    // for that
}

// set prepares k for a key of AES.
func (k *kdf) set(key []byte) (err error) {
	if canEncrypt() {
		k.keys.expand(key)
		return nil
	}
	k.cipher, err = aes.NewCipher(key)
	return err
}

// derive fills dst with the key material of an index and returns it.
func (k *kdf) derive(dst []byte, index uint64) []byte {
	var blocks [kernelBlocks * aes.BlockSize]byte
	for at := 0; at < len(dst); at += len(blocks) {
		for i := 0; i < len(blocks); i += aes.BlockSize {
			binary.BigEndian.PutUint64(blocks[i:], index)
			binary.BigEndian.PutUint64(blocks[i+8:], uint64((at+i)/aes.BlockSize+1))
		}
		if k.cipher == nil {
			encrypt(&blocks, &k.keys)
		} else {
			n := min(len(blocks), len(dst)-at)
			for i := 0; i < n; i += aes.BlockSize {
				block := noescape((*[aes.BlockSize]byte)(blocks[i:]))
				k.cipher.Encrypt(block[:], block[:])
			}
		}
		copy(dst[at:], blocks[:])
	}
	clear(blocks[:])
	return dst
}

// kernelBlocks is how many blocks the kernel encrypts at once.
const kernelBlocks = 8

// A Pad says where the result of the pad derivation function (RFC 4418, section 3.3.1) for a
// nonce stands: in the encryption of a block of 16 bytes, which are two little-endian
// words, from a byte on. Short tags use a part of the block only: the last bits of the
// nonce choose it and are cleared before encryption. The assembly knows its layout.
type Pad struct {
	lo, hi uint64
	at     int
}

// CheckNonce returns an error unless a nonce has a length that UMAC takes.
func CheckNonce(nonce []byte) error {
	if len(nonce) < 1 || len(nonce) > aes.BlockSize {
		return fmt.Errorf("umac: nonce of %d bytes, want 1 to %d", len(nonce), aes.BlockSize)
	}
	return nil
}

// PadOf returns the pad of a nonce for a tag of size bytes. It panics if CheckNonce returns an
// error.
func PadOf(nonce []byte, size int) Pad {
	if len(nonce) == 8 {
		return PadOf8(nonce, size)
	}
	if len(nonce) < 1 || len(nonce) > aes.BlockSize {
		panic(CheckNonce(nonce))
	}
	part := nonce[len(nonce)-1] & partOf[uint(size)%uint(len(partOf))]
	p := newPad(nonce, part)
	p.at = int(part) * size
	return p
}

// PadOf8 is PadOf for nonces of 8 bytes, the usual length. It is small enough that it
// takes no call, which would be a tenth of a short message's time.
func PadOf8(nonce []byte, size int) (p Pad) {
	p.lo = binary.LittleEndian.Uint64(nonce)
	part := p.lo >> 56 & uint64(partOf[uint(size)%uint(len(partOf))])
	p.lo ^= part << 56
	p.at = int(part) * size
	return p
}

// partOf has, by the size of a tag, the bits of a nonce's last byte that choose a part
// of the encrypted block.
var partOf = [32]byte{4: 3, 8: 1}

// newPad returns the block of a nonce of 1 to 16 bytes, less the bits part of its last
// byte, followed by zeros. Where the nonce's length is no power of two it reads
// words that overlap, instead of copying bytes.
func newPad(nonce []byte, part byte) (p Pad) {
	n := len(nonce)
	last := uint64(part) << ((n - 1) % 8 * 8)
	switch {
	case n > 8:
		p.lo = binary.LittleEndian.Uint64(nonce)
		p.hi = binary.LittleEndian.Uint64(nonce[n-8:])>>(8*(16-n)) ^ last
		return p
	case n >= 4:
		p.lo = uint64(binary.LittleEndian.Uint32(nonce)) |
			uint64(binary.LittleEndian.Uint32(nonce[n-4:]))<<(8*(n-4))
	default:
		p.lo = uint64(nonce[0]) | uint64(nonce[n/2])<<(n/2*8) | uint64(nonce[n-1])<<((n-1)*8)
	}
	p.lo ^= last
	return p
}

// A KeptPad keeps the encrypted block for the next nonce, which may have its pad there, too.
type KeptPad struct {
	Pad
	block [aes.BlockSize]byte // to be encrypted, or encrypted if ready
	ready bool
}

// Set prepares a pad.
func (k *KeptPad) Set(p Pad) {
	if p.lo != k.lo || p.hi != k.hi {
		k.ready = false
		binary.LittleEndian.PutUint64(k.block[:8], p.lo)
		binary.LittleEndian.PutUint64(k.block[8:], p.hi)
	}
	k.Pad = p
}

// encrypted returns the pad, and what follows it in the block. It is called some time after
// Set, and the hash in between, because reading 16 bytes that were just written as two words
// stalls.
//
// A call through an interface lets its arguments escape to the heap, and with
// them every pad; crypto/aes keeps no reference, so hiding the block from the
// compiler's analysis is safe, and it is what keeps the one-shot functions free
// of allocations.
func (k *KeptPad) encrypted(cipher cipher.Block) []byte {
	if !k.ready {
		block := noescape(&k.block)
		cipher.Encrypt(block[:], block[:])
		k.ready = true
	}
	return k.block[k.at:]
}

// noescape returns b, which the compiler then takes for unrelated to b.
//
//go:nocheckptr
func noescape(b *[aes.BlockSize]byte) *[aes.BlockSize]byte {
	return (*[aes.BlockSize]byte)(unsafe.Add(unsafe.Pointer(nil), uintptr(unsafe.Pointer(b))))
}
