// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/cipher"
	"crypto/fips140"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	upstream "golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

type algorithm struct {
	name      string
	nonceSize int
	overhead  int
	newAEAD   func(key []byte) (cipher.AEAD, error)
	upstream  func(key []byte) (cipher.AEAD, error)
}

var algorithms = []algorithm{
	{"ChaCha20-Poly1305", NonceSize, Overhead, New, upstream.New},
	{"XChaCha20-Poly1305", NonceSizeX, Overhead, NewX, upstream.NewX},
	{"ChaCha20-Poly1305-SIV", NonceSizeSIV, OverheadSIV, NewSIV, newSIVReference},
}

func mustAEAD(tb testing.TB, newAEAD func(key []byte) (cipher.AEAD, error), key []byte) cipher.AEAD {
	tb.Helper()
	a, err := newAEAD(key)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// implementations runs f as a subtest for every kernel or, if there is none, for the
// kernels of the packages that it is built on.
func implementations(t *testing.T, f func(t *testing.T)) {
	mactest.Implementations(t, "chacha20poly1305", func(t *testing.T) {
		if testing.Short() || dispatch.InUse("chacha20poly1305") != dispatch.Generic {
			f(t) // in short mode, the other implementations are left to their own packages
			return
		}
		for _, pkg := range []string{"poly1305", "chacha20"} {
			t.Run(pkg, func(t *testing.T) { mactest.Implementations(t, pkg, f) })
		}
	})
}

// TestRFC checks the examples of RFC 8439, section 2.8.2, and draft-irtf-cfrg-xchacha,
// appendix A.3.1.
func TestRFC(t *testing.T) { implementations(t, testRFC) }

func testRFC(t *testing.T) {
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	key, data := unhex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"), unhex("50515253c0c1c2c3c4c5c6c7")
	plaintext := []byte("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.")
	for i, v := range []struct{ nonce, sealed string }{
		{"070000004041424344454647", "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6" +
			"3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36" +
			"92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc" +
			"3ff4def08e4b7a9de576d26586cec64b6116" + "1ae10b594f09e26a7e902ecbd0600691"},
		{"404142434445464748494a4b4c4d4e4f5051525354555657", "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb" +
			"731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452" +
			"2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9" +
			"21f9664c97637da9768812f615c68b13b52e" + "c0875924c1c7987947deafd8780acf49"},
	} {
		a := mustAEAD(t, algorithms[i].newAEAD, key)
		if got := a.Seal(nil, unhex(v.nonce), plaintext, data); hex.EncodeToString(got) != v.sealed {
			t.Errorf("%s: Seal = %x, want %s", algorithms[i].name, got, v.sealed)
		}
		if got, err := a.Open(nil, unhex(v.nonce), unhex(v.sealed), data); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%s: Open = %q, %v, want %q", algorithms[i].name, got, err, plaintext)
		}
	}
}

// TestWycheproof checks the cases of C2SP's Wycheproof, including nonces of wrong
// lengths.
func TestWycheproof(t *testing.T) { implementations(t, testWycheproof) }

func testWycheproof(t *testing.T) {
	type test struct {
		X, Valid                             bool
		ID                                   int
		Key, Nonce, AD, Msg, Ciphertext, Tag vectors.Hex
	}
	for _, v := range vectors.Load[test](t, "chacha20poly1305_wycheproof.json") {
		alg := algorithms[0]
		if v.X {
			alg = algorithms[1]
		}
		a := mustAEAD(t, alg.newAEAD, v.Key)
		if len(v.Nonce) != alg.nonceSize {
			if v.Valid {
				t.Fatalf("%s, case %d: a nonce of %d bytes is marked as valid", alg.name, v.ID, len(v.Nonce))
			}
			continue // panics, as TestPanics checks
		}
		sealed := append(bytes.Clone(v.Ciphertext), v.Tag...)
		opened, err := a.Open(nil, v.Nonce, sealed, v.AD)
		if ok := err == nil; ok != v.Valid || ok && !bytes.Equal(opened, v.Msg) {
			t.Errorf("%s, case %d: Open = %x, %v, want success %t", alg.name, v.ID, opened, err, v.Valid)
		}
		if got := a.Seal(nil, v.Nonce, v.Msg, v.AD); bytes.Equal(got, sealed) != v.Valid {
			t.Errorf("%s, case %d: Seal = %x, want equality with %x: %t", alg.name, v.ID, got, sealed, v.Valid)
		}
	}
}

func TestAEAD(t *testing.T) { implementations(t, testAEAD) }

func testAEAD(t *testing.T) {
	for _, alg := range algorithms {
		t.Run(alg.name, func(t *testing.T) {
			mactest.TestAEAD(t, func(key []byte) cipher.AEAD { return mustAEAD(t, alg.newAEAD, key) })
		})
	}
}

// TestReference compares with x/crypto in new memory and in place, at every length up
// to several steps of all kernels, and at some longer lengths. In whole mode, it tries
// all of them.
func TestReference(t *testing.T) { implementations(t, testReference) }

