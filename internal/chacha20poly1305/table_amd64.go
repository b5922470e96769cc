// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build gc && !purego

package chacha20poly1305

import (
	"math"

	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
)

var on impl.Choice

func init() { impl.Register("chacha20poly1305", &on, cpu.SSE41, cpu.AVX2, cpu.AVX512IFMA) }

// A way is how a message is sealed or opened.
type way uint8

const (
	inOnePass way = iota // the kernel of AVX2: block 0 runs next to the text's, and so does Poly1305 when it opens
	inOneStep            // cryptAVX512, for up to maxOneStep bytes: all blocks of ChaCha20 at once
	inSteps              // kernels of AVX-512 IFMA, one after the other
	inParts              // packages chacha20 and poly1305
)

const maxOneStep = 768

// upTo says by which way messages go that have up to so many bytes of text and additional data. A
// part of a block of additional data costs nothing.
type upTo struct {
	bytes int
	way   way
}

const unlimited = math.MaxInt

// wayOf returns the way of a message.
func wayOf(ways []upTo, src, ad []byte) way {
	n := len(src) + len(ad)&^15
	for n > ways[0].bytes {
		ways = ways[1:]
	}
	return ways[0].way
}

// A column is what pays on one kind of processor.
type column struct {
	short           bool // shortAVX512IFMA, for what it can take
	seal, open, siv []upTo

	// sivAVX2 is up to how many bytes siv holds where AVX2 is the best level; longer ones are opened in one pass.
	sivAVX2 int

	// cold and warm are the numbers of bytes from which vectors authenticate faster than the
	// scalar kernel: when the table is to be computed for them, and when it is at hand.
	cold, warm int

	// stream is from how many bytes on a SIV is sealed by 32 blocks of key stream at once.
	stream int

	ifma, avx2 *[SIV + 1]gains

	halvedSteps bool // cryptHalvedAVX512IFMA for long messages
}

// On AMD Zen 5, AVX2 takes 1.05 to 1.08 of IFMA's time to seal 65 to 128 bytes, and less up to 512 to open;
// a SIV of at most 64 bytes takes 1.22 of the time that it takes in parts, with one block in general
// registers, and up to 128 bytes 1.06. With 192 bytes of text, the smallest step of key stream
// has block 0, too: on Emerald Rapids, to open 136 bytes takes AVX2 219 ns and IFMA 147, 193
// bytes 223 and 225. On Zen 5, to seal 384 bytes takes 223 ns with a table and 212 without, 448
// bytes 223 and 223, 512 bytes 235 and 247.
// To seal 320 and 384 bytes, cryptAVX512 takes 0.95 of the time there, 256 and 448 bytes as long.
// Package chacha20 encrypts 1420 bytes in 251 ns and 16 KiB in 1997 by 16 blocks at once, which wait for
// each other's instructions; 32 blocks at once take 177 and 1494, but 1024 bytes 152 against 138.
//
// On Emerald Rapids, to seal 64 bytes takes 124 ns in one step, 147 by IFMA and 142 by AVX2; 192 bytes take 177, 188
// and 207; 512 bytes 316, 383 and 400; 528 to 560 bytes 380 to 390 in one step and 387 by IFMA. To open takes as
// long, but 512 bytes by AVX2 327. A SIV of 400 bytes is opened in 511 ns in parts and in 556 by IFMA, one of 1232 in
// 712 and 732, and from 1296 as fast; one of 464 takes 517 and 507. Without AVX-512, one of 272 bytes takes 629 ns in
// parts and 656 in one pass, 336 to 464 as long, 528 bytes 926 and 726.
//
// On Zen 4, AVX2 seals 64 bytes faster than shortAVX512IFMA does, and 256 bytes in 190 ns, IFMA in 241.
// To seal 64 KiB takes 12680 ns with all of Poly1305 in vectors, and 11590 with most of it beside them.
// Not measured there, but counted by llvm-mca, are cryptAVX512's rounds: up to 64 bytes take 260 cycles, 256
// 280, 512 400 and 768 480. Those of cryptAVX2 take 320 at least, 590 from 385 bytes on, but 350 for 320
// bytes; and when it opens more than 192, it hashes most of them in the meantime.
var table = [...]column{
	cpu.Narrow:     full,
	cpu.Full:       full,
	cpu.FullSlow:   fullSlow,
	cpu.Halved:     halved,
	cpu.Unmeasured: unmeasured, // IFMA wherever all others gain
	cpu.Alone:      alone,
}

