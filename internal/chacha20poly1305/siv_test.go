// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"golang.org/x/crypto/chacha20"

	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/poly1305"
)

var testNonceSIV = [NonceSizeSIV]byte(mactest.Random(NonceSizeSIV, 20))

// streamOf returns n bytes of x/crypto's ChaCha20 keystream. x contains the first
// block's number and the nonce.
func streamOf(t *testing.T, key, x []byte, n int) []byte {
	c, err := chacha20.NewUnauthenticatedCipher(key, x[4:16])
	if err != nil {
		t.Fatal(err)
	}
	c.SetCounter(binary.LittleEndian.Uint32(x))
	stream := make([]byte, n)
	c.XORKeyStream(stream, stream)
	return stream
}

// A sivMessage contains a message, the expected result of sealing it, and the secrets
// that must not remain on the stack.
type sivMessage struct {
	text, ad, ciphertext []byte
	tag                  [TagSizeSIV]byte
	secrets              [][]byte
}

func newSIVMessage(t *testing.T, n, ad int) *sivMessage {
	m := &sivMessage{text: mactest.Random(n, 21), ad: mactest.Random(ad, 22)}
	sub := streamOf(t, testKey[:], testNonceSIV[:], 64)
	mac := poly1305.New((*[32]byte)(sub))
	for _, part := range [][]byte{m.ad, m.text} {
		mac.Write(append(bytes.Clone(part), make([]byte, -len(part)&15)...))
	}
	mac.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(ad)), uint64(n)))
	m.tag = [TagSizeSIV]byte(streamOf(t, sub[32:], mac.Sum(nil), 64))
	derived := streamOf(t, sub[32:], m.tag[:16], 64)
	stream := streamOf(t, derived[32:], append(make([]byte, 4), m.tag[16:28]...), n)
	for i, b := range m.text {
		m.ciphertext = append(m.ciphertext, b^stream[i])
	}
	m.secrets = [][]byte{testKey[:], sub, derived[32:], stream}
	return m
}

// check checks SealSIV and OpenSIV out of place and in place, and that OpenSIV rejects
// wrong tags. dst is memory for the output.
func (m *sivMessage) check(t *testing.T, dst []byte) {
	t.Helper()
	n := len(m.text)
	var tag [TagSizeSIV]byte
	is := func(what string, want []byte, ok bool) {
		t.Helper()
		if !ok || !bytes.Equal(dst, want) || tag != m.tag {
			t.Fatalf("%d bytes, %d of additional data: %s: wrong result", n, len(m.ad), what)
		}
	}
	SealSIV(&tag, dst, m.text, m.ad, &testKey, &testNonceSIV)
	is("Seal", m.ciphertext, true)
	is("Open in place", m.text, OpenSIV(&tag, dst, dst, m.ad, &testKey, &testNonceSIV))
	SealSIV(&tag, dst, dst, m.ad, &testKey, &testNonceSIV)
	is("Seal in place", m.ciphertext, true)
	clear(dst)
	is("Open", m.text, OpenSIV(&tag, dst, m.ciphertext, m.ad, &testKey, &testNonceSIV))
	for _, at := range []int{n % 16, 16 + n%12, 28 + n%4} {
		forged := m.tag
		forged[at] ^= 1 << (n % 8)
		if OpenSIV(&forged, dst, m.ciphertext, m.ad, &testKey, &testNonceSIV) || !bytes.Equal(dst, make([]byte, n)) {
			t.Fatalf("%d bytes: OpenSIV accepted a forgery or did not clear dst", n)
		}
	}
}

// TestSIVLengths checks lengths up to 5000, and long messages that need several kernel
// calls.
func TestSIVLengths(t *testing.T) {
	kernels(t, func(t *testing.T) {
		for n := range 5000 {
			if n > 300 && n%64 > 1 && n%16 > 1 && (testing.Short() || n%7 != 0) {
				continue
			}
			newSIVMessage(t, n, n*7%35).check(t, make([]byte, n))
			if n < 600 {
				newSIVMessage(t, n*3%200, n).check(t, make([]byte, n*3%200))
			}
		}
		for _, n := range []int{dispatch.MaxCall - 64, dispatch.MaxCall, dispatch.MaxCall + 1, 2*dispatch.MaxCall + 2000, 4 * dispatch.MaxCall} {
			newSIVMessage(t, n, 13).check(t, make([]byte, n))
			newSIVMessage(t, n%700, n).check(t, make([]byte, n%700))
		}
	})
}

