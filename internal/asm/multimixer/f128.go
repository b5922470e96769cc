// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer generates the kernels of Multimixer-128.
//
// A kernel computes the eight products of f_128(key block + message block) for each
// 32-byte block, adds them to eight 64-bit sums, and stores the sums. Besides
// multiplying, it must align words of x and y in two registers and add three of every
// four words. For this, each instruction set has a different best method.
package multimixer

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

const block = 32

// VPSHUFD controls that rotate the words within each 128-bit lane. The rotation by n
// moves word i+n modulo 4 to place i.
const (
	rotate1 = 0x39
	rotate2 = 0x4e
	rotate3 = 0x93
)

// AMD64 returns internal/multimixer/f128_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("multimixer")
	generateAVX2(f)
	generateAVX512(f)
	return f.Bytes("internal/asm/multimixer")
}

const signature = "func(dst *[64]byte, key *byte, msg *byte, n int)"

// A kernel is the state of the generator for one instruction set.
type kernel struct {
	*build.Context
	dst, key, msg GPVirtual
	n             GPVirtual // number of message bytes left
}

// newKernel begins a function and loads its arguments.
func newKernel(f *amd64.File, name, doc string) *kernel {
	f.Function(name, signature, doc)
	k := &kernel{Context: f.Context}
	k.dst = amd64.Load(k.Context, "dst")
	k.key = amd64.Load(k.Context, "key")
	k.msg = amd64.Load(k.Context, "msg")
	k.n = amd64.Load(k.Context, "n")
	return k
}

// advance emits code that skips n bytes and branches to label if at least n more bytes
// are left.
func (k *kernel) advance(n uint32, label string) {
	k.ADDQ(U32(n), k.key)
	k.ADDQ(U32(n), k.msg)
	k.SUBQ(U32(n), k.n)
	k.CMPQ(k.n, U32(n))
	k.JAE(LabelRef(label))
}

// store emits code that stores four sums at an offset from dst. At this point, the code
// must have read the whole key and message, because dst may overlap them.
func (k *kernel) store(sums VecVirtual, offset int) {
	k.VMOVDQU(sums.AsY(), Mem{Base: k.dst, Disp: offset})
}
