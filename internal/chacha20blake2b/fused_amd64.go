// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"unsafe"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

var (
	choice dispatch.Choice

	path dispatch.Operation[cpu.Level]
)

func init() {
	dispatch.Register("chacha20blake2b", &choice, cpu.AVX2, cpu.AVX512)
	dispatch.Bind("chacha20blake2b", &path, paths)
}

// hashLength returns how many bytes a kernel hashes while it encrypts n bytes.
func hashLength(level cpu.Level, n int) int {
	if level == cpu.AVX512 {
		return n + blake2b.BlockSize
	}
	return n / 2
}

// minLead returns the minimum distance in bytes from the start of the hashed data to
// the start of dst if both overlap.
func minLead(level cpu.Level) int {
	// At a smaller distance, the kernel could hash bytes of dst before it writes them.
	if level == cpu.AVX512 {
		return group + 2*blake2b.BlockSize
	}
	return 2 * blake2b.BlockSize
}

// compressXOR compresses blocks, which must be hashLength(level, len(dst)) bytes long,
// into h with the kernel of a level. t is the number of bytes hashed before blocks. It
// also sets dst to src XOR the keystream from block counter on. dst and src must have
// the same length, a positive multiple of group that is at most maxXOR. If blocks
// overlaps dst, it must begin at least minLead(level) bytes before dst.
func compressXOR(level cpu.Level, h *[8]uint64, blocks []byte, t uint64, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte, counter uint64) {
	dispatch.CheckCall(max(len(blocks), len(dst))) // the same text is encrypted and hashed
	switch level {
	case cpu.AVX512:
		compressXORAVX512(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
	case cpu.AVX2:
		compressXORAVX2(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
	}
}

// compressXORAt writes blocks to mac and encrypts src into dst. offset is the keystream
// position in bytes and must be a multiple of the ChaCha20 block size.
func compressXORAt(level cpu.Level, mac *blake2b.State, blocks, dst, src []byte, s *chacha20.Stream, offset int) {
	h, t := mac.HandOver(len(blocks))
	compressXOR(level, h, blocks, t, dst, src, &s.Key, &s.Nonce, uint64(offset/chacha20.BlockSize))
}

// XORAndWrite sets dst to src XOR the keystream and writes dst to mac. dst and src must
// have the same length and must overlap entirely or not at all.
func XORAndWrite(mac *blake2b.State, dst, src []byte, s *chacha20.Stream) {
	level := path.Choose(len(src))
	lead := minLead(level)
	begin := lead + blake2b.BlockSize
	if level == cpu.Generic || len(src) < begin+group {
		xorAndWriteGeneric(mac, dst, src, 0, 0, s)
		return
	}
	at := 0
	xor := func(n int) {
		s.XORKeyStream(dst[at:at+n], src[at:at+n], uint64(at/chacha20.BlockSize))
		at += n
	}
	begin += (len(src) - begin) % group / chacha20.BlockSize * chacha20.BlockSize
	xor(begin)
	written := mac.FillBlock(dst)
	for len(src)-at >= group {
		// A call may hash one block more than it encrypts, or much less.
		if at-written < lead {
			xor(blake2b.BlockSize)
			continue
		}
		if at-written > 2*lead {
			to := at - lead - blake2b.BlockSize
			mac.Write(dst[written:to])
			written = to + mac.FillBlock(dst[to:])
		}
		n := min(len(src)-at, maxXOR) / group * group
		m := hashLength(level, n)
		compressXORAt(level, mac, dst[written:written+m], dst[at:at+n], src[at:at+n], s, at)
		written += m
		at += n
	}
	xorAndWriteGeneric(mac, dst, src, at, written, s)
}

// writeAndXOR writes src to mac. It also decrypts src[:n] into dst[:n], where n is at
// most len(dst). dst and src must not overlap.
func writeAndXOR(mac *blake2b.State, dst, src []byte, s *chacha20.Stream) (n int) {
	written := 0
	if level := path.Choose(len(src)); level != cpu.Generic { // a kernel can hash and decrypt at the same time
		// The last two blocks remain for BLAKE2b.
		n = max(0, min(len(src)-2*blake2b.BlockSize, len(dst), maxXOR)/group*group)
		if n > 0 {
			written = mac.FillBlock(src)
			m := hashLength(level, n)
			compressXORAt(level, mac, src[written:written+m], dst[:n], src[:n], s, 0)
			written += m
		}
	}
	mac.Write(src[written:])
	return n
}

// Open may start to decrypt messages of at least minAhead bytes before it has verified
// the tag.
const minAhead = group + 2*blake2b.BlockSize

// decryptsAhead reports whether writeAndXOR decrypts a part of an n-byte message.
func decryptsAhead(n int) bool { return n >= minAhead && path.Choose(n) != cpu.Generic }
