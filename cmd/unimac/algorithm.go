// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"crypto/rand"
	"hash"
	"io"
	"strings"

	"github.com/unimac/unimac/umac"
)

// An algorithm is a MAC that sum, check and demo know.
type algorithm struct {
	name string

	// Sizes in bytes. An algorithm whose nonceSize is 0 takes no nonce.
	keySize, nonceSize, tagSize int

	// new returns the MAC of one message, under a key and a nonce of the sizes
	// above.
	new func(key, nonce []byte) (hash.Hash, error)
}

// defaultAlgorithm is what sum uses unless told otherwise.
const defaultAlgorithm = "umac-128"

// algorithms lists every algorithm, the ones of a family by falling strength.
var algorithms = []*algorithm{
	umacAlgorithm("umac-128", umac.Size128),
	umacAlgorithm("umac-96", umac.Size96),
	umacAlgorithm("umac-64", umac.Size64),
	umacAlgorithm("umac-32", umac.Size32),
}

func umacAlgorithm(name string, size int) *algorithm {
	return &algorithm{name, umac.KeySize, umac.MaxNonceSize, size, func(key, nonce []byte) (hash.Hash, error) {
		k, err := umac.NewKey(key, size)
		if err != nil {
			return nil, err
		}
		return k.New(nonce), nil
	}}
}

func findAlgorithm(name string) *algorithm {
	for _, a := range algorithms {
		if a.name == name {
			return a
		}
	}
	return nil
}

func algorithmNames() string {
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
		names[i] = a.name
	}
	return strings.Join(names, ", ")
}

// newNonce returns a nonce that was never used: 16 random bytes do not repeat.
func (a *algorithm) newNonce() []byte {
	nonce := make([]byte, a.nonceSize)
	rand.Read(nonce)
	return nonce
}

// sum returns the tag of all that r holds, in memory of constant size.
func (a *algorithm) sum(master *masterKey, nonce []byte, r io.Reader) ([]byte, error) {
	h, err := a.new(master.derive(a.name, a.keySize), nonce)
	if err != nil {
		return nil, err
	}
	// Large pieces suit the kernels. The struct hides WriteTo, which would bring
	// a smaller buffer of its own.
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, 128<<10)); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
