// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"crypto/rand"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/multimac"
	"github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/umac"
)

// An algorithm is a MAC supported by the sum, check and demo commands.
type algorithm struct {
	name string

	// Sizes are in bytes. A nonceSize of 0 means that the algorithm takes no nonce, so
	// equal messages have equal tags.
	keySize, nonceSize, tagSize int

	// new returns a MAC for one message.
	new func(key, nonce []byte) (hash.Hash, error)

	// If list is set, a single tag covers all files, and a call to the MAC's Next
	// method ends each file. Otherwise, each file gets its own tag.
	list bool
}

const defaultAlgorithm = "umac-128"

// algorithms lists every algorithm. A number after the hyphen is the tag size in bits.
var algorithms = []*algorithm{
	umacAlgorithm("umac-128", umac.Size128),
	umacAlgorithm("umac-96", umac.Size96),
	umacAlgorithm("umac-64", umac.Size64),
	umacAlgorithm("umac-32", umac.Size32),
	{name: "poly1305", keySize: poly1305.KeySize, nonceSize: poly1305NonceSize, tagSize: poly1305.TagSize, new: newPoly1305},
	multimixerAlgorithm("multimixer-512", 64),
	multimixerAlgorithm("multimixer-256", 32),
	multimixerAlgorithm("multimixer-128", 16),
	aegisAlgorithm("aegismac256x2-256", 32),
	aegisAlgorithm("aegismac256x2-128", 16),
	{name: "multimac-256", keySize: 2 * multimacSize, tagSize: multimacSize, new: newMultiMAC, list: true},
}

func umacAlgorithm(name string, size int) *algorithm {
	return &algorithm{name: name, keySize: umac.KeySize, nonceSize: umac.MaxNonceSize, tagSize: size, new: func(key, nonce []byte) (hash.Hash, error) {
		k, err := umac.NewKey(key, size)
		if err != nil {
			return nil, err
		}
		return k.New(nonce), nil
	}}
}

// poly1305NonceSize is the size in bytes of the nonce used to derive the one-time key.
// It is large enough that random nonces do not repeat in practice.
const poly1305NonceSize = 16

// newPoly1305 returns Poly1305 under a one-time key derived from key and nonce.
func newPoly1305(key, nonce []byte) (hash.Hash, error) {
	if len(key) != poly1305.KeySize {
		return nil, fmt.Errorf("poly1305: key of %d bytes, want %d", len(key), poly1305.KeySize)
	}
	oneTime := deriveKey(key, nonce, poly1305.KeySize)
	return poly1305.New((*[poly1305.KeySize]byte)(oneTime)), nil
}

func multimixerAlgorithm(name string, size int) *algorithm {
	return &algorithm{name: name, keySize: multimixer.KeySize, tagSize: size, new: func(key, _ []byte) (hash.Hash, error) {
		k, err := multimixer.NewKey(key, size)
		if err != nil {
			return nil, err
		}
		return k.New(), nil
	}}
}

// aegisAlgorithm returns AEGISMAC with an all-zero nonce. Unlike UMAC, AEGISMAC remains
// secure even if a nonce is reused.
func aegisAlgorithm(name string, size int) *algorithm {
	return &algorithm{name: name, keySize: aegis.AEGIS256X2.KeySize(), tagSize: size, new: func(key, _ []byte) (hash.Hash, error) {
		return aegis.NewMAC(aegis.AEGIS256X2, key, nil, size)
	}}
}

// multimacSize is the size in bytes of a MultiMAC tag and of each of the two keys.
const multimacSize = 32

// newMultiMAC returns MultiMAC. Its two keys are the halves of key.
func newMultiMAC(key, _ []byte) (hash.Hash, error) {
	if len(key) != 2*multimacSize {
		return nil, fmt.Errorf("multimac: keys of %d bytes together, want %d", len(key), 2*multimacSize)
	}
	k, err := multimac.NewKey(key[:multimacSize], key[multimacSize:])
	if err != nil {
		return nil, err
	}
	return k.New(), nil
}

func findAlgorithm(name string) (*algorithm, error) {
	for _, a := range algorithms {
		if a.name == name {
			return a, nil
		}
	}
	return nil, fmt.Errorf("no algorithm %q; there are %s", name, strings.Join(algorithmNames(), ", "))
}

func algorithmNames() []string {
	var names []string
	for _, a := range algorithms {
		names = append(names, a.name)
	}
	return names
}

// newNonce returns a random nonce. It is empty if the algorithm takes no nonce.
func (a *algorithm) newNonce() []byte {
	nonce := make([]byte, a.nonceSize)
	rand.Read(nonce)
	return nonce
}

// addInput copies r to h and, if h has a Next method, calls Next to end the input.
func addInput(h hash.Hash, r io.Reader) error {
	// Use a large buffer, because the kernels are fastest on large writes. The struct
	// hides r's WriteTo method, which might use a smaller one.
	_, err := io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, 128<<10))
	if list, ok := h.(interface{ Next() }); ok {
		list.Next()
	}
	return err
}
