// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego && (loong64 || ppc64 || ppc64le || riscv64 || s390x)

package poly1305

import (
	"encoding/binary"

	//lint:ignore SA1019 deprecated for those who would build on it; only it exports the assembly
	"golang.org/x/crypto/poly1305"
)

// Sum stores the tag of m in out. It calls x/crypto, which has assembly for the
// architectures in this file's build constraint. State cannot use that assembly,
// because a State must be copyable and x/crypto's MAC is not.
func Sum(out *[TagSize]byte, m []byte, key *[KeySize]byte) { poly1305.Sum(out, m, key) }

// SumAEAD stores the tag of ad and text in out, as defined in RFC 8439, section 2.8.
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
