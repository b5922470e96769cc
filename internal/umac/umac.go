// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac computes UMAC tags (RFC 4418). The public package of the same name
// documents the algorithm and checks the argument lengths.
package umac

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

//go:generate go -C ../layout run . internal/umac
//go:generate go -C ../asm run . internal/umac

// A Key is an immutable expanded key for tags of one size.
type Key struct {
	*keys
	size int
	aes  cipher.Block // encrypts pads if no kernel does
}

// keys must not contain pointers, because the allocator stores a header before a struct
// with pointers. The header would misalign the NH key, and every 64-byte load of the NH
// key would cross a cache-line boundary. The assembly depends on the layout.
type keys struct {
	uhash uhashKey
	pad   roundKeys
	l3    l3Lanes
}

// NewKey returns a Key for an AES key and a tag size of 4, 8, 12 or 16 bytes.
func NewKey(key []byte, size int) (k Key, err error) {
	var derivation kdf
	if err := derivation.set(key); err != nil {
		return Key{}, err
	}
	var padKey [32]byte
	derivation.derive(padKey[:len(key)], 0)
	k = Key{keys: new(keys), size: size}
	k.uhash.set(&derivation, size/4)
	k.keys.l3.set(&k.uhash.l3)
	k.keys.pad.expand(padKey[:len(key)])
	k.aes, err = aes.NewCipher(padKey[:len(key)])
	clear(padKey[:])
	derivation = kdf{}
	return k, err
}

// Size returns the tag size in bytes, or 0 for the zero Key.
func (k *Key) Size() int { return k.size }

// sumInSteps implements Sum if no kernel computes the tag in one call. If sumInSteps
// were inlined, Sum would zero the memory for its local variables on every call.
//
//go:noinline
func (k *Key) sumInSteps(tag []byte, pad Pad, cached *CachedPad, msg []byte) {
	if cached == nil {
		cached = new(CachedPad)
		cached.Set(pad)
	}
	putTag(tag, k.uhash.hash(msg), cached.encrypted(k.aes))
}

func putTag(tag []byte, h uhash, pad []byte) {
	if len(tag) == 4 {
		binary.BigEndian.PutUint32(tag, uint32(h.hi>>32)^binary.BigEndian.Uint32(pad))
		return
	}
	binary.BigEndian.PutUint64(tag, h.hi^binary.BigEndian.Uint64(pad))
	switch len(tag) {
	case 12:
		binary.BigEndian.PutUint32(tag[8:], uint32(h.lo>>32)^binary.BigEndian.Uint32(pad[8:]))
	case 16:
		binary.BigEndian.PutUint64(tag[8:], h.lo^binary.BigEndian.Uint64(pad[8:]))
	}
}
