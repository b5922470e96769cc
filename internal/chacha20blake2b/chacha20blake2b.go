// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20blake2b encrypts with ChaCha20 and authenticates with BLAKE2b, as package
// aead of the module's root says. BLAKE2b of one message is bound by latency and leaves half
// of the processor's ports idle; where there is a kernel that interleaves the two, ChaCha20
// takes next to no time. Elsewhere they take turns.
//
// Key streams begin with block 0.
package chacha20blake2b

import (
	"crypto/subtle"
	"encoding/binary"
	"sync"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/impl"
)

//go:generate go -C ../asm run . internal/chacha20blake2b

const (
	// group is how many bytes a kernel encrypts at once.
	group = 8 * chacha20.BlockSize

	// maxXOR is how many bytes a kernel encrypts at most in one call, in which
	// BLAKE2b may take a block more: whole groups.
	maxXOR = (impl.MaxCall - blake2b.BlockSize) / group * group

	maxTagSize = 64
)

// Seal sets dst to src XOR the key stream, and tag to the tag of dst and ad. The tag's key is the
// 64-byte digest of kdf, which Seal overwrites. Dst and src have the same length, and are the same
// memory or do not overlap.
func Seal(tag, dst, src, ad []byte, kdf *blake2b.State, s *chacha20.Stream) {
	var mac blake2b.State
	kdf.Derive(&mac, len(tag))
	mac.Write(ad)
	XORAndWrite(&mac, dst, src, s)
	AppendTag(tag[:0], &mac, len(ad), len(dst))
}

// Open reports whether tag is the tag of src and ad. If it is, Open sets dst to src XOR the key
// stream, and otherwise it leaves dst alone. Dst and src are as in Seal.
func Open(tag, dst, src, ad []byte, kdf *blake2b.State, s *chacha20.Stream) bool {
	if !decryptsAhead(len(src)) {
		return open(nil, tag, dst, src, ad, kdf, s)
	}
	plain := unauthenticPool.Get().(*unauthentic)
	ok := open(plain[:], tag, dst, src, ad, kdf, s)
	unauthenticPool.Put(plain)
	return ok
}

// unauthentic is memory for plaintext that has not been authenticated yet. It is all zeros when it
// is not in use.
type unauthentic [maxXOR]byte

var unauthenticPool = sync.Pool{New: func() any { return new(unauthentic) }}

// open is Open with memory for unauthenticated plaintext. While it computes the tag, it decrypts
// the beginning of src to plain if a kernel hides the cost behind BLAKE2b, and copies it to dst if
// the tag is right. It decrypts the rest in a second pass. In the end plain is all zeros.
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

// AppendTag appends the tag to dst. The state mac has hashed the additional data
// of ad bytes and the text of n bytes.
func AppendTag(dst []byte, mac *blake2b.State, ad, n int) []byte {
	var lengths [8]byte
	binary.LittleEndian.PutUint32(lengths[:4], uint32(ad))
	binary.LittleEndian.PutUint32(lengths[4:], uint32(n))
	mac.Write(lengths[:])
	return mac.Sum(dst)
}

// Verify reports in constant time whether tag is the one that AppendTag
// appends.
func Verify(tag []byte, mac *blake2b.State, ad, n int) bool {
	var want [maxTagSize]byte
	return subtle.ConstantTimeCompare(AppendTag(want[:0], mac, ad, n), tag) == 1
}

// xorAndWriteGeneric is XORAndWrite in turn for each piece, so that BLAKE2b finds dst in the
// first-level cache. Of dst, at bytes were encrypted before, and written bytes hashed.
func xorAndWriteGeneric(mac *blake2b.State, dst, src []byte, at, written int, s *chacha20.Stream) {
	const piece = 16 << 10 // whole blocks of ChaCha20
	for len(src)-at > piece {
		s.XORKeyStream(dst[at:at+piece], src[at:at+piece], uint64(at/chacha20.BlockSize))
		at += piece
		mac.Write(dst[written:at])
		written = at
	}
	s.XORKeyStream(dst[at:], src[at:], uint64(at/chacha20.BlockSize))
	mac.Write(dst[written:])
}
