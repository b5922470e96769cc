// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20blake2b generates the kernels that interleave ChaCha20 with BLAKE2b.
// Begin with this file, the AVX-512 kernel. The AVX2 kernel computes BLAKE2b in general
// registers instead, because it has half as many vector registers.
//
// BLAKE2b of one message is a chain of dependent instructions, which leaves vector
// ports idle. ChaCha20 uses these ports, but together with BLAKE2b's gathering of
// message words, it would occupy them almost fully and stall the chain.
//
// The kernel therefore copies message words through general registers: while it
// compresses a block, it copies the next block's words to the stack, once for each of
// the ten orders in which rounds use them. It copies one block ahead, because a load of
// four words stalls until all four have been written.
package chacha20blake2b

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/blake2b"
	"github.com/unimac/unimac/internal/asm/chacha20"
)

const block = 128

// AMD64 returns internal/chacha20blake2b/fused_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("chacha20blake2b")
	c := newConstants(f)
	generateCompressXOR(f, c)
	generateAVX2(f, c.Constants)
	return f.Bytes("internal/asm/chacha20blake2b")
}

// orders is the byte size of a block's words in all orders.
const orders = blake2b.Orders * block

var ymm = amd64.YMM

type kernel struct {
	*build.Context
	*blake2b.Rows
	*constants
	cipher chacha20.Arithmetic

	blocks        GPVirtual
	count, h0, h1 VecPhysical
	stack         Mem
	spare         []VecPhysical // registers that take returns in turn
	spares        int

	dst, src   GPVirtual
	key, nonce Mem
	counters   [2]VecPhysical // counters of eight ChaCha20 blocks, a group
	x          []VecPhysical  // states of a group's blocks
	temps      [2]VecPhysical
}

type constants struct {
	*blake2b.Constants
	counters [2]Mem // counter increments of a group's blocks
	eight    Mem    // counter increments from one group to the next
	sigma    Mem
	none     Mem // a block of zeros
}

func newConstants(f *amd64.File) *constants {
	quads := func(name string, values ...uint64) Mem { return amd64.Table(f, name, values...) }
	return &constants{
		Constants: blake2b.NewConstants(f),
		counters:  [2]Mem{quads("countersA", 0, 1, 4, 5), quads("countersB", 2, 3, 6, 7)},
		eight:     quads("eight", 8, 8, 8, 8),
		sigma:     quads("sigma", 0x3320646e61707865, 0x6b20657479622d32), // "expand 32-byte k"
		none:      quads("none", make([]uint64, block/8)...),
	}
}

const compressXORSignature = "func(h *[8]uint64, blocks *byte, t uint64, dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)"

func newKernel(f *amd64.File, c *constants) *kernel {
	f.Function("compressXORAVX512", compressXORSignature,
		"compressXORAVX512 is compressXOR for AVX-512 F and VL. It compresses n bytes of blocks and one extra block.")
	f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k := &kernel{Context: f.Context, constants: c}
	k.Rows = &blake2b.Rows{
		Context: f.Context,
		A:       ymm[0], B: ymm[1], C: ymm[2], D: ymm[3],
		Rotate24: ymm[4], Rotate16: ymm[5],
		Rotate63: func(r *blake2b.Rows, b Op) { r.VPRORQ(U8(63), b, b) },
	}
	k.h0, k.h1, k.count = ymm[6], ymm[7], ymm[8]
	k.counters = [2]VecPhysical(ymm[9:])
	k.spare = ymm[11:15]
	k.x = ymm[16:]
	k.cipher = chacha20.AVX512(f.Context)
	k.dst = amd64.Load(f.Context, "dst")
	k.src = amd64.Load(f.Context, "src")
	k.key = Mem{Base: amd64.Load(f.Context, "key")}
	k.nonce = Mem{Base: amd64.Load(f.Context, "nonce")}
	f.VMOVDQU(c.Rotate24, k.Rotate24)
	f.VMOVDQU(c.Rotate16, k.Rotate16)

	k.stack = Mem{Base: amd64.Aligned(f.Context, 2*orders, 64)}
	return k
}

