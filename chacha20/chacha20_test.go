// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	xcrypto "golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/mactest"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newCipher(t testing.TB, key, nonce []byte) *Cipher {
	t.Helper()
	c, err := NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pair returns a stream of this package and the same stream of x/crypto.
func pair(t testing.TB, key, nonce []byte) (*Cipher, *xcrypto.Cipher) {
	t.Helper()
	theirs, err := xcrypto.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return newCipher(t, key, nonce), theirs
}

// TestRFC checks RFC 8439, sections 2.4.2 and A.2, and draft-irtf-cfrg-xchacha-03,
// section A.3.2.
func TestRFC(t *testing.T) {
	const sunscreen = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
	const jabberwocky = "'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the borogoves,\nAnd the mome raths outgrabe."
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for _, tt := range []struct {
			name, key, nonce string
			counter          uint32
			text, want       string
		}{
			{
				"2.4.2", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000000000000004a00000000", 1, sunscreen,
				"6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357" +
					"1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736" +
					"5af90bbf74a35be6b40b8eedf2785e42874d",
			},
			{
				"A.2, #1", "0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000", 0, string(make([]byte, 64)),
				"76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
			},
			{
				"A.2, #3", "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0", "000000000000000000000002", 42, jabberwocky,
				"62e6347f95ed87a45ffae7426f27a1df5fb69110044c0d73118effa95b01e5cf166d3df2d721caf9b21e5fb14c616871" +
					"fd84c54f9d65b283196c7fe4f60553ebf39c6402c42234e32a356b3e764312a61a5532055716ead6962568f87d3f3f77" +
					"04c6a8d1bcd1bf4d50d6154b6da731b187b58dfd728afa36757a797ac188d1",
			},
			{
				"draft-irtf-cfrg-xchacha, A.3.2", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
				"404142434445464748494a4b4c4d4e4f5051525354555658", 0,
				`The dhole (pronounced "dole") is also known as the Asiatic wild dog`,
				"4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e98d8d6410d540a1a6375b26d80dace4fab52384c731acbf16a5923c0c48d3575d4d0d2c",
			},
		} {
			c := newCipher(t, unhex(t, tt.key), unhex(t, tt.nonce))
			c.SetCounter(tt.counter)
			got := make([]byte, len(tt.text))
			if c.XORKeyStream(got, []byte(tt.text)); !bytes.Equal(got, unhex(t, tt.want)) {
				t.Errorf("%s: got %x, want %s", tt.name, got, tt.want)
			}
		}
	})
}

// TestHChaCha20 checks draft-irtf-cfrg-xchacha-03, section 2.2.1, and compares with
// x/crypto.
func TestHChaCha20(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		got, err := HChaCha20(unhex(t, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
			unhex(t, "000000090000004a0000000031415927"))
		if want := unhex(t, "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("HChaCha20 = %x, %v, want %x, nil", got, err, want)
		}
		for seed := range uint64(50) {
			key, nonce := mactest.Random(KeySize, seed), mactest.Random(16, seed)
			got, _ := HChaCha20(key, nonce)
			want, _ := xcrypto.HChaCha20(key, nonce)
			if !bytes.Equal(got, want) {
				t.Errorf("HChaCha20 with key %x, nonce %x = %x, want %x", key, nonce, got, want)
			}
		}
	})
}

func TestConstants(t *testing.T) {
	if KeySize != xcrypto.KeySize || NonceSize != xcrypto.NonceSize || NonceSizeX != xcrypto.NonceSizeX {
		t.Errorf("KeySize, NonceSize, NonceSizeX = %d, %d, %d, want x/crypto's %d, %d, %d", KeySize, NonceSize, NonceSizeX, xcrypto.KeySize, xcrypto.NonceSize, xcrypto.NonceSizeX)
	}
}

// TestLengthErrors compares the errors for every length of key and nonce with
// x/crypto's.
func TestLengthErrors(t *testing.T) {
	same := func(name string, ours, theirs error) {
		t.Helper()
		if fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("%s: got error %v, want %v", name, ours, theirs)
		}
	}
	for key := range 40 {
		for nonce := range 40 {
			k, n := make([]byte, key), make([]byte, nonce)
			name := fmt.Sprintf("key of %d, nonce of %d", key, nonce)
			c, ours := NewUnauthenticatedCipher(k, n)
			_, theirs := xcrypto.NewUnauthenticatedCipher(k, n)
			if same(name, ours, theirs); (c == nil) != (ours != nil) {
				t.Errorf("%s: got cipher %v and error %v, want one of them to be nil", name, c, ours)
			}
			_, ours = HChaCha20(k, n)
			_, theirs = xcrypto.HChaCha20(k, n)
			same(name+", HChaCha20", ours, theirs)
		}
	}
}

