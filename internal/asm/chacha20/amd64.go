// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package chacha20 generates the kernels of ChaCha20.
//
// A block's state is 16 words, four rows a, b, c and d of four. Each instruction
// set has two layouts of the states of several blocks in vectors:
//
//   - wide: a vector holds one word of as many blocks as it has lanes, 16 vectors
//     hold all. Nothing has to move between the rounds, but the result has to be
//     transposed, and fewer blocks take as long.
//   - narrow: a vector holds one row, that of one block in each 128 bits. The rows
//     turn between the rounds. It takes few blocks in little more time than one,
//     so it has what is left behind the wide steps.
package chacha20

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

const (
	block        = 64
	doubleRounds = 10
)

// AMD64 returns internal/chacha20/chacha20_amd64.s and the file that declares its
// functions.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("chacha20")
	generateAVX2(f)
	generateAVX512(f)
	return f.Bytes("internal/asm/chacha20")
}

const signature = "func(dst *byte, src *byte, n int, key *[32]byte, nonce *[8]byte, counter uint64)"

// A kernel is what a generator of one instruction set works with.
type kernel struct {
	*build.Context
	dst, src, key reg.GPVirtual
	n             reg.GPVirtual // bytes of message left
	counter       reg.GPVirtual // of the next block
	nonce         operand.Mem

	register func() reg.VecVirtual
	xor      func(a, b, to operand.Op)
	rotate   func(x reg.VecVirtual, bits uint8) // to the left
}

// newKernel begins a function and loads its arguments.
func newKernel(f *amd64.File, name, doc string) *kernel {
	f.Function(name, signature, doc)
	k := &kernel{Context: f.Context}
	k.dst = k.Load(k.Param("dst"), k.GP64()).(reg.GPVirtual)
	k.src = k.Load(k.Param("src"), k.GP64()).(reg.GPVirtual)
	k.n = k.Load(k.Param("n"), k.GP64()).(reg.GPVirtual)
	k.key = k.Load(k.Param("key"), k.GP64()).(reg.GPVirtual)
	k.counter = k.Load(k.Param("counter"), k.GP64()).(reg.GPVirtual)
	k.nonce = operand.Mem{Base: k.Load(k.Param("nonce"), k.GP64())}
	return k
}

// words and quads write a table.
func words(f *amd64.File, name string, values ...uint32) operand.Mem {
	table := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, v := range values {
		f.AppendDatum(operand.U32(v))
	}
	return table
}

func quads(f *amd64.File, name string, values ...uint64) operand.Mem {
	table := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, v := range values {
		f.AppendDatum(operand.U64(v))
	}
	return table
}

// sigma is "expand 32-byte k", the words of row a.
var sigma = []uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}

// code is a sequence of instructions that are yet to be written.
type code []func()

func (c code) write() {
	for _, instruction := range c {
		instruction()
	}
}

// spread returns c with the other instructions, in their order, in between.
func (c code) spread(other code) code {
	var out code
	at := 0
	for i, instruction := range c {
		for ; at*len(c) < (i+1)*len(other)-len(c)/2; at++ {
			out = append(out, other[at])
		}
		out = append(out, instruction)
	}
	return append(out, other[at:]...)
}

// quarterRounds returns as many quarter rounds side by side as there are
// registers in each of a, b, c and d. Their instructions take turns, as each of
// one quarter round waits for the one before.
func (k *kernel) quarterRounds(a, b, c, d []reg.VecVirtual) code {
	lists := make([]code, len(a))
	for q := range lists {
		step := func(sum, addend, x reg.VecVirtual, bits uint8) {
			lists[q] = append(lists[q],
				func() { k.VPADDD(addend, sum, sum) },
				func() { k.xor(sum, x, x) },
				func() { k.rotate(x, bits) })
		}
		step(a[q], b[q], d[q], 16)
		step(c[q], d[q], b[q], 12)
		step(a[q], b[q], d[q], 8)
		step(c[q], d[q], b[q], 7)
	}
	var out code
	for i := range lists[0] {
		for _, list := range lists {
			out = append(out, list[i])
		}
	}
	return out
}

// rounds writes a loop over n double rounds.
func (k *kernel) rounds(label string, n int, doubleRound func()) {
	left := k.GP64()
	k.MOVQ(operand.U32(n), left)
	k.Label(label)
	doubleRound()
	k.DECQ(left)
	k.JNZ(operand.LabelRef(label))
}

