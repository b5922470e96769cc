// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
)

// TestRandomNonce checks that both NewX and NewXWithRandomNonce open what
// NewXWithRandomNonce seals, out of place and in place, and that all nonces differ.
func TestRandomNonce(t *testing.T) { implementations(t, testRandomNonce) }

func testRandomNonce(t *testing.T) {
	key := mactest.Random(KeySize, 50)
	a, x := mustAEAD(t, NewXWithRandomNonce, key), mustAEAD(t, NewX, key)
	data := mactest.Random(10, 51)
	nonces := make(map[string]bool)
	check := func(sealed, plaintext []byte) {
		t.Helper()
		if len(sealed) != len(plaintext)+a.Overhead() {
			t.Fatalf("%d bytes: got a sealed message of %d bytes, want %d", len(plaintext), len(sealed), len(plaintext)+a.Overhead())
		}
		nonce := sealed[:NonceSizeX]
		if nonces[string(nonce)] {
			t.Fatal("got a repeated nonce")
		}
		nonces[string(nonce)] = true
		if got, err := x.Open(nil, nonce, sealed[NonceSizeX:], data); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("%d bytes: NewX: got wrong plaintext or error %v", len(plaintext), err)
		}
	}
	for _, n := range []int{0, 1, 15, 16, 64, 100, 1000, 1984, 5000} {
		plaintext := mactest.Random(n, 52)
		sealed := a.Seal([]byte("prefix"), nil, plaintext, data)
		check(sealed[6:], plaintext)
		if string(sealed[:6]) != "prefix" {
			t.Fatalf("got prefix %q, want %q", sealed[:6], "prefix")
		}
		if got, err := a.Open([]byte("prefix"), nil, sealed[6:], data); err != nil || string(got) != "prefix"+string(plaintext) {
			t.Fatalf("%d bytes: Open: got wrong plaintext or error %v", n, err)
		}
		inPlace := append(make([]byte, 0, n+a.Overhead()), plaintext...)
		inPlace = a.Seal(inPlace[:0], []byte{}, inPlace, data)
		check(inPlace, plaintext)
		if got, err := a.Open(inPlace[:0], nil, inPlace, data); err != nil || !bytes.Equal(got, plaintext) {
			t.Fatalf("%d bytes: Open in place: got wrong plaintext or error %v", n, err)
		}
		for i := range 30 {
			forged := bytes.Clone(sealed[6:])
			at := i * (len(forged) - 1) / 29
			forged[at] ^= 1
			for name, dst := range map[string][]byte{"apart": make([]byte, n), "in place": forged[:n:n]} {
				forged := bytes.Clone(forged)
				if name == "in place" {
					dst = forged[:n:n]
				}
				if got, err := a.Open(dst[:0], nil, forged, data); got != nil || err != errOpen || !bytes.Equal(dst, make([]byte, n)) {
					t.Fatalf("%d bytes, byte %d changed, %s: Open = %x, %v and output %x, want nil, %v and zeros", n, at, name, got, err, dst, errOpen)
				}
			}
		}
	}
	for n := range a.Overhead() {
		if got, err := a.Open(nil, nil, make([]byte, n), nil); got != nil || err != errOpen {
			t.Errorf("Open of %d bytes = %x, %v, want nil, %v", n, got, err, errOpen)
		}
	}
	for name, f := range map[string]func(){
		"Seal": func() { a.Seal(nil, make([]byte, NonceSizeX), nil, nil) },
		"Open": func() { a.Open(nil, make([]byte, NonceSizeX), make([]byte, 100), nil) },
	} {
		if got, want := mactest.Panic(f), "chacha20poly1305: bad nonce length passed to "+name; got != want {
			t.Errorf("%s with a nonce: got panic %q, want %q", name, got, want)
		}
	}
}

// TestRandomNonceOverlap places the output at every distance from the input.
func TestRandomNonceOverlap(t *testing.T) {
	a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 53))
	const n, at = 20, 100
	plaintext := mactest.Random(n, 54)
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
}

func TestRandomNonceAllocations(t *testing.T) {
	a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 55))
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
	a := mustAEAD(t, NewXWithRandomNonce, mactest.Random(KeySize, 56))
	mactest.AllRandom(t, "the nonce", func() []byte { return a.Seal(nil, nil, nil, nil)[:NonceSizeX] })
	mactest.AllRandom(t, "the nonce in place", func() []byte {
		text := make([]byte, 100, 100+a.Overhead())
		return a.Seal(text[:0], nil, text, nil)[:NonceSizeX]
	})
}
