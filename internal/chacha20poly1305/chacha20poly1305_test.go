// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"fmt"
	"testing"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// kernels runs f as a subtest for every implementation that this machine supports, and
// for the AVX-512 kernels that are selected only on processors of kind Halved.
func kernels(t *testing.T, f func(t *testing.T)) {
	mactest.Implementations(t, "chacha20poly1305", f)
	if dispatch.SelectFor("chacha20poly1305", "avx512ifma", cpu.Halved) {
		defer dispatch.Reset("chacha20poly1305")
		t.Run("avx512ifma/halved", f)
	}
}

var (
	testKey   = [KeySize]byte(mactest.Random(KeySize, 1))
	testNonce = [NonceSize]byte(mactest.Random(NonceSize, 2))
)

// check compares Seal and Open with x/crypto, out of place and in place, and checks
// that Open rejects a wrong tag. dst is memory for the output.
func check(t *testing.T, dst, src, ad []byte) {
	t.Helper()
	a, err := chacha20poly1305.New(testKey[:])
	if err != nil {
		t.Fatal(err)
	}
	n := len(src)
	want := a.Seal(nil, testNonce[:], src, ad)
	fail := func(what string) {
		t.Helper()
		t.Fatalf("%d bytes, %d of additional data: %s: wrong result", n, len(ad), what)
	}
	var tag [TagSize]byte
	sealed := func(what string) {
		t.Helper()
		if !bytes.Equal(dst, want[:n]) || !bytes.Equal(tag[:], want[n:]) {
			fail(what)
		}
	}
	before := bytes.Clone(src)
	Seal(&tag, dst, src, ad, &testKey, &testNonce)
	sealed("Seal")
	if !bytes.Equal(src, before) {
		fail("input of Seal")
	}
	copy(dst, src)
	Seal(&tag, dst, dst, ad, &testKey, &testNonce)
	sealed("Seal in place")
	if !Open(&tag, dst, dst, ad, &testKey, &testNonce) || !bytes.Equal(dst, src) {
		fail("Open in place")
	}
	clear(dst)
	if !Open(&tag, dst, want[:n], ad, &testKey, &testNonce) || !bytes.Equal(dst, src) {
		fail("Open")
	}
	tag[n%TagSize] ^= 1 << (n % 8)
	if Open(&tag, dst, want[:n], ad, &testKey, &testNonce) || !bytes.Equal(dst, make([]byte, n)) {
		fail("Open of a forgery")
	}
}

// TestLengths checks every length up to 5000, with additional data of different
// lengths.
func TestLengths(t *testing.T) {
	const maxLen = 5000
	kernels(t, func(t *testing.T) {
		src, ad, dst := mactest.Random(maxLen, 3), mactest.Random(600, 4), make([]byte, maxLen)
		for n := range maxLen + 1 {
			if testing.Short() && n > 1200 && n%7 != 0 && n%64 > 1 {
				continue
			}
			check(t, dst[:n], src[:n], ad[:n*7%35])
			if n < 600 {
				check(t, dst[:n], src[:n], ad[:n])
				check(t, dst[:n*3%200], src[:n*3%200], ad[:n])
			}
		}
	})
}

// TestLong checks messages and additional data that need several kernel calls.
func TestLong(t *testing.T) {
	kernels(t, func(t *testing.T) {
		src, dst := mactest.Random(4*dispatch.MaxCall, 5), make([]byte, 4*dispatch.MaxCall)
		for _, n := range []int{dispatch.MaxCall - 1200, dispatch.MaxCall - 64, dispatch.MaxCall - 1, dispatch.MaxCall, dispatch.MaxCall + 1, dispatch.MaxCall + 64, dispatch.MaxCall + 2000, 2*dispatch.MaxCall - 64, 2 * dispatch.MaxCall, 3*dispatch.MaxCall + 777, 4 * dispatch.MaxCall} {
			check(t, dst[:n], src[:n], src[:13])
			check(t, dst[:n%700], src[:n%700], src[:n])
		}
	})
}

// TestAlignments checks input, output and additional data at different alignments.
// Bytes around the output must not change.
func TestAlignments(t *testing.T) {
	kernels(t, func(t *testing.T) {
		const around = 64
		src, ad, dst := mactest.Random(3000, 6), mactest.Random(200, 7), make([]byte, 3000)
		for _, n := range []int{1, 15, 16, 17, 63, 64, 65, 200, 256, 511, 512, 960, 1000, 1024, 1420, 2048, 2500} {
			for i := range around {
				j := (i*29 + n) % around
				clear(dst)
				check(t, dst[i:][:n], src[j:][:n], ad[i:][:n%100])
				clear(dst[i:][:n])
				if !bytes.Equal(dst, make([]byte, len(dst))) {
					t.Fatalf("%d bytes at offset %d: wrote outside the output", n, i)
				}
			}
		}
	})
}

// TestGuarded checks that the kernels stay within their buffers, which are next to
// inaccessible pages.
func TestGuarded(t *testing.T) {
	const maxLen = 4300
	src, dst, ad := mactest.NewGuarded(t, maxLen), mactest.NewGuarded(t, maxLen), mactest.NewGuarded(t, 100)
	kernels(t, func(t *testing.T) {
		for n := 0; n <= maxLen; n += 1 + n/40 {
			for _, part := range []func(*mactest.Guarded, int) []byte{(*mactest.Guarded).Front, (*mactest.Guarded).Back} {
				in, data := part(src, n), part(ad, n%101)
				copy(in, mactest.Random(n, 8))
				copy(data, mactest.Random(len(data), 9))
				check(t, part(dst, n), in, data)
			}
		}
	})
}

func TestAllocations(t *testing.T) {
	kernels(t, func(t *testing.T) {
		for _, n := range []int{0, 64, 512, 1420, 16384, 100000} {
			src, dst, ad := mactest.Random(n, 10), make([]byte, n), make([]byte, 13)
			var tag [TagSize]byte
			mactest.NoAllocations(t, fmt.Sprintf("Seal and Open of %d bytes", n), func() {
				Seal(&tag, dst, src, ad, &testKey, &testNonce)
				Open(&tag, dst, dst, ad, &testKey, &testNonce)
			})
		}
	})
}

// TestStackWiped checks that kernels leave neither the key nor keystream on the stack.
// The keystream begins with the Poly1305 key, r and s.
func TestStackWiped(t *testing.T) {
	const maxLen = 2000
	key := testKey
	c, err := chacha20.NewUnauthenticatedCipher(key[:], testNonce[:])
	if err != nil {
		t.Fatal(err)
	}
	stream := make([]byte, 64+maxLen)
	c.XORKeyStream(stream, stream)
	clamp(stream)
	kernels(t, func(t *testing.T) {
		if dispatch.InUse("chacha20poly1305") == dispatch.Generic {
			return // plain Go does not clear spilled registers
		}
		// The text must not be zeros, because its ciphertext, which is public, would
		// equal the keystream.
		text, ad, dst := mactest.Random(maxLen, 11), make([]byte, 20), make([]byte, maxLen)
		var tag [TagSize]byte
		for n := 0; n <= maxLen; n += 1 + n/6 {
			for name, f := range map[string]func(){
				"Seal": func() { Seal(&tag, dst[:n], text[:n], ad, &key, &testNonce) },
				"Open": func() { Open(&tag, dst[:n], text[:n], ad, &key, &testNonce) },
			} {
				mactest.StackWiped(t, fmt.Sprintf("%s of %d bytes", name, n), f, key[:], stream)
			}
		}
	})
}
