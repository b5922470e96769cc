// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

type algorithm struct {
	name                   string
	nonceSize              int
	newAEAD                func(key []byte, size int) (cipher.AEAD, error)
	newDefault             func(key []byte) (cipher.AEAD, error)
	encContext, macContext string
}

// The contexts are repeated here, so that the reference shares nothing with the code
// under test.
var algorithms = []algorithm{
	{"ChaCha20-BLAKE2b", 8, NewWithTagSize, New,
		"ChaCha20-BLAKE2b 07/12/2021 20:40 ChaCha20.Encrypt()", "ChaCha20-BLAKE2b 07/12/2021 20:41 BLAKE2b.KeyedHash()"},
	{"XChaCha20-BLAKE2b", 24, NewXWithTagSize, NewX,
		"XChaCha20-BLAKE2b 07/12/2021 20:48 XChaCha20.Encrypt()", "XChaCha20-BLAKE2b 07/12/2021 20:49 BLAKE2b.KeyedHash()"},
	{"XChaCha20-BLAKE2b-SIV", 0, NewSIVWithTagSize, NewSIV,
		"XChaCha20-BLAKE2b-SIV 07/12/2021 20:51 XChaCha20.Encrypt()", "XChaCha20-BLAKE2b-SIV 07/12/2021 20:52 BLAKE2b.KeyedHash()"},
}

var tagSizes = []int{32, 48, 64}

func mustAEAD(tb testing.TB, alg algorithm, key []byte, size int) cipher.AEAD {
	tb.Helper()
	a, err := alg.newAEAD(key, size)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// each runs f as a subtest for every algorithm and tag size.
func each(t *testing.T, f func(t *testing.T, alg algorithm, size int)) {
	for _, alg := range algorithms {
		for _, size := range tagSizes {
			t.Run(fmt.Sprintf("%s/%d", alg.name, size), func(t *testing.T) { f(t, alg, size) })
		}
	}
}

// implementations runs f as a subtest for every implementation of the packages that it
// is built on: those that encrypt and authenticate at once, or otherwise those of each
// package.
func implementations(t *testing.T, f func(t *testing.T)) {
	mactest.Implementations(t, "chacha20blake2b", func(t *testing.T) {
		if testing.Short() || dispatch.InUse("chacha20blake2b") != dispatch.Generic {
			f(t) // in short mode, the other implementations are left to their own packages
			return
		}
		for _, pkg := range []string{"blake2b", "chacha20"} {
			t.Run(pkg, func(t *testing.T) { mactest.Implementations(t, pkg, f) })
		}
	})
}

// refSeal seals by definition, with golang.org/x/crypto's BLAKE2b and ChaCha20.
func refSeal(tb testing.TB, alg algorithm, size int, key, nonce, plaintext, data []byte) []byte {
	tb.Helper()
	mac := func(size int, key []byte, parts ...[]byte) []byte {
		h, err := blake2b.New(size, key)
		if err != nil {
			tb.Fatal(err)
		}
		for _, p := range parts {
			h.Write(p)
		}
		return h.Sum(nil)
	}
	le32 := func(b []byte) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(len(b))) }
	kdf := func(context string, salt []byte, n int) []byte {
		return mac(n, key, salt, []byte(context), le32(salt), le32([]byte(context)))
	}
	encrypt := func(nonce []byte) []byte {
		if len(nonce) == 8 {
			nonce = append(make([]byte, 4), nonce...)
		}
		c, err := chacha20.NewUnauthenticatedCipher(kdf(alg.encContext, nil, 32), nonce)
		if err != nil {
			tb.Fatal(err)
		}
		out := make([]byte, len(plaintext))
		c.XORKeyStream(out, plaintext)
		return out
	}
	macKey := kdf(alg.macContext, nonce, 64)
	if alg.nonceSize == 0 {
		tag := mac(size, macKey, data, plaintext, le32(data), le32(plaintext))
		return append(encrypt(tag[:24]), tag...)
	}
	c := encrypt(nonce)
	return append(c, mac(size, macKey, data, c, le32(data), le32(c))...)
}