// loadChain emits 16-byte loads, because wider loads would stall after small stores.
func (k *kernel) loadChain(h Mem) {
	for i, half := range []VecPhysical{k.h0, k.h1} {
		k.Context.VMOVDQU(h.Offset(32*i), half.AsX())
		k.Context.VINSERTI128(U8(1), h.Offset(32*i+16), half, half)
	}
}

func (k *kernel) storeChain(h Mem) {
	k.Context.VMOVDQU(k.h0, h)
	k.Context.VMOVDQU(k.h1, h.Offset(32))
}

func generateCompressXOR(f *amd64.File, c *constants) {
	k := newKernel(f, c)
	h := Mem{Base: amd64.Load(f.Context, "h")}
	k.blocks = amd64.Load(f.Context, "blocks")
	n := amd64.Load(f.Context, "n")
	// Only the first block, compressed without encryption, needs both spare registers.
	k.temps = [2]VecPhysical{ymm[15], k.spare[0]}
	f.VPBROADCASTQ(amd64.Argument(k.Context, "counter"), k.spare[0])
	for i := range 2 {
		f.VPADDQ(c.counters[i], k.spare[0], k.counters[i])
	}
	f.VPBROADCASTQ(amd64.Argument(k.Context, "t"), k.count)
	f.VPXOR(k.spare[1], k.spare[1], k.spare[1])
	f.VPBLENDD(U8(0xfc), k.spare[1], k.count, k.count)
	k.loadChain(h)

	f.Comment("Compress the first block without encrypting.")
	k.compress(k.loaded, k.store(Mem{Base: k.blocks, Disp: block}, 0)).Write()
	f.ADDQ(I32(block), k.blocks)
	none, next := f.GP64(), f.GP64()
	f.LEAQ(c.none, none)

	f.Comment("Compress four blocks and encrypt eight ChaCha20 blocks. Zeros replace the block after the last one.")
	f.Label("group")
	f.LEAQ(Mem{Base: k.blocks, Disp: 4 * block}, next)
	f.SUBQ(I32(4*block), n)
	f.CMOVQEQ(none, next)
	var four amd64.Code
	for i := range 4 {
		from := Mem{Base: k.blocks, Disp: (i + 1) * block}
		if i == 3 {
			from = Mem{Base: next}
		}
		four = append(four, k.compress(k.stored(i%2), k.store(from, (i+1)%2))...)
	}
	four.Spread(k.encrypt()).Write()
	f.ADDQ(I32(4*block), k.blocks)
	f.ADDQ(I32(4*block), k.src)
	f.ADDQ(I32(4*block), k.dst)
	f.TESTQ(n, n)
	f.JNE(LabelRef("group"))

	f.Comment("Clear the last block's words, which may be secret. The other half of the slots contains zeros.")
	f.VPXOR(k.A, k.A, k.A)
	for i := 0; i < orders; i += 32 {
		f.VMOVDQA(k.A, k.stack.Offset(orders+i))
	}
	k.storeChain(h)
	f.VZEROUPPER()
	f.RET()
}

// compress returns code that compresses a block and prepares the next one.
func (k *kernel) compress(words func(v blake2b.MessageVector) (amd64.Code, Op), store amd64.Code) amd64.Code {
	rounds := k.Rounds(words)
	// Later loads stall unless all stores precede the last round.
	front := len(rounds) * 11 / 12
	out := amd64.Code{
		func() { k.Context.VPADDQ(k.Step, k.count, k.count) },
		func() { k.Context.VPXOR(k.IV.Offset(32), k.count, k.D) },
		func() { k.Context.VMOVDQU(k.IV, k.C) },
		func() { k.Context.VMOVDQA(k.h0, k.A) },
		func() { k.Context.VMOVDQA(k.h1, k.B) },
	}
	out = append(out, rounds[:front:front].Spread(store)...)
	out = append(out, rounds[front:]...)
	return append(out, k.Finish(k.h0, k.h1)...)
}

