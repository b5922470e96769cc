// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"encoding/binary"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/internal/bench/peer/sodium"
	"github.com/unimac/unimac/internal/blake2b"
)

// chachaBLAKE2b compares ChaCha20-BLAKE2b, without additional data, under a key that is kept.
func chachaBLAKE2b(open bool) Contest {
	c := Contest{Name: "chacha20-blake2b-seal", Title: "ChaCha20-BLAKE2b, Seal", Sizes: sizes(16, 1<<20)}
	if open {
		c.Name, c.Title = "chacha20-blake2b-open", "ChaCha20-BLAKE2b, Open"
	}
	c.Entrants = ours([]string{"chacha20", "blake2b", "chacha20blake2b"}, startAEAD(aead.New, open))
	if !open {
		c.Entrants = append(c.Entrants, Entrant{Name: "libsodium", Label: "libsodium, composed", Start: sodiumSeal}, aesGCM(open), opensslGCM(), uncommitted(open))
	}
	c.Entrants = append(c.Entrants, Entrant{Name: "unimac-blake2b-alone", Label: "unimac, BLAKE2b alone", Ours: true, Other: true, Start: blake2bAlone})
	return c
}

// sodiumSeal composes ChaCha20-BLAKE2b. A program keeps the key of the cipher; that of the MAC is
// another for each nonce and so part of the work.
func sodiumSeal(size int) (*Work, error) {
	const encContext, macContext = "ChaCha20-BLAKE2b 07/12/2021 20:40 ChaCha20.Encrypt()", "ChaCha20-BLAKE2b 07/12/2021 20:41 BLAKE2b.KeyedHash()"
	key, dst := data(aead.KeySize, 1), make([]byte, size+aead.TagSize)
	encKey := xSum(nil, key, withLengths(encContext, 0))
	return work(dst, sodium.Seal(dst, key, encKey, data(aead.NonceSize, 2), withLengths(macContext, aead.NonceSize), data(size, 4), nil)), nil
}

// withLengths appends to a context what ends the message of the key derivation.
func withLengths(context string, salt int) []byte {
	p := binary.LittleEndian.AppendUint32([]byte(context), uint32(salt))
	return binary.LittleEndian.AppendUint32(p, uint32(len(context)))
}

// blake2bAlone computes a tag over the message under a key that stays: the speed
// at which ChaCha20 would cost nothing.
func blake2bAlone(size int) (*Work, error) {
	keyed, msg, tag := blake2b.New(aead.TagSize, data(64, 1)), data(size, 2), make([]byte, aead.TagSize)
	return work(tag, func(n int) {
		for range n {
			keyed.SumWith(tag[:0], msg)
		}
	}), nil
}
