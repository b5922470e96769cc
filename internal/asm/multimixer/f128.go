// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package multimixer generates the kernels of Multimixer-128. Start with the ARM64
// kernel, which is the simplest.
//
// A kernel adds each 32-byte message block to the key block at the same offset. It
// splits the sum into two halves of four words each, x and y, and computes the eight
// products of f_128: x_i·y_i and u_i·v_i for i from 0 to 3. It adds each product to its
// own 64-bit sum. With indices modulo 4,
//
//	u_i = x_i + x_{i+1} + x_{i+2}        v_i = y_{i+1} + y_{i+2} + y_{i+3}
package multimixer

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

const block = 32

// VPSHUFD controls. For example, rotate1 moves word 1 to position 0.
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

type kernel struct {
	*build.Context
	dst, key, msg GPVirtual
	n             GPVirtual // number of message bytes left
}

func newKernel(f *amd64.File, name, doc string) *kernel {
	f.Function(name, signature, doc)
	k := &kernel{Context: f.Context}
	k.dst = amd64.Load(k.Context, "dst")
	k.key = amd64.Load(k.Context, "key")
	k.msg = amd64.Load(k.Context, "msg")
	k.n = amd64.Load(k.Context, "n")
	return k
}

// advance emits code that skips n bytes and jumps if n remain.
func (k *kernel) advance(n uint32, label string) {
	k.ADDQ(U32(n), k.key)
	k.ADDQ(U32(n), k.msg)
	k.SUBQ(U32(n), k.n)
	k.CMPQ(k.n, U32(n))
	k.JAE(LabelRef(label))
}

// store emits code that stores four sums; all loads must precede it.
func (k *kernel) store(sums VecVirtual, offset int) {
	// dst may overlap key and message.
	k.VMOVDQU(sums.AsY(), Mem{Base: k.dst, Disp: offset})
}
