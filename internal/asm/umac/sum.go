// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	"github.com/unimac/unimac/internal/asm/layout"
)

// The offsets in bytes within the package's keys, and what else of its structs the
// kernels for whole messages know.
const (
	keysStreams = 5 * row
	keysPoly64  = keysStreams + 8
	keysL3      = keysPoly64 + 3*32 + 4*32 // POLY-128's keys come before
	keysRounds  = keysL3 + 4*l3Size
	keysAES     = keysRounds + 8

	l3Size, l3K1, l3K2 = 72, 0, 64
)

// Layout is what the kernels know of the package's structs.
var Layout = []layout.Field{
	{Name: "polyState.y", Offset: stateY}, {Name: "polyState.last", Offset: stateLast},
	{Name: "poly64Key.k", Offset: polyK}, {Name: "poly64Key.square", Offset: polySquare},
	{Name: "poly64Key.offset", Offset: polyKeyOffset}, {Name: "nhKey", Offset: 5 * row},
	{Name: "keys.uhash", Offset: 0}, {Name: "keys.pad", Offset: keysRounds},
	{Name: "uhashKey.nh", Offset: 0}, {Name: "uhashKey.streams", Offset: keysStreams},
	{Name: "uhashKey.poly64", Offset: keysPoly64}, {Name: "uhashKey.l3", Offset: keysL3},
	{Name: "l3Key", Offset: l3Size}, {Name: "l3Key.k1", Offset: l3K1}, {Name: "l3Key.k2", Offset: l3K2},
	{Name: "message.pad", Offset: messageLo}, {Name: "message.at", Offset: messageAt},
	{Name: "message.msg", Offset: messageMsg}, {Name: "message.n", Offset: messageN}, {Name: "message", Offset: messageSize},
	{Name: "roundKeys.rounds", Offset: 0}, {Name: "roundKeys.keys", Offset: keysAES - keysRounds},
}

const prime36 = 1<<36 - 5

// A sumKernel is a kernel for a whole message: the pad's AES, NH, POLY-64 where
// there is more than one chunk, and L3.
//
// A short message waits for latencies only, of which that of AES is the longest: 10
// rounds of about 4 cycles. All its instructions come first, and the processor works
// on NH and L3 meanwhile.
//
// A long message leaves 1 to 1024 bytes for the end, so that its last chunk, whole or
// not, is added up by the code of a short one. POLY-64's step over the value before
// that is computed while the vector units work on it.
//
// What limits the speed is how long one instruction waits for another, because little of
// the next message is begun meanwhile: with two streams, on a Zen 5, messages of 1024, 1025
// and 1500 bytes take 22.5, 35 and 42.5 ns, and 29, 47 and 50 ns where each needs the tag of
// the one before. From 1024 to 1025 bytes 180 instructions are added to 350, and the
// processor looks about 450 ahead. Measured by leaving them out, POLY-64's first step
// costs 2 ns of the 12, and the last one 9, although they are 14 and 25 instructions a stream:
// they come between NH and L3. With scalar instructions for L3 it was 17 ns.
//
// Tried, and not kept: y·k and y·k² computed before NH of the last chunk, so that the last
// step is an addition. That made UMAC-64 4 ns faster at 1500 bytes and 1 to 2 slower
// at 1025, and UMAC-128 5 to 9 slower at both. Vector instructions for that addition made
// no more difference.
type sumKernel struct {
	polyKernel
	keys, to GPVirtual
	pad      VecVirtual // the encrypted block

	low36, prime36 Mem // in each quadword
	bigEndian      Mem // for VPSHUFB, which takes the lower halves of the quadwords
}

