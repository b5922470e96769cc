// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"fmt"
	"hash"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

func mustMAC(tb testing.TB, v Variant, key, nonce []byte, size int) *MAC {
	tb.Helper()
	m, err := NewMAC(v, key, nonce, size)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestMAC runs the conformance suite with both tag sizes.
func TestMAC(t *testing.T) {
	implementations(t, func(t *testing.T) {
		for i, v := range variants {
			for _, size := range []int{16, 32} {
				if testing.Short() && (i%2 == 0) == (size == 16) {
					continue
				}
				t.Run(fmt.Sprintf("%v/%d", v.Variant, size), func(t *testing.T) {
					key, nonce := mactest.Random(v.KeySize(), 1), mactest.Random(v.NonceSize(), 2)
					mactest.TestHash(t, func() hash.Hash { return mustMAC(t, v.Variant, key, nonce, size) })
				})
			}
		}
	})
}

// TestMACVectors checks the vectors of libaegis and those of the RFC, whose tags
// changed between drafts.
func TestMACVectors(t *testing.T) {
	file := vectors.AEGIS(t)
	implementations(t, func(t *testing.T) {
		for _, v := range variants {
			for i, x := range file.MAC[v.file] {
				for _, want := range [][]byte{x.Tag128, x.Tag256} {
					m := mustMAC(t, v.Variant, x.Key, x.Nonce, len(want))
					m.Write(x.Data)
					if got := m.Sum(nil); !bytes.Equal(got, want) || !m.Verify(want) {
						t.Errorf("%v, case %d: got tag %x, want %x", v.Variant, i, got, want)
					}
				}
			}
		}
	})
}

// TestMACNonce checks that a nil nonce means zeros, and that other nonces give other
// tags.
func TestMACNonce(t *testing.T) {
	for _, v := range variants {
		key := mactest.Random(v.KeySize(), 3)
		sum := func(nonce []byte) string { return string(mustMAC(t, v.Variant, key, nonce, 16).Sum(nil)) }
		nonce := make([]byte, v.NonceSize())
		if sum(nil) != sum(nonce) {
			t.Errorf("%v: a nil nonce and a nonce of zeros give different tags", v.Variant)
		}
		for i := range nonce {
			nonce[i] = 1
			if sum(nil) == sum(nonce) {
				t.Errorf("%v: byte %d of the nonce does not affect the tag", v.Variant, i)
			}
			nonce[i] = 0
		}
	}
}

// TestMACVerify checks that only the complete tag verifies.
func TestMACVerify(t *testing.T) {
	for _, v := range variants {
		for _, size := range []int{16, 32} {
			m := mustMAC(t, v.Variant, mactest.Random(v.KeySize(), 4), nil, size)
			m.Write(mactest.Random(700, 5))
			tag := m.Sum(nil)
			for n := range 40 {
				if got, want := m.Verify(append(bytes.Clone(tag), make([]byte, 40)...)[:n]), n == size; got != want {
					t.Errorf("%v: Verify of %d bytes, with tags of %d bytes = %t, want %t", v.Variant, n, size, got, want)
				}
			}
			for i := range 8 * size {
				tag[i/8] ^= 1 << (i % 8)
				if m.Verify(tag) {
					t.Errorf("%v: Verify ignores bit %d of the tag", v.Variant, i)
				}
				tag[i/8] ^= 1 << (i % 8)
			}
		}
	}
}

// TestMACSizes checks Size and BlockSize.
func TestMACSizes(t *testing.T) {
	for _, v := range variants {
		m := mustMAC(t, v.Variant, mactest.Random(v.KeySize(), 6), nil, 32)
		if m.Size() != 32 || m.BlockSize() != v.rate {
			t.Errorf("%v: Size = %d, BlockSize = %d, want 32, %d", v.Variant, m.Size(), m.BlockSize(), v.rate)
		}
	}
}

// TestMACIsNotAEAD checks that a MAC's tag differs from the AEAD's tag of additional
// data only. They were equal before draft 14.
func TestMACIsNotAEAD(t *testing.T) {
	for _, v := range variants {
		key, nonce, data := mactest.Random(v.KeySize(), 7), mactest.Random(v.NonceSize(), 8), mactest.Random(100, 9)
		m := mustMAC(t, v.Variant, key, nonce, 16)
		m.Write(data)
		if m.Verify(mustAEAD(t, v.Variant, key, 16).Seal(nil, nonce, nil, data)) {
			t.Errorf("%v: MAC and AEAD compute the same tag", v.Variant)
		}
	}
}

// TestZeroPanics checks that the methods of the zero value panic as documented.
func TestZeroPanics(t *testing.T) {
	mactest.ZeroPanics(t, new(MAC), "aegis: MAC without a key, use NewMAC", "Format")
}
