// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
	layout "github.com/unimac/unimac/internal/layout/aegis"
)

// AMD64 returns internal/aegis/aegis_amd64.s and its Go declarations.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("aegis", "message")
	t := tables{
		constants: amd64.Table(f, "constants", fibonacci...),
		masks:     amd64.Table(f, "masks", append(slices.Repeat([]uint64{1<<64 - 1}, maxRate/8), make([]uint64, maxRate/8)...)...),
	}
	for _, family := range families {
		newKernel(f.Context, t, family, 1).generate(f, "run"+family.name+"SSE41AES")
		newKernel(f.Context, t, family, 1).generate(f, "run"+family.name+"AVX2AES")
		newKernel(f.Context, t, family, 2).generate(f, "run"+family.name+"X2AVX2VAES")
		newKernel(f.Context, t, family, 4).generate(f, "run"+family.name+"X4AVX512VAES")
	}
	newKernel(f.Context, t, families[1], 4).generatePair(f, "pair256X2AVX512VAES")
	return f.Bytes("internal/asm/aegis")
}

type tables struct {
	constants Mem // C0 and C1
	masks     Mem // maxRate bytes of 0xff, and then maxRate zero bytes
}

// A kernel emits a function that processes some lanes of a message.
type kernel struct {
	*build.Context
	tables
	family *family
	lanes  int  // number of lanes per vector
	pair   bool // whether the lanes belong to two messages with different nonces

	vector    func() VecVirtual // returns a register of the kernel's width
	broadcast func(from, to Op) // loads a block into every lane
	xor       func(a, b, to Op)
	move      func(from, to Op)

	s            []VecVirtual // the state
	context      VecVirtual   // lane contexts, which update adds if not nil
	m, mode      GPVirtual
	dst, src, n  GPVirtual
	stride, step GPVirtual // distance between words and between pieces, in bytes
	at           GPVirtual // offset of the kernel's first lane in a word, in bytes
	size         Mem       // tag size
	frame        Mem       // stack memory for a short piece, used without masks
}

func newKernel(c *build.Context, t tables, family *family, lanes int) *kernel {
	k := &kernel{Context: c, tables: t, family: family, lanes: lanes}
	k.xor, k.move = k.VPXOR, k.VMOVDQU
	switch lanes {
	case 1:
		k.vector, k.broadcast = k.XMM, k.VMOVDQU
	case 2:
		k.vector, k.broadcast = k.YMM, k.VBROADCASTI128
	case 4:
		k.vector = k.ZMM
		k.broadcast = func(from, to Op) { k.VBROADCASTI32X4(from, to) }
		k.xor = func(a, b, to Op) { k.VPXORQ(a, b, to) }
		k.move = func(from, to Op) { k.VMOVDQU64(from, to) }
	}
	return k
}

func (k *kernel) generate(f *amd64.File, name string) {
	variant := "AEGIS-" + k.family.name
	if k.lanes > 1 {
		variant += fmt.Sprint("X", k.lanes)
	}
	f.Function(name, "func(m *message)", name+" performs the operations of "+variant+" selected by m.mode.")
	k.declare()
	if k.lanes < 4 {
		k.at = k.field(layout.MessageAt)
		k.frame = k.AllocLocal(block * k.lanes * k.family.words())
	}
	k.stride = k.field(layout.MessageStride)
	k.begin()
	k.text()
	k.end()
	if !amd64.IsLegacy(name) {
		k.VZEROUPPER()
	}
	k.RET()
}

func (k *kernel) declare() {
	k.m = amd64.Load(k.Context, "m")
	k.mode, k.size = k.field(layout.MessageMode), Mem{Base: k.m, Disp: layout.MessageSize}
	k.s = make([]VecVirtual, k.family.blocks)
	for i := range k.s {
		k.s[i] = k.vector()
	}
}

func (k *kernel) field(at int) GPVirtual {
	to := k.GP64()
	k.MOVQ(Mem{Base: k.m, Disp: at}, to)
	return to
}

