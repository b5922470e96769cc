// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"hash"

	"github.com/minio/highwayhash"
	"lukechampine.com/blake3"

	"github.com/unimac/unimac/internal/bench/peer/openssl"
)

// What a program may take instead, though it is another algorithm.

// blake3MAC is keyed BLAKE3 with tags of 32 bytes.
func blake3MAC(key []byte) Entrant {
	return Entrant{Name: "blake3", Label: "keyed BLAKE3, lukechampine.com", Other: true, Start: func(size int) (*Work, error) {
		return hashWork(blake3.New(32, key), size), nil
	}}
}

// hashWork hashes a message of a size.
func hashWork(h hash.Hash, size int) *Work {
	msg, tag := data(size, 2), make([]byte, h.Size())
	return work(tag, func(n int) {
		for range n {
			h.Reset()
			h.Write(msg)
			h.Sum(tag[:0])
		}
	})
}

// highwayHash is a fast keyed hash function whose authors claim that it is a MAC. There is
// no proof, and little analysis.
func highwayHash(key []byte) Entrant {
	return Entrant{Name: "highwayhash-128", Label: "HighwayHash-128 (claimed, unproven)", Other: true, Start: func(size int) (*Work, error) {
		h, err := highwayhash.New128(key)
		if err != nil {
			return nil, err
		}
		return hashWork(h, size), nil
	}}
}

// gmac is AES-GCM that authenticates and encrypts nothing.
func gmac() Entrant {
	return Entrant{Name: "gmac", Label: "AES-256-GMAC, crypto/cipher", Other: true, Start: func(size int) (*Work, error) {
		a, err := newGCM(data(32, 1))
		if err != nil {
			return nil, err
		}
		msg, nonce, tag := data(size, 2), make([]byte, 12), make([]byte, 16)
		return work(tag, func(n int) {
			for range n {
				nonce[0]++
				a.Seal(tag[:0], nonce, nil, msg)
			}
		}), nil
	}}
}

// aesGCM is AES-256-GCM of the standard library, for seal or open.
func aesGCM(open bool) Entrant {
	return Entrant{Name: "aes-256-gcm", Label: "AES-256-GCM, crypto/cipher", Other: true, Start: startAEAD(newGCM, open)}
}

// opensslGCM is that of OpenSSL.
func opensslGCM(open bool) Entrant {
	return Entrant{Name: "openssl-aes-256-gcm", Label: "AES-256-GCM, OpenSSL", Other: true, Start: func(size int) (*Work, error) {
		key, nonce, msg := data(32, 1), data(12, 2), data(size, 4)
		a, sealed := openssl.NewAEAD(openssl.AES256GCM, key), make([]byte, size+16)
		if !open {
			return &Work{Answer: sealed, Loop: work(nil, a.Seal(sealed, nonce, msg)).Loop, stop: a.Free}, nil
		}
		a.Seal(sealed, nonce, msg)(1)
		dst := make([]byte, size)
		return &Work{Answer: dst, Loop: work(nil, a.Open(dst, nonce, sealed)).Loop, stop: a.Free}, nil
	}}
}

// committingGCM is AES-256-GCM with a commitment to key, nonce, data and message: the hash
// of the first three and of the tag, which is appended (after CTX, Chan and Rogaway, 2022,
// but with the tag next to the hash, because crypto/cipher checks it).
func committingGCM(open bool) Entrant {
	return Entrant{Name: "aes-256-gcm-committing", Label: "AES-256-GCM and SHA-256 to commit", Other: true, Start: func(size int) (*Work, error) {
		gcm, err := newGCM(data(32, 1))
		if err != nil {
			return nil, err
		}
		return aeadWork(&committing{AEAD: gcm, key: [32]byte(data(32, 1))}, open, size), nil
	}}
}

type committing struct {
	cipher.AEAD
	key [32]byte
}

func (c *committing) Overhead() int { return c.AEAD.Overhead() + sha256.Size }

func (c *committing) commitment(nonce, tag, ad []byte) [sha256.Size]byte {
	var block [32 + 12 + 16 + 64]byte
	input := append(block[:0], c.key[:]...)
	input = append(append(append(input, nonce...), tag...), ad...)
	return sha256.Sum256(input)
}

func (c *committing) Seal(dst, nonce, plaintext, ad []byte) []byte {
	dst = c.AEAD.Seal(dst, nonce, plaintext, ad)
	sum := c.commitment(nonce, dst[len(dst)-16:], ad)
	return append(dst, sum[:]...)
}

func (c *committing) Open(dst, nonce, sealed, ad []byte) ([]byte, error) {
	split := len(sealed) - sha256.Size
	sum := c.commitment(nonce, sealed[split-16:split], ad)
	if subtle.ConstantTimeCompare(sum[:], sealed[split:]) != 1 {
		panic("aes-256-gcm-committing: not authentic")
	}
	return c.AEAD.Open(dst, nonce, sealed[:split], ad)
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// startAEAD begins aeadWork.
func startAEAD(newAEAD func(key []byte) (cipher.AEAD, error), open bool) starter {
	return func(size int) (*Work, error) {
		a, err := newAEAD(data(32, 1))
		if err != nil {
			return nil, err
		}
		return aeadWork(a, open, size), nil
	}
}

// aeadWork seals or opens a message of a size, under one nonce, without additional data.
func aeadWork(a cipher.AEAD, open bool, size int) *Work {
	return aeadWorkOn(a, open, data(a.NonceSize(), 2), data(size, 4), nil)
}

func aeadWorkOn(a cipher.AEAD, open bool, nonce, msg, ad []byte) *Work {
	sealed := a.Seal(make([]byte, 0, len(msg)+a.Overhead()), nonce, msg, ad)
	if !open {
		return work(sealed, func(n int) {
			for range n {
				a.Seal(sealed[:0], nonce, msg, ad)
			}
		})
	}
	dst := make([]byte, len(msg))
	return work(dst, func(n int) {
		for range n {
			if _, err := a.Open(dst[:0], nonce, sealed, ad); err != nil {
				panic(err)
			}
		}
	})
}