var (
	full = column{
		seal: []upTo{{560, inOneStep}, {unlimited, inSteps}},
		open: []upTo{{560, inOneStep}, {unlimited, inSteps}},
		siv:  []upTo{{1264, inParts}, {unlimited, inSteps}}, sivAVX2: 304,
		cold: 448, warm: 96, stream: unlimited,
		ifma: &gainsFull, avx2: &gainsAVX2,
	}
	fullSlow = column{
		short: true,
		seal:  []upTo{{64, inOnePass}, {256, inSteps}, {384, inOneStep}, {unlimited, inSteps}},
		open:  []upTo{{128, inOnePass}, {192, inSteps}, {512, inOnePass}, {unlimited, inSteps}},
		siv:   []upTo{{128, inParts}, {unlimited, inSteps}}, sivAVX2: 128,
		cold: 448, warm: 96, stream: 1025,
		ifma: &gainsIFMA, avx2: &gainsAVX2,
	}
	alone = column{
		short: true,
		seal:  []upTo{{unlimited, inSteps}},
		open:  []upTo{{unlimited, inSteps}},
		siv:   []upTo{{unlimited, inSteps}},
		cold:  448, warm: 96, stream: 1,
		ifma: &gainsIFMA, avx2: &gainsAVX2,
	}
	halved = column{
		seal: []upTo{{256, inOneStep}, {320, inOnePass}, {maxOneStep, inOneStep}, {unlimited, inSteps}},
		open: []upTo{{192, inOneStep}, {704, inOnePass}, {unlimited, inSteps}},
		siv:  []upTo{{maxOneStep, inOneStep}, {unlimited, inSteps}},
		cold: 448, warm: 96, stream: unlimited,
		ifma: &gainsIFMA, avx2: &gainsAVX2,
		halvedSteps: true,
	}
	unmeasured = column{
		seal: []upTo{{320, inOnePass}, {448, inSteps}, {656, inOnePass}, {unlimited, inSteps}},
		open: []upTo{{128, inOnePass}, {192, inSteps}, {704, inOnePass}, {unlimited, inSteps}},
		siv:  []upTo{{128, inOnePass}, {unlimited, inSteps}},
		cold: 448, warm: 96, stream: unlimited,
		ifma: &gainsIFMA, avx2: &gainsAVX2,
		halvedSteps: true,
	}
)

// On AMD Zen 5, a packet by itself takes about 114 ns and 7 ns a block. Lanes of AVX-512 take the same
// time for any number, 450 ns and 140 ns a block, and to sort and to clear another 225. ChaCha20-
// Poly1305-SIV has three blocks more, each of which waits for the one before.
//
// On Emerald Rapids, lanes take 830 ns and 275 ns a block, with XChaCha20 1050 and with SIV 1800. A packet by
// itself takes 116 ns without text, with 64 bytes 137, 512 bytes 330, 1280 bytes 502 and 1984 bytes 623; XChaCha20
// takes 95 ns more, and SIV 408 ns for 64 bytes, 536 for 512, 768 for 1280 and 895 for 1984. So as much as in a loop
// is had from 7 packets of 64 bytes, 8 of 256, 10 of 512, 13 of 1280 and 16 of 1984; of XChaCha20 from 5, 6, 8, 12
// and 15, of SIV from 5, 6, 8, 10 and 13.
//
// With AVX2, lanes take the time of whole eights of blocks, and Poly1305 comes after ChaCha20, so calls
// of cryptAVX2 are faster for texts that are longer. On Emerald Rapids, packets of 64 bytes in a
// loop take 0.96 of the time of 6 in lanes, 1.07 of 7, 1.2 of 8, 1.05 of 9 and 1.3 of 128. XChaCha20's 6
// take 1.3 times as long and 128 1.6, with 192 bytes 12 take 1.15; SIV's 4 of 256 bytes 1.19.
// On Zen 3, XChaCha20's 9 of 64 bytes took 0.79 of the loop's time, 10 of 128 bytes 0.84 and 12 of 192 0.89.
//
// A block in a lane takes 19 ns on Zen 3. With block 0 from there, cryptAVX2 opens 256 bytes in 162 ns in place of
// 222, 1280 in 544 in place of 709, but seals these in 219 (217) and 677 (733): there it makes block 0 while it
// waits. HChaCha20 takes 94 ns by itself, and SIV 92 for each of its three blocks.
var (
	gainsIFMA = [...]gains{
		ChaCha20:  {packets: 7, text: maxLaneText, empty: 8, packet: 16, block: 1, start: 96, step: 20},
		XChaCha20: {packets: 7, text: maxLaneText, empty: 8, packet: 16, block: 1, start: 96, step: 20},
		SIV:       {packets: 7, text: maxLaneText, packet: 43, block: 1, start: 140, step: 20},
	}
	gainsFull = [...]gains{
		ChaCha20:  {packets: 7, text: maxLaneText, packet: 30, block: 1, start: 180, step: 23},
		XChaCha20: {packets: 6, text: maxLaneText, packet: 36, block: 1, start: 150, step: 25},
		SIV:       {packets: 5, text: maxLaneText, packet: 50, block: 1, start: 250, step: 26},
	}
	gainsAVX2 = [...]gains{
		ChaCha20:  {packets: 8, text: 64, openApart: 193, packet: 1, start: 8},
		XChaCha20: {packets: 7, text: 192, sealApart: 193, openApart: 193, packet: 1, start: 5, step: 2},
		SIV:       {packets: 4, text: maxTextAVX2, sealApart: maxTextAVX2 + 1, openApart: maxTextAVX2 + 1, packet: 1, start: 4},
	}
)