func checkSealed(t *testing.T, a cipher.AEAD, nonce, plaintext, data []byte, isWant func(sealed []byte) bool) {
	t.Helper()
	sealed := a.Seal(nil, nonce, plaintext, data)
	if !isWant(sealed) {
		t.Errorf("%d bytes, %d bytes of additional data: got wrong ciphertext", len(plaintext), len(data))
	}
	if opened, err := a.Open(nil, nonce, sealed, data); err != nil || !bytes.Equal(opened, plaintext) {
		t.Errorf("%d bytes, %d bytes of additional data: got plaintext of %d bytes, error %v, want the sealed plaintext", len(plaintext), len(data), len(opened), err)
	}
}

func TestVectors(t *testing.T) { implementations(t, testVectors) }

func testVectors(t *testing.T) {
	type test struct {
		Algorithm        string
		Key, Nonce, AD   vectors.Hex
		TagSize          int
		Msg              vectors.Message
		Ciphertext       vectors.Hex
		CiphertextSHA256 vectors.Hex
	}
	tests := vectors.Load[test](t, "aead.json")
	done := 0
	each(t, func(t *testing.T, alg algorithm, size int) {
		for _, v := range tests {
			if v.Algorithm != alg.name || v.TagSize != size {
				continue
			}
			done++
			checkSealed(t, mustAEAD(t, alg, v.Key, size), v.Nonce, v.Msg.Bytes(), v.AD, func(sealed []byte) bool {
				if len(v.CiphertextSHA256) > 0 {
					sum := sha256.Sum256(sealed)
					return bytes.Equal(sum[:], v.CiphertextSHA256)
				}
				return bytes.Equal(sealed, v.Ciphertext)
			})
		}
	})
	if done != len(tests) && !t.Failed() {
		t.Errorf("checked %d vectors, want %d", done, len(tests))
	}
}

func TestReference(t *testing.T) { implementations(t, testReference) }

func testReference(t *testing.T) {
	each(t, func(t *testing.T, alg algorithm, size int) {
		step := 5
		switch {
		case mactest.Whole():
			step = 1
		case testing.Short() && size != TagSize:
			step = 83
		case testing.Short() || size != TagSize:
			step = 17
		}
		for n := 0; n < 600; n += step {
			key, nonce := mactest.Random(32, uint64(n)), mactest.Random(alg.nonceSize, uint64(n))
			plaintext, data := mactest.Random(n*n/7, 1), mactest.Random(n%300, 2)
			checkSealed(t, mustAEAD(t, alg, key, size), nonce, plaintext, data, func(sealed []byte) bool {
				return bytes.Equal(sealed, refSeal(t, alg, size, key, nonce, plaintext, data))
			})
		}
	})
}

func TestAEAD(t *testing.T) { implementations(t, testAEAD) }

func testAEAD(t *testing.T) {
	each(t, func(t *testing.T, alg algorithm, size int) {
		if !mactest.Whole() && size != TagSize {
			t.Skip("the default tag size suffices unless UNIMAC_TEST=whole")
		}
		mactest.TestAEAD(t, func(key []byte) cipher.AEAD { return mustAEAD(t, alg, key, size) })
	})
}

