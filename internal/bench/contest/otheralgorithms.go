// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"crypto/aes"
	"crypto/cipher"
	"hash"

	"github.com/minio/highwayhash"
	"lukechampine.com/blake3"

	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/internal/bench/peer/clib"
)

func blake3MAC(key []byte) Entrant {
	return Entrant{Name: "blake3", Label: "keyed BLAKE3, lukechampine.com", Other: true, Start: func(size int) (*Work, error) {
		return hashWork(blake3.New(32, key), size), nil
	}}
}

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

// highwayHash returns an entrant for HighwayHash, a fast keyed hash function. Its
// authors claim that it is a MAC, but there is no proof and little analysis.
func highwayHash(key []byte) Entrant {
	return Entrant{Name: "highwayhash-128", Label: "HighwayHash-128 (claimed, unproven)", Other: true, Start: func(size int) (*Work, error) {
		h, err := highwayhash.New128(key)
		if err != nil {
			return nil, err
		}
		return hashWork(h, size), nil
	}}
}

// gmac returns an entrant for GMAC, which is AES-GCM without plaintext.
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

func aesGCM(open bool) Entrant {
	return Entrant{Name: "aes-256-gcm", Label: "AES-256-GCM, crypto/cipher", Other: true, Start: startAEAD(newGCM, open)}
}

func opensslGCM() Entrant {
	e := library("openssl-aes-256-gcm", "AES-256-GCM, OpenSSL", libraryAEAD(false, clib.OpenSSLAESGCMSeal, 0))
	e.Other = true
	return e
}

// uncommitted returns an entrant for ChaCha20-Poly1305, whose tags do not commit to
// keys.
func uncommitted(open bool) Entrant {
	return Entrant{Name: "unimac-chacha20poly1305", Label: "unimac, ChaCha20-Poly1305", Ours: true, Other: true, Start: startAEAD(chacha20poly1305.New, open)}
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

type constructor = func(key []byte) (cipher.AEAD, error)

func startAEAD(newAEAD constructor, open bool) starter { return startWith(newAEAD, open, 0) }

// startWith prepares to seal or open a message repeatedly under the same nonce.
func startWith(newAEAD constructor, open bool, additionalData int) starter {
	return func(size int) (*Work, error) {
		a, err := newAEAD(data(32, 1))
		if err != nil {
			return nil, err
		}
		nonce, msg, ad := data(a.NonceSize(), 2), data(size, 4), data(additionalData, 5)
		sealed := a.Seal(make([]byte, 0, size+a.Overhead()), nonce, msg, ad)
		if !open {
			return work(sealed, func(n int) {
				for range n {
					a.Seal(sealed[:0], nonce, msg, ad)
				}
			}), nil
		}
		dst := make([]byte, size)
		return work(dst, func(n int) {
			for range n {
				_, err := a.Open(dst[:0], nonce, sealed, ad)
				must(err)
			}
		}), nil
	}
}
