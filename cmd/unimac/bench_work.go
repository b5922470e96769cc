// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"

	xblake2b "golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 deprecated for those who would build on it; here it is what unimac is compared with
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/multimac"
	"github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/umac"
)

// contestKinds lists what bench measures.
func contestKinds() []*contestKind {
	const own, x = "unimac", "x/crypto"
	return []*contestKind{
		{
			title: "MAC, NONCE OR ONE-TIME KEY",
			contestants: []contestant{
				{"umac-64", own, umacWork(umac.Size64)},
				{"umac-128", own, umacWork(umac.Size128)},
				{"poly1305", own, poly1305Work(poly1305.Sum)},
				{"poly1305", x, poly1305Work(xpoly1305.Sum)},
				{"aes-128-gmac", "crypto/cipher", gmacWork},
			},
			reference: 4,
		},
		{
			title: "MAC, NO NONCE",
			contestants: []contestant{
				{"multimixer-128", own, multimixerWork},
				{"multimac-256", own, multimacWork},
				{"blake2b-256, keyed", x, hashWork(func() (hash.Hash, error) { return xblake2b.New256(make([]byte, 32)) })},
				{"hmac-sha256", "crypto/hmac", hashWork(func() (hash.Hash, error) { return hmac.New(sha256.New, make([]byte, 32)), nil })},
			},
			reference: 3,
		},
		{
			title: "ENCRYPTION AND MAC",
			contestants: []contestant{
				{"chacha20-blake2b", own, aeadWork(aead.New, aead.KeySize)},
				{"xchacha20-blake2b", own, aeadWork(aead.NewX, aead.KeySize)},
				{"xchacha20-blake2b-siv", own, aeadWork(aead.NewSIV, aead.KeySize)},
				{"stream", own, streamWork},
				{"chacha20-poly1305", x, aeadWork(chacha20poly1305.New, chacha20poly1305.KeySize)},
				{"aes-128-gcm", "crypto/cipher", aeadWork(newGCM, 16)},
			},
			reference: 4,
		},
	}
}

// umacWork takes the next nonce for each message.
func umacWork(size int) func(n int) (func(n int), error) {
	return func(n int) (func(n int), error) {
		k, err := umac.NewKey(make([]byte, umac.KeySize), size)
		if err != nil {
			return nil, err
		}
		msg, nonce, tag, count := make([]byte, n), make([]byte, 8), make([]byte, 0, size), uint64(0)
		return func(n int) {
			for range n {
				count++
				binary.BigEndian.PutUint64(nonce, count)
				tag = k.Sum(tag[:0], nonce, msg)
			}
		}, nil
	}
}

func poly1305Work(sum func(out *[16]byte, m []byte, key *[32]byte)) func(size int) (func(n int), error) {
	return func(size int) (func(n int), error) {
		msg, tag, key := make([]byte, size), new([16]byte), &[32]byte{1, 2, 3}
		return func(n int) {
			for range n {
				sum(tag, msg, key)
			}
		}, nil
	}
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// gmacWork is AES-GCM that encrypts nothing.
func gmacWork(size int) (func(n int), error) {
	a, err := newGCM(make([]byte, 16))
	if err != nil {
		return nil, err
	}
	msg, nonce, tag := make([]byte, size), make([]byte, a.NonceSize()), make([]byte, 0, a.Overhead())
	return func(n int) {
		for range n {
			tag = a.Seal(tag[:0], nonce, nil, msg)
		}
	}, nil
}

func multimixerWork(size int) (func(n int), error) {
	k, err := multimixer.NewKey(make([]byte, multimixer.KeySize), 16)
	if err != nil {
		return nil, err
	}
	msg, tag := make([]byte, size), make([]byte, 0, 16)
	return func(n int) {
		for range n {
			tag = k.Sum(tag[:0], msg)
		}
	}, nil
}

// multimacWork has lists of one input.
func multimacWork(size int) (func(n int), error) {
	k, err := multimac.NewKey(make([]byte, 32), append(make([]byte, 31), 1))
	if err != nil {
		return nil, err
	}
	msg, tag := make([]byte, size), make([]byte, 0, 32)
	return func(n int) {
		for range n {
			tag = k.Sum(tag[:0], msg)
		}
	}, nil
}

// hashWork is a MAC that is reset for each message.
func hashWork(newHash func() (hash.Hash, error)) func(size int) (func(n int), error) {
	return func(size int) (func(n int), error) {
		h, err := newHash()
		if err != nil {
			return nil, err
		}
		msg, tag := make([]byte, size), make([]byte, 0, h.Size())
		return func(n int) {
			for range n {
				h.Reset()
				h.Write(msg)
				tag = h.Sum(tag[:0])
			}
		}, nil
	}
}

// aeadWork seals.
func aeadWork(newAEAD func(key []byte) (cipher.AEAD, error), keySize int) func(size int) (func(n int), error) {
	return func(size int) (func(n int), error) {
		a, err := newAEAD(make([]byte, keySize))
		if err != nil {
			return nil, err
		}
		msg, nonce, out := make([]byte, size), make([]byte, a.NonceSize()), make([]byte, 0, size+a.Overhead())
		return func(n int) {
			for range n {
				out = a.Seal(out[:0], nonce, msg, nil)
			}
		}, nil
	}
}

// streamWork seals a stream as long as the message.
func streamWork(size int) (func(n int), error) {
	msg, key := make([]byte, size), make([]byte, aead.KeySize)
	seal := func() error {
		w, err := stream.NewWriter(io.Discard, key)
		if err != nil {
			return err
		}
		w.Write(msg) // Close returns its error, too
		return w.Close()
	}
	if err := seal(); err != nil {
		return nil, err
	}
	return func(n int) {
		for range n {
			seal()
		}
	}, nil
}