// turned returns r with its first n registers moved to the end.
func turned(r []reg.VecVirtual, n int) []reg.VecVirtual {
	return append(append([]reg.VecVirtual{}, r[n:]...), r[:n]...)
}

// narrow holds a row of several blocks in each register; the registers at the
// same index belong together.
type narrow struct {
	a, b, c, d []reg.VecVirtual
}

func (k *kernel) newNarrow(sets int) *narrow {
	s := new(narrow)
	for _, r := range []*[]reg.VecVirtual{&s.a, &s.b, &s.c, &s.d} {
		for range sets {
			*r = append(*r, k.register())
		}
	}
	return s
}

// Orders of the words in 128 bits, for VPSHUFD: place i takes word i+n modulo 4.
const (
	rotate1 = 0x39
	rotate2 = 0x4e
	rotate3 = 0x93
)

// narrowRounds writes all rounds. Row b, which every quarter round changes last,
// stays where it is, and the others turn to meet it: theirs are ready earlier, so
// that turning adds nothing to the chain of instructions that wait for each other.
func (k *kernel) narrowRounds(label string, s *narrow) {
	turn := func(x []reg.VecVirtual, order uint8) {
		for _, r := range x {
			k.VPSHUFD(operand.U8(order), r, r)
		}
	}
	k.rounds(label, doubleRounds, func() {
		k.quarterRounds(s.a, s.b, s.c, s.d).write()
		turn(s.a, rotate3)
		turn(s.d, rotate2)
		turn(s.c, rotate1)
		k.quarterRounds(s.a, s.b, s.c, s.d).write()
		turn(s.a, rotate1)
		turn(s.d, rotate2)
		turn(s.c, rotate3)
	})
}

// hChaCha20 writes a kernel for HChaCha20, with the instructions that k uses: the
// narrow layout of a single block.
func (k *kernel) hChaCha20(f *amd64.File, name, doc string, sigma operand.Mem) {
	f.Function(name, "func(out *[32]byte, key *[32]byte, nonce *[16]byte)", doc)
	k.register = k.XMM
	out := operand.Mem{Base: k.Load(k.Param("out"), k.GP64())}
	key := operand.Mem{Base: k.Load(k.Param("key"), k.GP64())}
	nonce := operand.Mem{Base: k.Load(k.Param("nonce"), k.GP64())}
	s := k.newNarrow(1)
	k.VMOVDQU(sigma, s.a[0])
	k.VMOVDQU(key, s.b[0])
	k.VMOVDQU(key.Offset(16), s.c[0])
	k.VMOVDQU(nonce, s.d[0])
	k.narrowRounds("rounds", s)
	k.VMOVDQU(s.a[0], out)
	k.VMOVDQU(s.d[0], out.Offset(16))
	k.VZEROUPPER()
	k.RET()
}

// transposeWords transposes four rows of the wide layout within each 128 bits:
// result j has, in its lane l of 128 bits, the words of block 4l+j. The rows are
// lost.
func (k *kernel) transposeWords(r []reg.VecVirtual) (instructions code, out []reg.VecVirtual) {
	low01, low23, high01, high23 := k.register(), k.register(), r[0], r[2]
	out = []reg.VecVirtual{r[1], low01, r[3], high01}
	return code{
		func() { k.VPUNPCKLDQ(r[1], r[0], low01) },
		func() { k.VPUNPCKHDQ(r[1], r[0], high01) },
		func() { k.VPUNPCKLDQ(r[3], r[2], low23) },
		func() { k.VPUNPCKHDQ(r[3], r[2], high23) },
		func() { k.VPUNPCKLQDQ(low23, low01, out[0]) },
		func() { k.VPUNPCKHQDQ(low23, low01, out[1]) },
		func() { k.VPUNPCKLQDQ(high23, high01, out[2]) },
		func() { k.VPUNPCKHQDQ(high23, high01, out[3]) },
	}, out
}

// advance moves on by n bytes.
func (k *kernel) advance(n uint32) {
	k.ADDQ(operand.U32(n), k.src)
	k.ADDQ(operand.U32(n), k.dst)
	k.SUBQ(operand.U32(n), k.n)
}
