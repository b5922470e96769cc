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

// The generators assume that the NH key is keys' first field.
const _ uint = -layout.KeysUhashNh

const prime36 = 1<<36 - 5

// A sumKernel emits a function that computes a message's tag.
type sumKernel struct {
	polyKernel
	keys, to GPVirtual
	pad      VecVirtual // AES block that contains the pad

	l3c l3Vectors
}

// SumAMD64 returns internal/umac/sum_amd64.s and its Go declarations.
func SumAMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("umac", "keys", "roundKeys")
	slideTable(f)
	constants := sumKernel{l3c: newL3Vectors(f)}
	generateSumOf(f, constants, "sumAVX2AES", "AVX2, BMI2 and AES-NI", wholeAVX2, func(k *sumKernel) {
		chunkAVX2(&k.kernel)
	})
	generateSumOf(f, constants, "sumAVX512AES", "AVX-512 F, BW, DQ and VL, BMI2 and AES-NI", wholeAVX512, func(k *sumKernel) {
		// In a short message that was just copied, masked loads would stall.
		k.CMPQ(k.rest, U32(4*group))
		k.jump(k.JB, "narrow")
		chunkAVX512(&k.kernel)
		k.jump(k.JMP, "finish")
		k.Label(k.label("narrow"))
		k.prefix = "narrow_"
		chunkAVX2(&k.kernel)
		k.prefix = ""
		k.Label(k.label("finish"))
	})
	generateSumOf(f, constants, "sumSSE41AES", "SSE4.1 and AES-NI", wholeSSE41, func(k *sumKernel) {
		chunkSSE41(&k.kernel)
	})
	generateSubWord(f, "subWordAVX2AES")
	generateSubWord(f, "subWordSSE41AES")
	generateEncrypt(f, "encryptAVX2AES", "AVX2 and AES-NI")
	generateEncrypt(f, "encryptSSE41AES", "SSE4.1 and AES-NI")
	return f.Bytes("internal/asm/umac")
}

// generateSumOf emits a function that computes and stores a message's tag.
func generateSumOf(f *amd64.File, k sumKernel, name, set string, chunks wholeChunk, emitLast func(*sumKernel)) {
	f.Function(name, "func(tag *byte, k *keys, lo uint64, hi uint64, at int, msg *byte, n int)",
		fmt.Sprintf("%s stores the tag of a message, 4 bytes per stream, with %s. The pad", name, set),
		"begins at byte at of the encrypted block whose words are lo and hi.")
	k.sse41 = name == "sumSSE41AES"
	k.Context, k.folded = f.Context, !k.sse41
	k.to = amd64.Load(k.Context, "tag")
	k.keys = amd64.Load(k.Context, "k")
	k.msg = amd64.Load(k.Context, "msg")
	k.state = amd64.Aligned(k.Context, 64, 64)
	k.encrypt()

	k.rest = amd64.Load(k.Context, "n")
	streams := k.GP64()
	k.MOVQ(Mem{Base: k.keys, Disp: layout.KeysUhashStreams}, streams)
	k.poly, k.n = k.GP64(), k.GP64()
	k.LEAQ(Mem{Base: k.keys, Disp: layout.KeysUhashPoly64}, k.poly)
	k.k, k.stream, k.bits = k.GP64(), k.GP64(), k.GP64()
	k.key = k.keys // the NH key is keys' first field
	k.out = Mem{Base: k.state, Disp: layout.PolyStateLast}
	k.count = k.GP64()
	k.XORQ(k.count, k.count)
	k.dispatch(streams)
	for _, k.streams = range []int{4, 3, 2, 1} {
		k.Comment(fmt.Sprintf("Streams: %d.", k.streams))
		k.Label(k.label("streams"))
		k.CMPQ(k.rest, U32(chunk))
		k.jump(k.JBE, "last")
		k.Comment("Process all chunks but the last, which has 1 to 1024 bytes.")
		k.begin()
		k.LEAQ(Mem{Base: k.rest, Disp: -1}, k.n)
		k.ANDQ(I32(-chunk), k.n)
		k.SUBQ(k.n, k.rest)
		bits := k.bits
		k.prefix = "whole_"
		k.chunks(chunks)
		k.prefix, k.bits = "", bits
		k.finalSteps()

		k.Comment("Process the last chunk, or the only one.")
		k.Label(k.label("last"))
		k.MOVQ(k.keys, k.k)
		k.MOVQ(k.rest, k.bits)
		k.SHLQ(U8(3), k.bits)
		k.pairs = []VecVirtual{k.XMM(), k.XMM()}[:(k.streams+1)/2]
		emitLast(&k)
		k.finish()
		k.pairs = nil
		k.leave()
	}
}

