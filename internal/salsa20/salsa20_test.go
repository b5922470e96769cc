// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package salsa20

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"testing"

	//lint:ignore SA1019 deprecated for those who would build on it; here it is a reference
	"golang.org/x/crypto/poly1305"
	//lint:ignore SA1019 as above
	"golang.org/x/crypto/salsa20/salsa"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// TestVectors checks known answers of libsodium for Salsa20 and for XSalsa20-Poly1305,
// which uses it.
func TestVectors(t *testing.T) {
	type test struct {
		Key, Nonce    vectors.Hex
		Text          vectors.Message
		BoxSHA256     vectors.Hex `json:"box_sha256"`
		BoxHead       vectors.Hex `json:"box_head"`
		Salsa20       vectors.Hex `json:"salsa20_sha256"`
		Salsa20Number string      `json:"salsa20_counter"`
	}
	sum := func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }
	mactest.Implementations(t, "salsa20", func(t *testing.T) {
		for _, v := range vectors.Load[test](t, "secretbox.json") {
			text, key := v.Text.Bytes(), (*[KeySize]byte)(v.Key)
			counter, err := strconv.ParseUint(v.Salsa20Number, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(text))
			XORKeyStream(got, text, key, (*[NonceSize]byte)(v.Nonce), counter)
			if !bytes.Equal(sum(got), v.Salsa20) {
				t.Errorf("%d bytes from block %d: the sum of the ciphertext is wrong", len(text), counter)
			}
			var subkey [KeySize]byte
			salsa.HSalsa20(&subkey, (*[16]byte)(v.Nonce), key, &salsa.Sigma)
			stream := append(make([]byte, 32), text...)
			XORKeyStream(stream, stream, &subkey, (*[NonceSize]byte)(v.Nonce[16:]), 0)
			var tag [16]byte
			poly1305.Sum(&tag, stream[32:], (*[32]byte)(stream))
			box := append(tag[:], stream[32:]...)
			if !bytes.Equal(sum(box), v.BoxSHA256) || !bytes.HasPrefix(box, v.BoxHead[:min(len(box), 48)]) {
				t.Errorf("%d bytes: the box is wrong", len(text))
			}
		}
	})
}

// TestReference compares every length with x/crypto, out of place and in place, at
// varying offsets and from block numbers that carry.
func TestReference(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 1)), [NonceSize]byte(mactest.Random(NonceSize, 2))
	const maxLen = 5000
	text, buffer := mactest.Random(maxLen+64, 3), make([]byte, maxLen+192)
	mactest.Implementations(t, "salsa20", func(t *testing.T) {
		check := func(n, from, to int, counter uint64) {
			t.Helper()
			var in [16]byte
			copy(in[:], nonce[:])
			binary.LittleEndian.PutUint64(in[8:], counter)
			src, want := text[from:from+n], make([]byte, n)
			salsa.XORKeyStream(want, src, &in, &key)
			clear(buffer)
			dst := buffer[to : to+n]
			XORKeyStream(dst, src, &key, &nonce, counter)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%d bytes from block %d: wrong", n, counter)
			}
			copy(dst, src)
			XORKeyStream(dst, dst, &key, &nonce, counter)
			if !bytes.Equal(dst, want) {
				t.Fatalf("%d bytes from block %d in place: wrong", n, counter)
			}
			clear(dst)
			if !bytes.Equal(buffer, make([]byte, len(buffer))) {
				t.Fatalf("%d bytes: wrote outside", n)
			}
		}
		for n := range maxLen + 1 {
			if testing.Short() && n > 1100 && n%64 > 1 && n%7 != 0 {
				continue
			}
			check(n, n%64, n*29%64, uint64(n))
		}
		for before := range uint64(40) {
			check(3000, 5, 7, math.MaxUint32-before)
			check(700, 5, 7, math.MaxUint32-before/2)
			check(3000, 5, 7, math.MaxUint64-before)
		}
		text, dst, want := mactest.Random(3*dispatch.MaxCall+777, 4), make([]byte, 3*dispatch.MaxCall+777), make([]byte, 3*dispatch.MaxCall+777)
		for _, n := range []int{dispatch.MaxCall - 1, dispatch.MaxCall, dispatch.MaxCall + 1, 2 * dispatch.MaxCall, len(text)} {
			var in [16]byte
			copy(in[:], nonce[:])
			salsa.XORKeyStream(want[:n], text[:n], &in, &key)
			XORKeyStream(dst[:n], text[:n], &key, &nonce, 0)
			if !bytes.Equal(dst[:n], want[:n]) {
				t.Fatalf("%d bytes: wrong", n)
			}
		}
	})
}

// TestWorthwhile checks that Worthwhile leaves at most one block to x/crypto, or a
// message of two blocks, and that the part left begins at a block boundary.
func TestWorthwhile(t *testing.T) {
	mactest.Implementations(t, "salsa20", func(t *testing.T) {
		level := dispatch.InUse("salsa20")
		for n := range 5000 {
			got, left := Worthwhile(n), n-Worthwhile(n)
			if level == dispatch.Generic || level == "avx2" && n == 2*BlockSize {
				if got != 0 {
					t.Fatalf("%d of %d bytes, want 0", got, n)
				}
			} else if left < 0 || left > BlockSize || left > 0 && got%BlockSize != 0 {
				t.Fatalf("%d of %d bytes", got, n)
			}
		}
	})
}

