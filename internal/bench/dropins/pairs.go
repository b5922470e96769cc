// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"crypto/cipher"
	"fmt"

	xblake2b "golang.org/x/crypto/blake2b"
	xchacha20 "golang.org/x/crypto/chacha20"
	xaead "golang.org/x/crypto/chacha20poly1305"
	//lint:ignore SA1019 deprecated for those who would build on it; here it is a peer
	xpoly1305 "golang.org/x/crypto/poly1305"

	"github.com/unimac/unimac/blake2b"
	"github.com/unimac/unimac/chacha20"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/poly1305"
)

// A constructor makes an AEAD of a key.
type constructor = func(key []byte) (cipher.AEAD, error)

// pairs lists what is compared.
func pairs() (list []pair) {
	for _, a := range []struct {
		name         string
		ours, theirs constructor
	}{
		{"New", chacha20poly1305.New, xaead.New},
		{"NewX", chacha20poly1305.NewX, xaead.NewX},
	} {
		for _, data := range []int{0, 13} {
			list = append(list,
				pair{fmt.Sprintf("chacha20poly1305.%s Seal, %d bytes of additional data", a.name, data), sealer(a.ours, data), sealer(a.theirs, data)},
				pair{fmt.Sprintf("chacha20poly1305.%s Open, %d bytes of additional data", a.name, data), opener(a.ours, data), opener(a.theirs, data)})
		}
	}
	return append(list,
		pair{"chacha20, a cipher per message", stream(newOurs), stream(newTheirs)},
		pair{"blake2b.Sum256", hash(blake2b.Sum256), hash(xblake2b.Sum256)},
		pair{"blake2b.New512, Write and Sum", sum(func() hasher { return must(blake2b.New512(nil)) }), sum(func() hasher { return must(xblake2b.New512(nil)) })},
		pair{"poly1305.Sum", mac(poly1305.Sum), mac(xpoly1305.Sum)},
	)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func sealer(of constructor, data int) func(n int) func() {
	a := must(of(make([]byte, 32)))
	nonce, ad := make([]byte, a.NonceSize()), make([]byte, data)
	return func(n int) func() {
		text, dst := make([]byte, n), make([]byte, 0, n+a.Overhead())
		return func() { a.Seal(dst, nonce, text, ad) }
	}
}

func opener(of constructor, data int) func(n int) func() {
	a := must(of(make([]byte, 32)))
	nonce, ad := make([]byte, a.NonceSize()), make([]byte, data)
	return func(n int) func() {
		sealed, dst := a.Seal(nil, nonce, make([]byte, n), ad), make([]byte, 0, n)
		return func() { must(a.Open(dst, nonce, sealed, ad)) }
	}
}

func newOurs(key, nonce []byte) (cipher.Stream, error) {
	return chacha20.NewUnauthenticatedCipher(key, nonce)
}
func newTheirs(key, nonce []byte) (cipher.Stream, error) {
	return xchacha20.NewUnauthenticatedCipher(key, nonce)
}

func stream(of func(key, nonce []byte) (cipher.Stream, error)) func(n int) func() {
	key, nonce := make([]byte, 32), make([]byte, 12)
	return func(n int) func() {
		text := make([]byte, n)
		return func() { must(of(key, nonce)).XORKeyStream(text, text) }
	}
}

func hash(of func([]byte) [32]byte) func(n int) func() {
	return func(n int) func() {
		text := make([]byte, n)
		return func() { of(text) }
	}
}

// A hasher is a hash.Hash as far as it is used here.
type hasher interface {
	Write([]byte) (int, error)
	Sum([]byte) []byte
	Reset()
}

func sum(of func() hasher) func(n int) func() {
	h := of()
	return func(n int) func() {
		text, dst := make([]byte, n), make([]byte, 0, 64)
		return func() {
			h.Reset()
			h.Write(text)
			h.Sum(dst)
		}
	}
}

func mac(of func(out *[16]byte, m []byte, key *[32]byte)) func(n int) func() {
	var tag [16]byte
	var key [32]byte
	return func(n int) func() {
		text := make([]byte, n)
		return func() { of(&tag, text, &key) }
	}
}
