// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 generates the assembly of ChaCha20 and Salsa20. Begin with
// rounds.go, then read chacha20_avx2.go or, for arm64, neon_rounds.go.
//
// The 16 words of a block's state form four rows, a to d. Kernels compute several
// blocks at once, in one of two layouts:
//
//   - wide: a vector contains the same word of every block in a group. No data moves
//     between rounds, but the result must be transposed.
//   - narrow: a vector contains the same row of every block in a set. The rows are
//     rotated between rounds. This layout processes the tail, because a few blocks take
//     little longer than one.
//
// A step computes one or more groups or sets. A lane is a word of a vector or, where a
// comment says so, 128 bits.
package chacha20

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

const (
	block        = 64
	doubleRounds = 10
)

// AMD64 returns internal/chacha20/chacha20_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("chacha20")
	generateBlock(f)
	generateAVX2(f)
	generateAVX512(f)
	generateSSE41(f)
	return f.Bytes("internal/asm/chacha20")
}

const signature = "func(dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)"

type kernel struct {
	Arithmetic
	dst, src, key GPVirtual
	n             GPVirtual // number of message bytes left
	counter       GPVirtual // counter of the next block
	nonce         Mem

	register func() VecVirtual
}

func newKernel(f *amd64.File, name, doc string) *kernel {
	f.Function(name, signature, doc)
	k := &kernel{Arithmetic: Arithmetic{Context: f.Context}}
	k.dst = amd64.Load(k.Context, "dst")
	k.src = amd64.Load(k.Context, "src")
	k.n = amd64.Load(k.Context, "n")
	k.key = amd64.Load(k.Context, "key")
	k.counter = amd64.Load(k.Context, "counter")
	k.nonce = Mem{Base: amd64.Load(k.Context, "nonce")}
	return k
}

func words(f *amd64.File, name string, values ...uint32) Mem {
	return amd64.Table(f, name, values...)
}

func quads(f *amd64.File, name string, values ...uint64) Mem {
	return amd64.Table(f, name, values...)
}

// Sigma contains the constant words of the state, "expand 32-byte k".
var Sigma = []uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}

func (k *kernel) rounds(label string, n int, doubleRound amd64.Code) {
	amd64.Loop(k.Context, label, n, k.GP64(), doubleRound.Write)
}

// A narrowRows contains the registers a[i] to d[i] of each set i.
type narrowRows struct {
	a, b, c, d []VecVirtual
}

func (k *kernel) newNarrow(sets int) *narrowRows {
	s := new(narrowRows)
	for _, r := range []*[]VecVirtual{&s.a, &s.b, &s.c, &s.d} {
		for range sets {
			*r = append(*r, k.register())
		}
	}
	return s
}

func (k *kernel) narrowRounds(label string, s *narrowRows) {
	k.rounds(label, doubleRounds, NarrowDoubleRound(&k.Arithmetic, s.a, s.b, s.c, s.d))
}

func (k *kernel) hChaCha20(f *amd64.File, name, doc string, sigma Mem) {
	f.Function(name, "func(out *[32]byte, key *[32]byte, nonce *[16]byte)", doc)
	out, _, rows := k.single(sigma, "nonce", func(nonce Mem, row VecVirtual) { k.VMOVDQU(nonce, row) })
	k.VMOVDQU(rows[0], out)
	k.VMOVDQU(rows[3], out.Offset(16))
	k.VZEROUPPER()
	k.RET()
}

// oneBlock emits a function that computes one block.
func (k *kernel) oneBlock(f *amd64.File, name string, sigma Mem) {
	f.Function(name, "func(out *[64]byte, key *[32]byte, x *[16]byte)", name+" is blockAMD64 for AVX-512 VL.")
	out, initial, rows := k.single(sigma, "x", func(x Mem, row VecVirtual) {
		// A wide load would stall after the caller's narrow stores.
		k.VMOVQ(x, row)
		k.VPINSRQ(U8(1), x.Offset(8), row, row)
	})
	for i, row := range rows {
		k.VPADDD(initial[i], row, row)
		k.VMOVDQU(row, out.Offset(16*i))
	}
	k.VZEROUPPER()
	k.RET()
}

// single emits the rounds of one block, with one row per register.
func (k *kernel) single(sigma Mem, argument string, loadD func(Mem, VecVirtual)) (out Mem, initial [4]Mem, rows [4]VecVirtual) {
	k.register = k.XMM
	out = Mem{Base: amd64.Load(k.Context, "out")}
	key := Mem{Base: amd64.Load(k.Context, "key")}
	initial = [4]Mem{sigma, key, key.Offset(16), {Base: amd64.Load(k.Context, argument)}}
	s := k.newNarrow(1)
	rows = [4]VecVirtual{s.a[0], s.b[0], s.c[0], s.d[0]}
	for i, row := range rows[:3] {
		k.VMOVDQU(initial[i], row)
	}
	loadD(initial[3], rows[3])
	k.narrowRounds("rounds", s)
	return out, initial, rows
}

func (k *kernel) advance(n uint32) {
	k.ADDQ(U32(n), k.src)
	k.ADDQ(U32(n), k.dst)
	k.SUBQ(U32(n), k.n)
}