func testReference(t *testing.T) {
	text, data := mactest.Random(5000, 1), mactest.Random(600, 2)
	buffer := make([]byte, 3+len(text)+OverheadSIV)
	for i, alg := range algorithms {
		key := mactest.Random(KeySize, 3)
		a, want := mustAEAD(t, alg.newAEAD, key), mustAEAD(t, alg.upstream, key)
		step, stepBeyond := 1, 7
		switch {
		case mactest.Whole():
			stepBeyond = 1
		case testing.Short():
			step, stepBeyond = 13, 13
		}
		check := func(n, ad int) {
			nonce := mactest.Random(alg.nonceSize, uint64(n))
			sealed := want.Seal(nil, nonce, text[:n], data[:ad])
			if got := a.Seal(nil, nonce, text[:n], data[:ad]); !bytes.Equal(got, sealed) {
				t.Fatalf("%s, %d bytes, %d bytes of additional data: got wrong ciphertext", alg.name, n, ad)
			}
			if got, err := a.Open(nil, nonce, sealed, data[:ad]); err != nil || !bytes.Equal(got, text[:n]) {
				t.Fatalf("%s, %d bytes, %d bytes of additional data: got wrong plaintext or error %v", alg.name, n, ad, err)
			}
			prefix := n % 4
			copy(buffer[prefix:], text[:n])
			if got := a.Seal(buffer[:prefix], nonce, buffer[prefix:prefix+n], data[:ad]); !bytes.Equal(got[prefix:], sealed) {
				t.Fatalf("%s, %d bytes, %d bytes of additional data: got wrong ciphertext in place", alg.name, n, ad)
			}
			if got, err := a.Open(buffer[:prefix], nonce, buffer[prefix:prefix+n+alg.overhead], data[:ad]); err != nil || !bytes.Equal(got[prefix:], text[:n]) {
				t.Fatalf("%s, %d bytes, %d bytes of additional data: got wrong plaintext in place or error %v", alg.name, n, ad, err)
			}
		}
		for n := i; n <= 1500; n += step {
			check(n, n%29)
		}
		for n := 1500 + i; n <= len(text); n += stepBeyond {
			check(n, n%29)
		}
		for ad := i; ad <= len(data); ad += step {
			check(ad*7%300, ad)
		}
	}
}

// TestForgeries changes each bit of sealed messages whose lengths use different code
// paths.
func TestForgeries(t *testing.T) { implementations(t, testForgeries) }

func testForgeries(t *testing.T) {
	for _, alg := range algorithms {
		a := mustAEAD(t, alg.newAEAD, mactest.Random(KeySize, 4))
		nonce, data := mactest.Random(alg.nonceSize, 5), mactest.Random(20, 6)
		for _, n := range []int{0, 1, 16, 64, 65, 250, 500, 1000, 1420, 2500} {
			sealed := a.Seal(nil, nonce, mactest.Random(n, 7), data)
			dst := make([]byte, n)
			for i := range sealed {
				if testing.Short() && i%9 != n%9 && i < n {
					continue
				}
				for _, mask := range []byte{1 << (i % 8), 0xff} {
					sealed[i] ^= mask
					for j := range dst {
						dst[j] = 0xee
					}
					if got, err := a.Open(dst[:0], nonce, sealed, data); got != nil || err != errOpen {
						t.Fatalf("%s, %d bytes, byte %d changed: Open = %x, %v, want nil, %v", alg.name, n, i, got, err, errOpen)
					}
					if !bytes.Equal(dst, make([]byte, n)) {
						t.Fatalf("%s, %d bytes, byte %d changed: the output is not all zeros after Open", alg.name, n, i)
					}
					sealed[i] ^= mask
				}
			}
		}
	}
}

