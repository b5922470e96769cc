// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/internal/batch"
	"github.com/unimac/unimac/internal/blake2b"
)

const (
	magic        = "unimac2"
	magicV1      = "unimac1"
	minChunkLog2 = 10
	maxChunkLog2 = 24
)

// unimacV2 describes unimac stream v2, which FORMAT.md specifies.
var unimacV2 = &format{
	name:             "UnimacV2",
	keySize:          aead.KeySize,
	headSize:         len(magic) + 1 + saltSize,
	nonceSize:        aead.NonceSize,
	tagSize:          aead.TagSize,
	maxChunks:        1 << 56,
	minChunkSize:     MinChunkSize,
	defaultChunkSize: DefaultChunkSize,
	maxChunkSize:     MaxChunkSize,
	newHead:          newV2Head,
	parseHead:        parseV2Head,
	derive:           deriveV2,
	newAEAD:          newV2AEAD,
	deriveNonce:      deriveV2Nonce,
}

// newV2Head returns "unimac2" || e || salt.
func newV2Head(chunkSize int, salt *[saltSize]byte) []byte {
	head := append(make([]byte, 0, len(magic)+1+saltSize+commitSize), magic...)
	head = append(head, byte(bits.TrailingZeros(uint(chunkSize))))
	return append(head, salt[:]...)
}

func parseV2Head(head []byte) (chunkSize int, err error) {
	n := min(len(head), len(magic))
	switch string(head[:n]) {
	case magic[:n]:
	case magicV1:
		return 0, fmt.Errorf("%w: unimac stream version 1, which was never released", ErrFormat)
	default:
		return 0, fmt.Errorf("%w: not unimac stream v2", ErrFormat)
	}
	if len(head) == n {
		return 0, nil
	}
	e := head[n]
	if e < minChunkLog2 || e > maxChunkLog2 {
		return 0, fmt.Errorf("%w: chunks of 2^%d bytes, want 2^%d to 2^%d", ErrFormat, e, minChunkLog2, maxChunkLog2)
	}
	return 1 << e, nil
}

// deriveV2 computes BLAKE2b(key, "unimac stream v2" || head || AD || LE64(len(AD))).
func deriveV2(key, head, additionalData []byte) (s secrets, err error) {
	kdf := blake2b.New(aead.KeySize+commitSize, key)
	kdf.Write([]byte("unimac stream v2"))
	kdf.Write(head)
	kdf.Write(additionalData)
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(additionalData)))
	kdf.Write(length[:])
	var derived [aead.KeySize + commitSize]byte
	kdf.Sum(derived[:0])
	s.keySize = copy(s.key[:], derived[:aead.KeySize])
	copy(s.commitment[:], derived[aead.KeySize:])
	return s, nil
}

func newV2AEAD(s secrets) (batch.AEAD, error) {
	a, err := aead.New(s.key[:s.keySize])
	if err != nil {
		return nil, err
	}
	return a.(batch.AEAD), nil
}

// deriveV2Nonce sets nonce to BE56(index) || final.
func deriveV2Nonce(nonce []byte, index uint64, final bool) {
	v := index << 8
	if final {
		v |= 1
	}
	binary.BigEndian.PutUint64(nonce, v)
}