func TestSizes(t *testing.T) {
	each(t, func(t *testing.T, alg algorithm, size int) {
		a := mustAEAD(t, alg, make([]byte, KeySize), size)
		if a.NonceSize() != alg.nonceSize || a.Overhead() != size {
			t.Errorf("NonceSize = %d, Overhead = %d, want %d, %d", a.NonceSize(), a.Overhead(), alg.nonceSize, size)
		}
	})
	for _, alg := range algorithms {
		key, nonce := mactest.Random(KeySize, 3), mactest.Random(alg.nonceSize, 3)
		a, err := alg.newDefault(key)
		if err != nil || a.Overhead() != TagSize {
			t.Fatalf("%s: default constructor: got error %v, want nil and tags of %d bytes", alg.name, err, TagSize)
		}
		if !bytes.Equal(a.Seal(nil, nonce, key, nil), refSeal(t, alg, TagSize, key, nonce, key, nil)) {
			t.Errorf("%s: the default constructor and the one with a tag size of %d differ", alg.name, TagSize)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, alg := range algorithms {
		for n := -1; n < 70; n++ {
			want := "<nil>"
			if n != 32 && n != 48 && n != 64 {
				want = fmt.Sprintf("aead: tag of %d bytes, want 32, 48 or 64", n)
			}
			if a, err := alg.newAEAD(make([]byte, KeySize), n); fmt.Sprint(err) != want || (a == nil) != (err != nil) {
				t.Errorf("%s, tag of %d bytes: got error %v, want %s", alg.name, n, err, want)
			}
			if n < 0 {
				continue
			}
			want = "<nil>"
			if n != 32 {
				want = fmt.Sprintf("aead: key of %d bytes, want 32", n)
			}
			if a, err := alg.newDefault(make([]byte, n)); fmt.Sprint(err) != want || (a == nil) != (err != nil) {
				t.Errorf("%s, key of %d bytes: got error %v, want %s", alg.name, n, err, want)
			}
		}
	}
}

// coreOf returns the core of an AEAD.
func coreOf(a cipher.AEAD) *core {
	switch a := a.(type) {
	case *nonceAEAD:
		return &a.core
	case *sivAEAD:
		return &a.core
	}
	return nil
}

// TestLimits lowers the limit of 2^31 - 1 bytes, so that it needs less memory.
func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, alg algorithm, size int) {
		a := mustAEAD(t, alg, make([]byte, KeySize), size)
		if limit := coreOf(a).lengthLimit; limit != 1<<31-1 {
			t.Fatalf("limit = %d, want 2^31 - 1", limit)
		}
		nonce, b := make([]byte, alg.nonceSize), make([]byte, 101)
		beyond := [][2][]byte{{a.Seal(nil, nonce, b, nil), nil}, {a.Seal(nil, nonce, nil, b), b}}
		coreOf(a).lengthLimit = 100
		if _, err := a.Open(nil, nonce, a.Seal(nil, nonce, b[:100], b[:100]), b[:100]); err != nil {
			t.Errorf("Open at the limit: got error %v, want nil", err)
		}
		for _, s := range beyond {
			if got, err := a.Open(nil, nonce, s[0], s[1]); got != nil || err != ErrAuth {
				t.Errorf("Open beyond the limit: got %x, error %v, want nil, %v", got, err, ErrAuth)
			}
		}
		for _, n := range [][2]int{{101, 0}, {0, 101}} {
			want := fmt.Sprintf("aead: message of %d bytes and additional data of %d, want at most 100 each", n[0], n[1])
			if got := mactest.Panic(func() { a.Seal(nil, nonce, b[:n[0]], b[:n[1]]) }); got != want {
				t.Errorf("Seal beyond the limit: got panic %q, want %q", got, want)
			}
		}
	})
}

// TestOpenWritesNothing checks that the AEADs with nonces write nothing before the
// message is authenticated, and that the SIV leaves zeros.
func TestOpenWritesNothing(t *testing.T) { implementations(t, testOpenWritesNothing) }

func testOpenWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, alg algorithm, size int) {
		a, nonce := mustAEAD(t, alg, make([]byte, KeySize), size), make([]byte, alg.nonceSize)
		for _, n := range []int{1, 511, 512, 1023, 1024, 10000, 70000} {
			sealed := a.Seal(nil, nonce, mactest.Random(n, 1), nil)
			sealed[n-1] ^= 1
			out := bytes.Repeat([]byte{0xee}, len(sealed))
			if _, err := a.Open(out[:0], nonce, sealed, nil); err != ErrAuth {
				t.Fatal(err)
			}
			want := bytes.Repeat([]byte{0xee}, len(sealed))
			if alg.nonceSize == 0 {
				clear(want[:n])
			}
			if !bytes.Equal(out, want) {
				t.Errorf("%d bytes: got wrong output after a failed Open, want zeros for the SIV and unchanged bytes otherwise", n)
			}
		}
	})
}

// TestLong uses messages that need several kernel calls, and of which Open decrypts
// only a prefix while BLAKE2b hashes them.
func TestLong(t *testing.T) { implementations(t, testLong) }

func testLong(t *testing.T) {
	for _, alg := range algorithms {
		key, nonce := mactest.Random(KeySize, 8), mactest.Random(alg.nonceSize, 9)
		a := mustAEAD(t, alg, key, TagSize)
		for _, n := range []int{65023, 65024, 65025, 65536, 65536 + 700, 200000} {
			plaintext, data := mactest.Random(n, 10), mactest.Random(n%200, 11)
			want := refSeal(t, alg, TagSize, key, nonce, plaintext, data)
			checkSealed(t, a, nonce, plaintext, data, func(sealed []byte) bool { return bytes.Equal(sealed, want) })
			inPlace := append(make([]byte, 0, len(want)), plaintext...)
			if inPlace = a.Seal(inPlace[:0], nonce, inPlace, data); !bytes.Equal(inPlace, want) {
				t.Errorf("%s, %d bytes in place: got wrong ciphertext", alg.name, n)
			}
			if opened, err := a.Open(inPlace[:0], nonce, inPlace, data); err != nil || !bytes.Equal(opened, plaintext) {
				t.Errorf("%s, %d bytes in place: got wrong plaintext or error %v", alg.name, n, err)
			}
		}
	}
}