// TestSIVCounter checks text nonces that begin with four bytes of 0x00, 0x01 or 0xff.
// These bytes follow the 32-bit block number in the ChaCha20 state, so a carry or
// borrow from the block number would change them.
func TestSIVCounter(t *testing.T) {
	kernels(t, func(t *testing.T) {
		src, dst := mactest.Random(2*dispatch.MaxCall+100, 24), make([]byte, 2*dispatch.MaxCall+100)
		for _, first := range []byte{0, 1, 0xff} {
			nonce := [NonceSize]byte{first, first, first, first, 1, 2, 3}
			stream := streamOf(t, testKey[:], append(make([]byte, 4), nonce[:]...), len(src))
			for _, n := range []int{1, 64, 500, 3000, len(src)} {
				var hash [TagSize]byte
				openSIV(&hash, dst[:n], src[:n], nil, &testKey, &testKey, &nonce)
				for i := range n {
					if dst[i] != src[i]^stream[i] {
						t.Fatalf("%d bytes, nonce %x: byte %d: wrong result", n, nonce, i)
					}
				}
			}
		}
	})
}

// TestSIVGuarded checks that the kernels stay within their buffers, which are next to
// inaccessible pages.
func TestSIVGuarded(t *testing.T) {
	const maxLen = 4300
	src, dst, ad := mactest.NewGuarded(t, maxLen), mactest.NewGuarded(t, maxLen), mactest.NewGuarded(t, 100)
	kernels(t, func(t *testing.T) {
		for n := 0; n <= maxLen; n += 1 + n/20 {
			for _, part := range []func(*mactest.Guarded, int) []byte{(*mactest.Guarded).Front, (*mactest.Guarded).Back} {
				m := newSIVMessage(t, n, n%101)
				for memory, b := range map[*mactest.Guarded]*[]byte{src: &m.text, ad: &m.ad} {
					to := part(memory, len(*b))
					copy(to, *b)
					*b = to
				}
				m.check(t, part(dst, n))
			}
		}
	})
}

// TestSIVStackWiped checks that neither keys nor keystream remain on the stack.
func TestSIVStackWiped(t *testing.T) {
	if mactest.RaceDetector {
		t.Skip("the race detector's calls in Go code spill registers")
	}
	kernels(t, func(t *testing.T) {
		if dispatch.InUse("chacha20poly1305") == dispatch.Generic {
			return // plain Go does not clear spilled registers
		}
		for n := 0; n <= 3000; n += 1 + n/6 {
			m, dst := newSIVMessage(t, n, 20), make([]byte, n)
			for name, f := range map[string]func(){
				"Seal": func() { SealSIV(&m.tag, dst, m.text, m.ad, &testKey, &testNonceSIV) },
				"Open": func() { OpenSIV(&m.tag, dst, m.ciphertext, m.ad, &testKey, &testNonceSIV) },
			} {
				mactest.StackWiped(t, fmt.Sprintf("%s of %d bytes", name, n), f, m.secrets...)
			}
		}
	})
}

// TestEmpty checks both constructions without text, without additional data, and
// without both. The other input has different lengths, which select different kernels.
func TestEmpty(t *testing.T) {
	kernels(t, func(t *testing.T) {
		for _, n := range []int{1, 16, 64, 65, 300, 5000} {
			text, ad, dst := mactest.Random(n, 31), mactest.Random(min(n, 100), 32), make([]byte, n)
			var tag [TagSize]byte
			var tagSIV [TagSizeSIV]byte
			mactest.Empty(t, "Seal and Open", func(empty []byte) (all []byte) {
				for _, m := range []struct{ src, dst, ad []byte }{{empty, empty, ad}, {text, dst, empty}, {empty, empty, empty}} {
					Seal(&tag, m.dst, m.src, m.ad, &testKey, &testNonce)
					all = append(append(all, m.dst...), tag[:]...)
					if !Open(&tag, m.dst, m.dst, m.ad, &testKey, &testNonce) || !bytes.Equal(m.dst, m.src) {
						t.Errorf("%d bytes, %d of additional data: Open = %x", len(m.src), len(m.ad), m.dst)
					}
					SealSIV(&tagSIV, m.dst, m.src, m.ad, &testKey, &testNonceSIV)
					all = append(append(all, m.dst...), tagSIV[:]...)
					if !OpenSIV(&tagSIV, m.dst, m.dst, m.ad, &testKey, &testNonceSIV) || !bytes.Equal(m.dst, m.src) {
						t.Errorf("%d bytes, %d of additional data: OpenSIV = %x", len(m.src), len(m.ad), m.dst)
					}
				}
				return all
			}, testKey[:], text, ad, dst, tag[:])
		}
	})
}
