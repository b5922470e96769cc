// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// variants lists the variants by their names in aegis.json, in order.
var variants = []string{"128l", "128x2", "128x4", "256", "256x2", "256x4"}

// each runs f as a subtest for every variant with every implementation.
func each(t *testing.T, f func(t *testing.T, v Variant)) {
	mactest.Implementations(t, "aegis", func(t *testing.T) {
		for v := range Variant(len(variants)) {
			t.Run(variants[v], func(t *testing.T) { f(t, v) })
		}
	})
}

// cipherOf returns a cipher of variant v.
func cipherOf(v Variant, key []byte, tagSize int) *Cipher {
	c := &Cipher{Variant: v, TagSize: tagSize}
	copy(c.Key[:], key)
	return c
}

// seal is like Seal, but stores the tag in separate memory.
func seal(c *Cipher, nonce, tag, dst, src, ad []byte) {
	crypt(c, false, &nonce[0], &tag[0], unsafe.SliceData(dst), unsafe.SliceData(src), len(src), unsafe.SliceData(ad), len(ad))
}

// TestVectors checks ciphertexts, tags and keystreams against vectors from libaegis,
// including MACs computed in two parts.
func TestVectors(t *testing.T) {
	file := vectors.AEGIS(t)
	each(t, func(t *testing.T, v Variant) {
		for i, x := range file.AEAD[variants[v]] {
			ciphertext := make([]byte, len(x.Msg))
			for _, want := range [][]byte{x.Tag128, x.Tag256} {
				tag := make([]byte, len(want))
				c := cipherOf(v, x.Key, len(tag))
				seal(c, x.Nonce, tag, ciphertext, x.Msg, x.AD)
				if !bytes.Equal(tag, want) {
					t.Errorf("vector %d: Seal: tag %x, want %x", i, tag, want)
				}
				checkText(t, fmt.Sprintf("vector %d: Seal", i), &x, ciphertext)
				text := make([]byte, len(x.Msg))
				if !Open(c, x.Nonce, want, text, ciphertext, x.AD) || !bytes.Equal(text, x.Msg) {
					t.Errorf("vector %d: Open rejected the ciphertext or returned another plaintext", i)
				}
			}
		}
		for i, x := range file.MAC[variants[v]] {
			var s State
			s.Init(v, x.Key, x.Nonce)
			for _, want := range [][]byte{x.Tag128, x.Tag256} {
				tag := make([]byte, len(want))
				if s.MAC(tag, x.Data, uint64(len(x.Data))); !bytes.Equal(tag, want) {
					t.Errorf("vector %d: MAC = %x, want %x", i, tag, want)
				}
			}
			half := len(x.Data) / 2 / v.Rate() * v.Rate()
			s.Absorb(x.Data[:half])
			tag := make([]byte, TagSize256)
			if s.MAC(tag, x.Data[half:], uint64(len(x.Data))); !bytes.Equal(tag, x.Tag256) {
				t.Errorf("vector %d: MAC in two parts = %x, want %x", i, tag, x.Tag256)
			}
		}
		for i, x := range file.Stream[variants[v]] {
			out := make([]byte, len(x.Out))
			if seal(cipherOf(v, x.Key, TagSize128), x.Nonce, make([]byte, TagSize128), out, out, nil); !bytes.Equal(out, x.Out) {
				t.Errorf("vector %d: keystream %x, want %x", i, out, x.Out)
			}
		}
	})
}

// checkText compares a ciphertext with the ciphertext, or its hash, of a vector.
func checkText(t *testing.T, what string, x *vectors.AEGISMessage, ciphertext []byte) {
	t.Helper()
	hash := sha256.Sum256(ciphertext)
	if x.CT != nil && !bytes.Equal(ciphertext, *x.CT) || x.CT == nil && !bytes.Equal(hash[:], x.CTHash) {
		t.Errorf("%s: wrong ciphertext", what)
	}
}

// TestUpdate checks the RFC's vector for AEGIS-128L's Update (appendix A.2.1).
func TestUpdate(t *testing.T) {
	var words, inputs [8][blockSize]byte
	for i, x := range []string{
		"9b7e60b24cc873ea894ecc07911049a3", "330be08f35300faa2ebf9a7b0d274658",
		"7bbd5bd2b049f7b9b515cf26fbe7756c", "c35a00f55ea86c3886ec5e928f87db18",
		"9ebccafce87cab446396c4334592c91f", "58d83e31f256371e60fc6bb257114601",
		"1639b56ea322c88568a176585bc915de", "640818ffb57dc0fbc2e72ae93457e39a",
	} {
		hex.Decode(words[i][:], []byte(x))
	}
	hex.Decode(inputs[0][:], []byte("033e6975b94816879e42917650955aa0"))
	hex.Decode(inputs[4][:], []byte("fcc1968a46b7e97861bd6e89af6aa55f"))
	var p, m planes
	p.pack(&words)
	m.pack(&inputs)
	p.update(Family128, &m, 0)
	p.unpack(&words)
	for i, want := range []string{
		"596ab773e4433ca0127c73f60536769d", "790394041a3d26ab697bde865014652d",
		"38cf49e4b65248acd533041b64dd0611", "16d8e58748f437bfff1797f780337cee",
		"9689ecdf08228c74d7e3360cca53d0a5", "a21746bb193a569e331e1aa985d0d729",
		"09d714e6fcf9177a8ed1cde7e3d259a6", "61279ba73167f0ab76f0a11bf203bdff",
	} {
		if got := hex.EncodeToString(words[i][:]); got != want {
			t.Errorf("S%d = %s, want %s", i, got, want)
		}
	}
}
