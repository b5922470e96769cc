// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/mactest/rfc4418"
)

// TestNonces resets one MAC to nonces of varying lengths whose pads share AES blocks,
// and compares the tags with the reference.
func TestNonces(t *testing.T) {
	msg := []byte("message")
	for _, size := range sizes {
		k := mustKey(t, rfcKey, size)
		m := k.New([]byte{0})
		for i := range 600 {
			var counter [8]byte
			binary.BigEndian.PutUint64(counter[:], uint64(i))
			for _, nonce := range [][]byte{counter[:], counter[7:], mactest.Random(1+i%16, uint64(i))} {
				want := rfc4418.UMAC(rfcKey, nonce, msg, size)
				m.ResetNonce(nonce)
				m.Write(msg)
				if got := m.Sum(nil); !bytes.Equal(got, want) {
					t.Fatalf("nonce %x: MAC = %x, want %x", nonce, got, want)
				}
				if got := k.Sum(nil, nonce, msg); !bytes.Equal(got, want) {
					t.Fatalf("nonce %x: Sum = %x, want %x", nonce, got, want)
				}
			}
		}
	}
}

// TestResetNonceForgets checks that no part of the previous message remains.
func TestResetNonceForgets(t *testing.T) {
	k := mustKey(t, rfcKey, Size64)
	for _, n := range []int{1, 1023, 1024, 1025, 5000} {
		m := k.New([]byte{1})
		m.Write(mactest.Random(n, 3))
		m.ResetNonce(rfcNonce)
		if got, want := m.Sum(nil), k.Sum(nil, rfcNonce, nil); !bytes.Equal(got, want) {
			t.Errorf("ResetNonce after %d bytes: got %x, want %x", n, got, want)
		}
	}
}

// TestVerifyNonce checks that Verify returns false for a nonce of the wrong length. It
// must not panic, because a peer may have chosen the nonce.
func TestVerifyNonce(t *testing.T) {
	k := mustKey(t, rfcKey, Size64)
	for n := range 40 {
		nonce := mactest.Random(n, 6)
		good := n >= 1 && n <= 16
		tag := make([]byte, Size64)
		if good {
			tag = k.Sum(nil, nonce, nil)
		}
		if k.Verify(tag, nonce, nil) != good {
			t.Errorf("nonce of %d bytes: Verify = %t, want %t", n, !good, good)
		}
	}
}

// TestSizesOfOneKey checks the documented relations between tags of different sizes
// under one key.
func TestSizesOfOneKey(t *testing.T) {
	tag := func(size int, nonce string) string {
		return string(mustKey(t, rfcKey, size).Sum(nil, []byte(nonce), []byte("abc")))
	}
	for last := range 256 {
		nonce := "bcdefgh" + string([]byte{byte(last)})
		long := tag(Size128, nonce)
		for _, tt := range []struct{ size, multiple int }{{Size32, 4}, {Size64, 2}, {Size96, 1}} {
			if got, want := strings.HasPrefix(long, tag(tt.size, nonce)), last%tt.multiple == 0; got != want {
				t.Errorf("nonce %q: the %d-byte tag is a prefix of the 16-byte tag: %t, want %t", nonce, tt.size, got, want)
			}
		}
	}
	if tag(Size32, "bcdefgh\x02") != tag(Size64, "bcdefgh\x01")[:4] {
		t.Error("the 4-byte tag is not the first half of the 8-byte tag that has the same pad")
	}
}

// TestNoncesThatShare checks the documented examples of nonces that share a pad.
func TestNoncesThatShare(t *testing.T) {
	for _, size := range sizes {
		k := mustKey(t, rfcKey, size)
		same := func(a, b []byte) bool {
			return bytes.Equal(k.Sum(nil, a, []byte("abc")), k.Sum(nil, b, []byte("abc")))
		}
		if got, want := same([]byte{5}, []byte{5, 0}), size >= Size96; got != want {
			t.Errorf("tags of %d bytes: nonces {5} and {5, 0} share a pad: %t, want %t", size, got, want)
		}
		if got, want := same([]byte{5}, []byte{4, 1}), size <= Size64; got != want {
			t.Errorf("tags of %d bytes: nonces {5} and {4, 1} share a pad: %t, want %t", size, got, want)
		}
	}
}

// TestNonceBits flips each bit of nonces of every length, for Key.Sum and for a MAC,
// which caches pads. Some nonces begin with zeros.
func TestNonceBits(t *testing.T) {
	msg := []byte("message")
	mactest.Implementations(t, "umac", func(t *testing.T) {
		for _, size := range sizes {
			k := mustKey(t, rfcKey, size)
			m := k.New(rfcNonce)
			hash := rfc4418.UMAC(rfcKey, rfcNonce, msg, size)
			subtle.XORBytes(hash, hash, rfc4418.PDF(rfcKey, rfcNonce, size))
			check := func(nonce []byte) {
				t.Helper()
				want := rfc4418.PDF(rfcKey, nonce, size)
				subtle.XORBytes(want, want, hash)
				m.ResetNonce(nonce)
				m.Write(msg)
				if got := m.Sum(nil); !bytes.Equal(got, want) {
					t.Errorf("tag of %d bytes, nonce %x: MAC = %x, want %x", size, nonce, got, want)
				}
				if got := k.Sum(nil, nonce, msg); !bytes.Equal(got, want) {
					t.Errorf("tag of %d bytes, nonce %x: Sum = %x, want %x", size, nonce, got, want)
				}
			}
			for n := 1; n <= MaxNonceSize; n++ {
				for _, zeros := range []int{0, min(n, 8)} {
					nonce := mactest.Random(n, 7)
					clear(nonce[:zeros])
					check(nonce)
					for bit := range 8 * n {
						nonce[bit/8] ^= 1 << (bit % 8)
						check(nonce)
						nonce[bit/8] ^= 1 << (bit % 8)
						if bit%3 == 0 { // every third time, return to the original nonce first
							check(nonce)
						}
					}
				}
			}
		}
	})
}