// TestDifferential compares results with x/crypto at every length and alignment, out of
// place and in place, with both nonce sizes, followed by a second call.
func TestDifferential(t *testing.T) {
	const maxLen = 2100
	text := mactest.Random(maxLen+100, 1)
	in, out := make([]byte, maxLen+64), make([]byte, maxLen+64)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for n := range maxLen + 1 {
			if testing.Short() && n > 600 && n%13 != 0 {
				continue
			}
			key, nonce := mactest.Random(KeySize, uint64(n)), mactest.Random([]int{NonceSize, NonceSizeX}[n%2], uint64(n))
			ours, theirs := pair(t, key, nonce)
			want := make([]byte, n+100)
			theirs.XORKeyStream(want, text[:n+100])
			src, dst := in[n%64:][:n], out[(7*n+n/64)%64:]
			copy(src, text)
			if n%3 == 0 {
				dst = src
			}
			rest := dst[n:]
			before := slices.Clone(rest)
			ours.XORKeyStream(dst, src)
			if !bytes.Equal(dst[:n], want[:n]) {
				t.Fatalf("%d bytes: got %x, want %x", n, dst[:n], want[:n])
			}
			if !bytes.Equal(rest, before) {
				t.Fatalf("%d bytes: the memory after the output was changed", n)
			}
			after := make([]byte, 100)
			if ours.XORKeyStream(after, text[n:n+100]); !bytes.Equal(after, want[n:]) {
				t.Fatalf("100 bytes after %d: got %x, want %x", n, after, want[n:])
			}
		}
	})
}

// TestPieces encrypts streams in pieces of every length and of random lengths, with
// calls of SetCounter in between.
func TestPieces(t *testing.T) {
	const size = 5000
	text := mactest.Random(size, 2)
	key, nonce := mactest.Random(KeySize, 3), mactest.Random(NonceSize, 4)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for piece := 1; piece <= 600; piece++ {
			ours, theirs := pair(t, key, nonce)
			got, want := make([]byte, size), make([]byte, size)
			theirs.XORKeyStream(want, text)
			for at := 0; at < size; at += piece {
				end := min(at+piece, size)
				ours.XORKeyStream(got[at:end], text[at:end])
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("pieces of %d bytes: got wrong ciphertext", piece)
			}
		}
		for seed := range uint64(300) {
			c := mactest.NewChoices(mactest.Random(100, seed))
			ours, theirs := pair(t, key, nonce)
			steps(t, c, ours, theirs, text)
		}
	})
}

// steps performs operations chosen by c on two streams and compares the results. It
// stays below block 2^32, where x/crypto consumes the rest of the stream before it
// panics.
func steps(t testing.TB, c *mactest.Choices, ours *Cipher, theirs *xcrypto.Cipher, text []byte) {
	t.Helper()
	var counter uint32
	for done := 0; !c.Done() && done < 60; done++ {
		n := c.Length(min(len(text), 1100))
		if n%5 == 0 {
			counter += uint32(n / 5 % 23)
			want := mactest.Panic(func() { theirs.SetCounter(counter) })
			if got := mactest.Panic(func() { ours.SetCounter(counter) }); got != want {
				t.Fatalf("step %d: SetCounter(%d): got panic %q, want %q", done, counter, got, want)
			}
			continue
		}
		got, want := make([]byte, n), make([]byte, n)
		ours.XORKeyStream(got, text[:n])
		theirs.XORKeyStream(want, text[:n])
		if !bytes.Equal(got, want) {
			t.Fatalf("step %d: %d bytes: got %x, want %x", done, n, got, want)
		}
	}
}

// TestMisuse checks that panics equal x/crypto's and that they change nothing.
func TestMisuse(t *testing.T) {
	key, nonce := mactest.Random(KeySize, 8), mactest.Random(NonceSize, 9)
	buf := make([]byte, 1000)
	before := slices.Clone(buf)
	for name, args := range map[string][2][]byte{
		"short output":                    {buf[:10], make([]byte, 11)},
		"nil output":                      {nil, make([]byte, 1)},
		"overlap, output first":           {buf[:100], buf[1:101]},
		"overlap, input first":            {buf[99:200], buf[:100]},
		"overlap, within the input":       {buf[50:60:60], buf[49:59]},
		"overlap, long":                   {buf[:900], buf[64:964]},
		"overlap, not within the lengths": {buf[:200], buf[100:200]}, // only 100 bytes of the output are used
		"separate":                        {buf[:100], make([]byte, 100)},
		"in place":                        {buf[:100], buf[:50]},
		"empty":                           {nil, nil},
		"empty, overlapping":              {buf[:10], buf[5:5]},
	} {
		for used := range 3 {
			ours, theirs := pair(t, key, nonce)
			skip := make([]byte, 100*used)
			ours.XORKeyStream(skip, skip)
			theirs.XORKeyStream(skip, skip)
			copy(buf, before)
			want := mactest.Panic(func() { theirs.XORKeyStream(args[0], args[1]) })
			copy(buf, before)
			got := mactest.Panic(func() { ours.XORKeyStream(args[0], args[1]) })
			if got != want {
				t.Errorf("%s after %d bytes: got panic %q, want %q", name, len(skip), got, want)
			}
			if got == "" {
				continue
			}
			if !bytes.Equal(buf, before) {
				t.Errorf("%s after %d bytes: memory was changed before the panic", name, len(skip))
			}
			a, b := make([]byte, 70), make([]byte, 70)
			ours.XORKeyStream(a, a)
			if theirs.XORKeyStream(b, b); !bytes.Equal(a, b) {
				t.Errorf("%s after %d bytes: the panic changed the stream", name, len(skip))
			}
		}
	}
}

