// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
)

// TestLengths compares long texts and data with the same in plain Go: they take more than one
// call of assembly.
func TestLengths(t *testing.T) {
	var want [][]byte
	check := func(i int, got []byte) {
		if i == len(want) {
			want = append(want, got)
		} else if !bytes.Equal(got, want[i]) {
			t.Errorf("case %d: wrong result", i)
		}
	}
	mactest.EachImplementation("aegis", func(string) {
		i := 0
		for _, v := range variants {
			key, nonce := mactest.Random(v.KeySize(), 13), mactest.Random(v.NonceSize(), 14)
			a := mustAEAD(t, v.Variant, key, 16)
			for _, tt := range []struct{ text, data int }{{5, 1<<16 + 3}, {1<<18 + 7, 0}, {1 << 16, 1<<17 + 1}} {
				text, data := mactest.Random(tt.text, 15), mactest.Random(tt.data, 16)
				sealed := a.Seal(nil, nonce, text, data)
				check(i, sealed)
				if got, err := a.Open(nil, nonce, sealed, data); err != nil || !bytes.Equal(got, text) {
					t.Errorf("%v: %d bytes, %d of additional data: wrong plaintext, %v", v.Variant, tt.text, tt.data, err)
				}
				m := mustMAC(t, v.Variant, key, nonce, 32)
				m.Write(data)
				m.Write(text)
				check(i+1, m.Sum(nil))
				i += 2
			}
		}
	})
}

// TestTooLong has slices of more bytes than a message may have, which do not exist: nothing may
// read them.
func TestTooLong(t *testing.T) {
	if uint64(^uint(0)) == 1<<32-1 {
		t.Skip("no slice is as long on 32-bit machines")
	}
	var b byte
	length := uint64(1) << 61 // not a constant: it would not compile where an int has 32 bits
	long := unsafe.Slice(&b, length)
	for _, v := range variants {
		a, nonce := mustAEAD(t, v.Variant, make([]byte, v.KeySize()), 32), make([]byte, v.NonceSize())
		for name, f := range map[string]func(){
			"aegis: text too long":            func() { a.Seal(nil, nonce, long, nil) },
			"aegis: additional data too long": func() { a.Open(nil, nonce, make([]byte, 32), long) },
		} {
			if got := mactest.Panic(f); got != name {
				t.Errorf("%v: panic %s, want %s", v.Variant, got, name)
			}
		}
	}
}
