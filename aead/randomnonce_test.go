// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestRandomNonce checks that Seal returns a new nonce followed by NewX's ciphertext,
// that Open returns the plaintext, and that Open rejects changed and truncated messages,
// out of place and in place.
func TestRandomNonce(t *testing.T) {
	key := mactest.Random(KeySize, 1)
	a, err := NewXWithRandomNonce(key)
	if err != nil {
		t.Fatal(err)
	}
	x := mustAEAD(t, algorithms[1], key, TagSize)
	if a.NonceSize() != 0 || a.Overhead() != NonceSizeX+TagSize {
		t.Fatalf("NonceSize = %d, Overhead = %d, want 0, %d", a.NonceSize(), a.Overhead(), NonceSizeX+TagSize)
	}
	nonces := make(map[string]bool)
	for _, n := range []int{0, 1, 23, 24, 25, 100, 1024, 70000} {
		plaintext, data := mactest.Random(n, 2), mactest.Random(n%50, 3)
		prefix := []byte("prefix")
		check := func(how string, sealed []byte) {
			t.Helper()
			nonce := sealed[:NonceSizeX]
			if nonces[string(nonce)] {
				t.Fatalf("%d bytes, %s: got a repeated nonce", n, how)
			}
			nonces[string(nonce)] = true
			if want := x.Seal(nil, nonce, plaintext, data); !bytes.Equal(sealed[NonceSizeX:], want) {
				t.Fatalf("%d bytes, %s: got wrong ciphertext", n, how)
			}
		}
		check("apart", a.Seal(nil, nil, plaintext, data))
		check("after a prefix", a.Seal(bytes.Clone(prefix), nil, plaintext, data)[len(prefix):])
		inPlace := append(make([]byte, 0, n+a.Overhead()), plaintext...)
		sealed := a.Seal(inPlace[:0], nil, inPlace, data)
		check("in place", sealed)

		before := bytes.Clone(sealed)
		got, err := a.Open(bytes.Clone(prefix), nil, sealed, data)
		if err != nil || !bytes.Equal(got, append(prefix, plaintext...)) || !bytes.Equal(sealed, before) {
			t.Fatalf("%d bytes: Open: got %d bytes, error %v, want the plaintext after the prefix", n, len(got), err)
		}
		for _, i := range []int{0, NonceSizeX - 1, len(sealed) - 1, len(sealed) / 2} {
			forged := bytes.Clone(sealed)
			forged[i] ^= 1
			want := bytes.Clone(forged)
			if got, err := a.Open(forged[:0], nil, forged, data); got != nil || err != ErrAuth || !bytes.Equal(forged, want) {
				t.Fatalf("%d bytes, byte %d changed: got error %v, want %v and an unchanged ciphertext", n, i, err, ErrAuth)
			}
		}
		if got, err := a.Open(nil, nil, sealed, append(data, 1)); got != nil || err != ErrAuth {
			t.Fatalf("%d bytes, changed additional data: got error %v, want %v", n, err, ErrAuth)
		}
		for cut := 0; cut < len(sealed); cut += 1 + n/20 {
			if got, err := a.Open(nil, nil, sealed[:cut], data); got != nil || err != ErrAuth {
				t.Fatalf("%d bytes, truncated to %d: got error %v, want %v", n, cut, err, ErrAuth)
			}
		}
		if got, err := a.Open(sealed[:0], nil, sealed, data); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("%d bytes: Open in place: got %d bytes, error %v, want the plaintext", n, len(got), err)
		}
		if rest := sealed[n:min(n+NonceSizeX, len(before))]; n > 0 && !bytes.Equal(rest, make([]byte, NonceSizeX)) {
			t.Fatalf("%d bytes: after Open in place, %x follows the plaintext, want zeros", n, rest)
		}
	}
}

func TestRandomNonceMisuse(t *testing.T) {
	for n := range 40 {
		a, err := NewXWithRandomNonce(make([]byte, n))
		if (err == nil) != (n == KeySize) || (a == nil) != (err != nil) {
			t.Errorf("key of %d bytes: got error %v, want an error unless the key has %d bytes", n, err, KeySize)
		}
	}
	a, err := NewXWithRandomNonce(make([]byte, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 300)
	sealed := a.Seal(nil, nil, make([]byte, 50), nil)
	for name, f := range map[string]func(){
		"Seal with a nonce":                              func() { a.Seal(nil, make([]byte, NonceSizeX), nil, nil) },
		"Open with a nonce":                              func() { a.Open(nil, make([]byte, NonceSizeX), sealed, nil) },
		"Seal, inexact overlap":                          func() { a.Seal(buf[:1], nil, buf[:50], nil) },
		"Seal, ciphertext in place but nonce before it":  func() { a.Seal(buf[:0], nil, buf[NonceSizeX:100], nil) },
		"Seal, output overlaps the additional data":      func() { a.Seal(buf[:0], nil, nil, buf[:10]) },
		"Open, output at the ciphertext after the nonce": func() { in := append(buf[:0], sealed...); a.Open(in[:NonceSizeX], nil, in, nil) },
		"Open, output overlaps the additional data":      func() { a.Open(buf[:0], nil, sealed, buf[:10]) },
		"Seal beyond the limit":                          func() { a.(*randomNonceAEAD).x.lengthLimit = 10; a.Seal(nil, nil, buf[:11], nil) },
	} {
		if mactest.Panic(f) == "" {
			t.Errorf("%s: got no panic", name)
		}
	}
}

func TestRandomNonceAllocations(t *testing.T) {
	a, err := NewXWithRandomNonce(make([]byte, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	plaintext, out := make([]byte, 1000), make([]byte, 0, 1100)
	sealed := a.Seal(nil, nil, plaintext, nil)
	opened := make([]byte, 0, 1000)
	mactest.NoAllocations(t, "NewXWithRandomNonce's Seal, Open", func() {
		a.Seal(out, nil, plaintext, nil)
		if _, err := a.Open(opened, nil, sealed, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestRandomNonceBytes checks that the whole nonce is random.
func TestRandomNonceBytes(t *testing.T) {
	a, err := NewXWithRandomNonce(mactest.Random(KeySize, 8))
	if err != nil {
		t.Fatal(err)
	}
	mactest.AllRandom(t, "the nonce", func() []byte { return a.Seal(nil, nil, nil, nil)[:NonceSizeX] })
	mactest.AllRandom(t, "the nonce in place", func() []byte {
		text := make([]byte, 100, 100+a.Overhead())
		return a.Seal(text[:0], nil, text, nil)[:NonceSizeX]
	})
}
