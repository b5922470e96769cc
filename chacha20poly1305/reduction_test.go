// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/mactest"
)

// At the end of a message, Poly1305 reduces the accumulator by adding 5 and testing for
// a carry. These tests compute messages whose accumulator ends such that only one of
// the carries of this addition occurs, or such that the carries propagate through all
// words.

// A target is the final value of an accumulator, modulo 2^130 - 5.
type target struct {
	name  string
	value func(rng *rand.Rand) *big.Int
}

func targets() (list []target) {
	add := func(name string, value func(rng *rand.Rand) *big.Int) { list = append(list, target{name, value}) }
	// at returns upper·2^(2·bits) + middle·2^bits + lower.
	at := func(bits uint, upper, middle, lower uint64) *big.Int {
		n := new(big.Int).SetUint64(upper)
		n.Lsh(n, bits).Add(n, new(big.Int).SetUint64(middle))
		return n.Lsh(n, bits).Add(n, new(big.Int).SetUint64(lower))
	}
	for k := range uint64(6) {
		add(fmt.Sprintf("%d, or the modulus more", k), func(*rand.Rand) *big.Int { return at(64, 0, 0, k) })
		add(fmt.Sprintf("the modulus less %d", 1+k), func(*rand.Rand) *big.Int { return at(64, 3, 1<<64-1, 1<<64-6-k) })
		add(fmt.Sprintf("h2 = 3, h0 = 2^64 - %d", 1+k), func(rng *rand.Rand) *big.Int { return at(64, 3, rng.Uint64(), 1<<64-1-k) })
		add(fmt.Sprintf("h2 = 2, h1 = 2^64 - 1, h0 = 2^64 - %d", 1+k), func(*rand.Rand) *big.Int { return at(64, 2, 1<<64-1, 1<<64-1-k) })
		add(fmt.Sprintf("limbs of 52 bits: 2^26 - 1, any, 2^52 - %d", 1+k), func(rng *rand.Rand) *big.Int {
			return at(52, 1<<26-1, rng.Uint64N(1<<52-1), 1<<52-1-k)
		})
		add(fmt.Sprintf("limbs of 52 bits: any, 2^52 - 1, 2^52 - %d", 1+k), func(rng *rand.Rand) *big.Int {
			return at(52, rng.Uint64N(1<<26-1), 1<<52-1, 1<<52-1-k)
		})
	}
	return list
}

var modulus = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))

// number returns the number whose little-endian bytes are b.
func number(b []byte) *big.Int {
	b = bytes.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// blocksOf returns the blocks of RFC 8439, section 2.8, including the bit above each
// block.
func blocksOf(ad, text []byte) (blocks []*big.Int) {
	all := append(bytes.Clone(ad), make([]byte, -len(ad)&15)...)
	all = append(append(all, text...), make([]byte, -len(text)&15)...)
	all = binary.LittleEndian.AppendUint64(all, uint64(len(ad)))
	all = binary.LittleEndian.AppendUint64(all, uint64(len(text)))
	for block := range slices.Chunk(all, 16) {
		blocks = append(blocks, number(append(block, 1)))
	}
	return blocks
}

// steer replaces the first 16 bytes of ad, or of text if ad is shorter, so that the
// accumulator under r ends with want. It returns false if the required number is not a
// block.
func steer(ad, text []byte, r, want *big.Int) bool {
	free := text
	if len(ad) >= 16 {
		free = ad
	}
	clear(free[:16])
	blocks := blocksOf(ad, text)
	first := 0 // index of the block to replace
	if len(ad) < 16 {
		first = (len(ad) + 15) / 16
	}
	h := new(big.Int)
	for _, block := range blocks {
		h.Mod(h.Mul(h.Add(h, block), r), modulus)
	}
	power := new(big.Int).Exp(r, big.NewInt(int64(len(blocks)-first)), modulus)
	block := new(big.Int).Sub(want, h)
	block.Mod(block.Mul(block, power.ModInverse(power, modulus)), modulus)
	if block.BitLen() > 128 {
		return false
	}
	block.FillBytes(free[:16])
	slices.Reverse(free[:16])
	return true
}

// clamped returns the number r of a Poly1305 key.
func clamped(key []byte) *big.Int {
	r := number(key[:16])
	return r.And(r, number([]byte{255, 255, 255, 15, 252, 255, 255, 15, 252, 255, 255, 15, 252, 255, 255, 15}))
}

// A steered is a message whose accumulator ends with a target, and its tag.
type steered struct {
	name          string
	ad, text, tag []byte
}

// steeredMessages returns a message for each target and length.
func steeredMessages(t *testing.T, polyKey []byte) (list []steered) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 1))
	r, s := clamped(polyKey), number(polyKey[16:])
	for i, n := range []int{0, 1, 15, 16, 17, 32, 33, 40, 64, 80, 128, 160, 192, 200, 256, 300, 320, 400, 448, 512, 560, 640, 704, 768, 1024, 1420, 2048, 3000, 4100, 8192, 20000} {
		for j, target := range targets() {
			ad := 13 * (j % 2)
			switch { // vary one block and choose another
			case n < 16:
				ad = 32
			case n < 32:
				ad = 13
			}
			found := false
			for seed := uint64(0); seed < 200 && !found; seed++ {
				m := steered{fmt.Sprintf("%d bytes, %s", n, target.name), mactest.Random(ad, 3*seed), mactest.Random(n, 7*seed+uint64(i)), nil}
				h := target.value(rng)
				if found = steer(m.ad, m.text, r, h); found {
					m.tag = h.Add(h, s).FillBytes(make([]byte, 17))[1:]
					slices.Reverse(m.tag)
					list = append(list, m)
				}
			}
			if !found {
				t.Fatalf("%d bytes, %s: found no message", n, target.name)
			}
		}
	}
	return list
}

