// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"

	"github.com/unimac/unimac/internal/asm/arm64"
	layout "github.com/unimac/unimac/internal/layout/aegis"
)

// ARM64 returns the contents of internal/aegis/aegis_arm64.s.
func ARM64() []byte {
	f := arm64.NewFile("internal/asm/aegis")
	for _, family := range families {
		k := &neon{
			File: f, family: family,
			m: 0, mode: 1, at: 2, dst: 3, src: 4, n: 5, stride: 6, left: [2]arm64.R{8, 9},
		}
		k.generate("run" + family.name + "NEONAES")
	}
	return f.Bytes()
}

// A neon emits the code for one lane, as kernel does for amd64.
type neon struct {
	*arm64.File
	family              *family
	m, mode, at         arm64.R
	dst, src, n, stride arm64.R
	left                [2]arm64.R // number of bytes in each word of a short piece
}

// Vector registers: state, AES round results, message, keystream, temporary values.
func (*neon) s(i int) arm64.V      { return arm64.V(i) }
func (*neon) round(i int) arm64.V  { return arm64.V(8 + i) }
func (*neon) in(word int) arm64.V  { return arm64.V(16 + word) }
func (*neon) out(word int) arm64.V { return arm64.V(18 + word) }
func (*neon) other(i int) arm64.V  { return arm64.V(20 + i) }

func (k *neon) generate(name string) {
	k.Function(name, "(m *message)", 0)
	k.Arguments(k.m)
	k.field(layout.MessageMode, k.mode)
	k.field(layout.MessageAt, k.at)
	k.field(layout.MessageStride, k.stride)
	k.begin()
	k.text()
	k.end()
	k.Op("RET")
}

func (k *neon) field(at int, to arm64.R) { k.Op("MOVD", k.m.At(at), to) }

func (k *neon) pointer(at int, to arm64.R) {
	k.field(at, to)
	k.Op("ADD", k.at, to)
}

func (k *neon) xor(a, b, to arm64.V) { k.Op("VEOR", a.B16(), b.B16(), to.B16()) }
func (k *neon) and(a, b, to arm64.V) { k.Op("VAND", a.B16(), b.B16(), to.B16()) }

func (k *neon) sum(from, end int, to arm64.V) {
	k.xor(k.s(from), k.s(from+1), to)
	for i := from + 2; i < end; i++ {
		k.xor(k.s(i), to, to)
	}
}

func (k *neon) unless(bits int, to string) {
	k.Op("TST", bits, k.mode)
	k.Op("BEQ", to)
}

func (k *neon) begin() {
	p := arm64.R(10)
	k.unless(layout.ModeInit, "load")
	k.initialize()
	k.unless(layout.ModeData, "begun")
	k.pointer(layout.MessageFrom, k.src)
	k.load()
	k.update(k.in(0), k.in(1))
	k.Op("B", "begun")
	k.Label("load")
	k.pointer(layout.MessageFrom, p)
	for i := range k.family.blocks {
		k.Op("FMOVQ", p.At(word*i), k.s(i).F())
	}
	k.Label("begun")
}

func (k *neon) initialize() {
	context, p, iterations := k.other(0), arm64.R(10), arm64.R(10)
	b := func(i int) arm64.V { return k.other(1 + i) }
	k.Comment("Init.")
	k.pointer(layout.MessageContext, p)
	k.Op("FMOVQ", p.At(0), context.F())
	k.Table("constants", fibonacci, p)
	k.Op("FLDPQ", p.At(0), arm64.Pair(b(c0), b(c1)))
	for i := range k.family.parts() {
		k.field(layout.MessageKey, p)
		k.Op("FMOVQ", p.At(block*i), b(k0+i).F())
		k.field(layout.MessageNonce, p)
		k.Op("FMOVQ", p.At(block*i), b(n0+i).F())
	}
	for i, of := range k.family.first {
		if len(of) == 1 {
			k.Op("VMOV", b(of[0]).B16(), k.s(i).B16())
		} else { // the key is the second operand
			k.xor(max(b(of[0]), b(of[1])), min(b(of[0]), b(of[1])), k.s(i))
		}
	}
	k.Op("MOVD", k.family.iterations, iterations)
	k.Label("init")
	for _, add := range k.family.updates {
		for _, i := range k.family.contexts {
			k.xor(context, k.s(i), k.s(i))
		}
		k.update(b(add[0]), b(add[1]))
	}
	if k.family.words() == 1 {
		k.xor(b(n0), b(k0), b(k0))
		k.xor(b(n1), b(k1), b(k1))
	}
	k.Op("SUBS", 1, iterations)
	k.Op("BNE", "init")
}