// TestGuarded places inaccessible pages directly before and after the input and output.
func TestGuarded(t *testing.T) {
	const maxLen = 1200
	outputs, inputs := mactest.NewGuarded(t, maxLen), mactest.NewGuarded(t, maxLen)
	key, nonce := mactest.Random(KeySize, 10), mactest.Random(NonceSizeX, 11)
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		for n := range maxLen + 1 {
			for _, part := range []func(*mactest.Guarded, int) []byte{(*mactest.Guarded).Front, (*mactest.Guarded).Back} {
				c := newCipher(t, key, nonce)
				dst, src := part(outputs, n), part(inputs, n)
				c.XORKeyStream(dst[:n/3], src[:n/3])
				c.XORKeyStream(dst[n/3:], src[n/3:])
			}
		}
	})
}

// TestCipherSize limits the size of a Cipher to 256 bytes, above which allocating it
// would take longer than encrypting a block.
func TestCipherSize(t *testing.T) {
	if n := unsafe.Sizeof(Cipher{}); n > 256 {
		t.Errorf("a Cipher has %d bytes, want at most 256", n)
	}
}

func TestAllocations(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		key, nonce, long := make([]byte, KeySize), make([]byte, NonceSize), make([]byte, NonceSizeX)
		buf := make([]byte, 2000)
		for _, nonce := range [][]byte{nonce, long} {
			mactest.NoAllocations(t, fmt.Sprintf("a cipher with a nonce of %d bytes", len(nonce)), func() {
				c, err := NewUnauthenticatedCipher(key, nonce)
				if err != nil {
					t.Fatal(err)
				}
				c.XORKeyStream(buf[:32], buf[:32])
				c.SetCounter(1)
				c.XORKeyStream(buf, buf)
				c.XORKeyStream(buf[:10], buf[:10])
			})
		}
		mactest.NoAllocations(t, "HChaCha20", func() {
			out, err := HChaCha20(key, nonce[:0:0])
			if out != nil || err == nil {
				t.Fatal("HChaCha20 with an empty nonce: got a result or no error, want nil and an error")
			}
			out, err = HChaCha20(key, long[:16])
			if err != nil {
				t.Fatal(err)
			}
			copy(buf, out)
		})
	})
}

// TestEmpty encrypts empty texts before, between and after others.
func TestEmpty(t *testing.T) {
	mactest.Implementations(t, "chacha20", func(t *testing.T) {
		key, nonce, text := mactest.Random(KeySize, 30), mactest.Random(NonceSize, 31), mactest.Random(500, 32)
		mactest.Empty(t, "XORKeyStream", func(empty []byte) []byte {
			c, dst := newCipher(t, key, nonce), make([]byte, len(text))
			for _, cut := range [][2]int{{0, 0}, {0, 64}, {64, 64}, {64, 65}, {65, 65}, {65, 500}, {500, 500}} {
				if src := text[cut[0]:cut[1]]; len(src) == 0 {
					c.XORKeyStream(empty, empty)
				} else {
					c.XORKeyStream(dst[cut[0]:], src)
				}
			}
			return dst
		}, key, nonce, text)
	})
}

// FuzzCipher performs the same operations with each implementation and with x/crypto:
// texts of any length, and SetCounter. The first choice is the nonce size.
func FuzzCipher(f *testing.F) {
	f.Add([]byte(nil), []byte(nil))
	f.Add([]byte{0, 1, 0, 63, 0, 1, 0, 64, 0, 65, 0}, []byte("key"))
	f.Add([]byte{1, 32, 0, 5, 0, 100, 0, 4, 1, 1, 4}, mactest.Random(56, 1))
	f.Add([]byte{1, 1, 1, 255, 3, 10, 0, 12, 0, 50, 0, 7, 0}, mactest.Random(56, 2))
	memory := mactest.NewFuzzMemory(f, 1100)
	f.Fuzz(func(t *testing.T, choices, keyAndNonce []byte) {
		k := mactest.NewChoices(keyAndNonce)
		key, nonce := k.Bytes(KeySize), k.Bytes(NonceSizeX)
		c := mactest.NewChoices(choices)
		if c.Below(2) == 0 {
			nonce = nonce[:NonceSize]
		}
		text := memory.Place(c, memory.MaxLength(), keyAndNonce)
		mactest.EachImplementation("chacha20", func(name string) {
			ours, theirs := pair(t, key, nonce)
			same := *c
			steps(t, &same, ours, theirs, text)
		})
	})
}
