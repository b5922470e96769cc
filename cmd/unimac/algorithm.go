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

// An algorithm is a MAC that sum, check and demo know.
type algorithm struct {
	name string

	// Sizes in bytes. An algorithm whose nonceSize is 0 takes no nonce: the same
	// message always has the same tag.
	keySize, nonceSize, tagSize int

	// new returns the MAC of one message, under a key and a nonce of the sizes
	// above.
	new func(key, nonce []byte) (hash.Hash, error)

	// list says that a message is a list of inputs, each ended by the method Next
	// of the MAC. Of the others, each file is a message.
	list bool
}

// defaultAlgorithm is what sum uses unless told otherwise.
const defaultAlgorithm = "umac-128"

// algorithms lists every algorithm, the ones of a family by falling length of the
// tag. Where a name ends in a number, that is this length in bits.
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

// poly1305NonceSize is the size in bytes of the random nonces that one-time keys
// are derived from: long enough never to repeat.
const poly1305NonceSize = 16

// newPoly1305 returns Poly1305 under the one-time key that belongs to the nonce.
// It is derived from key, which never is a one-time key itself.
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

// aegisAlgorithm returns AEGISMAC with a nonce of zeros, which it needs no more of.
func aegisAlgorithm(name string, size int) *algorithm {
	return &algorithm{name: name, keySize: aegis.AEGIS256X2.KeySize(), tagSize: size, new: func(key, _ []byte) (hash.Hash, error) {
		return aegis.NewMAC(aegis.AEGIS256X2, key, nil, size)
	}}
}

// multimacSize is the size in bytes of MultiMAC's tag and of each of its keys.
const multimacSize = 32

// newMultiMAC returns MultiMAC under the two keys that key is joined of.
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

func findAlgorithm(name string) *algorithm {
	for _, a := range algorithms {
		if a.name == name {
			return a
		}
	}
	return nil
}

func algorithmNames() []string {
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
		names[i] = a.name
	}
	return names
}

// noAlgorithm says that there is no algorithm of that name.
func noAlgorithm(name string) string {
	return fmt.Sprintf("no algorithm %q; there are %s", name, strings.Join(algorithmNames(), ", "))
}

// newNonce returns a nonce that was never used: 16 random bytes do not repeat. It
// is empty for an algorithm without nonces.
func (a *algorithm) newNonce() []byte {
	nonce := make([]byte, a.nonceSize)
	rand.Read(nonce)
	return nonce
}

// begin returns the MAC of a message, under the key of that name.
func (a *algorithm) begin(master *masterKey, keyName string, nonce []byte) (hash.Hash, error) {
	return a.new(master.derive(keyName, a.keySize), nonce)
}

// addInput gives a MAC what a reader holds, in memory of constant size. Where a message is a list,
// that is an input of its own.
func addInput(h hash.Hash, r io.Reader) error {
	// Large pieces suit the kernels. The struct hides WriteTo, which would
	// bring a smaller buffer of its own.
	_, err := io.CopyBuffer(h, struct{ io.Reader }{r}, make([]byte, 128<<10))
	if list, ok := h.(interface{ Next() }); ok {
		list.Next()
	}
	return err
}
