// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/umac"
)

// A batchKernel emits code that computes the tags of four short messages.
type batchKernel struct {
	kernel
	keys, messages, frame GPVirtual
	bigEndian             Mem // VPSHUFB control that swaps the bytes of each 32-bit word
}

const (
	batchLanes  = 4
	batchValues = 16 * batchLanes             // stack offset of the NH values
	batchFrame  = batchValues + 32*batchLanes // frame size in bytes
)

// BatchAMD64 returns internal/umac/batch_amd64.s and its Go declarations.
func BatchAMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("umac", "keys", "message")
	slideTable(f)
	bigEndian := amd64.Table[uint64](f, "bigEndian", 0x0405060700010203, 0x0c0d0e0f08090a0b, 0x0405060700010203, 0x0c0d0e0f08090a0b)
	f.Function("sumFourAVX2AES", fmt.Sprintf("func(tags *byte, k *keys, messages *[%d]message)", batchLanes),
		"sumFourAVX2AES stores the tags of four messages of at most one chunk each, 4 bytes per",
		"stream. For AVX2, BMI2 and AES-NI.")
	k := &batchKernel{kernel: kernel{Context: f.Context}, bigEndian: bigEndian}
	k.keys = amd64.Load(k.Context, "k")
	k.messages = amd64.Load(k.Context, "messages")
	k.frame = amd64.Aligned(k.Context, batchFrame, 32)
	k.encrypt()

	streams, values, left := k.GP64(), k.GP64(), k.GP64()
	k.MOVQ(Mem{Base: k.keys, Disp: layout.KeysUhashStreams}, streams)
	k.LEAQ(Mem{Base: k.frame, Disp: batchValues}, values)
	k.out = Mem{Base: values}
	k.msg, k.rest, k.bits, k.k = k.GP64(), k.GP64(), k.GP64(), k.GP64()
	message := k.GP64()
	k.MOVQ(k.messages, message)
	k.MOVQ(U32(batchLanes), left)
	k.dispatch(streams)
	for _, k.streams = range []int{4, 3, 2, 1} {
		k.Comment(fmt.Sprintf("Streams: %d.", k.streams))
		k.Label(k.label("streams"))
		k.MOVQ(Mem{Base: message, Disp: layout.MessageMsg}, k.msg)
		k.MOVQ(Mem{Base: message, Disp: layout.MessageN}, k.rest)
		k.MOVQ(k.rest, k.bits)
		k.SHLQ(U8(3), k.bits)
		k.MOVQ(k.keys, k.k) // the NH key is keys' first field
		chunkAVX2(&k.kernel)
		amd64.Place(k.Context, k.label("next"))
		k.ADDQ(U8(layout.SizeofMessage), message)
		k.ADDQ(U8(32), values)
		k.SUBQ(U8(1), left)
		k.jump(k.JNZ, "streams")
		k.finish()
		k.wipe()
		k.VZEROUPPER()
		k.RET()
	}
	return f.Bytes("internal/asm/umac")
}

func (k *batchKernel) pad(m int) Mem { return Mem{Base: k.frame, Disp: 16 * m} }

func (k *batchKernel) encrypt() {
	k.Comment("Encrypt the pads, four blocks at a time, with 10, 12 or 14 rounds of AES.")
	rounds, key := k.GP64(), k.XMM()
	var x [batchLanes]VecVirtual
	for m := range x {
		x[m] = k.XMM()
		high := k.XMM()
		k.VMOVQ(Mem{Base: k.messages, Disp: layout.SizeofMessage*m + layout.MessagePadLo}, x[m])
		k.VMOVQ(Mem{Base: k.messages, Disp: layout.SizeofMessage*m + layout.MessagePadHi}, high)
		k.VPUNPCKLQDQ(high, x[m], x[m])
	}
	amd64.Place(k.Context, "encrypt")
	k.MOVQ(Mem{Base: k.keys, Disp: layout.KeysPadRounds}, rounds)
	encryptRounds(k.Context, Mem{Base: k.keys, Disp: layout.KeysPadKeys}, rounds, "encrypted", func(instruction func(Op, Op, Op), at Mem) {
		k.VMOVDQU(at, key)
		for m := range x {
			instruction(key, x[m], x[m])
		}
	})
	amd64.Place(k.Context, "padded")
	for m := range x {
		k.VMOVDQU(x[m], k.pad(m))
	}
}

