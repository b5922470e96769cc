// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package nh generates UMAC's NH kernels.
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
// down. The key lies in memory so that the pieces 2g+j for neighbouring groups
// g are one load; those for u of stream s are those for t of stream s+1.
package nh

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

const (
	chunk      = 1024
	group      = 32
	maxStreams = 4

	// oddPieces is where the key's odd pieces begin: behind 34 even ones.
	oddPieces = (chunk/group + maxStreams/2) * 16
)

// AMD64 returns umac/nh_amd64.s and the file that declares its functions.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("umac", "nhKey")
	generateAVX2(f)
	generateAVX512(f)
	return f.Bytes("internal/asm/nh")
}

const signature = "func(dst *uint64, key *nhKey, msg *byte, n int, streams int)"

// A kernel is what a generator of one instruction set works with. All of it is
// the same for every number of streams.
type kernel struct {
	*build.Context
	streams int

	dst, key, msg reg.GPVirtual
	n             reg.GPVirtual // bytes of message left
	rest          reg.GPVirtual // bytes of the chunk left
	k             reg.GPVirtual // the key pieces of the next group
	bits          reg.GPVirtual // the chunk's length in bits
	scratch       operand.Mem
}

// generate writes the function: it loads the arguments, branches to the code
// for the number of streams, and lets sumChunk write what adds up one chunk. The
// function has scratch bytes on the stack.
func generate(f *amd64.File, name, doc string, scratch int, sumChunk func(*kernel)) {
	f.Function(name, signature, doc)
	k := &kernel{Context: f.Context}
	k.scratch = k.AllocLocal(scratch)
	k.dst = k.Load(k.Param("dst"), k.GP64()).(reg.GPVirtual)
	k.key = k.Load(k.Param("key"), k.GP64()).(reg.GPVirtual)
	k.msg = k.Load(k.Param("msg"), k.GP64()).(reg.GPVirtual)
	k.n = k.Load(k.Param("n"), k.GP64()).(reg.GPVirtual)
	streams := k.Load(k.Param("streams"), k.GP64())
	k.rest, k.k, k.bits = k.GP64(), k.GP64(), k.GP64()

	k.CMPQ(streams, operand.U8(2))
	k.JB(operand.LabelRef("streams1"))
	k.JE(operand.LabelRef("streams2"))
	k.CMPQ(streams, operand.U8(3))
	k.JE(operand.LabelRef("streams3"))
	for _, streams := range []int{4, 3, 2, 1} {
		k.streams = streams
		k.Comment(fmt.Sprintf("Streams: %d.", streams))
		k.Label(k.label("streams"))

		k.Label(k.label("chunk"))
		k.Comment("The chunk is the next 1024 bytes, or what is left.")
		k.MOVQ(operand.U32(chunk), k.rest)
		k.CMPQ(k.n, k.rest)
		k.CMOVQLT(k.n, k.rest)
		k.SUBQ(k.rest, k.n)
		k.MOVQ(k.key, k.k)
		k.MOVQ(k.rest, k.bits)
		k.SHLQ(operand.U8(3), k.bits)
		sumChunk(k)
		k.ADDQ(operand.U8(8*streams), k.dst)
		k.TESTQ(k.n, k.n)
		k.JNZ(operand.LabelRef(k.label("chunk")))
		k.VZEROUPPER()
		k.RET()
	}
}

// pieces returns the memory of the key pieces 2g+j, for g from the current
// group on.
func (k *kernel) pieces(j int) operand.Mem {
	return operand.Mem{Base: k.k, Disp: j%2*oddPieces + j/2*16}
}

// label returns a label's name within the code for the number of streams.
func (k *kernel) label(name string) string { return fmt.Sprintf("%s%d", name, k.streams) }

// jump branches to one of these labels.
func (k *kernel) jump(branch func(operand.Op), name string) {
	branch(operand.LabelRef(k.label(name)))
}
