// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// An SSE41 emits code that computes up to 4 blocks without AVX.
type SSE41 struct {
	Steps
	sum VecVirtual // sum from Add, for Xor, of a row in memory
	*tables128
}

// Stack memory: initial rows d, the fourth block's row c, and keystream.
const (
	maxSets        = 4
	RowCAt         = maxSets * 16
	KeyStream128At = RowCAt + 16
	SSE41Size      = KeyStream128At + maxSets*block
)

// tables128 contains tables of at least 16 bytes, which the linker aligns.
type tables128 struct {
	rotate16, rotate8 Mem // PSHUFB controls
	Sigma             Mem // the constant words of the state
	next              Mem // counter increment from one block to the next
}

func NewSSE41(f *amd64.File) *SSE41 {
	return &SSE41{Steps: Steps{Arithmetic: Arithmetic{Context: f.Context}}, tables128: &tables128{
		rotate16: quads(f, "rotate16x128", bytesRotated(16)[:2]...),
		rotate8:  quads(f, "rotate8x128", bytesRotated(8)[:2]...),
		Sigma:    words(f, "sigma128", Sigma...),
		next:     quads(f, "next128", 1, 0),
	}}
}

// Begin emits code that reserves size bytes of aligned stack memory.
func (k *SSE41) Begin(c *build.Context, size int) {
	k.Context = c
	// A kernel that stores keystream needs SSE41Size bytes, and any other KeyStream128At.
	k.Memory = amd64.Aligned(c, size, 16)
	k.legacy()
}

func (k *SSE41) legacy() {
	k.Add = func(x, to Op) {
		m, inMemory := to.(Mem)
		if !inMemory {
			k.PADDD(x, to)
			return
		}
		k.sum = k.XMM()
		k.MOVOA(m, k.sum)
		k.PADDD(x, k.sum)
		k.MOVOA(k.sum, m)
	}
	k.Xor = func(a, _, to Op) {
		if _, inMemory := a.(Mem); inMemory {
			a = k.sum
		}
		k.PXOR(a, to)
	}
	k.Shuffle = func(order uint8, x Op) {
		m, inMemory := x.(Mem)
		if !inMemory {
			k.PSHUFD(U8(order), x, x)
			return
		}
		t := k.XMM()
		k.PSHUFD(U8(order), m, t)
		k.MOVOA(t, m)
	}
	k.Rotate = func(x Op, bits uint8) {
		switch bits {
		case 16:
			k.PSHUFB(k.rotate16, x)
		case 8:
			k.PSHUFB(k.rotate8, x)
		default:
			t := k.XMM()
			k.MOVOA(x, t)
			k.PSLLL(U8(bits), t)
			k.PSRLL(U8(32-bits), x)
			k.POR(t, x)
		}
	}
}

// KeyStream returns the memory operand in which Store places a row.
func (k *SSE41) KeyStream(block, row int) Mem { return k.at(KeyStream128At + 64*block + 16*row) }

func (k *SSE41) Store(block, row int, v VecVirtual) { k.MOVOA(v, k.KeyStream(block, row)) }

// Direct returns a sink whose code stores src XOR v at dst.
func (k *SSE41) Direct(dst, src GPVirtual) func(block, row int, v VecVirtual) {
	return func(block, row int, v VecVirtual) {
		at, t := 64*block+16*row, k.XMM()
		k.MOVOU(Mem{Base: src, Disp: at}, t)
		k.PXOR(t, v)
		k.MOVOU(v, Mem{Base: dst, Disp: at})
	}
}

// Narrow emits code that computes up to four blocks of keystream.
func (k *SSE41) Narrow(label string, blocks int, sink func(block, row int, v VecVirtual)) {
	k.Comment(fmt.Sprintf("%d blocks; a register contains one row of one block.", blocks))
	rows := k.begin(blocks)
	k.Loop(label, func() amd64.Code {
		return NarrowDoubleRound(&k.Arithmetic, rows[0], rows[1], rows[2], rows[3])
	})
	// sink must emit code that processes a block's row, 16 bytes, in v.
	k.end(rows, sink)
}

func (k *SSE41) begin(blocks int) (rows [4][]Op) {
	for j := range rows {
		rows[j] = make([]Op, blocks)
		for i := range rows[j] {
			// Rotations need a register, so one row is in memory.
			if j == 2 && i == 3 {
				rows[j][i] = k.at(RowCAt)
			} else {
				rows[j][i] = k.XMM()
			}
		}
	}
	t := k.XMM()
	d := rows[3]
	k.MOVQ(k.Counter(), d[0])
	k.MOVQ(k.Initial(14), t)
	k.PUNPCKLQDQ(t, d[0])
	for i := range blocks {
		if i > 0 {
			k.MOVOA(d[i-1], d[i])
			k.PADDQ(k.next, d[i])
		}
		k.MOVOA(d[i], k.at(16*i))
	}
	for j := range 3 {
		k.MOVOU(k.Initial(4*j), rows[j][0])
		for i := 1; i < blocks; i++ {
			k.MOVOA(rows[j][0], rows[j][i])
		}
	}
	return rows
}

