// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aegis"
)

// refSealWith is the definition of the format.
func (k *kind) refSealWith(tb testing.TB, salt *[saltSize]byte, data, plaintext []byte) []byte {
	tb.Helper()
	if k.shortEnd() {
		return refChunked(tb, k, salt, data, plaintext)
	}
	return refV2(tb, k, salt, data, plaintext)
}

// refV2 is unimac stream v2.
func refV2(tb testing.TB, k *kind, salt *[saltSize]byte, data, plaintext []byte) []byte {
	tb.Helper()
	e := byte(0)
	for 1<<e < k.size {
		e++
	}
	file := append([]byte("unimac2"), e)
	file = append(file, salt[:]...)
	kdf, err := blake2b.New(64, k.key)
	if err != nil {
		tb.Fatal(err)
	}
	kdf.Write([]byte("unimac stream v2"))
	kdf.Write(file)
	kdf.Write(data)
	kdf.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	derived := kdf.Sum(nil)
	file = append(file, derived[32:]...)
	a, err := aead.New(derived[:32])
	if err != nil {
		tb.Fatal(err)
	}
	for i := 0; i < 1<<24; i++ {
		n := min(len(plaintext), k.size)
		nonce := []byte{0, 0, 0, 0, byte(i >> 16), byte(i >> 8), byte(i), 0}
		if n == len(plaintext) {
			nonce[7] = 1
		}
		file = a.Seal(file, nonce, plaintext[:n], nil)
		plaintext = plaintext[n:]
		if len(plaintext) == 0 {
			return file
		}
	}
	tb.Fatal("too many chunks for the reference")
	return nil
}

// refChunked is c2sp.org/chunked-encryption.
func refChunked(tb testing.TB, k *kind, salt *[saltSize]byte, context, plaintext []byte) []byte {
	tb.Helper()
	name, newAEAD, nonceSize := "AEAD_CHACHA20_POLY1305", chacha20poly1305.New, 12
	if strings.HasPrefix(k.name, "ChunkedAEGIS256X2") {
		name, nonceSize = "AEAD_AEGIS256X2", 32
		newAEAD = func(key []byte) (cipher.AEAD, error) { return aegis.NewWithTagSize(aegis.AEGIS256X2, key, 16) }
	}
	if strings.HasPrefix(k.name, "Cobblestone") {
		name = map[int]string{16: "AEAD_AES_128_GCM", 32: "AEAD_AES_256_GCM"}[len(k.key)]
		newAEAD = func(key []byte) (cipher.AEAD, error) {
			block, err := aes.NewCipher(key)
			if err != nil {
				return nil, err
			}
			return cipher.NewGCM(block)
		}
	}
	// HKDF-Expand of RFC 5869.
	info := append([]byte("c2sp.org/chunked-encryption@v1+"+name), 0)
	info = append(append(info, salt[:]...), context...)
	var derived, last []byte
	for i := byte(1); i <= 2; i++ {
		mac := hmac.New(sha512.New, k.key)
		mac.Write(last)
		mac.Write(info)
		mac.Write([]byte{i})
		last = mac.Sum(nil)
		derived = append(derived, last...)
	}
	a, err := newAEAD(derived[:len(k.key)])
	if err != nil {
		tb.Fatal(err)
	}
	base, commitment := derived[len(k.key):][:nonceSize], derived[len(k.key)+nonceSize:][:32]
	file := make([]byte, 0, 56+len(plaintext)+16*(len(plaintext)/k.size+1)) // Seal would copy it each time
	file = append(append(file, salt[:]...), commitment...)
	for i := 0; i < 1<<24; i++ {
		chunk := plaintext[:min(len(plaintext), k.size)]
		plaintext = plaintext[len(chunk):]
		nonce := append([]byte{}, base...)
		for j, b := range []byte{byte(i >> 16), byte(i >> 8), byte(i)} {
			nonce[nonceSize-3+j] ^= b
		}
		file = a.Seal(file, nonce, chunk, nil)
		if len(chunk) < k.size {
			return file
		}
	}
	tb.Fatal("too many chunks for the reference")
	return nil
}
