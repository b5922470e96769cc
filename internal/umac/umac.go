// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac computes the tags of UMAC (RFC 4418). Package umac of the module's root says
// what they are good for, and checks the lengths of keys, tags and nonces.
package umac

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

//go:generate go -C ../asm run . internal/umac

// A Key is all that is derived from a key, for one size of tag. It never changes.
type Key struct {
	*keys
	size int
	aes  cipher.Block // encrypts pads where no kernel does
}

// keys has no pointers, because the allocator puts a header in front of a large value that
// has some, and then every load of 64 bytes of NH's key would cross a cache line. The
// assembly knows its layout.
type keys struct {
	uhash uhashKey
	pad   roundKeys
	l3    l3Lanes
}

// NewKey derives a Key for tags of 4, 8, 12 or 16 bytes from a key of AES.
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

// Size returns the length of the tags in bytes. It is 0 for the zero Key, which is no key.
func (k *Key) Size() int { return k.size }

// sumInSteps is Sum for long messages, and where there is no kernel for all of it. It is a
// function of its own so that no other clears memory for it.
//
//go:noinline
func (k *Key) sumInSteps(tag []byte, pad Pad, kept *KeptPad, msg []byte) {
	if kept == nil {
		kept = new(KeptPad)
		kept.Set(pad)
	}
	putTag(tag, k.uhash.hash(msg), kept.encrypted(k.aes))
}

// putTag stores the tag, a hash masked with its pad, in tag, which has its length.
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
