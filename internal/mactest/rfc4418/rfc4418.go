// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package rfc4418 is a direct transcription of RFC 4418, using byte strings and
// math/big. It shares no code with the packages under test.
package rfc4418

import (
	"crypto/aes"
	"encoding/binary"
	"math/big"
)

// KDF returns n bytes of the key derivation function.
func KDF(key []byte, index uint64, n int) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	var out []byte
	for i := uint64(1); len(out) < n; i++ {
		var in [16]byte
		binary.BigEndian.PutUint64(in[:], index)
		binary.BigEndian.PutUint64(in[8:], i)
		block.Encrypt(in[:], in[:])
		out = append(out, in[:]...)
	}
	return out[:n]
}

// PDF returns the result of the pad derivation function.
func PDF(key, nonce []byte, size int) []byte {
	n := append([]byte{}, nonce...)
	at := 0
	if size <= 8 {
		index := int(n[len(n)-1]) % (16 / size)
		n[len(n)-1] ^= byte(index)
		at = index * size
	}
	block, err := aes.NewCipher(KDF(key, 0, len(key)))
	if err != nil {
		panic(err)
	}
	in := make([]byte, 16)
	copy(in, n)
	block.Encrypt(in, in)
	return in[at : at+size]
}

// NH returns the NH value of a chunk of at most 1024 bytes.
func NH(key, chunk []byte) uint64 {
	padded := append([]byte{}, chunk...)
	for len(padded) == 0 || len(padded)%32 != 0 {
		padded = append(padded, 0)
	}
	m := func(i int) uint32 { return binary.LittleEndian.Uint32(padded[4*i:]) }
	k := func(i int) uint32 { return binary.BigEndian.Uint32(key[4*i:]) }
	sum := uint64(len(chunk)) * 8
	for i := 0; i < len(padded)/4; i += 8 {
		for j := i; j < i+4; j++ {
			sum += uint64(m(j)+k(j)) * uint64(m(j+4)+k(j+4))
		}
	}
	return sum
}

func bigPow2(n uint, minus int64) *big.Int {
	p := new(big.Int).Lsh(big.NewInt(1), n)
	return p.Sub(p, big.NewInt(minus))
}

// Poly returns POLY(wordbits, 2^wordbits - 2^limit, k, data), continued from y.
func Poly(wordbits, limit uint, y, k *big.Int, data []byte) *big.Int {
	offset := int64(59)
	if wordbits == 128 {
		offset = 159
	}
	p := bigPow2(wordbits, offset)
	maxWord := new(big.Int).Sub(bigPow2(wordbits, 0), bigPow2(limit, 0))
	step := func(m *big.Int) {
		y = new(big.Int).Mul(k, y)
		y.Add(y, m).Mod(y, p)
	}
	for ; len(data) > 0; data = data[wordbits/8:] {
		m := new(big.Int).SetBytes(data[:wordbits/8])
		if m.Cmp(maxWord) >= 0 {
			step(new(big.Int).Sub(p, big.NewInt(1)))
			step(m.Sub(m, big.NewInt(offset)))
		} else {
			step(m)
		}
	}
	return y
}

// MaskedKey returns the number encoded by a POLY key after masking.
func MaskedKey(key []byte) *big.Int {
	masked := make([]byte, len(key))
	for i := range key {
		masked[i] = key[i]
		if i%4 == 0 {
			masked[i] &= 1
		}
	}
	return new(big.Int).SetBytes(masked)
}

// L2 hashes the NH values of two or more chunks to 16 bytes.
func L2(key, data []byte) []byte {
	out := make([]byte, 16)
	k64, k128 := MaskedKey(key[:8]), MaskedKey(key[8:24])
	one := big.NewInt(1)
	if len(data) <= 1<<17 {
		return Poly(64, 32, one, k64, data).FillBytes(out)
	}
	y := Poly(64, 32, one, k64, data[:1<<17]).FillBytes(out)
	data = append(append([]byte{}, data[1<<17:]...), 0x80)
	for len(data)%16 != 0 {
		data = append(data, 0)
	}
	return Poly(128, 96, one, k128, append(y, data...)).FillBytes(make([]byte, 16))
}

// L3 hashes 16 bytes to four.
func L3(k1, k2, in []byte) []byte {
	p := bigPow2(36, 5)
	y := new(big.Int)
	for i := range 8 {
		m := big.NewInt(int64(in[2*i])<<8 | int64(in[2*i+1]))
		k := new(big.Int).SetBytes(k1[8*i : 8*i+8])
		y.Add(y, m.Mul(m, k.Mod(k, p)))
	}
	y.Mod(y, p)
	out := make([]byte, 4)
	binary.BigEndian.PutUint32(out, uint32(y.Uint64())^binary.BigEndian.Uint32(k2))
	return out
}

// UMAC returns the tag of a message.
func UMAC(key, nonce, msg []byte, size int) []byte {
	streams := size / 4
	nhKey := KDF(key, 1, 1024+16*(streams-1))
	l2Key := KDF(key, 2, 24*streams)
	l3Key1, l3Key2 := KDF(key, 3, 64*streams), KDF(key, 4, 4*streams)
	tag := PDF(key, nonce, size)
	for s := range streams {
		var nh []byte
		for rest := msg; ; {
			n := min(len(rest), 1024)
			nh = binary.BigEndian.AppendUint64(nh, NH(nhKey[16*s:], rest[:n]))
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
		in := append(make([]byte, 8), nh...)
		if len(nh) > 8 {
			in = L2(l2Key[24*s:], nh)
		}
		for i, b := range L3(l3Key1[64*s:], l3Key2[4*s:], in) {
			tag[4*s+i] ^= b
		}
	}
	return tag
}
