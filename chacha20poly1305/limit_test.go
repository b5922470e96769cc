// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
)

// longest is the maximum length of RFC 8439, section 2.8: 2^32 blocks minus the block
// for Poly1305's key.
const longest = 1<<38 - 64

// TestLimit passes texts that are one byte too long. They have no memory, so they must
// not be read. It also checks that the functions behind Seal and Open accept the longest
// text.
func TestLimit(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("slices of this length are impossible on 32-bit platforms")
	}
	if mactest.RaceDetector {
		t.Skip("the race detector rejects slices that are longer than their memory")
	}
	var first [64]byte
	long := func(n uint64) []byte { return unsafe.Slice(&first[0], int(n)) }
	for name, newAEAD := range map[string]func([]byte) (cipher.AEAD, error){
		"New": New, "NewX": NewX, "NewSIV": NewSIV, "NewXWithRandomNonce": NewXWithRandomNonce,
	} {
		a := mustAEAD(t, newAEAD, mactest.Random(KeySize, 60))
		nonce := make([]byte, a.NonceSize())
		sealed := long(longest + 1 + uint64(a.Overhead()))
		for what, f := range map[string]func(){
			"Seal":      func() { a.Seal(nil, nonce, long(longest+1), nil) },
			"SealBatch": func() { SealBatch(a, []Packet{{Nonce: nonce}, {Nonce: nonce, Text: long(longest + 1)}}) },
			"Open":      func() { a.Open(nil, nonce, sealed, nil) },
			"OpenBatch": func() { OpenBatch(a, []Packet{{Nonce: nonce}, {Nonce: nonce, Text: sealed}}) },
		} {
			if got := mactest.Panic(f); !strings.Contains(got, "text too large") {
				t.Errorf("%s, %s of a text one byte too long: got panic %q, want \"text too large\"", name, what, got)
			}
		}
	}
	testLongest(t)
	n := uint64(longest) // a variable, because the constant would not compile for 32-bit platforms
	for _, nonce := range []int{0, 12, 16, 24} {
		for _, overhead := range []int{16, 32, 40} {
			what := fmt.Sprintf("nonce of %d bytes, overhead of %d bytes", nonce, overhead)
			if got := mactest.Panic(func() { checkSeal(nonce, nonce, int(n)) }); got != "" {
				t.Errorf("%s: Seal of the longest text: got panic %q", what, got)
			}
			if got := mactest.Panic(func() { checkOpen(nonce, nonce, int(n)+overhead, overhead) }); got != "" {
				t.Errorf("%s: Open of the longest text: got panic %q", what, got)
			}
		}
	}
}

// testLongest checks that Open accepts the length of the longest ciphertext: it crashes
// when it reads the tag, which has no memory.
func testLongest(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		return // reading memory that does not exist ends the program
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	first := new([64]byte)
	for name, newAEAD := range map[string]func([]byte) (cipher.AEAD, error){
		"New": New, "NewX": NewX, "NewSIV": NewSIV, "NewXWithRandomNonce": NewXWithRandomNonce,
	} {
		a := mustAEAD(t, newAEAD, mactest.Random(KeySize, 61))
		nonce, n := make([]byte, a.NonceSize()), uint64(longest)+uint64(a.Overhead())
		for more, want := range []bool{true, false} {
			sealed := unsafe.Slice(&first[0], int(n)+more)
			for what, open := range map[string]func(){
				"Open":      func() { a.Open(sealed[:0], nonce, sealed, nil) },
				"OpenBatch": func() { OpenBatch(a, []Packet{{Dst: sealed[:0], Nonce: nonce, Text: sealed}}) },
			} {
				got := mactest.Panic(open)
				if takes := got != "" && !strings.Contains(got, "too large"); takes != want {
					t.Errorf("%s: %s of a text of %d bytes: got panic %q, want the length accepted: %t", name, what, n+uint64(more)-uint64(a.Overhead()), got, want)
				}
			}
		}
	}
}

// TestLengths uses lengths of texts and additional data that do not fit in 16 or in 20
// bits.
func TestLengths(t *testing.T) {
	implementations(t, func(t *testing.T) {
		for _, alg := range algorithms {
			key, nonce := mactest.Random(KeySize, 13), mactest.Random(alg.nonceSize, 14)
			a, reference := mustAEAD(t, alg.newAEAD, key), mustAEAD(t, alg.upstream, key)
			for _, tt := range []struct{ text, data int }{{5, 1<<16 + 3}, {1<<20 + 7, 0}, {1 << 16, 1<<20 + 1}} {
				text, data := mactest.Random(tt.text, 15), mactest.Random(tt.data, 16)
				want := reference.Seal(nil, nonce, text, data)
				if got := a.Seal(nil, nonce, text, data); !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, %d bytes of additional data: got wrong ciphertext", alg.name, tt.text, tt.data)
				}
				if got, err := a.Open(nil, nonce, want, data); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%s: %d bytes, %d bytes of additional data: got wrong plaintext or error %v", alg.name, tt.text, tt.data, err)
				}
			}
		}
	})
}
