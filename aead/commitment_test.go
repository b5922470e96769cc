// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aead_test

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log"
	"math/big"
	"slices"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead"
)

// With an AEAD that does not commit, an attacker who knows two keys can construct a
// ciphertext that opens under both, as two different messages. Alice, who has the first
// key, reads a harmless text, and Bob, who has the second, reads another, although both
// have verified the same bytes. This enables abuse reports with the wrong text,
// thousands of password guesses per attempt, and backups that open under somebody
// else's key.
func Example_commitment() {
	key1, key2 := sha256.Sum256([]byte("Alice's key")), sha256.Sum256([]byte("Bob's key"))
	nonce := make([]byte, chacha20poly1305.NonceSize)

	// Poly1305 is a polynomial over GF(2^130-5), so two tags can be made equal by
	// solving a linear equation for one block.
	poly1, poly2 := newChaCha20Poly1305(key1[:]), newChaCha20Poly1305(key2[:])
	forged := openUnderBoth(key1[:], key2[:], nonce, []byte("Dear Alice, all is well."))
	message1, err1 := poly1.Open(nil, nonce, forged, nil)
	message2, err2 := poly2.Open(nil, nonce, forged, nil)
	fmt.Println("ChaCha20-Poly1305 opens under key 1:", err1 == nil, "- under key 2:", err2 == nil)
	fmt.Printf("under key 1 it says %q\n", message1[:24])
	fmt.Println("under key 2 it says the same:", bytes.Equal(message1, message2))

	// The same attack on this package fails: the tags are hashes of the ciphertext C
	// under the two keys. They differ, there is no equation to solve, and neither opens
	// under the other key.
	c := forged[:len(forged)-chacha20poly1305.Overhead]
	committing1, committing2 := newCommitting(key1[:]), newCommitting(key2[:])
	sealed1, sealed2 := sealTo(committing1, c), sealTo(committing2, c)
	fmt.Println("ChaCha20-BLAKE2b with the same C:", bytes.HasPrefix(sealed1, c) && bytes.HasPrefix(sealed2, c))
	for i, sealed := range [][]byte{sealed1, sealed2} {
		_, err1 := committing1.Open(nil, nonce[:aead.NonceSize], sealed, nil)
		_, err2 := committing2.Open(nil, nonce[:aead.NonceSize], sealed, nil)
		fmt.Printf("with the tag of key %d it opens under key 1: %v - under key 2: %v\n", i+1, err1 == nil, err2 == nil)
	}
	// Output:
	// ChaCha20-Poly1305 opens under key 1: true - under key 2: true
	// under key 1 it says "Dear Alice, all is well."
	// under key 2 it says the same: false
	// ChaCha20-BLAKE2b with the same C: true
	// with the tag of key 1 it opens under key 1: true - under key 2: false
	// with the tag of key 2 it opens under key 1: false - under key 2: true
}