// TestReduction seals and opens steered messages, one by one and in batches, with every
// implementation.
func TestReduction(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 1)), [NonceSize]byte(mactest.Random(NonceSize, 2))
	var stream [20000 + 64]byte
	chacha20.KeyStream(stream[:], &key, &nonce, 0)
	messages := steeredMessages(t, stream[:32])
	plaintext := func(m steered) []byte {
		text := bytes.Clone(m.text)
		for i := range text {
			text[i] ^= stream[64+i]
		}
		return text
	}
	aead := mustAEAD(t, New, key[:])
	mactest.Implementations(t, "chacha20poly1305", func(t *testing.T) {
		var toSeal, toOpen []Packet
		for _, m := range messages {
			text, want := plaintext(m), append(bytes.Clone(m.text), m.tag...)
			if got := aead.Seal(nil, nonce[:], text, m.ad); !bytes.Equal(got, want) {
				t.Fatalf("%s: Seal: got tag %x, want %x", m.name, got[len(text):], m.tag)
			}
			if got, err := aead.Open(nil, nonce[:], want, m.ad); err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%s: Open: got wrong plaintext or error %v", m.name, err)
			}
			if len(text) < 2048 {
				toSeal = append(toSeal, Packet{Nonce: nonce[:], Text: text, AdditionalData: m.ad})
				toOpen = append(toOpen, Packet{Nonce: nonce[:], Text: want, AdditionalData: m.ad})
			}
		}
		SealBatch(aead, toSeal)
		OpenBatch(aead, toOpen)
		for i := range toSeal {
			if !bytes.Equal(toSeal[i].Dst, toOpen[i].Text) {
				t.Fatalf("%s: SealBatch: got wrong ciphertext or tag", messages[i].name)
			}
			if !toOpen[i].OK || !bytes.Equal(toOpen[i].Dst, toSeal[i].Text) {
				t.Fatalf("%s: OpenBatch: OK = %t, want true and the plaintext", messages[i].name, toOpen[i].OK)
			}
		}
	})
}

// TestReductionSIV is TestReduction for ChaCha20-Poly1305-SIV, which authenticates the
// plaintext.
func TestReductionSIV(t *testing.T) {
	key, nonce := [KeySize]byte(mactest.Random(KeySize, 1)), [NonceSizeSIV]byte(mactest.Random(NonceSizeSIV, 2))
	var sub [chacha20.BlockSize]byte
	chacha20.Block(&sub, &key, &nonce)
	messages := steeredMessages(t, sub[:32])
	aead := mustAEAD(t, NewSIV, key[:])
	for _, pkg := range []string{"chacha20poly1305", "poly1305"} {
		t.Run(pkg, func(t *testing.T) {
			mactest.Implementations(t, pkg, func(t *testing.T) {
				for _, m := range messages {
					var want [chacha20.BlockSize]byte
					chacha20.Block(&want, (*[KeySize]byte)(sub[32:]), (*[16]byte)(m.tag))
					sealed := aead.Seal(nil, nonce[:], m.text, m.ad)
					if got := sealed[len(m.text):]; !bytes.Equal(got, want[:OverheadSIV]) {
						t.Fatalf("%s: Seal: got tag %x, want %x", m.name, got, want[:OverheadSIV])
					}
					if got, err := aead.Open(nil, nonce[:], sealed, m.ad); err != nil || !bytes.Equal(got, m.text) {
						t.Fatalf("%s: Open: got wrong plaintext or error %v", m.name, err)
					}
				}
			})
		})
	}
}
