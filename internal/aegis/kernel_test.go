// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
)

// TestLengths compares Seal and Open with plain Go for every length up to three times
// the rate, in memory between inaccessible pages.
func TestLengths(t *testing.T) {
	const maxLen = 3*128 + 1
	memory, ads := mactest.NewGuarded(t, maxLen), mactest.NewGuarded(t, maxLen)
	each(t, func(t *testing.T, v Variant) {
		key, nonce := mactest.Random(v.KeySize(), 1), mactest.Random(v.KeySize(), 2)
		for n := range 3*v.Rate() + 2 {
			text, ad := mactest.Random(n, 3), ads.Back(n/2)
			copy(ad, mactest.Random(len(ad), 4))
			tagSize := TagSize128 << (n % 2)
			want, wantTag, tag := make([]byte, n), make([]byte, tagSize), make([]byte, tagSize)
			c := cipherOf(v, key, tagSize)
			for _, ad := range [][]byte{nil, ad} {
				cryptGeneric(c, false, nonce, wantTag, want, text, ad)
				for _, got := range [][]byte{memory.Front(n), memory.Back(n)} {
					copy(got, text)
					if seal(c, nonce, tag, got, got, ad); !bytes.Equal(got, want) || !bytes.Equal(tag, wantTag) {
						t.Errorf("%d bytes, %d of additional data: Seal = %x, tag %x, want %x, tag %x", n, len(ad), got, tag, want, wantTag)
					}
					if !Open(c, nonce, wantTag, got, got, ad) || !bytes.Equal(got, text) {
						t.Errorf("%d bytes, %d of additional data: Open = %x, want %x", n, len(ad), got, text)
					}
				}
			}
		}
	})
}

// TestLong compares Seal, Open and MAC with plain Go for inputs longer than the maximum
// length of a kernel call.
func TestLong(t *testing.T) {
	const n = dispatch.MaxCall + 2*128 + 3
	each(t, func(t *testing.T, v Variant) {
		key, nonce := mactest.Random(v.KeySize(), 1), mactest.Random(v.KeySize(), 2)
		text, want := mactest.Random(n, 3), make([]byte, n)
		var tag, wantTag [TagSize128]byte
		c := cipherOf(v, key, TagSize128)
		cryptGeneric(c, false, nonce, wantTag[:], want, text, text)
		got := make([]byte, n)
		if seal(c, nonce, tag[:], got, text, text); !bytes.Equal(got, want) || tag != wantTag {
			t.Error("Seal: wrong result")
		}
		if !Open(c, nonce, tag[:], got, got, text) || !bytes.Equal(got, text) {
			t.Error("Open: wrong result")
		}
		// If the additional data is at most one piece, one kernel call processes a
		// whole message.
		for _, n := range []int{dispatch.MaxCall, dispatch.MaxCall + 1, n} {
			for _, ad := range [][]byte{nil, text[:10]} {
				cryptGeneric(c, false, nonce, wantTag[:], want[:n], text[:n], ad)
				if seal(c, nonce, tag[:], got[:n], text[:n], ad); !bytes.Equal(got[:n], want[:n]) || tag != wantTag {
					t.Errorf("%d bytes, %d of additional data: Seal: wrong result", n, len(ad))
				}
			}
		}
		var s State
		s.Init(v, key, nonce)
		macGeneric(&s, wantTag[:], text, n)
		if s.MAC(tag[:], text, n); tag != wantTag {
			t.Errorf("MAC = %x, want %x", tag, wantTag)
		}
	})
}

func TestAllocations(t *testing.T) {
	each(t, func(t *testing.T, v Variant) {
		key, nonce := make([]byte, v.KeySize()), make([]byte, v.KeySize())
		buf, tag := make([]byte, 300), make([]byte, TagSize128)
		c := cipherOf(v, key, TagSize128)
		var s State
		s.Init(v, key, nonce)
		for name, f := range map[string]func(){
			"Seal": func() { seal(c, nonce, tag, buf, buf, nil) },
			"Open": func() { Open(c, nonce, tag, buf, buf, buf[:7]) },
			"MAC":  func() { s.MAC(tag, buf, 300) },
			"SealPair": func() {
				two := [2]Message{{nonce, tag, buf[:64], buf[:64]}, {nonce, tag, buf[64:128], buf[64:128]}}
				SealPair(c, &two)
			},
		} {
			if n := testing.AllocsPerRun(10, f); n > 0 {
				t.Errorf("%s: %v allocations, want 0", name, n)
			}
		}
	})
}

// BenchmarkImplementations measures Seal and MAC with each implementation.
func BenchmarkImplementations(b *testing.B) {
	key, nonce := make([]byte, 32), make([]byte, 32)
	mactest.BenchmarkImplementations(b, "aegis", func(b *testing.B) {
		for v := range Variant(len(variants)) {
			for _, n := range []int{16, 64, 256, 1420, 16384} {
				buf, tag := make([]byte, n), make([]byte, TagSize128)
				b.Run(fmt.Sprintf("alg=aegis-%s/size=%d", variants[v], n), func(b *testing.B) {
					c := cipherOf(v, key[:v.KeySize()], TagSize128)
					b.SetBytes(int64(n))
					for b.Loop() {
						seal(c, nonce, tag, buf, buf, nil)
					}
				})
				b.Run(fmt.Sprintf("alg=aegismac-%s/size=%d", variants[v], n), func(b *testing.B) {
					var s State
					s.Init(v, key, nonce)
					b.SetBytes(int64(n))
					for b.Loop() {
						s.MAC(tag, buf, uint64(n))
					}
				})
			}
		}
	})
}
