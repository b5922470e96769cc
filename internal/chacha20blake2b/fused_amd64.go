// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20blake2b

import (
	"unsafe"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var on impl.Choice

func init() { impl.Register("chacha20blake2b", &on, cpu.AVX2, cpu.AVX512) }

// A column is what pays on one kind of processor.
type column struct {
	level cpu.Level // whose kernel is the best one
	avx2  int       // bytes from which a message gains by AVX2's
}

// On a Zen 5, AVX2's kernel, which has BLAKE2b in general registers, takes 12.8 µs for 16 KiB, and
// that of AVX-512 21.7. AVX2's takes 2.36 µs to seal 2 KiB, and 2.31 without the kernel; for 4 KiB
// 3.87 and 4.20.
var table = [...]column{
	cpu.Narrow:     {cpu.AVX512, 4 << 10},
	cpu.Full:       {cpu.AVX512, 4 << 10},
	cpu.FullSlow:   {cpu.AVX2, 4 << 10},
	cpu.Halved:     {cpu.AVX512, 4 << 10},
	cpu.Unmeasured: {cpu.AVX2, 4 << 10},
	cpu.Alone:      {cpu.AVX512, group},
}

// level is whose kernel runs.
func level() cpu.Level { return min(on.Level, table[on.Kind].level) }

// pays reports whether a kernel is on that saves time for a message of n bytes.
func pays(n int) bool {
	l := level()
	return l == cpu.AVX512 || l == cpu.AVX2 && n >= table[on.Kind].avx2
}

// hashed is how many bytes of blocks compressXOR takes for n bytes of dst.
func hashed(n int) int {
	if level() == cpu.AVX512 {
		return n + blake2b.BlockSize
	}
	return n / 2
}

// lead is how far the encryption must be ahead of BLAKE2b when compressXOR is called, if
// BLAKE2b reads what was encrypted: the kernel reads so far before it writes.
func lead() int {
	if level() == cpu.AVX512 {
		return group + 2*blake2b.BlockSize
	}
	return 2 * blake2b.BlockSize
}

// compressXOR compresses the blocks, as many bytes as hashed says, into h, and sets
// dst, whole groups up to maxXOR bytes and at least one, to src XOR the key stream
// from the block with number counter on. Before the blocks come t bytes. If the
// blocks overlap dst, they must begin at least lead bytes before it.
func compressXOR(h *[8]uint64, blocks []byte, t uint64, dst, src []byte, key *[chacha20.KeySize]byte, nonce *[chacha20.NonceSize]byte, counter uint64) {
	impl.CheckCall(max(len(blocks), len(dst))) // the same text is encrypted and hashed
	switch level() {
	case cpu.AVX512:
		compressXORAVX512(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
	case cpu.AVX2:
		compressXORAVX2(h, unsafe.SliceData(blocks), t, unsafe.SliceData(dst), unsafe.SliceData(src), len(dst), key, nonce, counter)
	}
}

// compressXORAt writes blocks to mac and sets dst to src XOR the key stream from byte
// at on, which is a block's first, by compressXOR.
func compressXORAt(mac *blake2b.State, blocks, dst, src []byte, s *chacha20.Stream, at int) {
	h, t := mac.HandOver(len(blocks))
	compressXOR(h, blocks, t, dst, src, &s.Key, &s.Nonce, uint64(at/chacha20.BlockSize))
}

// XORAndWrite sets dst to src XOR the key stream and writes dst to mac. Dst and src have the same
// length, and are the same memory or do not overlap.
func XORAndWrite(mac *blake2b.State, dst, src []byte, s *chacha20.Stream) {
	lead := lead()
	begin := lead + blake2b.BlockSize
	if !pays(len(src)) || len(src) < begin+group {
		xorAndWriteGeneric(mac, dst, src, 0, 0, s)
		return
	}
	at := 0
	xor := func(n int) {
		s.XORKeyStream(dst[at:at+n], src[at:at+n], uint64(at/chacha20.BlockSize))
		at += n
	}
	// Leave a multiple of group plus less than one block.
	begin += (len(src) - begin) % group / chacha20.BlockSize * chacha20.BlockSize
	xor(begin)
	written := mac.FillBlock(dst)
	for len(src)-at >= group {
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
		n := min(len(src)-at, maxXOR) / group * group
		m := hashed(n)
		compressXORAt(mac, dst[written:written+m], dst[at:at+n], src[at:at+n], s, at)
		written += m
		at += n
	}
	xorAndWriteGeneric(mac, dst, src, at, written, s)
}

// writeAndXOR writes src to mac, sets the first n bytes of dst to those of src XOR the key stream,
// and returns n. It encrypts whole groups, at most min(len(dst), maxXOR) bytes, and none where no
// kernel pays. Dst and src must not overlap.
func writeAndXOR(mac *blake2b.State, dst, src []byte, s *chacha20.Stream) (n int) {
	written := 0
	if pays(len(src)) {
		// BLAKE2b's last blocks must follow the kernel's.
		n = max(0, min(len(src)-2*blake2b.BlockSize, len(dst), maxXOR)/group*group)
		if n > 0 {
			written = mac.FillBlock(src)
			m := hashed(n)
			compressXORAt(mac, src[written:written+m], dst[:n], src[:n], s, 0)
			written += m
		}
	}
	mac.Write(src[written:])
	return n
}

// minAhead is the smallest message, in bytes, for which Open decrypts ahead: a group and the bytes
// that BLAKE2b must have left after it.
const minAhead = group + 2*blake2b.BlockSize

// decryptsAhead reports whether writeAndXOR encrypts anything of n bytes, if dst is long enough.
func decryptsAhead(n int) bool { return n >= minAhead && pays(n) }