// BenchmarkWorthwhile reports the speed of a copy of x/crypto divided by that of
// x/crypto, by length.
func BenchmarkWorthwhile(b *testing.B) {
	var in [16]byte
	var key [KeySize]byte
	for n := 16; n <= 2112; n += 16 {
		text := make([]byte, n)
		b.Run(fmt.Sprintf("size=%d", n), func(b *testing.B) {
			mactest.BenchmarkRatio(b, func(times int) {
				for range times {
					salsa.XORKeyStream(text, text, &in, &key)
				}
			}, func(times int) {
				for range times {
					whole := Worthwhile(n)
					if whole > 0 {
						XORKeyStream(text[:whole], text[:whole], &key, (*[NonceSize]byte)(in[:]), 0)
					}
					if whole < n {
						salsa.XORKeyStream(text[whole:], text[whole:], &in, &key)
					}
				}
			})
		})
	}
}

// TestGuarded places inaccessible pages around all buffers.
func TestGuarded(t *testing.T) {
	const maxLen = 3300
	src, dst := mactest.NewGuarded(t, maxLen), mactest.NewGuarded(t, maxLen)
	key, nonce := mactest.NewGuarded(t, KeySize), mactest.NewGuarded(t, NonceSize)
	mactest.Implementations(t, "salsa20", func(t *testing.T) {
		for n := 1; n <= maxLen; n += 1 + n/60 {
			for _, part := range []func(*mactest.Guarded, int) []byte{(*mactest.Guarded).Front, (*mactest.Guarded).Back} {
				in, out := part(src, n), part(dst, n)
				copy(in, mactest.Random(n, 5))
				want := make([]byte, n)
				k, i := (*[KeySize]byte)(part(key, KeySize)), (*[NonceSize]byte)(part(nonce, NonceSize))
				xorGeneric(want, in, k, i, 9)
				XORKeyStream(out, in, k, i, 9)
				if !bytes.Equal(out, want) {
					t.Fatalf("%d bytes: wrong", n)
				}
			}
		}
	})
}

// TestStackWiped checks that kernels leave no key, text or keystream on the stack.
func TestStackWiped(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 6)), [NonceSize]byte(mactest.Random(NonceSize, 7))
	mactest.Implementations(t, "salsa20", func(t *testing.T) {
		if dispatch.InUse("salsa20") == dispatch.Generic {
			return // plain Go does not clear spilled registers
		}
		for _, n := range []int{1, 64, 100, 511, 512, 513, 700, 1024, 1500, 3000, 4096} {
			src, dst, stream := mactest.Random(n, 8), make([]byte, n), make([]byte, n)
			xor(stream, stream, &key, &nonce, 0)
			what := fmt.Sprintf("%d bytes", n)
			mactest.StackWiped(t, what, func() { xor(dst, src, &key, &nonce, 0) }, key[:], src, stream)
			mactest.StackWiped(t, what, func() { xor(dst, src, &key, &nonce, 0) }, dst)
		}
	})
}

// FuzzXOR compares the kernels with plain Go.
func FuzzXOR(f *testing.F) {
	f.Add([]byte(nil), []byte("key"), []byte("text"), uint64(0))
	f.Add([]byte{9, 3}, mactest.Random(40, 1), mactest.Random(1300, 2), uint64(math.MaxUint32-3))
	const maxLen = 3000
	messages, outputs := mactest.NewFuzzMemory(f, maxLen), mactest.NewFuzzMemory(f, maxLen)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce, text []byte, counter uint64) {
		c, k := mactest.NewChoices(choices), mactest.NewChoices(keyAndNonce)
		key, nonce := [KeySize]byte(k.Bytes(KeySize)), [NonceSize]byte(k.Bytes(NonceSize))
		src := messages.Fill(c, text)
		want := make([]byte, len(src))
		xorGeneric(want, src, &key, &nonce, counter)
		dst := outputs.Place(c, len(src), []byte{0xee})
		mactest.EachImplementation("salsa20", func(name string) {
			XORKeyStream(dst, src, &key, &nonce, counter)
			if !bytes.Equal(dst, want) {
				t.Errorf("%s: %d bytes from block %d: wrong", name, len(src), counter)
			}
		})
	})
}

// TestEmpty encrypts empty texts.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "salsa20", func(t *testing.T) {
		key, nonce := [KeySize]byte(mactest.Random(KeySize, 10)), [NonceSize]byte(mactest.Random(NonceSize, 11))
		mactest.Empty(t, "XORKeyStream", func(empty []byte) []byte {
			XORKeyStream(empty, empty, &key, &nonce, 9)
			return append(key[:], nonce[:]...)
		}, key[:], nonce[:])
	})
}
