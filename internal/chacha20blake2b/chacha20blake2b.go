// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20blake2b encrypts with ChaCha20 and authenticates with BLAKE2b at the
// same time. BLAKE2b of one message is bound by latency and leaves half of the
// processor's ports idle; where there is a kernel that interleaves the two,
// ChaCha20 takes next to no time. Elsewhere they take turns, by the packages
// chacha20 and blake2b.
//
// Key streams begin with block 0.
package chacha20blake2b

//go:generate go -C ../asm run . internal/chacha20blake2b

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/impl"
)

const (
	// Group is how many bytes a kernel encrypts at once.
	Group = 8 * chacha20.BlockSize

	// MaxXOR is how many bytes a kernel encrypts at most in one call, in which
	// BLAKE2b may take a block more: whole groups.
	MaxXOR = (impl.MaxCall - blake2b.BlockSize) / Group * Group
)

// Derive sets mac to a state for digests of size bytes whose key is the digest of kdf,
// which has 64 bytes. Afterwards kdf is of no use. Neither message may be empty. At the
// same time it sets the beginning of dst to the beginning of src XOR the key stream. It
// returns how many bytes that is: Group, or none if dst or src is shorter or there is no
// kernel for it. Dst and src are the same memory or apart.
func Derive(mac, kdf *blake2b.State, size int, dst, src []byte, s *chacha20.Stream) (n int) {
	if !derives() || len(dst) < Group || len(src) < Group {
		kdf.Derive(mac, size)
		return 0
	}
	derive(kdf.HandOverDerive(mac, size), dst[:Group], src[:Group], s)
	return Group
}

// XORAndWrite sets dst to src XOR the key stream and writes dst to mac. They are
// equally long, and the same memory or apart. The first at bytes, whole blocks of
// ChaCha20, were encrypted before.
func XORAndWrite(mac *blake2b.State, dst, src []byte, at int, s *chacha20.Stream) {
	xor := func(n int) {
		s.XORKeyStream(dst[at:at+n], src[at:at+n], uint64(at/chacha20.BlockSize))
		at += n
	}
	written := 0
	lead := lead()
	if begin := max(at, lead+blake2b.BlockSize); Available() && len(src) >= max(MinMessage(), begin+Group) {
		// So many that groups and less than a block follow.
		begin += (len(src) - begin) % Group / chacha20.BlockSize * chacha20.BlockSize
		xor(begin - at)
		written = mac.FillBlock(dst)
		for len(src)-at >= Group {
			// A call may take a block more of BLAKE2b than of ChaCha20, or much less.
			if at-written < lead {
				xor(blake2b.BlockSize)
				continue
			}
			if at-written > 2*lead {
				to := at - lead - blake2b.BlockSize
				mac.Write(dst[written:to])
				written = to + mac.FillBlock(dst[to:])
			}
			n := min(len(src)-at, MaxXOR) / Group * Group
			m := hashed(n)
			compressAndXOR(mac, dst[written:written+m], dst[at:at+n], src[at:at+n], s, at)
			written += m
			at += n
		}
	}
	// In turn for each piece, so that BLAKE2b finds dst in the first-level cache. A
	// piece is whole blocks of ChaCha20.
	const piece = 16 << 10
	for len(src)-at > piece {
		xor(piece)
		mac.Write(dst[written:at])
		written = at
	}
	xor(len(src) - at)
	mac.Write(dst[written:])
}

// WriteAndXOR writes src to mac. At the same time it sets the beginning of dst to the
// beginning of src XOR the key stream, except for the first at bytes, which were
// encrypted before. It returns how many bytes of dst are set, those included. It encrypts
// groups, until dst has MaxXOR bytes or is full, and none where there is no kernel or src
// is shorter than MinMessage. Dst and src must not overlap.
func WriteAndXOR(mac *blake2b.State, dst, src []byte, at int, s *chacha20.Stream) int {
	written := 0
	if Available() && len(src) >= MinMessage() {
		// The message must go on after the kernel's last block.
		n := min(len(src)-max(at, 2*blake2b.BlockSize), min(len(dst), MaxXOR)-at) / Group * Group
		if n > 0 {
			written = mac.FillBlock(src)
			m := hashed(n)
			compressAndXOR(mac, src[written:written+m], dst[at:at+n], src[at:at+n], s, at)
			written += m
			at += n
		}
	}
	mac.Write(src[written:])
	return at
}

// compressAndXOR writes blocks to mac and sets dst to src XOR the key stream from byte
// at on, which is a block's first, by the kernel: see function beside.
func compressAndXOR(mac *blake2b.State, blocks, dst, src []byte, s *chacha20.Stream, at int) {
	h, t := mac.HandOver(len(blocks))
	beside(h, blocks, t, dst, src, &s.Key, &s.Nonce, uint64(at/chacha20.BlockSize))
}