// openUnderBoth returns a ChaCha20-Poly1305 ciphertext and tag, without additional
// data, that open under both keys. Under key1, the plaintext begins with text.
//
// Poly1305 interprets the ciphertext's 16-byte blocks, and a last block with the
// lengths, as integers b_1, …, b_n, each plus 2^128, and its tag is
//
//	((b_1·r^n + b_2·r^(n-1) + … + b_n·r) mod 2^130-5) + s   mod 2^128
//
// where r and s are derived from the key and the nonce (RFC 8439, section 2.5). If all
// blocks except x are chosen, x must satisfy
//
//	(A1 + x·R1 mod p) + s1 = (A2 + x·R2 mod p) + s2   mod 2^128
//
// where A is the sum without x, and R is the power of r by which x is multiplied. Each
// difference k·2^128 that the tag truncates gives an equation modulo p. Its solution is
// a valid block if it lies between 2^128 and 2^129, which is true for every fourth one.
// If no solution is valid, openUnderBoth tries another padding of the text.
func openUnderBoth(key1, key2, nonce, text []byte) []byte {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	two128 := new(big.Int).Lsh(big.NewInt(1), 128)
	r1, s1 := polyKey(key1, nonce)
	r2, s2 := polyKey(key2, nonce)

	for filling := uint64(0); ; filling++ {
		// The blocks are: the text under key1, a padding block, the block x, and the
		// lengths.
		c := make([]byte, (len(text)+15)/16*16, len(text)+64)
		keyStream(key1, nonce, 1).XORKeyStream(c, append(text, make([]byte, len(c)-len(text))...))
		c = binary.LittleEndian.AppendUint64(c, filling)
		c = append(c, make([]byte, 8)...)
		x := len(c)
		c = append(c, make([]byte, 16)...)

		a1, power1 := polyWithout(c, x, r1, p)
		a2, power2 := polyWithout(c, x, r2, p)
		inverse := new(big.Int).ModInverse(new(big.Int).Sub(power1, power2), p)
		for k := int64(-4); k <= 4 && inverse != nil; k++ {
			block := new(big.Int).Mul(big.NewInt(k), two128)
			block.Add(block, s2).Sub(block, s1).Add(block, a2).Sub(block, a1)
			block.Mul(block, inverse).Mod(block, p)
			block.Sub(block, two128)
			if block.Sign() < 0 || block.BitLen() > 128 {
				continue
			}
			copy(c[x:], littleEndian(block))
			tag1, tag2 := polyTag(c, r1, s1, p), polyTag(c, r2, s2, p)
			if bytes.Equal(tag1, tag2) {
				return append(c, tag1...)
			}
		}
	}
}

// polyKey returns r and s for a message.
func polyKey(key, nonce []byte) (r, s *big.Int) {
	b := make([]byte, 32)
	keyStream(key, nonce, 0).XORKeyStream(b, b)
	for _, i := range []int{3, 7, 11, 15} {
		b[i] &= 15
	}
	for _, i := range []int{4, 8, 12} {
		b[i] &= 252
	}
	return integer(b[:16]), integer(b[16:])
}

// polyWithout returns the polynomial of the ciphertext c without the block at x, and
// the power of r for this block.
func polyWithout(c []byte, x int, r, p *big.Int) (sum, power *big.Int) {
	sum, power = new(big.Int), new(big.Int)
	blocks := binary.LittleEndian.AppendUint64(append(slices.Clone(c), make([]byte, 8)...), uint64(len(c)))
	for at := 0; at < len(blocks); at += 16 {
		if at == x {
			power.SetInt64(1)
		} else {
			b := integer(blocks[at : at+16])
			sum.Add(sum, b.SetBit(b, 128, 1))
		}
		sum.Mul(sum, r).Mod(sum, p)
		power.Mul(power, r).Mod(power, p)
	}
	return sum, power
}

func polyTag(c []byte, r, s, p *big.Int) []byte {
	sum, _ := polyWithout(c, -1, r, p)
	return littleEndian(sum.Add(sum, s))
}

func keyStream(key, nonce []byte, block uint32) *chacha20.Cipher {
	c, err := chacha20.NewUnauthenticatedCipher(key, nonce)
	if err != nil {
		log.Fatal(err)
	}
	c.SetCounter(block)
	return c
}

// integer and littleEndian convert between 16 bytes and integers.
func integer(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func littleEndian(n *big.Int) []byte {
	b := make([]byte, 32)
	n.FillBytes(b)
	slices.Reverse(b)
	return b[:16]
}

func newChaCha20Poly1305(key []byte) cipher.AEAD {
	a, err := chacha20poly1305.New(key)
	if err != nil {
		log.Fatal(err)
	}
	return a
}

func newCommitting(key []byte) cipher.AEAD {
	a, err := aead.New(key)
	if err != nil {
		log.Fatal(err)
	}
	return a
}

// sealTo seals the message whose ciphertext is c, which is the encryption of c.
func sealTo(a cipher.AEAD, c []byte) []byte {
	nonce := make([]byte, a.NonceSize())
	message := a.Seal(nil, nonce, c, nil)[:len(c)]
	return a.Seal(nil, nonce, message, nil)
}
