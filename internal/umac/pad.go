// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"strconv"
	"unsafe"
)

// kdf is the key derivation function (RFC 4418, section 3.2.1).
type kdf struct {
	cipher cipher.Block // nil if a kernel encrypts
	keys   roundKeys    // for the kernel
}

func (k *kdf) set(key []byte) (err error) {
	if canEncrypt() {
		k.keys.expand(key)
		return nil
	}
	k.cipher, err = aes.NewCipher(key)
	return err
}

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

const kernelBlocks = 8

// A Pad describes the output of the pad derivation function (RFC 4418, section 3.3.1)
// for a nonce. The pad starts at offset at in the encryption of the block lo || hi,
// where lo and hi are little-endian words. Tags of 4 or 8 bytes use only a part of the
// encrypted block. The last bits of the nonce select this part and are cleared before
// the encryption. The assembly depends on the layout.
type Pad struct {
	lo, hi uint64
	at     int
}

// CheckNonce returns an error if nonce is not 1 to 16 bytes long.
func CheckNonce(nonce []byte) error {
	if len(nonce) < 1 || len(nonce) > aes.BlockSize {
		return errors.New("umac: nonce of " + strconv.Itoa(len(nonce)) + " bytes, want 1 to " + strconv.Itoa(aes.BlockSize))
	}
	return nil
}

// PadOf returns the Pad for a nonce and a tag size. It panics if CheckNonce would
// return an error.
func PadOf(nonce []byte, size int) Pad {
	if len(nonce) == 8 {
		return PadOf8(nonce, size)
	}
	if len(nonce) < 1 || len(nonce) > aes.BlockSize {
		panic(CheckNonce(nonce))
	}
	selector := nonce[len(nonce)-1] & selectorMasks[uint(size)%uint(len(selectorMasks))]
	p := newPad(nonce, selector)
	p.at = int(selector) * size
	return p
}

// PadOf8 is PadOf for eight-byte nonces, the usual length. It is kept small enough to
// inline, because a call would make short messages about 10% slower.
func PadOf8(nonce []byte, size int) (p Pad) {
	p.lo = binary.LittleEndian.Uint64(nonce)
	selector := p.lo >> 56 & uint64(selectorMasks[uint(size)%uint(len(selectorMasks))])
	p.lo ^= selector << 56
	p.at = int(selector) * size
	return p
}

// selectorMasks maps each tag size to the bits of the nonce's last byte that determine
// which part of the encrypted block is used as the pad.
var selectorMasks = [32]byte{4: 3, 8: 1}

// newPad returns a Pad for a nonce of 1 to 16 bytes, padded with zeros. The caller must
// set at.
func newPad(nonce []byte, selector byte) (p Pad) {
	n := len(nonce)
	last := uint64(selector) << ((n - 1) % 8 * 8) // bits to clear in the last byte
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

// A CachedPad caches one AES block. The block may contain the pads of several nonces.
type CachedPad struct {
	Pad
	block [aes.BlockSize]byte // the encrypted block if ready, otherwise the plaintext block
	ready bool
}

// Set selects the pad p. It does not encrypt the block yet.
func (k *CachedPad) Set(p Pad) {
	if p.lo != k.lo || p.hi != k.hi {
		k.ready = false
		binary.LittleEndian.PutUint64(k.block[:8], p.lo)
		binary.LittleEndian.PutUint64(k.block[8:], p.hi)
	}
	k.Pad = p
}

// encrypted returns the encrypted block, starting with the pad. Avoid calling it right
// after Set: loading the whole block would stall, because Set writes the block with
// narrower stores.
func (k *CachedPad) encrypted(cipher cipher.Block) []byte {
	if !k.ready {
		// Hiding the block from escape analysis saves an allocation per pad. This is
		// safe because crypto/aes does not retain the block.
		block := noescape(&k.block)
		cipher.Encrypt(block[:], block[:])
		k.ready = true
	}
	return k.block[k.at:]
}

// noescape returns b but hides the relation to b from escape analysis.
//
//go:nocheckptr
func noescape(b *[aes.BlockSize]byte) *[aes.BlockSize]byte {
	return (*[aes.BlockSize]byte)(unsafe.Add(unsafe.Pointer(nil), uintptr(unsafe.Pointer(b))))
}