func (k *batchKernel) finish() {
	k.Comment("L3 of four messages: an inner product of 16-bit words modulo 2^36 - 5.")
	c := k.l3Constants()
	var tags [2]VecVirtual // one vector for each two streams, with a quadword per message
	for s := 0; s < k.streams; s += 2 {
		even, odd := k.values(s)
		tags[s/2] = k.l3(s, even, c)
		if odd != nil {
			hash := k.l3(s+1, odd, c)
			k.VPSLLQ(U8(32), hash, hash)
			k.VPBLENDD(U8(0xaa), hash, tags[s/2], tags[s/2])
		}
	}
	k.Comment("Store the tags: big-endian words, XORed with the pads.")
	to := amd64.Load(k.Context, "tags")
	switch k.streams {
	case 1:
		k.tags4(tags[0], to)
	case 2:
		k.tags8(tags[0], to)
	default:
		if tags[1] == nil {
			panic("umac: no second pair of streams")
		}
		k.tags16(tags, to)
	}
}

// values emits code that loads the NH values of streams s and s+1.
func (k *batchKernel) values(s int) (even, odd VecVirtual) {
	value := func(m int) Mem { return Mem{Base: k.frame, Disp: batchValues + 32*m + 8*s} }
	// Wider loads would stall after the earlier stores.
	even = k.YMM()
	high := k.XMM()
	if s+1 == k.streams {
		k.VMOVQ(value(0), even.AsX())
		k.VPINSRQ(U8(1), value(1), even.AsX(), even.AsX())
		k.VMOVQ(value(2), high)
		k.VPINSRQ(U8(1), value(3), high, high)
		k.VINSERTI128(U8(1), high, even, even)
		return even, nil
	}
	first, second := k.YMM(), k.YMM()
	k.VMOVDQU(value(0), first.AsX())
	k.VINSERTI128(U8(1), value(2), first, first)
	k.VMOVDQU(value(1), second.AsX())
	k.VINSERTI128(U8(1), value(3), second, second)
	odd = k.YMM()
	k.VPUNPCKLQDQ(second, first, even)
	k.VPUNPCKHQDQ(second, first, odd)
	return even, odd
}

type l3Constants struct{ word, mask, prime VecVirtual }

func (k *batchKernel) l3Constants() (c l3Constants) {
	ones := k.YMM()
	c.word, c.mask, c.prime = k.YMM(), k.YMM(), k.YMM()
	k.VPCMPEQD(ones, ones, ones)
	k.VPSRLQ(U8(64-16), ones, c.word)
	k.VPSRLQ(U8(64-36), ones, c.mask)
	k.VPSLLQ(U8(2), ones, ones) // -4 in each quadword
	k.VPADDQ(ones, c.mask, c.prime)
	return c
}

