// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac generates UMAC's NH kernels.
//
// For each chunk of 1024 bytes of message a kernel computes one value a stream:
// the sum of 64-bit products of 32-bit words, to which it adds the chunk's
// length in bits. Words i and i+4 of a group of eight make a product, so the
// kernels first gather the low halves of several groups in one register, L, and
// the high halves in another, H. Stream s then takes
//
//	t = L + (key pieces 2g+s of the groups g)    u = H + (key pieces 2g+s+1)
//
// and multiplies t and u, the even words as they are, the odd ones shifted
// down. In row j of the key stand the pieces 2g+j of all groups g, so those of
// neighbouring groups are one load; row s+1 serves u of stream s and t of stream
// s+1.
package umac

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

const (
	chunk = 1024
	group = 32

	// row is the size of a row of the key: a piece of 16 bytes for each group.
	row = chunk / group * 16
)

// AMD64 returns internal/umac/nh_amd64.s and the file that declares its functions.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("umac", "nhKey", "polyState", "poly64Key")
	generateAVX2(f)
	generateAVX512(f)
	generateSSE41(f)
	return f.Bytes("internal/asm/umac")
}

const signature = "func(values *[4]uint64, key *nhKey, chunk *byte, n int, streams int)"

// A kernel is what a generator of one instruction set works with. All of it is
// the same for every number of streams.
type kernel struct {
	*build.Context
	streams int

	out  Mem // where the values go
	msg  GPVirtual
	rest GPVirtual  // bytes of the chunk left
	k    GPVirtual  // the key pieces of the next group
	bits GPVirtual  // the chunk's length in bits
	at   int        // the current group, in bytes of key, after k
	l, h VecVirtual // see halves

	// folded says that additions load the key pieces. That is one load more for each stream but the
	// first, and fewer instructions, of which the processor can hold only so many.
	folded bool

	// sse41 says that vectors have 128 bits, and that there is no BMI2. See [amd64.File] for the
	// instructions.
	sse41 bool

	prefix string       // of labels, in a function with code of two widths
	pairs  []VecVirtual // where the values go, of two streams each, if not to out
}

// generate writes the function: it loads the arguments, branches to the code
// for the number of streams, and lets sumChunk write what adds up one chunk.
func generate(f *amd64.File, name, doc string, sse41 bool, sumChunk func(*kernel)) {
	f.Function(name, signature, doc)
	k := &kernel{Context: f.Context, sse41: sse41}
	values := amd64.Load(k.Context, "values")
	k.out = Mem{Base: values}
	k.k = amd64.Load(k.Context, "key")
	k.msg = amd64.Load(k.Context, "chunk")
	k.rest = amd64.Load(k.Context, "n")
	streams := amd64.Load(k.Context, "streams")
	k.bits = k.GP64()
	k.MOVQ(k.rest, k.bits)
	k.SHLQ(U8(3), k.bits)
	k.dispatch(streams)
	for _, streams := range []int{4, 3, 2, 1} {
		k.streams = streams
		k.Comment(fmt.Sprintf("Streams: %d.", streams))
		k.Label(k.label("streams"))
		sumChunk(k)
		k.leave()
	}
}

// leave returns.
func (k *kernel) leave() {
	if !k.sse41 {
		k.VZEROUPPER()
	}
	k.RET()
}

// vector returns a register of AVX2's or SSE4.1's width.
func (k *kernel) vector() VecVirtual {
	if k.sse41 {
		return k.XMM()
	}
	return k.YMM()
}

// multiply returns the two halves of a product of 64 bits. The first factor is lost.
func (k *kernel) multiply(x GPVirtual, y Op) (lo, hi GPVirtual) {
	lo, hi = k.GP64(), k.GP64()
	k.MOVQ(y, RAX)
	k.MULQ(x)
	k.MOVQ(RAX, lo)
	k.MOVQ(RDX, hi)
	return lo, hi
}

// shift shifts x by so many bits, to the left or to the right.
func (k *kernel) shift(left bool, bits, x GPVirtual) {
	switch {
	case !k.sse41 && left:
		k.SHLXQ(bits, x, x)
	case !k.sse41:
		k.SHRXQ(bits, x, x)
	case left:
		k.MOVQ(bits, RCX)
		k.SHLQ(CL, x)
	default:
		k.MOVQ(bits, RCX)
		k.SHRQ(CL, x)
	}
}

// dispatch branches to the code for a number of streams. That for four follows.
func (k *kernel) dispatch(streams Op) {
	k.CMPQ(streams, U8(2))
	k.JB(LabelRef("streams1"))
	k.JE(LabelRef("streams2"))
	k.CMPQ(streams, U8(3))
	k.JE(LabelRef("streams3"))
}

// pieces returns the memory of the key pieces 2g+j, for g from the current
// group on.
func (k *kernel) pieces(j int) Mem {
	return Mem{Base: k.k, Disp: j*row + k.at}
}

// piece returns the operand of an addition that has these: the memory, or a register with them.
func (k *kernel) piece(j int, register Op) Op {
	switch {
	case k.folded:
		return k.pieces(j)
	case register.(Register).Size() == 64:
		k.VMOVDQU64(k.pieces(j), register)
	default:
		k.VMOVDQU(k.pieces(j), register)
	}
	return register
}

// label returns a label's name within the code for the number of streams.
func (k *kernel) label(name string) string { return fmt.Sprintf("%s%s%d", k.prefix, name, k.streams) }

// jump branches to one of these labels.
func (k *kernel) jump(branch func(Op), name string) {
	branch(LabelRef(k.label(name)))
}

// zeroSums returns a zeroed register for the sum of each stream.
func zeroSums(k *kernel, register func() VecVirtual) []VecVirtual {
	sums := make([]VecVirtual, k.streams)
	for s := range sums {
		sums[s] = register()
		if sums[s].Size() == 64 {
			k.VPXORQ(sums[s], sums[s], sums[s])
		} else {
			k.VPXOR(sums[s], sums[s], sums[s])
		}
	}
	return sums
}