func (k *neon) update(m ...arm64.V) {
	last := k.family.blocks - 1
	for i := last; i >= 0; i-- {
		r := k.round(i)
		// AESE adds its round key first, so xor adds the real key.
		k.Op("VMOVI", 0, r.B16())
		// Processors fuse AESE and AESMC on the same register.
		k.Op("AESE", k.s(i).B16(), r.B16())
		k.Op("AESMC", r.B16(), r.B16())
		if i < last {
			k.xor(r, k.s(i+1), k.s(i+1))
		}
	}
	k.xor(k.round(last), k.s(0), k.s(0))
	for i, to := range k.family.inputs {
		k.xor(m[i], k.s(to), k.s(to))
	}
}

func (k *neon) text() {
	step := k.stride
	k.Comment("Whole pieces.")
	k.pointer(layout.MessageDst, k.dst)
	k.pointer(layout.MessageSrc, k.src)
	k.field(layout.MessageN, k.n)
	if k.family.words() == 2 {
		step = 7
		k.Op("ADD", k.stride, k.stride, step)
	}
	k.Op("SUBS", step, k.n)
	k.Op("BLO", "short")
	operate(k, func(op operation, loop string) {
		k.load()
		k.Op("ADD", k.stride, k.src)
		inputs := k.in
		if op.text {
			k.crypt()
		}
		if op.open {
			inputs = k.out
		}
		k.update(inputs(0), inputs(1))
		for i := range k.family.words() {
			if op.text {
				k.Op("FMOVQ", k.out(i).F(), k.dst.At(0))
				k.Op("ADD", k.stride, k.dst)
			}
		}
		k.Op("SUBS", step, k.n)
		k.Op("BHS", loop)
		if op.text {
			k.Op("B", "short")
		}
	})
	k.Label("short")
	k.Op("ADDS", step, k.n)
	k.Op("BEQ", "taken")
	k.short()
	k.Label("taken")
}

func (k *neon) load() {
	for i := range k.family.words() {
		if i > 0 {
			k.Op("ADD", k.stride, k.src)
		}
		k.Op("FMOVQ", k.src.At(0), k.in(i).F())
	}
}

func (k *neon) crypt() {
	for i := range k.family.words() {
		z, b := k.out(i), k.family.stream[i]
		k.and(k.s(b[2]), k.s(b[3]), z)
		k.xor(k.s(b[0]), z, z)
		k.xor(k.s(b[1]), z, z)
		if k.family.words() == 1 {
			k.xor(k.s(5), z, z)
		}
		k.xor(k.in(i), z, z)
	}
}

func (k *neon) short() {
	k.Comment("A short piece. Compute the number of bytes in each word of the lane.")
	none, left := k.at, k.n
	for i := range k.family.words() {
		k.Op("SUBS", none, left, k.left[i])
		k.Op("CSEL", "LO", "ZR", k.left[i], k.left[i])
		none, left = k.stride, k.left[i]
	}
	for i := range k.family.words() {
		k.gather(i)
	}
	k.unless(layout.ModeSeal|layout.ModeOpen, "fed")
	k.crypt()
	k.unless(layout.ModeOpen, "fed")
	k.mask()
	k.Label("fed")
	k.update(k.in(0), k.in(1))
	k.unless(layout.ModeSeal|layout.ModeOpen, "taken")
	for i := range k.family.words() {
		k.scatter(i)
	}
}

func (k *neon) mask() {
	ones, end, whole, n := arm64.R(10), arm64.R(11), arm64.R(12), arm64.R(13)
	k.Table("masks", []uint64{1<<64 - 1, 1<<64 - 1, 0, 0}, ones)
	k.Op("ADD", block, ones)
	k.Op("MOVD", block, whole)
	for i := range k.family.words() {
		k.Op("CMP", whole, k.left[i])
		k.Op("CSEL", "LO", k.left[i], whole, n)
		k.Op("SUB", n, ones, end)
		k.Op("FMOVQ", end.At(0), k.in(i).F())
		k.and(k.out(i), k.in(i), k.in(i))
	}
}

func (k *neon) skip(left arm64.R, bit int, label string, do func()) {
	label = fmt.Sprint(label, 1<<bit)
	k.Op("TBZ", bit, left, label)
	do()
	k.Label(label)
}

