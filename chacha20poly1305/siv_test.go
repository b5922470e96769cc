// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"crypto/cipher"
	"crypto/fips140"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/alias"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// A sivReference implements ChaCha20-Poly1305-SIV by definition, with x/crypto's
// ChaCha20 and with Poly1305 in math/big. It panics as x/crypto's AEADs do.
type sivReference struct{ key [KeySize]byte }

func newSIVReference(key []byte) (cipher.AEAD, error) {
	if fips140.Enforced() {
		return nil, errFIPS
	}
	if len(key) != KeySize {
		return nil, errKey
	}
	return &sivReference{[KeySize]byte(key)}, nil
}

func (*sivReference) NonceSize() int { return 16 }
func (*sivReference) Overhead() int  { return 32 }

// chachaReference returns text XOR the keystream starting at block counter.
func chachaReference(key []byte, counter uint32, nonce, text []byte) []byte {
	c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		panic(err)
	}
	c.SetCounter(counter)
	out := make([]byte, len(text))
	c.XORKeyStream(out, text)
	return out
}

func blockReference(key, x []byte) []byte {
	return chachaReference(key, binary.LittleEndian.Uint32(x), x[4:16], make([]byte, 64))
}

// poly1305Reference implements RFC 8439, section 2.5.1, for whole blocks.
func poly1305Reference(key, text []byte) []byte {
	number := func(b []byte) *big.Int {
		b = bytes.Clone(b)
		slices.Reverse(b)
		return new(big.Int).SetBytes(b)
	}
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	r, h := number(key[:16]), new(big.Int)
	r.And(r, new(big.Int).SetBytes([]byte{15, 255, 255, 252, 15, 255, 255, 252, 15, 255, 255, 252, 15, 255, 255, 255}))
	for ; len(text) > 0; text = text[16:] {
		h.Mod(h.Mul(h.Add(h, number(append(bytes.Clone(text[:16]), 1))), r), p)
	}
	tag := h.Add(h, number(key[16:])).FillBytes(make([]byte, 17))
	slices.Reverse(tag)
	return tag[:16]
}

// tag returns the tag and the encryption key.
func (a *sivReference) tag(nonce, text, ad []byte) []byte {
	sub := blockReference(a.key[:], nonce)
	var hashed []byte
	for _, part := range [][]byte{ad, text} {
		hashed = append(append(hashed, part...), make([]byte, -len(part)&15)...)
	}
	hashed = binary.LittleEndian.AppendUint64(hashed, uint64(len(ad)))
	hashed = binary.LittleEndian.AppendUint64(hashed, uint64(len(text)))
	return blockReference(sub[32:], poly1305Reference(sub[:32], hashed))[:32]
}

func (a *sivReference) crypt(nonce, tag, text []byte) []byte {
	sub := blockReference(a.key[:], nonce)
	return chachaReference(blockReference(sub[32:], tag[:16])[32:], 0, tag[16:28], text)
}

// grow returns dst extended by n bytes, after checking for overlaps.
func (a *sivReference) grow(dst, input, ad []byte, n int) (all, out []byte) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	out = all[len(dst):]
	if alias.InexactOverlap(out, input) {
		panic("chacha20poly1305: invalid buffer overlap of output and input")
	}
	if alias.Overlap(out, ad) {
		panic("chacha20poly1305: invalid buffer overlap of output and additional data")
	}
	return all, out
}

func (a *sivReference) Seal(dst, nonce, text, ad []byte) []byte {
	checkNonceSIV(nonce)
	if len(nonce) != 16 {
		panic("chacha20poly1305: bad nonce length passed to Seal")
	}
	all, out := a.grow(dst, text, ad, len(text)+32)
	tag := a.tag(nonce, text, ad)
	copy(out, append(a.crypt(nonce, tag, text), tag...))
	return all
}

func (a *sivReference) Open(dst, nonce, sealed, ad []byte) ([]byte, error) {
	checkNonceSIV(nonce)
	if len(nonce) != 16 {
		panic("chacha20poly1305: bad nonce length passed to Open")
	}
	n := len(sealed) - 32
	if n < 0 {
		return nil, errOpen
	}
	all, out := a.grow(dst, sealed[:n], ad, n)
	tag := bytes.Clone(sealed[n:])
	text := a.crypt(nonce, tag, sealed[:n])
	if !bytes.Equal(a.tag(nonce, text, ad), tag) {
		clear(out)
		return nil, errOpen
	}
	copy(out, text)
	return all, nil
}

// TestSIVVectors checks known answers computed with libsodium.
func TestSIVVectors(t *testing.T) { implementations(t, testSIVVectors) }

func testSIVVectors(t *testing.T) {
	type test struct {
		Key, Nonce       vectors.Hex
		AD, Text         vectors.Message
		Tag, Ciphertext  vectors.Hex
		CiphertextSHA256 vectors.Hex `json:"ciphertext_sha256"`
	}
	for _, v := range vectors.Load[test](t, "chacha20poly1305siv.json") {
		a := mustAEAD(t, NewSIV, v.Key)
		text, ad := v.Text.Bytes(), v.AD.Bytes()
		got := a.Seal(nil, v.Nonce, text, ad)
		c, tag := got[:len(text)], got[len(text):]
		want, same := v.Ciphertext, bytes.Equal(c, v.Ciphertext)
		if v.CiphertextSHA256 != nil {
			sum := sha256.Sum256(c)
			want, same = v.CiphertextSHA256, bytes.Equal(sum[:], v.CiphertextSHA256)
		}
		if !bytes.Equal(tag, v.Tag) || !same {
			t.Errorf("%d bytes, %d bytes of additional data: got tag %x, want %x; want ciphertext or its hash %x", len(text), len(ad), tag, v.Tag, want)
		}
		if opened, err := a.Open(nil, v.Nonce, got, ad); err != nil || !bytes.Equal(opened, text) {
			t.Errorf("%d bytes, %d bytes of additional data: Open: got wrong plaintext or error %v", len(text), len(ad), err)
		}
	}
}

// TestSIVNoNonce checks that an empty nonce panics with the name of the SIV without nonces.
func TestSIVNoNonce(t *testing.T) {
	a, err := NewSIV(make([]byte, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	want := "chacha20poly1305: nonce of 0 bytes, want 16; the SIV without nonces is aead.NewSIV"
	for name, f := range map[string]func(){
		"Seal": func() { a.Seal(nil, nil, nil, nil) },
		"Open": func() { a.Open(nil, nil, make([]byte, OverheadSIV), nil) },
	} {
		if got := mactest.Panic(f); got != want {
			t.Errorf("%s: got panic %q, want %q", name, got, want)
		}
	}
}

// TestSIVNonceReuse seals texts under the same nonce. Different texts must have
// unrelated ciphertexts, and equal texts equal ones.
func TestSIVNonceReuse(t *testing.T) {
	a := mustAEAD(t, NewSIV, mactest.Random(KeySize, 60))
	nonce := mactest.Random(NonceSizeSIV, 61)
	first, second := a.Seal(nil, nonce, []byte("one text of some length"), nil), a.Seal(nil, nonce, []byte("one text of some lengTh"), nil)
	if !bytes.Equal(first, a.Seal(nil, nonce, []byte("one text of some length"), nil)) {
		t.Error("equal messages have different ciphertexts")
	}
	equal := 0
	for i := range first {
		if first[i] == second[i] {
			equal++
		}
	}
	if equal > 8 { // of 55 bytes; the probability of more equal bytes is below 2^-50
		t.Errorf("%d of %d bytes are equal for two texts under one nonce, want at most 8", equal, len(first))
	}
}