// pointer emits code that loads a pointer to the first lane.
func (k *kernel) pointer(field int) GPVirtual {
	p := k.field(field)
	if k.lanes < 4 {
		k.ADDQ(k.at, p)
	}
	return p
}

func (k *kernel) xor3(a, b, to Op) {
	if k.lanes == 4 {
		k.VPTERNLOGQ(U8(0x96), a, b, to)
	} else {
		k.VPXOR(a, to, to)
		k.VPXOR(b, to, to)
	}
}

func (k *kernel) load(from Mem) VecVirtual {
	v := k.vector()
	k.broadcast(from, v)
	return v
}

func (k *kernel) unless(bits int, to string) {
	k.TESTQ(U32(bits), k.mode)
	k.JZ(LabelRef(to))
}

func (k *kernel) begin() {
	k.unless(layout.ModeInit, "load")
	k.initialize()
	k.unless(layout.ModeData, "begun")
	k.src = k.pointer(layout.MessageFrom)
	k.update(k.input(wholePiece{k}))
	k.JMP(LabelRef("begun"))
	k.Label("load")
	from := k.pointer(layout.MessageFrom)
	for i, s := range k.s {
		k.move(Mem{Base: from, Disp: word * i}, s)
	}
	k.Label("begun")
}

// initialize emits the function Init of RFC 10032.
func (k *kernel) initialize() {
	key, nonce, context := k.field(layout.MessageKey), k.field(layout.MessageNonce), k.vector()
	k.move(Mem{Base: k.pointer(layout.MessageContext)}, context)
	var b [6]VecVirtual
	b[c0], b[c1] = k.load(k.constants), k.load(k.constants.Offset(block))
	for i := range k.family.parts() {
		b[k0+i] = k.load(Mem{Base: key, Disp: block * i})
		b[n0+i] = k.load(Mem{Base: nonce, Disp: block * i})
		if k.pair {
			// The second message's nonce follows the first one's in memory.
			k.second(Mem{Base: nonce, Disp: block * (k.family.parts() + i)}, b[n0+i])
		}
	}
	for i, of := range k.family.first {
		if len(of) == 1 {
			k.move(b[of[0]], k.s[i])
		} else {
			k.xor(b[of[0]], b[of[1]], k.s[i])
		}
	}
	contexts := func() {
		for _, at := range k.family.contexts {
			k.xor(context, k.s[at], k.s[at])
		}
	}
	if k.lanes > 1 {
		contexts()
		// Each Update adds the contexts for the next Update.
		k.context = context
	}
	amd64.Loop(k.Context, "init", k.family.iterations, k.GP64(), func() {
		for i, add := range k.family.updates {
			if k.lanes == 1 {
				alone := fmt.Sprint("alone", i)
				k.CMPQ(k.stride, U8(block))
				k.JEQ(LabelRef(alone))
				contexts()
				k.Label(alone)
			}
			k.update([]VecVirtual{b[add[0]], b[add[1]]})
		}
		if k.family.words() == 1 {
			k.xor(b[n0], b[k0], b[k0])
			k.xor(b[n1], b[k1], b[k1])
		}
	})
	if k.lanes > 1 {
		// Undo the last addition of the contexts.
		k.context = nil
		contexts()
	}
}

// update emits an Update that absorbs m, XORed with more if given.
func (k *kernel) update(m []VecVirtual, more ...VecVirtual) {
	add, rounds := map[int]VecVirtual{}, map[int]VecVirtual{}
	for i, at := range k.family.inputs {
		add[at] = m[i]
	}
	if k.context != nil {
		add[k.family.contexts[0]], add[k.family.contexts[1]] = k.context, k.context
	}
	before := func(at int) VecVirtual { return k.s[(at+len(k.s)-1)%len(k.s)] }
	// Emit the AES rounds first: they are on the critical path.
	for at := range k.s {
		if add[at] != nil {
			rounds[at] = k.vector()
			k.VAESENC(add[at], before(at), rounds[at])
		}
	}
	for at := len(k.s) - 1; at >= 0; at-- {
		if add[at] == nil {
			k.VAESENC(k.s[at], before(at), k.s[at])
		}
	}
	for at := len(k.s) - 1; at >= 0; at-- {
		switch i := slices.Index(k.family.inputs, at); {
		case more != nil && i >= 0:
			k.xor3(rounds[at], more[i], k.s[at])
		case add[at] != nil:
			k.xor(rounds[at], k.s[at], k.s[at])
		}
	}
}

