// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
	layout "github.com/unimac/unimac/internal/layout/umac"
)

// A neonSum emits sumNEONAES, for messages of at most one chunk.
type neonSum struct {
	neon
	tag, keys, at arm64.R
	mask36, prime arm64.R
	block         arm64.V
}

// SumARM64 returns the contents of internal/umac/sum_arm64.s.
func SumARM64() []byte {
	f := arm64.NewFile("internal/asm/umac")
	rest, streams := arm64.R(3), arm64.R(5)
	lo, hi := arm64.R(6), arm64.R(7)
	k := neonSum{
		neon: neon{File: f, k: 1, msg: 2, bits: 4},
		tag:  0, keys: 12, at: 13, mask36: 14, prime: 15, block: 28,
	}
	f.Function("sumNEONAES", "(tag *byte, k *keys, lo uint64, hi uint64, at int, msg *byte, n int)", 0)
	f.Arguments(k.tag, k.keys, lo, hi, k.at, k.msg, rest)
	k.encrypt(lo, hi)
	f.Comment("The NH key comes first.")
	f.Op("MOVD", k.keys, k.k)
	f.Op("MOVD", k.keys.At(layout.KeysUhashStreams), streams)
	f.Op("LSL", 3, rest, k.bits)
	f.Op("MOVD", 1<<36-1, k.mask36)
	f.Op("MOVD", prime36, k.prime)
	eachNEON(k.neon, streams, func(g neon) {
		k := k
		k.neon = g
		k.sumChunk(rest, k.finish)
	})
	subWordNEON(f)
	return f.Bytes()
}

// encrypt emits code that computes the AES block that contains the pad.
func (k neonSum) encrypt(lo, hi arm64.R) {
	k.Comment("Encrypt the pad with 10, 12 or 14 rounds of AES.")
	rounds, from := arm64.R(8), arm64.R(9)
	key := func(i int) arm64.V { return arm64.V(29 + i%2) }
	round := func(i int) {
		k.Op("FMOVQ", from.At(16*i), key(i).F())
		k.Op("AESE", key(i).B16(), k.block.B16())
		k.Op("AESMC", k.block.B16(), k.block.B16())
	}
	k.Op("FMOVD", lo, k.block.F())
	k.Op("VMOV", hi, k.block.D(1))
	k.Label("encrypt") // used by the proof
	k.Op("MOVD", k.keys.At(layout.KeysPadRounds), rounds)
	k.Op("ADD", layout.KeysPadKeys, k.keys, from)
	for i := range 9 {
		round(i)
	}
	for n := 10; n < 14; n += 2 {
		k.Op("CMP", n, rounds)
		k.Op("BEQ", "encrypted")
		round(n - 1)
		round(n)
	}
	k.Label("encrypted")
	k.Op("ADD", fmt.Sprintf("%v<<4", rounds), from)
	k.Op("FLDPQ", from.At(-16), arm64.Pair(key(0), key(1)))
	// AESE adds its key first, so the last key is added separately.
	k.Op("AESE", key(0).B16(), k.block.B16())
	k.Op("VEOR", key(1).B16(), k.block.B16(), k.block.B16())
	k.Label("padded") // used by the proof
}

func (k neonSum) finish() {
	k.addLanes()
	k.Comment("L3: an inner product of 16-bit words modulo 2^36 - 5.")
	l3 := k.keys
	k.Op("ADD", layout.KeysUhashL3, k.keys, l3)
	first, second := arm64.R(6), arm64.R(7)
	for s := 0; s < k.streams; s += 2 {
		k.l3(l3, s, first)
		pad := k.padWord(s)
		if s+1 == k.streams {
			k.Op("REVW", first, first)
			k.Op("EORW", pad, first, first)
			k.Op("MOVW", first, k.tag.At(4*s))
			break
		}
		k.l3(l3, s+1, second)
		k.Op("ORR", fmt.Sprintf("%v<<32", first), second, first)
		k.Op("REV", first, first)
		k.Op("EOR", pad, first, first)
		k.Op("MOVD", first, k.tag.At(4*s))
	}
}

func (k neonSum) padWord(s int) arm64.R {
	w, upper := arm64.R(16), arm64.R(17)
	k.Op("VMOV", k.block.D(s/2), w)
	if k.streams <= 2 {
		k.Op("VMOV", k.block.D(1), upper)
		k.Op("TST", 8, k.at)
		k.Op("CSEL", "NE", upper, w, w)
	}
	if k.streams == 1 {
		k.Op("AND", 4, k.at)
		k.Op("LSL", 3, k.at)
		k.Op("LSR", k.at, w)
	}
	return w
}

// l3 emits code that sets sum to L3-HASH of stream s's NH value.
func (k neonSum) l3(keys arm64.R, s int, sum arm64.R) {
	v, word := arm64.R(8), arm64.R(9)
	key := [2]arm64.R{10, 11}
	k.Op("VMOV", k.sum(s&^1, 0).D(s&1), v)
	for i := 4; i < 8; i += 2 {
		k.Op("LDP", keys.At(layout.SizeofL3Key*s+layout.L3KeyK1+8*i), fmt.Sprintf("(%v, %v)", key[0], key[1]))
		for j, factor := range key {
			k.Op("UBFX", 16*(7-i-j), v, 16, word)
			if i+j == 4 {
				k.Op("MUL", factor, word, sum)
			} else {
				k.Op("MADD", factor, sum, word, sum)
			}
		}
	}
	over := word
	k.Op("LSR", 36, sum, over)
	k.Op("AND", k.mask36, sum)
	k.Op("ADD", fmt.Sprintf("%v<<2", over), over)
	k.Op("ADD", over, sum)
	k.Op("SUBS", k.prime, sum, over)
	k.Op("CSEL", "HS", over, sum, sum)
	k.Op("MOVWU", keys.At(layout.SizeofL3Key*s+layout.L3KeyK2), word)
	k.Op("EORW", word, sum, sum)
}

// subWordNEON emits the S-box function for AES key schedules.
func subWordNEON(f *arm64.File) {
	w, x, zero := arm64.R(0), arm64.V(0), arm64.V(1)
	f.Function("subWordNEONAES", "(w *uint32)", 0)
	f.Arguments(w)
	word := arm64.R(1)
	f.Op("MOVWU", w.At(0), word)
	// With equal columns, ShiftRows has no effect.
	f.Op("VDUP", word, x.S4())
	f.Op("VEOR", zero.B16(), zero.B16(), zero.B16())
	f.Op("AESE", zero.B16(), x.B16())
	f.Op("VMOV", x.S(0), word)
	f.Op("MOVW", word, w.At(0))
	f.Op("RET")
}
