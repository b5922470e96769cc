// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

func mustRandomNonce(tb testing.TB, v Variant, key []byte) cipher.AEAD {
	tb.Helper()
	a, err := NewWithRandomNonce(v, key)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// TestRandomNonce checks that both New and NewWithRandomNonce open what
// NewWithRandomNonce seals, out of place and in place.
func TestRandomNonce(t *testing.T) {
	implementations(t, func(t *testing.T) {
		for _, v := range variants[3:] {
			t.Run(v.String(), func(t *testing.T) { testRandomNonce(t, v.Variant) })
		}
	})
}

func testRandomNonce(t *testing.T, v Variant) {
	key := mactest.Random(32, 50)
	a, x := mustRandomNonce(t, v, key), mustAEAD(t, v, key, 32)
	data := mactest.Random(10, 51)
	nonces := make(map[string]bool)
	check := func(sealed, plaintext []byte) {
		t.Helper()
		if len(sealed) != len(plaintext)+a.Overhead() {
			t.Fatalf("%d bytes: got a sealed message of %d bytes, want %d", len(plaintext), len(sealed), len(plaintext)+a.Overhead())
		}
		nonce := sealed[:32]
		if nonces[string(nonce)] {
			t.Fatal("got a repeated nonce")
		}
		nonces[string(nonce)] = true
		if got, err := x.Open(nil, nonce, sealed[32:], data); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("%d bytes: New: got wrong plaintext or error %v", len(plaintext), err)
		}
	}
	for _, n := range []int{0, 1, 31, 32, 33, 64, 100, 5000} {
		plaintext := mactest.Random(n, 52)
		sealed := a.Seal([]byte("prefix"), nil, plaintext, data)
		check(sealed[6:], plaintext)
		if got, err := a.Open([]byte("prefix"), nil, sealed[6:], data); err != nil || string(got) != "prefix"+string(plaintext) {
			t.Fatalf("%d bytes: Open: got wrong plaintext or error %v", n, err)
		}
		inPlace := append(make([]byte, 0, n+a.Overhead()), plaintext...)
		inPlace = a.Seal(inPlace[:0], []byte{}, inPlace, data)
		check(inPlace, plaintext)
		if got, err := a.Open(inPlace[:0], nil, inPlace, data); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("%d bytes: Open in place: got wrong plaintext or error %v", n, err)
		}
	}
}

// TestRandomNonceForgeries changes each byte and truncates at each position. Open must
// leave zeros, and must not change memory after its output.
func TestRandomNonceForgeries(t *testing.T) {
	a := mustRandomNonce(t, AEGIS256X2, mactest.Random(32, 53))
	const n = 100
	sealed := a.Seal(nil, nil, mactest.Random(n, 54), nil)
	for at := range sealed {
		forged := bytes.Clone(sealed)
		forged[at] ^= 1
		within := bytes.Clone(forged)
		for name, dst := range map[string][]byte{"apart": make([]byte, n), "in place": within[:n]} {
			in := forged
			if name == "in place" {
				in = within
			}
			if got, err := a.Open(dst[:0], nil, in, nil); got != nil || err != errOpen || !bytes.Equal(dst, make([]byte, n)) {
				t.Fatalf("byte %d changed, %s: Open = %x, %v and output %x, want nil, %v and zeros", at, name, got, err, dst, errOpen)
			}
			if !bytes.Equal(in[n:], forged[n:]) {
				t.Fatalf("byte %d changed, %s: Open changed memory after its output", at, name)
			}
		}
	}
	for cut := range sealed {
		if got, err := a.Open(nil, nil, sealed[:cut], nil); got != nil || err != errOpen {
			t.Errorf("Open of %d bytes = %x, %v, want nil, %v", cut, got, err, errOpen)
		}
	}
}

// TestRandomNonceOverlap places the output at every distance from the input.
func TestRandomNonceOverlap(t *testing.T) {
	a := mustRandomNonce(t, AEGIS256, mactest.Random(32, 55))
	const n, at = 20, 150
	plaintext := mactest.Random(n, 56)
	sealed := a.Seal(nil, nil, plaintext, nil)
	for to := range 2 * at {
		memory := make([]byte, 4*at)
		copy(memory[at:], plaintext)
		panicked := mactest.Panic(func() {
			got := a.Seal(memory[:to], nil, memory[at:at+n], nil)
			if opened, err := a.Open(nil, nil, got[to:], nil); err != nil || !bytes.Equal(opened, plaintext) {
				t.Errorf("Seal to offset %d from %d: got wrong result or error %v", to, at, err)
			}
		}) != ""
		if want := to != at && to+n+a.Overhead() > at && to < at+n; panicked != want {
			t.Errorf("Seal to offset %d from %d: panicked = %t, want %t", to, at, panicked, want)
		}
		clear(memory)
		copy(memory[at:], sealed)
		panicked = mactest.Panic(func() {
			if got, err := a.Open(memory[:to], nil, memory[at:at+len(sealed)], nil); err != nil || !bytes.Equal(got[to:], plaintext) {
				t.Errorf("Open to offset %d from %d: got wrong plaintext or error %v", to, at, err)
			}
		}) != ""
		if want := to != at && to+n > at && to < at+len(sealed); panicked != want {
			t.Errorf("Open to offset %d from %d: panicked = %t, want %t", to, at, panicked, want)
		}
	}
	for name, f := range map[string]func(){
		"Seal": func() { a.Seal(nil, make([]byte, 32), nil, nil) },
		"Open": func() { a.Open(nil, make([]byte, 32), make([]byte, 100), nil) },
	} {
		if got := mactest.Panic(f); got != "aegis: bad nonce length" {
			t.Errorf("%s with a nonce: got panic %q, want a bad nonce length", name, got)
		}
	}
}

func TestRandomNonceAllocations(t *testing.T) {
	a := mustRandomNonce(t, AEGIS256X4, mactest.Random(32, 57))
	for _, n := range []int{0, 100, 5000} {
		buffer := make([]byte, n, n+a.Overhead())
		mactest.NoAllocations(t, fmt.Sprintf("Seal and Open of %d bytes", n), func() {
			sealed := a.Seal(buffer[:0], nil, buffer, nil)
			if _, err := a.Open(sealed[:0], nil, sealed, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRandomNonceBytes checks that the whole nonce is random.
func TestRandomNonceBytes(t *testing.T) {
	a := mustRandomNonce(t, AEGIS256X2, mactest.Random(32, 58))
	mactest.AllRandom(t, "the nonce", func() []byte { return a.Seal(nil, nil, nil, nil)[:32] })
	mactest.AllRandom(t, "the nonce in place", func() []byte {
		text := make([]byte, 100, 100+a.Overhead())
		return a.Seal(text[:0], nil, text, nil)[:32]
	})
}