func (k *SSE41) end(rows [4][]Op, sink func(block, row int, v VecVirtual)) {
	for j := range rows {
		// Row a needs no register, because the table is aligned.
		initial := []Op{k.Sigma, k.XMM(), k.XMM(), nil}[j]
		if j == 1 || j == 2 {
			k.MOVOU(k.Initial(4*j), initial)
		}
		for i, row := range rows[j] {
			v, inRegister := row.(VecVirtual)
			if !inRegister {
				v = k.XMM()
				k.MOVOA(row, v)
			}
			if j < 3 {
				k.PADDD(initial, v)
			} else {
				k.PADDD(k.at(16*i), v)
			}
			sink(i, j, v)
		}
	}
}

func (k *SSE41) Wipe(from, to int) {
	zero := k.XMM()
	k.PXOR(zero, zero)
	for at := from; at < to; at += 16 {
		k.MOVOA(zero, k.at(at))
	}
}

// XORStored emits code that XORs n bytes of src with stream and writes the result to
// dst. It advances all three pointers and clobbers n.
func (k *SSE41) XORStored(label string, dst, src, n, stream GPVirtual) {
	v := k.XMM()
	xor16 := func(i int) {
		t := k.XMM()
		k.MOVOU(Mem{Base: stream, Disp: i}, v)
		k.MOVOU(Mem{Base: src, Disp: i}, t)
		k.PXOR(t, v)
		k.MOVOU(v, Mem{Base: dst, Disp: i})
	}
	whole := func() {
		for i := 0; i < block; i += 16 {
			xor16(i)
		}
	}
	half := func() { xor16(0); xor16(16) }
	xorStored(k.Context, label, dst, src, n, stream, whole, half, func() { xor16(0) })
}

func generateSSE41(f *amd64.File) {
	k := NewSSE41(f)
	x := newKernel(f, "xorSSE41", "xorSSE41 is xorGeneric for SSE4.1, for at most 64 KiB.")
	f.Attributes(0) // large frames need the stack check that NOSPLIT would omit
	k.Begin(f.Context, SSE41Size)
	k.Initial = func(i int) Mem { return chachaMember.initial(i, k.Sigma, Mem{Base: x.key}, x.nonce) }
	counter := k.AllocLocal(8)
	k.MOVQ(x.counter, counter)
	k.Counter = func() Mem { return counter }
	k.Loop = func(label string, doubleRound func() amd64.Code) {
		x.rounds(label, doubleRounds, doubleRound())
	}
	k.CMPQ(x.n, U32(maxSets*block))
	k.JB(LabelRef("tail"))
	k.Label("four")
	k.Narrow("rounds4", maxSets, k.Direct(x.dst, x.src))
	k.Count(maxSets)
	x.advance(maxSets * block)
	k.CMPQ(x.n, U32(maxSets*block))
	k.JAE(LabelRef("four"))

	k.Label("tail")
	k.TESTQ(x.n, x.n)
	k.JZ(LabelRef("done"))
	for sets := 1; sets < maxSets; sets++ {
		k.CMPQ(x.n, U32(sets*block))
		k.JBE(LabelRef(fmt.Sprintf("narrow%d", sets)))
	}
	for sets := maxSets; sets >= 1; sets-- {
		k.Label(fmt.Sprintf("narrow%d", sets))
		k.Narrow(fmt.Sprintf("lastRounds%d", sets), sets, k.Store)
		if sets > 1 {
			k.JMP(LabelRef("xor"))
		}
	}
	k.Label("xor")
	stream := k.GP64()
	k.LEAQ(k.KeyStream(0, 0), stream)
	k.XORStored("last", x.dst, x.src, x.n, stream)
	k.Label("done")
	k.Wipe(RowCAt, SSE41Size)
	k.RET()
	k.hChaCha20(f)
}

func (k *SSE41) hChaCha20(f *amd64.File) {
	f.Function("hChaCha20SSE41", "func(out *[32]byte, key *[32]byte, nonce *[16]byte)",
		"hChaCha20SSE41 is hChaCha20Generic for SSE4.1.")
	out := Mem{Base: amd64.Load(k.Context, "out")}
	key := Mem{Base: amd64.Load(k.Context, "key")}
	nonce := Mem{Base: amd64.Load(k.Context, "nonce")}
	var rows [4][]Op
	for i, from := range []Mem{k.Sigma, key, key.Offset(16), nonce} {
		row := k.XMM()
		k.MOVOU(from, row)
		rows[i] = []Op{row}
	}
	doubleRound := NarrowDoubleRound(&k.Arithmetic, rows[0], rows[1], rows[2], rows[3])
	amd64.Loop(k.Context, "rounds", doubleRounds, k.GP64(), doubleRound.Write)
	k.MOVOU(rows[0][0], out)
	k.MOVOU(rows[3][0], out.Offset(16))
	k.RET()
}