func (k *kernel) take() VecPhysical {
	k.spares++
	return k.spare[k.spares%len(k.spare)]
}

func (k *kernel) loaded(v blake2b.MessageVector) (amd64.Code, Op) {
	f := k.Context
	r, t := k.take(), k.take()
	word := func(i int) Mem { return Mem{Base: k.blocks, Disp: 8 * v.Words[i]} }
	out := amd64.Code{func() { f.VPBROADCASTQ(word(0), r) }}
	for i := 1; i < 4; i++ {
		out = append(out,
			func() { f.VPBROADCASTQ(word(i), t) },
			func() { f.VPBLENDD(U8(3<<(2*i)), t, r, r) })
	}
	return out, r
}

func (k *kernel) slot(which int, v blake2b.MessageVector) Mem {
	return k.stack.Offset(which*orders + block*v.Order + 32*v.Index)
}

func (k *kernel) stored(which int) func(v blake2b.MessageVector) (amd64.Code, Op) {
	return func(v blake2b.MessageVector) (amd64.Code, Op) { return nil, k.slot(which, v) }
}

func (k *kernel) store(next Mem, which int) amd64.Code {
	var out amd64.Code
	f := k.Context
	for word := range 16 {
		w := f.GP64()
		out = append(out, func() { f.MOVQ(next.Offset(8*word), w) })
		for order := range blake2b.Orders {
			for _, v := range blake2b.Vectors(order) {
				for i := range v.Words {
					if v.Words[i] == word {
						out = append(out, func() { f.MOVQ(w, k.slot(which, v).Offset(8*i)) })
					}
				}
			}
		}
	}
	return out
}

func (k *kernel) encrypt() amd64.Code {
	f := k.Context
	var out amd64.Code
	x := k.x
	initial := func(i int) Mem {
		switch {
		case i < 4:
			return k.constants.sigma.Offset(4 * i)
		case i < 12:
			return k.key.Offset(4 * (i - 4))
		default:
			return k.nonce.Offset(4 * (i - 14))
		}
	}
	half := func(i int, to Op) {
		f.VSHUFPS(U8([]uint8{0x88, 0xdd}[i-12]), k.counters[1], k.counters[0], to)
	}
	for i := range x {
		if i == 12 || i == 13 {
			out = append(out, func() { half(i, x[i]) })
		} else {
			out = append(out, func() { f.VPBROADCASTD(initial(i), x[i]) })
		}
	}
	for range 10 {
		out = append(out, chacha20.DoubleRound(&k.cipher, x)...)
	}
	for i := range x {
		if i == 12 || i == 13 {
			out = append(out, func() { half(i, k.temps[0]) }, func() { f.VPADDD(k.temps[0], x[i], x[i]) })
		} else {
			out = append(out, func() { f.VPADDD_BCST(initial(i), x[i], x[i]) })
		}
	}
	for i := range k.counters {
		out = append(out, func() { f.VPADDQ(k.eight, k.counters[i], k.counters[i]) })
	}
	free := k.temps
	var rows [4][4]VecPhysical
	for g := range rows {
		var transpose amd64.Code
		transpose, rows[g], free = chacha20.TransposeWords(f, x[4*g:4*g+4], free)
		out = append(out, transpose...)
	}
	for l, order := range []uint8{0, 3} {
		for j := range 4 {
			for h := range 2 {
				at := 64*(4*l+j) + 32*h
				to := free[h]
				out = append(out,
					func() { f.VSHUFI64X2(U8(order), rows[2*h+1][j], rows[2*h][j], to) },
					func() { f.VPXORD(Mem{Base: k.src, Disp: at}, to, to) },
					func() { f.VMOVDQU64(to, Mem{Base: k.dst, Disp: at}) })
			}
		}
	}
	return out
}