func (k *batchKernel) l3(s int, v VecVirtual, c l3Constants) VecVirtual {
	at := layout.KeysUhashL3 + layout.SizeofL3Key*s
	var low, high VecVirtual
	for i := 7; i >= 4; i-- {
		word := k.YMM()
		if i > 4 {
			k.VPAND(c.word, v, word)
			k.VPSRLQ(U8(16), v, v)
		} else {
			word = v
		}
		product := func(sum *VecVirtual, disp int) {
			p := k.YMM()
			k.VPBROADCASTD(Mem{Base: k.keys, Disp: at + layout.L3KeyK1 + 8*i + disp}, p)
			k.VPMULUDQ(word, p, p)
			if *sum == nil {
				*sum = p
			} else {
				k.VPADDQ(p, *sum, *sum)
			}
		}
		product(&low, 0)
		product(&high, 4)
	}
	k.VPSLLQ(U8(32), high, high)
	k.VPADDQ(high, low, low)

	over, less, k2 := k.YMM(), k.YMM(), k.YMM()
	k.VPSRLQ(U8(36), low, over)
	k.VPAND(c.mask, low, low)
	k.VPADDQ(over, low, low)
	k.VPSLLQ(U8(2), over, over)
	k.VPADDQ(over, low, low)
	k.VPSUBQ(c.prime, low, less)
	k.VBLENDVPD(less, low, less, low) // less if it is not negative, else low
	k.VPBROADCASTD(Mem{Base: k.keys, Disp: at + layout.L3KeyK2}, k2)
	k.VPXOR(k2, low, low)
	return low
}

func (k *batchKernel) tags4(tags VecVirtual, to GPVirtual) {
	pads := k.XMM()
	for m := range batchLanes {
		if pad := k.padOf(m); m == 0 {
			k.VMOVD(pad, pads)
		} else {
			k.VPINSRD(U8(m), pad, pads, pads)
		}
	}
	k.VPSHUFD(U8(0x08), tags, tags)
	k.VPERMQ(U8(0x08), tags, tags)
	k.VPSHUFB(k.bigEndian, tags.AsX(), tags.AsX())
	k.VPXOR(pads, tags.AsX(), tags.AsX())
	k.VMOVDQU(tags.AsX(), Mem{Base: to})
}

func (k *batchKernel) tags8(tags VecVirtual, to GPVirtual) {
	pads, high := k.YMM(), k.XMM()
	k.VMOVQ(k.padOf(0), pads.AsX())
	k.VPINSRQ(U8(1), k.padOf(1), pads.AsX(), pads.AsX())
	k.VMOVQ(k.padOf(2), high)
	k.VPINSRQ(U8(1), k.padOf(3), high, high)
	k.VINSERTI128(U8(1), high, pads, pads)
	k.VPSHUFB(k.bigEndian, tags, tags)
	k.VPXOR(pads, tags, tags)
	k.VMOVDQU(tags, Mem{Base: to})
}

func (k *batchKernel) tags16(pairs [2]VecVirtual, to GPVirtual) {
	even, odd := k.YMM(), k.YMM() // messages 0 and 2, messages 1 and 3
	k.VPUNPCKLQDQ(pairs[1], pairs[0], even)
	k.VPUNPCKHQDQ(pairs[1], pairs[0], odd)
	k.VPSHUFB(k.bigEndian, even, even)
	k.VPSHUFB(k.bigEndian, odd, odd)
	for m := range batchLanes {
		tag, both := k.XMM(), []VecVirtual{even, odd}[m%2]
		if m < 2 {
			k.VPXOR(k.pad(m), both.AsX(), tag)
		} else {
			k.VEXTRACTI128(U8(1), both, tag)
			k.VPXOR(k.pad(m), tag, tag)
		}
		at := Mem{Base: to, Disp: 4 * k.streams * m}
		if k.streams == 4 {
			k.VMOVDQU(tag, at)
		} else {
			k.VMOVQ(tag, at)
			k.VPEXTRD(U8(2), tag, at.Offset(8))
		}
	}
}

// padOf emits code that finds message m's pad.
func (k *batchKernel) padOf(m int) Mem {
	at := k.GP64()
	k.MOVQ(Mem{Base: k.messages, Disp: layout.SizeofMessage*m + layout.MessagePadAt}, at)
	pad := k.pad(m)
	// The offset depends only on the public nonce.
	pad.Index, pad.Scale = at, 1
	return pad
}

func (k *batchKernel) wipe() {
	zero := k.YMM()
	k.VPXOR(zero, zero, zero)
	for at := 0; at < batchFrame; at += 32 {
		k.VMOVDQU(zero, Mem{Base: k.frame, Disp: at})
	}
}