func (k *sumKernel) encrypt() {
	k.Comment("Encrypt the pad with 10, 12 or 14 rounds of AES.")
	x, high := k.XMM(), k.XMM()
	rounds := k.GP64()
	k.VMOVQ(amd64.Argument(k.Context, "lo"), x)
	k.VMOVQ(amd64.Argument(k.Context, "hi"), high)
	k.VPUNPCKLQDQ(high, x, x)
	amd64.Place(k.Context, "encrypt")
	k.MOVQ(Mem{Base: k.keys, Disp: layout.KeysPadRounds}, rounds)
	encryptRounds(k.Context, Mem{Base: k.keys, Disp: layout.KeysPadKeys}, rounds, "encrypted", func(instruction func(Op, Op, Op), at Mem) {
		instruction(at, x, x)
	})
	amd64.Place(k.Context, "padded")
	k.pad = x
}

func (k *sumKernel) begin() {
	one := k.GP64()
	k.MOVQ(U32(1), one)
	for s := range k.streams {
		k.MOVQ(one, Mem{Base: k.state, Disp: layout.PolyStateY + 8*s})
	}
}

func of(s int) func(base GPVirtual, disp int) Mem {
	return func(base GPVirtual, disp int) Mem { return Mem{Base: base, Disp: disp + 8*s} }
}

func (k *sumKernel) finalSteps() {
	steps := func(step func(m GPVirtual, at func(base GPVirtual, disp int) Mem) GPVirtual) {
		for s := range k.streams {
			at, m := of(s), k.GP64()
			k.MOVQ(at(k.state, layout.PolyStateLast), m)
			k.MOVQ(step(m, at), at(k.state, layout.PolyStateY))
		}
	}
	k.CMPQ(k.count, U8(1))
	k.jump(k.JNE, "steps")
	steps(k.firstStep)
	k.jump(k.JMP, "last")
	k.Label(k.label("steps"))
	steps(k.step)
}

func (k *sumKernel) finish() {
	k.TESTQ(k.count, k.count)
	k.jump(k.JZ, "single")
	amd64.Place(k.Context, k.label("values"))
	k.Comment("The last step of POLY-64, with a reduced result.")
	words := k.words()
	for s, w := range words {
		k.lastStep(w, of(s))
		amd64.Place(k.Context, fmt.Sprintf("reduced%d_%d", k.streams, s))
		switch {
		case k.streams == 1: // the value stays in w
		case s%2 == 0:
			k.VMOVQ(w, k.pairs[s/2])
		default:
			k.VPINSRQ(U8(1), w, k.pairs[s/2], k.pairs[s/2])
		}
	}
	switch k.streams {
	case 1:
		k.jump(k.JMP, "scalar")
	case 2:
		k.jump(k.JMP, "vector")
	}
	k.Label(k.label("single"))
	if k.streams <= 2 {
		// Choose between scalar and vector L3 code for a one-chunk message.
		k.CMPQ(k.bits, U32(8*vectorL3[k.streams]))
		k.jump(k.JBE, "vector")
		// Scalar code for L3 runs without waiting for NH's vector instructions.
		k.moveWords(words)
		k.Label(k.label("scalar"))
		k.scalarTag(words)
		k.leave()
		k.Label(k.label("vector"))
	}
	k.storeTag(k.hash())
}

func (k *sumKernel) words() []GPVirtual {
	words := make([]GPVirtual, k.streams)
	for s := range words {
		words[s] = k.GP64()
	}
	k.moveWords(words)
	return words
}

func (k *sumKernel) moveWords(to []GPVirtual) {
	for s, w := range to {
		if s%2 == 0 {
			k.VMOVQ(k.pairs[s/2], w)
		} else {
			k.VPEXTRQ(U8(1), k.pairs[s/2], w)
		}
	}
}

// lastStep emits a stream's last POLY-64 step and fully reduces the result.
func (k *sumKernel) lastStep(m GPVirtual, word func(base GPVirtual, disp int) Mem) {
	y := k.step(m, word)
	k.MOVQ(y, m)
	k.ADDQ(U8(offset64), m)
	k.CMOVQCC(y, m)
}

// generateSubWord emits a constant-time S-box function for AES key schedules.
func generateSubWord(f *amd64.File, name string) {
	f.Function(name, "func(w uint32) uint32",
		name+" applies the AES S-box to each byte of w.")
	w, x := f.GP32(), f.XMM()
	f.Load(f.Param("w"), w)
	f.VMOVD(w, x)
	f.VPSHUFD(U8(0), x, x)
	f.VAESKEYGENASSIST(U8(0), x, x)
	f.VMOVD(x, w)
	if name == "subWordAVX2AES" {
		f.VZEROUPPER()
	}
	f.Store(w, f.ReturnIndex(0))
	f.RET()
}