var sizes = [...]string{"B", "H", "W", "D"}

func (k *neon) gather(i int) {
	end, low, high, more := arm64.R(10), arm64.R(11), arm64.R(12), arm64.R(13)
	label, left := fmt.Sprint("in", i, "_"), k.left[i]
	k.Op("CMP", block, left)
	k.Op("BLO", label)
	k.Op("FMOVQ", k.src.At(0), k.in(i).F())
	if i+1 < k.family.words() {
		k.Op("ADD", k.stride, k.src)
	}
	k.Op("B", label+"got")
	k.Label(label)
	k.Op("ADD", left, k.src, end)
	k.Op("MOVD", "ZR", low)
	k.Op("MOVD", "ZR", high)
	k.skip(left, 0, label, func() { k.Op("MOVBU.W", end.At(-1), low) })
	for bit := 1; bit <= 2; bit++ {
		k.skip(left, bit, label, func() {
			k.Op("MOV"+sizes[bit]+"U.W", end.At(-1<<bit), more)
			k.Op("ORR", fmt.Sprintf("%v<<%d", low, 8<<bit), more, low)
		})
	}
	k.skip(left, 3, label, func() {
		k.Op("MOVD", low, high)
		k.Op("MOVD", end.At(-8), low)
	})
	k.Op("FMOVD", low, k.in(i).F())
	k.Op("VMOV", high, k.in(i).D(1))
	k.Label(label + "got")
}

func (k *neon) scatter(i int) {
	low := arm64.R(11)
	label, left := fmt.Sprint("out", i, "_"), k.left[i]
	k.Op("CMP", block, left)
	k.Op("BLO", label)
	k.Op("FMOVQ", k.out(i).F(), k.dst.At(0))
	if i+1 < k.family.words() {
		k.Op("ADD", k.stride, k.dst)
	}
	k.Op("B", label+"put")
	k.Label(label)
	k.Op("VMOV", k.out(i).D(0), low)
	k.skip(left, 3, label, func() {
		k.Op("MOVD.P", low, k.dst.At(8))
		k.Op("VMOV", k.out(i).D(1), low)
	})
	for bit := 2; bit >= 1; bit-- {
		k.skip(left, bit, label, func() {
			k.Op("MOV"+sizes[bit]+".P", low, k.dst.At(1<<bit))
			k.Op("LSR", 8<<bit, low)
		})
	}
	k.skip(left, 0, label, func() { k.Op("MOVB", low, k.dst.At(0)) })
	k.Label(label + "put")
}

func (k *neon) end() {
	p, iterations, t := arm64.R(10), arm64.R(10), k.other(0)
	k.Comment("Finish.")
	k.unless(layout.ModeSums|layout.ModeTag, "finished")
	k.Op("FMOVD", k.m.At(layout.MessageX), t.F())
	k.field(layout.MessageY, p)
	k.Op("VMOV", p, t.D(1))
	k.xor(k.s(k.family.finish), t, t)
	k.Op("MOVD", 7, iterations)
	k.Label("finish")
	k.update(t, t)
	k.Op("SUBS", 1, iterations)
	k.Op("BNE", "finish")
	k.tags()
	k.Label("finished")
	k.unless(layout.ModeStore, "stored")
	k.pointer(layout.MessageTo, p)
	for i := range k.family.blocks {
		k.Op("FMOVQ", k.s(i).F(), p.At(word*i))
	}
	k.Label("stored")
}

func (k *neon) tags() {
	half, p, size := k.family.blocks/2, arm64.R(10), arm64.R(11)
	low, high, all := k.other(1), k.other(2), k.other(3)
	k.field(layout.MessageOut, p)
	k.sum(0, half, low)
	k.sum(half, half+3, high)
	k.xor(low, high, all)
	if half == 4 {
		k.xor(k.s(7), high, high)
	}
	k.unless(layout.ModeSums, "tags")
	k.Op("ADD", k.at, p)
	for i, v := range []arm64.V{low, high, all} {
		k.Op("FMOVQ", v.F(), p.At(word*i))
	}
	k.Op("B", "finished")
	k.Label("tags")
	k.field(layout.MessageSize, size)
	k.Op("CMP", block, size)
	k.Op("BEQ", "tag128")
	k.Op("FMOVQ", low.F(), p.At(0))
	k.Op("FMOVQ", high.F(), p.At(block))
	k.Op("B", "finished")
	k.Label("tag128")
	k.Op("FMOVQ", all.F(), p.At(0))
}