// TestKeyKept checks that constructors keep no reference to the key.
func TestKeyKept(t *testing.T) {
	each(t, func(t *testing.T, alg algorithm, size int) {
		key, nonce := mactest.Random(KeySize, 4), mactest.Random(alg.nonceSize, 5)
		want := refSeal(t, alg, size, key, nonce, []byte("message"), nil)
		a := mustAEAD(t, alg, key, size)
		clear(key)
		if got := a.Seal(nil, nonce, []byte("message"), nil); !bytes.Equal(got, want) {
			t.Error("clearing the caller's key changed the AEAD")
		}
	})
}

// TestSIVNonce checks that the SIV rejects a nonce and names the SIV that takes one.
func TestSIVNonce(t *testing.T) {
	a, err := NewSIV(make([]byte, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	want := "aead: nonce of 16 bytes, want nil; the SIV with nonces is chacha20poly1305.NewSIV"
	for name, f := range map[string]func(){
		"Seal": func() { a.Seal(nil, make([]byte, 16), nil, nil) },
		"Open": func() { a.Open(nil, make([]byte, 16), make([]byte, 32), nil) },
	} {
		if got := mactest.Panic(f); got != want {
			t.Errorf("%s: got panic %q, want %q", name, got, want)
		}
	}
}

// TestSIV checks that equal messages have equal ciphertexts, and that any difference
// changes the whole ciphertext.
func TestSIV(t *testing.T) {
	a := mustAEAD(t, algorithms[2], make([]byte, KeySize), 32)
	msg, data := mactest.Random(100, 6), mactest.Random(10, 7)
	one := a.Seal(nil, nil, msg, data)
	if !bytes.Equal(one, a.Seal(nil, []byte{}, msg, data)) {
		t.Error("equal messages have different ciphertexts")
	}
	for name, two := range map[string][]byte{
		"message": a.Seal(nil, nil, append(bytes.Clone(msg[:99]), msg[99]^1), data),
		"data":    a.Seal(nil, nil, msg, data[:9]),
	} {
		if bytes.Equal(one[:16], two[:16]) {
			t.Errorf("changing the %s did not change the first 16 bytes of the ciphertext", name)
		}
	}
}

// TestLengths uses lengths of messages and additional data that do not fit in 16 or in
// 20 bits.
func TestLengths(t *testing.T) {
	for _, alg := range algorithms {
		key, nonce := mactest.Random(KeySize, 21), mactest.Random(alg.nonceSize, 22)
		a := mustAEAD(t, alg, key, TagSize)
		for _, tt := range []struct{ message, data int }{{5, 1<<16 + 3}, {1<<20 + 7, 0}, {1 << 16, 1<<20 + 1}} {
			plaintext, data := mactest.Random(tt.message, 23), mactest.Random(tt.data, 24)
			want := refSeal(t, alg, TagSize, key, nonce, plaintext, data)
			checkSealed(t, a, nonce, plaintext, data, func(sealed []byte) bool { return bytes.Equal(sealed, want) })
		}
	}
}

// TestLanesLengths is TestLengths for several messages at once.
func TestLanesLengths(t *testing.T) {
	key := mactest.Random(KeySize, 21)
	a := mustAEAD(t, algorithms[0], key, TagSize).(batch.AEAD)
	msgs := make([]batch.Message, batch.MaxLanes)
	for i := range msgs {
		in := mactest.Random(1<<20+i, uint64(i))
		msgs[i] = batch.Message{Nonce: mactest.Random(NonceSize, uint64(i)), In: in, Out: make([]byte, len(in)+TagSize)}
	}
	a.SealAll(msgs)
	for i, m := range msgs {
		if !bytes.Equal(m.Out, refSeal(t, algorithms[0], TagSize, key, m.Nonce, m.In, nil)) {
			t.Errorf("message %d: got wrong ciphertext", i)
		}
		msgs[i].In, msgs[i].Out = m.Out, make([]byte, len(m.In))
	}
	if opened := a.OpenAll(msgs); opened != len(msgs) {
		t.Errorf("OpenAll = %d, want %d", opened, len(msgs))
	}
}
