// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package fused encrypts with ChaCha20 and authenticates with BLAKE2b at
// once. BLAKE2b of one message is bound by latency and leaves the processor's
// ports half idle; where there is a kernel that interleaves the two, ChaCha20
// takes next to no time. Elsewhere they take turns, by the packages chacha20 and
// blake2b.
//
// Keys and nonces are those of ChaCha20, whose key stream begins with block 0.
package fused

//go:generate go -C ../../../internal/asm run . aead/internal/fused

import (
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
)

const (
	// Group is how many bytes a kernel encrypts at once.
	Group = 8 * chacha20.BlockSize

	// MaxBeside is how many bytes WriteBeside encrypts at most: a kernel may be
	// given 64 KiB at once, and BLAKE2b takes a block more.
	MaxBeside = 64<<10 - Group

	// lead is how far the encryption must be ahead of BLAKE2b at a kernel's call, if
	// BLAKE2b takes what was encrypted: the kernel reads so far before it writes.
	lead = Group + 2*blake2b.BlockSize
)

// Derive sets mac to a state for digests of size bytes whose key is the digest of kdf,
// of 64 bytes; kdf is of no use afterwards. Neither message may be empty. Meanwhile it
// sets the beginning of dst to the beginning of src XOR the key stream, and returns how
// many bytes that is: Group, or none if either is shorter or there is no kernel. Dst and src
// are the same memory or apart.
func Derive(mac, kdf *blake2b.State, size int, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte) (n int) {
	if !Available() || len(dst) < Group || len(src) < Group {
		kdf.Derive(mac, size)
		return 0
	}
	h, block, t := kdf.DeriveBeside(mac, size)
	derive(mac.Chain(), h, block, t, dst[:Group], src[:Group], key, nonce)
	return Group
}

// XORAndWrite sets dst to src XOR the key stream and writes dst to mac. They are
// equally long, and the same memory or apart. The first at bytes, whole blocks of ChaCha20,
// were encrypted before.
func XORAndWrite(mac *blake2b.State, dst, src []byte, at int, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte) {
	xor := func(n int) {
		chacha20.XORKeyStream(dst[at:at+n], src[at:at+n], key, nonce, uint64(at/chacha20.BlockSize))
		at += n
	}
	written := 0
	if Available() && len(src) >= lead+blake2b.BlockSize+Group {
		// So many that behind them are groups and less than a block.
		begin := lead + blake2b.BlockSize
		begin += (len(src) - begin) % Group / chacha20.BlockSize * chacha20.BlockSize
		xor(begin - at)
		written = mac.Fill(dst)
		for len(src)-at >= Group {
			// Each call takes a block more of BLAKE2b than of ChaCha20.
			if at-written < lead {
				xor(blake2b.BlockSize)
				continue
			}
			n := min(len(src)-at, MaxBeside) / Group * Group
			m := n + blake2b.BlockSize
			h, t := mac.Beside(m)
			beside(h, dst[written:written+m], t, dst[at:at+n], src[at:at+n], key, nonce, uint64(at/chacha20.BlockSize))
			written += m
			at += n
		}
	}
	// In turn for each piece, so that mac finds dst in the first-level cache. A
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

// WriteBeside writes src to mac. Meanwhile it sets the beginning of dst to the beginning of
// src XOR the key stream, but for the first at bytes, which were encrypted before, and
// returns how many bytes that is with them. It encrypts groups, up to MaxBeside bytes or the
// length of dst with those at bytes, and none without a kernel. Dst and src must not
// overlap.
func WriteBeside(mac *blake2b.State, dst, src []byte, at int, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte) int {
	written := 0
	if Available() {
		// The message must go on behind the kernel's last block.
		n := min(len(src)-max(at, 2*blake2b.BlockSize), min(len(dst), MaxBeside)-at) / Group * Group
		if n > 0 {
			written = mac.Fill(src)
			m := n + blake2b.BlockSize
			h, t := mac.Beside(m)
			beside(h, src[written:written+m], t, dst[at:at+n], src[at:at+n], key, nonce, uint64(at/chacha20.BlockSize))
			written += m
			at += n
		}
	}
	mac.Write(src[written:])
	return at
}
