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

	// maxXOR is the largest number of bytes that a kernel encrypts per call.
	maxXOR = (dispatch.MaxCall - blake2b.BlockSize) / group * group // the AVX-512 kernel hashes one more block than it encrypts

	maxTagSize = 64
)

// Seal encrypts src into dst and stores the tag of dst and ad in tag. The MAC key is
// the 64-byte digest of kdf, which Seal overwrites. dst and src must have the same
// length and must overlap entirely or not at all.
func Seal(tag, dst, src, ad []byte, kdf *blake2b.State, s *chacha20.Stream) {
	var mac blake2b.State
	kdf.Derive(&mac, len(tag))
	mac.Write(ad)
	XORAndWrite(&mac, dst, src, s)
	AppendTag(tag[:0], &mac, len(ad), len(dst))
}

// Open reports whether tag is valid for src and ad. If tag is valid, Open decrypts src
// into dst. Otherwise, Open does not change dst. dst and src must have the same length
// and must overlap entirely or not at all.
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

// open implements Open. It may use plain as a buffer for unauthenticated plaintext.
func open(plain, tag, dst, src, ad []byte, kdf *blake2b.State, s *chacha20.Stream) bool {
	var mac blake2b.State
	kdf.Derive(&mac, len(tag))
	mac.Write(ad)
	// A kernel may decrypt the beginning of src into plain while BLAKE2b runs.
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

// Verify computes the tag like AppendTag and reports, in constant time, whether it
// equals tag.
func Verify(tag []byte, mac *blake2b.State, adLen, textLen int) bool {
	var want [maxTagSize]byte
	return subtle.ConstantTimeCompare(AppendTag(want[:0], mac, adLen, textLen), tag) == 1
}

// xorAndWriteGeneric completes XORAndWrite when dst[:at] is already encrypted and
// dst[:written] is already hashed.
func xorAndWriteGeneric(mac *blake2b.State, dst, src []byte, at, written int, s *chacha20.Stream) {
	const piece = 16 << 10 // a multiple of chacha20.BlockSize, small enough for the L1 cache
	for len(src)-at > piece {
		s.XORKeyStream(dst[at:at+piece], src[at:at+piece], uint64(at/chacha20.BlockSize))
		at += piece
		mac.Write(dst[written:at])
		written = at
	}
	s.XORKeyStream(dst[at:], src[at:], uint64(at/chacha20.BlockSize))
	mac.Write(dst[written:])
}
