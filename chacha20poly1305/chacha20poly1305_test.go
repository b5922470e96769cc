// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/cipher"
	"testing"

	upstream "golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

type algorithm struct {
	name      string
	nonceSize int
	newAEAD   func(key []byte) (cipher.AEAD, error)
	upstream  func(key []byte) (cipher.AEAD, error)
}

var algorithms = []algorithm{
	{"ChaCha20-Poly1305", NonceSize, New, upstream.New},
	{"XChaCha20-Poly1305", NonceSizeX, NewX, upstream.NewX},
}

func mustAEAD(tb testing.TB, newAEAD func(key []byte) (cipher.AEAD, error), key []byte) cipher.AEAD {
	tb.Helper()
	a, err := newAEAD(key)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// implementations runs f as a subtest for every kernel, and where none is on, for those of
// the packages below.
func implementations(t *testing.T, f func(t *testing.T)) {
	mactest.Implementations(t, "chacha20poly1305", func(t *testing.T) {
		if testing.Short() || impl.InUse("chacha20poly1305") != impl.Generic {
			f(t) // a short test leaves the others to their own packages
			return
		}
		for _, pkg := range []string{"poly1305", "chacha20"} {
			t.Run(pkg, func(t *testing.T) { mactest.Implementations(t, pkg, f) })
		}
	})
}

// TestWycheproof has the cases of C2SP's Wycheproof, with nonces of wrong lengths among them.
func TestWycheproof(t *testing.T) { implementations(t, testWycheproof) }

func testWycheproof(t *testing.T) {
	type test struct {
		X, Valid                             bool
		ID                                   int
		Key, Nonce, AD, Msg, Ciphertext, Tag vectors.Hex
	}
	for _, v := range vectors.Load[test](t, "chacha20poly1305_wycheproof.json") {
		alg := algorithms[0]
		if v.X {
			alg = algorithms[1]
		}
		a := mustAEAD(t, alg.newAEAD, v.Key)
		if len(v.Nonce) != alg.nonceSize {
			if v.Valid {
				t.Fatalf("%s, case %d: valid with a nonce of %d bytes", alg.name, v.ID, len(v.Nonce))
			}
			continue // it panics, see TestPanics
		}
		sealed := append(bytes.Clone(v.Ciphertext), v.Tag...)
		opened, err := a.Open(nil, v.Nonce, sealed, v.AD)
		if ok := err == nil; ok != v.Valid || ok && !bytes.Equal(opened, v.Msg) {
			t.Errorf("%s, case %d: Open = %x, %v; valid is %v", alg.name, v.ID, opened, err, v.Valid)
		}
		if got := a.Seal(nil, v.Nonce, v.Msg, v.AD); bytes.Equal(got, sealed) != v.Valid {
			t.Errorf("%s, case %d: Seal = %x, and %x is valid: %v", alg.name, v.ID, got, sealed, v.Valid)
		}
	}
}

func TestAEAD(t *testing.T) { implementations(t, testAEAD) }

func testAEAD(t *testing.T) {
	for _, alg := range algorithms {
		t.Run(alg.name, func(t *testing.T) {
			mactest.TestAEAD(t, func(key []byte) cipher.AEAD { return mustAEAD(t, alg.newAEAD, key) })
		})
	}
}
