// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20blake2b implements encryption with ChaCha20, starting at keystream
// block 0, and authentication with BLAKE2b. Hashing a single message is limited by
// latency and leaves half of the processor's execution ports idle, so a kernel that
// interleaves the two algorithms can hide the cost of ChaCha20.
package chacha20blake2b

import (
	"crypto/subtle"
	"encoding/binary"
	"sync"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/dispatch"
)

//go:generate go -C ../asm run . internal/chacha20blake2b

const (
	// group is the number of bytes that a kernel encrypts in one iteration.
	group = 8 * chacha20.BlockSize

	// maxXOR is the largest number of bytes that a kernel encrypts per call. It is less
	// than dispatch.MaxCall because the AVX-512 kernel hashes one more block than it
	// encrypts.
	maxXOR = (dispatch.MaxCall - blake2b.BlockSize) / group * group

	maxTagSize = 64
)

// Seal encrypts src into dst, computes the tag of dst and ad, and stores it in tag. It
// uses the 64-byte digest of kdf as the MAC key and overwrites kdf. dst and src must
// have the same length and must overlap entirely or not at all.
func Seal(tag, dst, src, ad []byte, kdf *blake2b.State, s *chacha20.Stream) {
	var mac blake2b.State
	kdf.Derive(&mac, len(tag))
	mac.Write(ad)
	XORAndWrite(&mac, dst, src, s)
	AppendTag(tag[:0], &mac, len(ad), len(dst))
}

// Open reports whether tag is valid for src and ad. If it is, Open decrypts src into
// dst. Otherwise, Open does not change dst. dst and src must satisfy the same
// requirements as for Seal.
func Open(tag, dst, src, ad []byte, kdf *blake2b.State, s *chacha20.Stream) bool {
	if !decryptsAhead(len(src)) {
		return open(nil, tag, dst, src, ad, kdf, s)
	}
	plain := plaintextPool.Get().(*plaintextBuffer)
	ok := open(plain[:], tag, dst, src, ad, kdf, s)
	plaintextPool.Put(plain)
	return ok
}

// plaintextBuffer is a buffer for unauthenticated plaintext. It is all zeros when not
// in use.
type plaintextBuffer [maxXOR]byte

var plaintextPool = sync.Pool{New: func() any { return new(plaintextBuffer) }}

// open implements Open. If a kernel can decrypt while BLAKE2b runs, open decrypts the
// beginning of src into plain before it verifies the tag. If the tag is correct, open
// copies this plaintext to dst and decrypts the rest of src. In either case, it clears
// plain.
func open(plain, tag, dst, src, ad []byte, kdf *blake2b.State, s *chacha20.Stream) bool {
	var mac blake2b.State
	kdf.Derive(&mac, len(tag))
	mac.Write(ad)
	n := writeAndXOR(&mac, plain, src, s)
	ok := Verify(tag, &mac, len(ad), len(src))
	if ok {
		copy(dst, plain[:n])
		s.XORKeyStream(dst[n:], src[n:], uint64(n/chacha20.BlockSize))
	}
	clear(plain[:n])
	return ok
}

// AppendTag appends the tag to dst and returns the resulting slice. The caller must
// have written adLen bytes of additional data and textLen bytes of text to mac.
func AppendTag(dst []byte, mac *blake2b.State, adLen, textLen int) []byte {
	var lengths [8]byte
	binary.LittleEndian.PutUint32(lengths[:4], uint32(adLen))
	binary.LittleEndian.PutUint32(lengths[4:], uint32(textLen))
	mac.Write(lengths[:])
	return mac.Sum(dst)
}

// Verify reports in constant time whether tag is the tag that AppendTag would append
// for the same arguments.
func Verify(tag []byte, mac *blake2b.State, adLen, textLen int) bool {
	var want [maxTagSize]byte
	return subtle.ConstantTimeCompare(AppendTag(want[:0], mac, adLen, textLen), tag) == 1
}

// xorAndWriteGeneric finishes XORAndWrite after dst[:at] has been encrypted and
// dst[:written] has been hashed. It alternates between encrypting and hashing small
// pieces, so that BLAKE2b finds its input in the L1 cache.
func xorAndWriteGeneric(mac *blake2b.State, dst, src []byte, at, written int, s *chacha20.Stream) {
	const piece = 16 << 10 // a multiple of chacha20.BlockSize
	for len(src)-at > piece {
		s.XORKeyStream(dst[at:at+piece], src[at:at+piece], uint64(at/chacha20.BlockSize))
		at += piece
		mac.Write(dst[written:at])
		written = at
	}
	s.XORKeyStream(dst[at:], src[at:], uint64(at/chacha20.BlockSize))
	mac.Write(dst[written:])
}
