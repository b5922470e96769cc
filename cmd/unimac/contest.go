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
	xchacha20 "golang.org/x/crypto/chacha20"
	xchacha20poly1305 "golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 deprecated for those who would build on it; here it is what unimac is compared with
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/chacha20"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/multimac"
	"github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/umac"
)

// A contestant does some work with a message.
type contestant struct {
	name, origin string

	// start returns what does the work once.
	start func(msg []byte) (work func(), err error)
}

// A contestKind is what can be compared. The last is what others are compared to.
type contestKind struct {
	title       string
	contestants []contestant
}

// contestKinds lists what bench measures.
func contestKinds() []*contestKind {
	const own, x = "unimac", "x/crypto"
	last := contestant{"chacha20-poly1305", x, sealWork(xchacha20poly1305.New, 32)}
	streams := &contestKind{title: "FORMAT OF unimac seal"}
	for _, f := range sealedFormats {
		streams.contestants = append(streams.contestants, contestant{formatName(f), own, streamWork(f)})
	}
	streams.contestants = append(streams.contestants, last)
	return []*contestKind{
		{"MAC, NONCE OR ONE-TIME KEY", []contestant{
			{"umac-64", own, umacWork(umac.Size64)},
			{"umac-128", own, umacWork(umac.Size128)},
			{"poly1305", own, poly1305Work(poly1305.Sum)},
			{"poly1305", x, poly1305Work(xpoly1305.Sum)},
			{"aes-128-gmac", "crypto/cipher", tagWork(func() (func(tag, msg []byte) []byte, error) {
				a, err := newGCM(make([]byte, 16)) // which encrypts nothing
				return func(tag, msg []byte) []byte { return a.Seal(tag, make([]byte, 12), nil, msg) }, err
			})},
		}},
		{"MAC, NO NONCE", []contestant{
			{"multimixer-128", own, tagWork(func() (func(tag, msg []byte) []byte, error) {
				k, err := multimixer.NewKey(make([]byte, multimixer.KeySize), 16)
				return k.Sum, err
			})},
			{"multimac-256", own, tagWork(func() (func(tag, msg []byte) []byte, error) {
				k, err := multimac.NewKey(make([]byte, 32), append(make([]byte, 31), 1))
				return func(tag, msg []byte) []byte { return k.Sum(tag, msg) }, err
			})},
			{"aegismac256x2-128", own, hashWork(func() (hash.Hash, error) { return aegis.NewMAC(aegis.AEGIS256X2, make([]byte, 32), nil, 16) })},
			{"blake2b-256", own, hashWork(func() (hash.Hash, error) { return blake2b.New256(make([]byte, 32)) })},
			{"blake2b-256", x, hashWork(func() (hash.Hash, error) { return xblake2b.New256(make([]byte, 32)) })},
			{"hmac-sha256", "crypto/hmac", hashWork(func() (hash.Hash, error) { return hmac.New(sha256.New, make([]byte, 32)), nil })},
		}},
		{"CIPHER", []contestant{
			{"chacha20", own, cipherWork(chacha20.NewUnauthenticatedCipher)},
			{"chacha20", x, cipherWork(xchacha20.NewUnauthenticatedCipher)},
		}},
		{"ENCRYPTION AND MAC", []contestant{
			{"chacha20-poly1305", own, sealWork(chacha20poly1305.New, 32)},
			{"chacha20-poly1305-siv", own, sealWork(chacha20poly1305.NewSIV, 32)},
			{"chacha20-blake2b", own, sealWork(aead.New, 32)},
			{"xchacha20-blake2b", own, sealWork(aead.NewX, 32)},
			{"xchacha20-blake2b-siv", own, sealWork(aead.NewSIV, 32)},
			{"aegis-128x2", own, sealWork(newAEGIS(aegis.AEGIS128X2), 16)},
			{"aegis-256x2", own, sealWork(newAEGIS(aegis.AEGIS256X2), 32)},
			{"aes-128-gcm", "crypto/cipher", sealWork(newGCM, 16)},
			last,
		}},
		streams,
	}
}

// tagWork is a MAC of whole messages.
func tagWork(start func() (sum func(tag, msg []byte) []byte, err error)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		sum, err := start()
		tag := make([]byte, 0, 64)
		return func() { tag = sum(tag[:0], msg) }, err
	}
}

// umacWork takes the next nonce for each message.
func umacWork(size int) func(msg []byte) (func(), error) {
	return tagWork(func() (func(tag, msg []byte) []byte, error) {
		k, err := umac.NewKey(make([]byte, umac.KeySize), size)
		nonce, count := make([]byte, 8), uint64(0)
		return func(tag, msg []byte) []byte {
			count++
			binary.BigEndian.PutUint64(nonce, count)
			return k.Sum(tag, nonce, msg)
		}, err
	})
}

func poly1305Work(sum func(out *[16]byte, m []byte, key *[32]byte)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		tag, key := new([16]byte), &[32]byte{1, 2, 3}
		return func() { sum(tag, msg, key) }, nil
	}
}

func newAEGIS(v aegis.Variant) func(key []byte) (cipher.AEAD, error) {
	return func(key []byte) (cipher.AEAD, error) { return aegis.New(v, key) }
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// hashWork is a MAC that is reset for each message.
func hashWork(newHash func() (hash.Hash, error)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		h, err := newHash()
		tag := make([]byte, 0, 64)
		return func() {
			h.Reset()
			h.Write(msg)
			tag = h.Sum(tag[:0])
		}, err
	}
}

// cipherWork begins a key stream for each message.
func cipherWork[C cipher.Stream](newCipher func(key, nonce []byte) (C, error)) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		key, nonce, out := make([]byte, 32), make([]byte, 12), make([]byte, len(msg))
		_, err := newCipher(key, nonce)
		return func() {
			c, _ := newCipher(key, nonce) // what it has failed on before
			c.XORKeyStream(out, msg)
		}, err
	}
}

func sealWork(newAEAD func(key []byte) (cipher.AEAD, error), keySize int) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		a, err := newAEAD(make([]byte, keySize))
		if err != nil {
			return nil, err
		}
		nonce, out := make([]byte, a.NonceSize()), make([]byte, 0, len(msg)+a.Overhead())
		return func() { out = a.Seal(out[:0], nonce, msg, nil) }, nil
	}
}

// streamWork seals a stream as long as the message.
func streamWork(f stream.Format) func(msg []byte) (func(), error) {
	return func(msg []byte) (func(), error) {
		key := make([]byte, f.KeySize())
		seal := func() error {
			w, err := stream.Options{Format: f}.NewWriter(io.Discard, key)
			if err != nil {
				return err
			}
			w.Write(msg) // Close returns its error, too
			return w.Close()
		}
		return func() { seal() }, seal()
	}
}
