// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego && (loong64 || ppc64 || ppc64le || riscv64 || s390x)

package poly1305

import (
	"encoding/binary"

	//lint:ignore SA1019 deprecated for those who would build on it; it is the way to the assembly
	"golang.org/x/crypto/poly1305"
)

// Sum is that of x/crypto, which has assembly for processors that we have none for. Its MACs
// cannot be copied, so that State is plain Go.
func Sum(out *[TagSize]byte, m []byte, key *[KeySize]byte) { poly1305.Sum(out, m, key) }

// SumAEAD stores the tag of RFC 8439, section 2.8: of additional data and text, each with zeros
// to a whole block, and their lengths.
func SumAEAD(out *[TagSize]byte, ad, text []byte, key *[KeySize]byte) {
	var zeros, lengths [BlockSize]byte
	mac := poly1305.New(key)
	for _, part := range [2][]byte{ad, text} {
		mac.Write(part)
		mac.Write(zeros[:-len(part)&(BlockSize-1)])
	}
	binary.LittleEndian.PutUint64(lengths[:8], uint64(len(ad)))
	binary.LittleEndian.PutUint64(lengths[8:], uint64(len(text)))
	mac.Write(lengths[:])
	mac.Sum(out[:0])
}
