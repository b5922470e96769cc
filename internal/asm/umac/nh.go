// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package umac generates UMAC's kernels. Begin with nh.go and nh_avx2.go for NH,
// nh_poly.go for POLY-64, and sum.go for whole messages.
//
// UMAC hashes a message with one to four keys. Each of these hashes is a stream and
// yields four bytes of the tag. A stream hashes each chunk of up to 1024 bytes with NH.
// If there are several chunks, POLY-64 combines their NH values. L3 shortens the result
// to four bytes. The tag is the hashes of all streams XOR a pad, a part of an AES block
// that depends on the nonce.
//
// An NH value is the chunk's length in bits plus a sum of 64-bit products of 32-bit
// words. A group consists of eight words, and NH multiplies its words i and i+4. A
// kernel therefore collects the first halves of several groups g in a register L and
// the second halves in a register H. The key consists of pieces of 16 bytes, and stream
// s computes
//
//	t = L + (pieces 2g+s)    u = H + (pieces 2g+s+1)
//
// The kernel multiplies the even words of t and u, shifts both registers down by one
// word, and then multiplies the odd words.
//
// The key is stored as rows of 16-byte pieces. Group g of the message uses, for stream
// s, pieces 2g+s and 2g+s+1. Row j therefore holds pieces j, j+2, j+4, and so on, one
// per group, so that a single load fetches the pieces for several consecutive groups.
// Stream s uses rows s and s+1, so adjacent streams share a row.
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

	// row is the byte size of a key row.
	row = chunk / group * 16
)

// AMD64 returns internal/umac/nh_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("umac", "nhKey", "polyState", "poly64Key")
	generateAVX2(f)
	generateAVX512(f)
	generateSSE41(f)
	return f.Bytes("internal/asm/umac")
}

const signature = "func(values *[4]uint64, key *nhKey, chunk *byte, n int, streams int)"

type kernel struct {
	*build.Context
	streams int

	out  Mem // destination of the NH values
	msg  GPVirtual
	rest GPVirtual  // number of bytes left in the chunk
	k    GPVirtual  // address in the key's row 0 of the next group's piece
	bits GPVirtual  // length of the chunk in bits
	at   int        // offset from k of the current group's piece, in bytes
	l, h VecVirtual // registers that halfRegisters returns

	// If folded is set, additions read the key from memory instead of registers.
	folded bool

	// If sse41 is set, the code uses 128-bit vectors and no BMI2 instructions.
	sse41 bool

	prefix string       // label prefix, which distinguishes two copies of the code in one function
	pairs  []VecVirtual // registers for stream pairs, used instead of out if not nil
}

// generate emits an NH function. sumChunk must emit the code for one chunk.
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

func (k *kernel) leave() {
	if !k.sse41 {
		k.VZEROUPPER()
	}
	k.RET()
}

func (k *kernel) vector() VecVirtual {
	if k.sse41 {
		return k.XMM()
	}
	return k.YMM()
}

// multiply returns the halves of x·y. It overwrites RAX and RDX.
func (k *kernel) multiply(x GPVirtual, y Op) (lo, hi GPVirtual) {
	lo, hi = k.GP64(), k.GP64()
	k.MOVQ(y, RAX)
	k.MULQ(x)
	k.MOVQ(RAX, lo)
	k.MOVQ(RDX, hi)
	return lo, hi
}

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

// dispatch emits a jump to the code for the number of streams.
func (k *kernel) dispatch(streams Op) {
	k.CMPQ(streams, U8(2))
	k.JB(LabelRef("streams1"))
	k.JE(LabelRef("streams2"))
	k.CMPQ(streams, U8(3))
	k.JE(LabelRef("streams3"))
	// Four streams fall through, so their code must come next.
}

// pieces returns the operand of the current key pieces in row j.
func (k *kernel) pieces(j int) Mem {
	return Mem{Base: k.k, Disp: j*row + k.at}
}

// piece returns pieces(j), loaded into register unless folded is set.
func (k *kernel) piece(j int, register Op) Op {
	switch {
	case k.folded:
		// Without a separate load, the reorder buffer needs fewer entries.
		return k.pieces(j)
	case register.(Register).Size() == 64:
		k.VMOVDQU64(k.pieces(j), register)
	default:
		k.VMOVDQU(k.pieces(j), register)
	}
	return register
}

func (k *kernel) label(name string) string { return fmt.Sprintf("%s%s%d", k.prefix, name, k.streams) }

func (k *kernel) jump(branch func(Op), name string) {
	branch(LabelRef(k.label(name)))
}

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
