// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha512"
	"encoding/binary"

	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/chacha20poly1305"
)

// chunkedSize is the chunk size of c2sp.org/chunked-encryption in plaintext bytes.
const chunkedSize = 1 << 14

// newChunkedFormat returns the c2sp.org/chunked-encryption format for an AEAD with
// 16-byte tags.
func newChunkedFormat(name, aeadName string, keySize, nonceSize int, newAEAD func(s secrets) (batch.AEAD, error)) *format {
	return &format{
		name:             name,
		keySize:          keySize,
		headSize:         saltSize,
		nonceSize:        nonceSize,
		tagSize:          16,
		maxChunks:        1 << 38,
		minChunkSize:     chunkedSize,
		defaultChunkSize: chunkedSize,
		maxChunkSize:     chunkedSize,
		newHead: func(_ int, salt *[saltSize]byte) []byte {
			return append(make([]byte, 0, saltSize+commitSize), salt[:]...)
		},
		parseHead: func([]byte) (int, error) { return chunkedSize, nil },
		derive: func(key, salt, context []byte) (secrets, error) {
			return deriveChunked(key, aeadName, nonceSize, salt, context)
		},
		newAEAD:     newAEAD,
		deriveNonce: deriveChunkedNonce,
		shortEnd:    true,
	}
}

// deriveChunked derives a stream's AEAD key, nonce base and commitment.
func deriveChunked(key []byte, aeadName string, nonceSize int, salt, context []byte) (s secrets, err error) {
	info := "c2sp.org/chunked-encryption@v1+" + aeadName + "\x00" + string(salt) + string(context)
	derived, err := hkdf.Expand(sha512.New, key, info, len(key)+nonceSize+commitSize)
	if err != nil {
		return s, err
	}
	s.keySize = copy(s.key[:], derived[:len(key)])
	n := copy(s.base[:nonceSize], derived[len(key):])
	copy(s.commitment[:], derived[len(key)+n:])
	return s, nil
}

// deriveChunkedNonce XORs the big-endian index into the nonce base.
func deriveChunkedNonce(nonce []byte, index uint64, _ bool) {
	low := nonce[len(nonce)-8:]
	binary.BigEndian.PutUint64(low, binary.BigEndian.Uint64(low)^index)
}

func newGCM(s secrets) (batch.AEAD, error) {
	block, err := aes.NewCipher(s.key[:s.keySize])
	if err != nil {
		return nil, err
	}
	a, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return singleAEAD{a}, nil
}

// newChaCha20Poly1305 uses the public constructor, which fails in FIPS 140-only mode.
func newChaCha20Poly1305(s secrets) (batch.AEAD, error) {
	a, err := chacha20poly1305.New(s.key[:s.keySize])
	if err != nil {
		return nil, err
	}
	return singleAEAD{a}, nil
}

// singleAEAD implements [batch.AEAD] by processing one message at a time.
type singleAEAD struct{ cipher.AEAD }

func (a singleAEAD) SealAll(msgs []batch.Message) {
	for _, m := range msgs {
		a.Seal(m.Out[:0], m.Nonce, m.In, nil)
	}
}

func (a singleAEAD) OpenAll(msgs []batch.Message) int {
	for i, m := range msgs {
		if _, err := a.Open(m.Out[:0], m.Nonce, m.In, nil); err != nil {
			return i
		}
	}
	return len(msgs)
}