func (k *kernel) text() {
	k.dst, k.src, k.n = k.pointer(layout.MessageDst), k.pointer(layout.MessageSrc), k.field(layout.MessageN)
	k.step = k.stride
	if k.family.words() == 2 {
		k.step = k.GP64()
		k.LEAQ(Mem{Base: k.stride, Index: k.stride, Scale: 1}, k.step)
	}
	k.SUBQ(k.step, k.n)
	k.JB(LabelRef("short"))
	operate(k, func(op operation, loop string) {
		k.processPiece(op, wholePiece{k})
		k.ADDQ(k.step, k.src)
		if op.text {
			k.ADDQ(k.step, k.dst)
		}
		k.SUBQ(k.step, k.n)
		k.JAE(LabelRef(loop))
		k.JMP(LabelRef("short"))
	})
	k.Label("short")
	k.ADDQ(k.step, k.n)
	k.JZ(LabelRef("taken"))
	if k.lanes == 4 {
		k.masked()
	} else {
		k.framed()
	}
	k.Label("taken")
}

// processPiece emits code that processes one full piece of the message.
func (k *kernel) processPiece(op operation, at place) {
	var streams []VecVirtual
	for i := range k.family.words() {
		if op.text {
			streams = append(streams, k.keyStream(i))
		}
	}
	in := k.input(at)
	// The next piece needs the state, so update it before the stores.
	if op.open {
		k.update(in, streams...)
	}
	for i, stream := range streams {
		k.xor(in[i], stream, stream)
		at.store(i, stream)
	}
	if !op.open {
		k.update(in)
	}
}

func (k *kernel) input(at place) (in []VecVirtual) {
	for i := range k.family.words() {
		in = append(in, k.vector())
		at.load(i, in[i])
	}
	return in
}

// short emits code that processes the incomplete last piece.
func (k *kernel) short(at place, mask func(from, to []VecVirtual)) {
	in := k.input(at)
	k.unless(layout.ModeSeal|layout.ModeOpen, "fed")
	var out []VecVirtual
	for i := range in {
		out = append(out, k.keyStream(i))
		k.xor(in[i], out[i], out[i])
		at.store(i, out[i])
	}
	k.unless(layout.ModeOpen, "fed")
	// mask must clear the bytes after the message.
	mask(out, in)
	k.Label("fed")
	k.update(in)
}

func (k *kernel) keyStream(i int) VecVirtual {
	// Keystream block i is s[b[0]] ^ s[b[1]] ^ s[b[2]]&s[b[3]]; AEGIS-256 also XORs s[5].
	z, b := k.vector(), k.family.stream[i]
	if k.lanes == 4 {
		k.VMOVDQA64(k.s[b[0]], z)
		k.VPTERNLOGQ(U8(0x78), k.s[b[2]], k.s[b[3]], z) // z ^ x&y
		if k.family.words() == 1 {
			k.xor3(k.s[5], k.s[b[1]], z)
		} else {
			k.xor(k.s[b[1]], z, z)
		}
		return z
	}
	sum, first := k.vector(), k.s[b[0]]
	if k.family.words() == 1 {
		first = k.s[5]
	}
	k.xor(first, k.s[b[1]], sum)
	k.VPAND(k.s[b[2]], k.s[b[3]], z)
	if k.family.words() == 1 {
		k.xor(k.s[b[0]], z, z)
	}
	k.xor(sum, z, z)
	return z
}