// TestMisuse compares errors and panics with those of x/crypto.
func TestMisuse(t *testing.T) {
	same := func(t *testing.T, what string, alg algorithm, f func(newAEAD func(key []byte) (cipher.AEAD, error)) string) {
		t.Helper()
		if got, want := f(alg.newAEAD), f(alg.upstream); got != want {
			t.Errorf("%s, %s: got %s, want %s as in x/crypto", alg.name, what, got, want)
		}
	}
	for _, alg := range algorithms {
		for n := range 70 {
			same(t, fmt.Sprintf("a key of %d bytes", n), alg, func(newAEAD func(key []byte) (cipher.AEAD, error)) string {
				a, err := newAEAD(make([]byte, n))
				return fmt.Sprint(a == nil, err)
			})
			with := func(what string, f func(a cipher.AEAD)) {
				t.Helper()
				same(t, fmt.Sprintf("%s, %d", what, n), alg, func(newAEAD func(key []byte) (cipher.AEAD, error)) string {
					return mactest.Panic(func() { f(mustAEAD(t, newAEAD, make([]byte, KeySize))) })
				})
			}
			nonce, memory := make([]byte, alg.nonceSize), make([]byte, 300)
			with("Seal with a nonce of another length", func(a cipher.AEAD) { a.Seal(nil, make([]byte, n), nil, nil) })
			with("Open with a nonce of another length", func(a cipher.AEAD) { a.Open(nil, make([]byte, n), nil, nil) })
			with("Seal to a place", func(a cipher.AEAD) { a.Seal(memory[:n], nonce, memory[30:40], nil) })
			with("Seal to a place near additional data", func(a cipher.AEAD) { a.Seal(memory[:n], nonce, nil, memory[30:40]) })
			with("Open to a place", func(a cipher.AEAD) { a.Open(memory[:n], nonce, memory[30:60], nil) })
			with("Open to a place near additional data", func(a cipher.AEAD) { a.Open(memory[:n], nonce, make([]byte, 30), memory[30:40]) })
			same(t, fmt.Sprintf("Open of %d bytes", n), alg, func(newAEAD func(key []byte) (cipher.AEAD, error)) string {
				got, err := mustAEAD(t, newAEAD, make([]byte, KeySize)).Open(nil, nonce, make([]byte, n), nil)
				return fmt.Sprint(got == nil, err)
			})
		}
	}
	if _, err := NewXWithRandomNonce(make([]byte, 31)); err != errKey {
		t.Errorf("NewXWithRandomNonce with a key of 31 bytes: got error %v, want %v", err, errKey)
	}
}

// TestOverTag lets the plaintext overlap only its own tag.
func TestOverTag(t *testing.T) { implementations(t, testOverTag) }

func testOverTag(t *testing.T) {
	for _, alg := range algorithms {
		a := mustAEAD(t, alg.newAEAD, mactest.Random(KeySize, 8))
		nonce := mactest.Random(alg.nonceSize, 9)
		for _, n := range []int{1, 64, 300, 3000} {
			plaintext := mactest.Random(n, 10)
			sealed := a.Seal(nil, nonce, plaintext, nil)
			for to := n; to < n+alg.overhead; to++ {
				memory := append(bytes.Clone(sealed), make([]byte, n)...)
				if got, err := a.Open(memory[to:to], nonce, memory[:n+alg.overhead], nil); err != nil || !bytes.Equal(got, plaintext) {
					t.Fatalf("%s, %d bytes, output at byte %d of the tag: got wrong plaintext or error %v", alg.name, n, to-n, err)
				}
			}
		}
	}
}

// TestKeyKept checks that constructors keep no reference to the key.
func TestKeyKept(t *testing.T) {
	for _, alg := range algorithms {
		key, nonce := mactest.Random(KeySize, 11), mactest.Random(alg.nonceSize, 12)
		a := mustAEAD(t, alg.newAEAD, key)
		want := a.Seal(nil, nonce, nil, nil)
		clear(key)
		if got := a.Seal(nil, nonce, nil, nil); !bytes.Equal(got, want) {
			t.Errorf("%s: clearing the caller's key changed the AEAD", alg.name)
		}
	}
}

// TestSizes checks NonceSize and Overhead of the AEADs.
func TestSizes(t *testing.T) {
	for _, v := range []struct {
		newAEAD         func(key []byte) (cipher.AEAD, error)
		nonce, overhead int
	}{{New, NonceSize, Overhead}, {NewX, NonceSizeX, Overhead}, {NewXWithRandomNonce, 0, NonceSizeX + Overhead}, {NewSIV, 16, 32}} {
		if a := mustAEAD(t, v.newAEAD, make([]byte, KeySize)); a.NonceSize() != v.nonce || a.Overhead() != v.overhead {
			t.Errorf("NonceSize = %d, Overhead = %d, want %d, %d", a.NonceSize(), a.Overhead(), v.nonce, v.overhead)
		}
	}
}

const fipsOnly = "GODEBUG=fips140=only"

// TestFIPS runs itself again in FIPS 140-only mode.
func TestFIPS(t *testing.T) {
	if slices.Contains(os.Environ(), fipsOnly) {
		testFIPS(t)
		return
	}
	emulator := mactest.Emulator(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(emulator, self, "-test.run=^TestFIPS$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), fipsOnly)
	out, err := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("incompatible with the purego build tag")) {
		t.Skip("Go rejects the mode with -tags purego")
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// testFIPS checks that every constructor fails, with x/crypto's errors.
func testFIPS(t *testing.T) {
	if !fips140.Enforced() {
		t.Fatal("FIPS 140-only mode is not enabled")
	}
	key := make([]byte, KeySize)
	for _, alg := range algorithms {
		if a, err := alg.newAEAD(key); a != nil || err != errFIPS {
			t.Errorf("%s: got error %v, want %v", alg.name, err, errFIPS)
		}
		if _, err := alg.upstream(key); err == nil || err.Error() != errFIPS.Error() {
			t.Errorf("%s: x/crypto: got error %v, want %v", alg.name, err, errFIPS)
		}
	}
	if a, err := NewXWithRandomNonce(key); a != nil || err != errFIPS {
		t.Errorf("NewXWithRandomNonce: got error %v, want %v", err, errFIPS)
	}
}
