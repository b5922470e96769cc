// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestRandomNonce seals with NewXWithRandomNonce and opens with NewX, and vice versa,
// out of place and in place, with and without a prefix.
func TestRandomNonce(t *testing.T) {
	key := mactest.Random(KeySize, 1)
	a, err := NewXWithRandomNonce(key)
	if err != nil {
		t.Fatal(err)
	}
	x := mustAEAD(t, algorithms[1], key, TagSize)
	if a.NonceSize() != 0 || a.Overhead() != NonceSizeX+TagSize {
		t.Fatalf("NonceSize %d, Overhead %d", a.NonceSize(), a.Overhead())
	}
	nonces := make(map[string]bool)
	for _, n := range []int{0, 1, 23, 24, 25, 100, 1024, 70000} {
		plaintext, data := mactest.Random(n, 2), mactest.Random(n%50, 3)
		prefix := []byte("prefix")
		check := func(how string, sealed []byte) {
			t.Helper()
			nonce := sealed[:NonceSizeX]
			if nonces[string(nonce)] {
				t.Fatalf("%d bytes, %s: a nonce was repeated", n, how)
			}
			nonces[string(nonce)] = true
			if want := x.Seal(nil, nonce, plaintext, data); !bytes.Equal(sealed[NonceSizeX:], want) {
				t.Fatalf("%d bytes, %s: wrong ciphertext", n, how)
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
			t.Fatalf("%d bytes: opens to %d, %v", n, len(got), err)
		}
		for _, i := range []int{0, NonceSizeX - 1, len(sealed) - 1, len(sealed) / 2} {
			forged := bytes.Clone(sealed)
			forged[i] ^= 1
			want := bytes.Clone(forged)
			if got, err := a.Open(forged[:0], nil, forged, data); got != nil || err != ErrAuth || !bytes.Equal(forged, want) {
				t.Fatalf("%d bytes, byte %d changed: %v, or written to", n, i, err)
			}
		}
		if got, err := a.Open(nil, nil, sealed, append(data, 1)); got != nil || err != ErrAuth {
			t.Fatalf("%d bytes, other data: %v", n, err)
		}
		for cut := 0; cut < len(sealed); cut += 1 + n/20 {
			if got, err := a.Open(nil, nil, sealed[:cut], data); got != nil || err != ErrAuth {
				t.Fatalf("%d bytes, cut after %d: %v", n, cut, err)
			}
		}
		if got, err := a.Open(sealed[:0], nil, sealed, data); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("%d bytes: opens in place to %d, %v", n, len(got), err)
		}
		if rest := sealed[n:min(n+NonceSizeX, len(before))]; n > 0 && !bytes.Equal(rest, make([]byte, NonceSizeX)) {
			t.Fatalf("%d bytes: plaintext stays after that which was opened in place", n)
		}
	}
}

func TestRandomNonceMisuse(t *testing.T) {
	for n := range 40 {
		a, err := NewXWithRandomNonce(make([]byte, n))
		if (err == nil) != (n == KeySize) || (a == nil) != (err != nil) {
			t.Errorf("key of %d bytes: %v", n, err)
		}
	}
	a, err := NewXWithRandomNonce(make([]byte, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 300)
	sealed := a.Seal(nil, nil, make([]byte, 50), nil)
	for name, f := range map[string]func(){
		"Seal with a nonce":                 func() { a.Seal(nil, make([]byte, NonceSizeX), nil, nil) },
		"Open with a nonce":                 func() { a.Open(nil, make([]byte, NonceSizeX), sealed, nil) },
		"Seal that overlaps":                func() { a.Seal(buf[:1], nil, buf[:50], nil) },
		"Seal where the nonce would fit":    func() { a.Seal(buf[:0], nil, buf[NonceSizeX:100], nil) },
		"Seal over the additional data":     func() { a.Seal(buf[:0], nil, nil, buf[:10]) },
		"Open to where the ciphertext is":   func() { in := append(buf[:0], sealed...); a.Open(in[:NonceSizeX], nil, in, nil) },
		"Open over the additional data":     func() { a.Open(buf[:0], nil, sealed, buf[:10]) },
		"Seal of more than a message's end": func() { a.(*randomNonceAEAD).x.limit = 10; a.Seal(nil, nil, buf[:11], nil) },
	} {
		if mactest.Panic(f) == "" {
			t.Errorf("%s: no panic", name)
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