// SumAMD64 returns umac/sum_amd64.s and the file that declares its functions.
func SumAMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("umac", "keys")
	slideTable(f)
	constants := sumKernel{
		low36:     amd64.Table[uint64](f, "low36", 1<<36-1, 1<<36-1),
		prime36:   amd64.Table[uint64](f, "prime36", prime36, prime36),
		bigEndian: amd64.Table[uint64](f, "bigEndian", 0x08090a0b00010203, 0x8080808080808080),
	}
	generateSumOf(f, constants, "sumAVX2AES", "AVX2, BMI2 and AES-NI", wholeAVX2, func(k *sumKernel) {
		chunkAVX2(&k.kernel)
	})
	generateSumOf(f, constants, "sumAVX512AES", "AVX-512 F, BW, DQ and VL, BMI2 and AES-NI", wholeAVX512, func(k *sumKernel) {
		// Masked loads would wait for a short message that was just copied in pieces.
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
	generateSubWord(f)
	return f.Bytes("internal/asm/umac")
}

// generateSumOf writes the function; last writes what adds up the last chunk.
func generateSumOf(f *amd64.File, k sumKernel, name, set string, whole wholeChunk, last func(*sumKernel)) {
	f.Function(name, "func(tag *byte, k *keys, lo uint64, hi uint64, at int, msg *byte, n int)",
		fmt.Sprintf("%s stores the tag of a message, 4 bytes for each stream. Its pad begins", name),
		"at byte at of the block lo and hi, encrypted. For "+set+".")
	k.Context = f.Context
	k.to = k.Load(k.Param("tag"), k.GP64()).(GPVirtual)
	k.keys = k.Load(k.Param("k"), k.GP64()).(GPVirtual)
	k.msg = k.Load(k.Param("msg"), k.GP64()).(GPVirtual)
	k.state = amd64.Aligned(k.Context, 64, 64)
	k.encrypt()

	k.rest = k.Load(k.Param("n"), k.GP64()).(GPVirtual)
	streams := k.GP64()
	k.MOVQ(Mem{Base: k.keys, Disp: keysStreams}, streams)
	k.poly, k.n = k.GP64(), k.GP64()
	k.LEAQ(Mem{Base: k.keys, Disp: keysPoly64}, k.poly)
	k.k, k.stream, k.bits = k.GP64(), k.GP64(), k.GP64()
	k.key = k.keys // NH's key is the first
	k.out = Mem{Base: k.state, Disp: stateLast}
	k.count = k.GP64()
	k.XORQ(k.count, k.count)
	k.dispatch(streams)
	for _, k.streams = range []int{4, 3, 2, 1} {
		k.Comment(fmt.Sprintf("Streams: %d.", k.streams))
		k.Label(k.label("streams"))
		k.CMPQ(k.rest, U32(chunk))
		k.jump(k.JBE, "last")
		k.Comment("All chunks but the last, which has 1 to 1024 bytes.")
		k.begin()
		k.LEAQ(Mem{Base: k.rest, Disp: -1}, k.n)
		k.ANDQ(I32(-chunk), k.n)
		k.SUBQ(k.n, k.rest)
		bits := k.bits
		k.prefix = "whole_"
		k.chunks(whole)
		k.prefix, k.bits = "", bits
		k.finalSteps()

		k.Comment("The last chunk, or the only one.")
		k.Label(k.label("last"))
		k.MOVQ(k.keys, k.k)
		k.MOVQ(k.rest, k.bits)
		k.SHLQ(U8(3), k.bits)
		k.pairs = []VecVirtual{k.XMM(), k.XMM()}[:(k.streams+1)/2]
		last(&k)
		k.finish()
		k.pairs = nil
		k.VZEROUPPER()
		k.RET()
	}
}

// encrypt stores the encrypted block.
func (k *sumKernel) encrypt() {
	k.Comment("The pad: 10, 12 or 14 rounds of AES, which take as long as all the rest of a short message.")
	x, high := k.XMM(), k.XMM()
	rounds := k.GP64()
	roundKey := func(i int) Mem { return Mem{Base: k.keys, Disp: keysAES + 16*i} }
	k.VMOVQ(amd64.Argument(k.Context, "lo"), x)
	k.VMOVQ(amd64.Argument(k.Context, "hi"), high)
	k.VPUNPCKLQDQ(high, x, x)
	k.MOVQ(Mem{Base: k.keys, Disp: keysRounds}, rounds)
	k.VPXOR(roundKey(0), x, x)
	for i := 1; i <= 9; i++ {
		k.VAESENC(roundKey(i), x, x)
	}
	k.CMPQ(rounds, U8(10))
	k.JE(LabelRef("encrypted"))
	k.VAESENC(roundKey(10), x, x)
	k.VAESENC(roundKey(11), x, x)
	k.CMPQ(rounds, U8(12))
	k.JE(LabelRef("encrypted"))
	k.VAESENC(roundKey(12), x, x)
	k.VAESENC(roundKey(13), x, x)
	k.Label("encrypted")
	k.SHLQ(U8(4), rounds)
	k.VAESENCLAST(Mem{Base: k.keys, Index: rounds, Scale: 1, Disp: keysAES}, x, x)
	k.pad = x
}

// begin stores the 1 with which POLY-64 begins.
func (k *sumKernel) begin() {
	one := k.GP64()
	k.MOVQ(U32(1), one)
	for s := range k.streams {
		k.MOVQ(one, Mem{Base: k.state, Disp: stateY + 8*s})
	}
}

// of returns the memory of words of stream s.
func of(s int) func(base GPVirtual, disp int) Mem {
	return func(base GPVirtual, disp int) Mem { return Mem{Base: base, Disp: disp + 8*s} }
}

// finalSteps takes the step over the value of the last whole chunk. If that is the
// first one, no multiplication is needed.
func (k *sumKernel) finalSteps() {
	steps := func(step func(m GPVirtual, at func(base GPVirtual, disp int) Mem) GPVirtual) {
		for s := range k.streams {
			at, m := of(s), k.GP64()
			k.MOVQ(at(k.state, stateLast), m)
			k.MOVQ(step(m, at), at(k.state, stateY))
		}
	}
	k.CMPQ(k.count, U8(1))
	k.jump(k.JNE, "steps")
	steps(k.firstStep)
	k.jump(k.JMP, "last")
	k.Label(k.label("steps"))
	steps(k.step)
}

// finish makes the tag of the last chunk's values.
func (k *sumKernel) finish() {
	k.TESTQ(k.count, k.count)
	k.jump(k.JZ, "single")
	k.Comment("The last step of POLY-64, reduced.")
	for s := 0; s < k.streams; s += 2 {
		pair, y := k.pairs[s/2], k.GP64()
		k.VMOVQ(pair, y)
		if s+1 == k.streams {
			k.VMOVQ(k.lastStep(y, of(s)), pair)
			break
		}
		z := k.GP64()
		k.VPEXTRQ(U8(1), pair, z)
		k.VMOVQ(k.lastStep(y, of(s)), pair)
		k.VPINSRQ(U8(1), k.lastStep(z, of(s+1)), pair, pair)
	}

	k.Comment("L3: an inner product of 16-bit words modulo 2^36 - 5.")
	if k.streams == 2 {
		k.jump(k.JMP, "vector")
		k.Label(k.label("single"))
		k.CMPQ(k.bits, U32(8*scalarL3))
		k.jump(k.JA, "scalar")
		k.Label(k.label("vector"))
	} else {
		k.Label(k.label("single"))
	}
	if k.streams == 1 {
		k.scalarTag()
		return
	}
	for s := 0; s < k.streams; s += 2 {
		hash := k.GP64()
		k.VMOVQ(k.l3(s), hash)
		k.tag(s, hash)
	}
	if k.streams == 2 {
		k.VZEROUPPER()
		k.RET()
		k.Label(k.label("scalar"))
		k.scalarTag()
	}
}

// tag stores the part of streams s and s+1, of which hash has L3-HASH as big-endian words.
func (k *sumKernel) tag(s int, hash GPVirtual) {
	to := Mem{Base: k.to, Disp: 4 * s}
	if s+1 == k.streams {
		k.XORL(k.padWord(s).As32(), hash.As32())
		k.MOVL(hash.As32(), to)
		return
	}
	k.XORQ(k.padWord(s), hash)
	k.MOVQ(hash, to)
}

// lastStep returns the step over m, reduced.
func (k *sumKernel) lastStep(m GPVirtual, at func(base GPVirtual, disp int) Mem) GPVirtual {
	y, reduced := k.step(m, at), k.GP64()
	k.MOVQ(y, reduced)
	k.ADDQ(U8(offset64), reduced)
	k.CMOVQCS(reduced, y)
	return y
}

// padWord returns the pad of streams s and s+1. It does not pass through memory: the
// stack is aligned to 8 bytes only, and a load has to wait for a store of 16 bytes
// that crosses cache lines.
func (k *sumKernel) padWord(s int) GPVirtual {
	w, upper := k.GP64(), k.GP64()
	if s == 2 {
		k.VPEXTRQ(U8(1), k.pad, w)
		return w
	}
	k.VMOVQ(k.pad, w)
	if k.streams > 2 {
		return w // the pad is the whole block
	}
	at := k.Load(k.Param("at"), RCX)
	k.VPEXTRQ(U8(1), k.pad, upper)
	k.TESTQ(U32(8), at)
	k.CMOVQNE(upper, w)
	if k.streams == 1 {
		k.ANDQ(U8(4), at)
		k.SHLQ(U8(3), at)
		k.SHRQ(CL, w)
	}
	return w
}

// generateSubWord writes the function that key schedules are made with. The other
// way, a table, would let the time depend on the key.
func generateSubWord(f *amd64.File) {
	f.Function("subWordAVX2AES", "func(w uint32) uint32",
		"subWordAVX2AES returns AES's S-box of each byte of w.")
	w, x := f.GP32(), f.XMM()
	f.Load(f.Param("w"), w)
	f.VMOVD(w, x)
	f.VPSHUFD(U8(0), x, x)
	f.VAESKEYGENASSIST(U8(0), x, x)
	f.VMOVD(x, w)
	f.VZEROUPPER()
	f.Store(w, f.ReturnIndex(0))
	f.RET()
}
