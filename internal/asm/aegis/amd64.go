// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package aegis

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// AMD64 returns internal/aegis/aegis_amd64.s and the file that declares its functions.
func AMD64() (assembly, stubs []byte) {
	f := amd64.NewFile("aegis")
	constants := amd64.Table[uint64](f, "constants",
		0x0d08050302010100, 0x6279e99059372215, 0xf12fc26d55183ddb, 0xdd28b57342311120)
	for _, family := range families {
		for _, level := range []struct {
			lanes int
			name  string
		}{{1, "AVX2AES"}, {2, "AVX2VAES"}, {4, "AVX512VAES"}} {
			for _, op := range operations {
				k := &kernel{Context: f.Context, family: family, lanes: level.lanes, constants: constants, op: op}
				k.generate(f, level.name)
			}
		}
	}
	return f.Bytes("internal/asm/aegis")
}

// An operation is what a kernel does with the message.
type operation struct {
	name, verb string
	text, open bool // it has a key stream, which is added to a ciphertext
}

var operations = []operation{
	{name: "absorb", verb: "absorbs src"},
	{name: "seal", verb: "encrypts src", text: true},
	{name: "open", verb: "decrypts src", text: true, open: true},
}

// A kernel is one function.
//
// It takes whole pieces, of a block for each word of each lane of the variant. What is left of a message
// is a piece of its own at last, with zeros behind it. Stride is how far the
// words of a lane are apart in a piece, and at is where the first lane is, so that a narrow kernel takes
// some of the lanes.
type kernel struct {
	*build.Context
	family    *family
	op        operation
	lanes     int // that a vector holds
	constants Mem

	s            []VecVirtual // the state
	dst, src, n  GPVirtual
	stride, step GPVirtual // of words, and of pieces
	at           GPVirtual // of the first lane, in whatever has one
	state, mode  GPVirtual
}

// generate writes the function.
func (k *kernel) generate(f *amd64.File, level string) {
	name := k.op.name + k.family.name
	if k.lanes > 1 {
		name += fmt.Sprintf("X%d", k.lanes)
	}
	name += level
	dst, mask := "", ""
	if k.op.text {
		dst = "dst *byte, "
	}
	if k.op.open {
		mask = "mask *byte, "
	}
	f.Function(name, "func("+dst+"src *byte, n int, stride int, at int, last *byte, "+mask+
		"s *byte, key *byte, nonce *byte, context *byte, mode int, sums *byte, u0 uint64, u1 uint64)",
		fmt.Sprintf("%s %s, with %d lanes of AEGIS-%s.", name, k.op.verb, k.lanes, k.family.name))
	if k.lanes < 4 {
		k.at = k.argument("at")
	}
	if k.op.text {
		k.dst = k.pointer("dst")
	}
	k.src, k.n, k.stride = k.pointer("src"), k.argument("n"), k.argument("stride")
	k.state, k.mode = k.pointer("s"), k.argument("mode")
	k.s = make([]VecVirtual, k.family.blocks)
	for i := range k.s {
		k.s[i] = k.vector()
	}
	k.begin()
	k.text()
	k.end()
	k.VZEROUPPER()
	k.RET()
}

func (k *kernel) argument(name string) GPVirtual {
	return k.Load(k.Param(name), k.GP64()).(GPVirtual)
}

// pointer returns that to the kernel's first lane, where the argument is that to the first of all.
// A kernel with all lanes has no other.
func (k *kernel) pointer(name string) GPVirtual {
	p := k.argument(name)
	if k.lanes < 4 {
		k.ADDQ(k.at, p)
	}
	return p
}

// vector returns a register of the kernel's width.
func (k *kernel) vector() VecVirtual {
	switch k.lanes {
	case 1:
		return k.XMM()
	case 2:
		return k.YMM()
	}
	return k.ZMM()
}

func (k *kernel) xor(a, b, to Op) {
	if k.lanes == 4 {
		k.VPXORQ(a, b, to)
	} else {
		k.VPXOR(a, b, to)
	}
}

func (k *kernel) and(a, b, to Op) {
	if k.lanes == 4 {
		k.VPANDQ(a, b, to)
	} else {
		k.VPAND(a, b, to)
	}
}

func (k *kernel) move(from, to Op) {
	if k.lanes == 4 {
		k.VMOVDQU64(from, to)
	} else {
		k.VMOVDQU(from, to)
	}
}

// broadcast loads a block for every lane.
func (k *kernel) broadcast(from Mem, to Op) {
	switch k.lanes {
	case 1:
		k.VMOVDQU(from, to)
	case 2:
		k.VBROADCASTI128(from, to)
	default:
		k.VBROADCASTI32X4(from, to)
	}
}

// when branches to a label unless a bit of mode is set.
func (k *kernel) when(bit int, unless string) {
	k.TESTQ(U32(bit), k.mode)
	k.JZ(LabelRef(unless))
}

// begin has the state be that in memory, or a new one.
func (k *kernel) begin() {
	k.when(modeInit, "load")
	k.initialize()
	k.JMP(LabelRef("begun"))
	k.Label("load")
	for i, s := range k.s {
		k.move(Mem{Base: k.state, Disp: word * i}, s)
	}
	k.Label("begun")
}

// initialize begins a message. Where there is one lane, its context is zeros.
func (k *kernel) initialize() {
	key, nonce, context := k.argument("key"), k.argument("nonce"), k.vector()
	k.move(Mem{Base: k.pointer("context")}, context)
	var constants [2]VecVirtual
	for i := range constants {
		constants[i] = k.vector()
		k.broadcast(k.constants.Offset(block*i), constants[i])
	}
	var keys, nonces, inputs []Op
	for i := range k.family.parts() {
		keys, nonces = append(keys, k.vector()), append(nonces, k.vector())
		k.broadcast(Mem{Base: key, Disp: block * i}, keys[i])
		k.broadcast(Mem{Base: nonce, Disp: block * i}, nonces[i])
	}
	inputs = []Op{nonces[0], keys[0]}
	turns := 10
	if k.family.words() == 1 {
		inputs, turns = append(keys, nonces...), 4
		for i := range nonces {
			k.xor(keys[i], nonces[i], nonces[i])
		}
	}
	for i, first := range k.family.first {
		switch {
		case first.part < 0:
			k.move(constants[first.constant], k.s[i])
		case first.constant >= 0:
			k.xor(constants[first.constant], keys[first.part], k.s[i])
		case k.family.words() == 1: // the nonce is added already
			k.move(nonces[first.part], k.s[i])
		default:
			k.xor(keys[first.part], nonces[first.part], k.s[i])
		}
	}
	// The contexts, which are added before each Update, are added once here, and then, by the
	// Update, to what comes next.
	add := map[int]Op{k.family.contexts[0]: context, k.family.contexts[1]: context}
	for at := range k.family.blocks {
		if add[at] != nil {
			k.xor(context, k.s[at], k.s[at])
		}
	}
	left := k.GP64()
	k.MOVQ(U32(turns), left)
	k.Label("init")
	for i := 0; i < len(inputs); i += k.family.words() {
		for j, at := range k.family.inputs {
			add[at] = inputs[i+j]
		}
		k.update(add, nil)
	}
	k.DECQ(left)
	k.JNZ(LabelRef("init"))
	for _, at := range k.family.contexts {
		k.xor(context, k.s[at], k.s[at])
	}
}

// update is an Update which adds operands to blocks, as round keys, and then more.
func (k *kernel) update(add map[int]Op, more map[int]VecVirtual) {
	rounds := map[int]VecVirtual{}
	before := func(at int) VecVirtual { return k.s[(at+len(k.s)-1)%len(k.s)] }
	for at := range k.s {
		if add[at] != nil {
			rounds[at] = k.vector()
			k.VAESENC(add[at], before(at), rounds[at])
		}
	}
	for at := len(k.s) - 1; at >= 0; at-- {
		if add[at] == nil {
			k.VAESENC(k.s[at], before(at), k.s[at])
			continue
		}
		k.xor(rounds[at], k.s[at], k.s[at])
		if more[at] != nil {
			k.xor(more[at], k.s[at], k.s[at])
		}
	}
}

// text writes the loop over whole pieces, and the last one.
func (k *kernel) text() {
	k.step = k.stride
	if k.family.words() == 2 {
		k.step = k.GP64()
		k.LEAQ(Mem{Base: k.stride, Index: k.stride, Scale: 1}, k.step)
	}
	k.TESTQ(k.n, k.n)
	k.JZ(LabelRef("pieces"))
	k.Label("piece")
	k.piece(k.src, k.dst, nil)
	k.ADDQ(k.step, k.src)
	if k.op.text {
		k.ADDQ(k.step, k.dst)
	}
	k.SUBQ(k.step, k.n)
	k.JNZ(LabelRef("piece"))
	k.Label("pieces")
	k.when(modeLast, "absorbed")
	last := k.pointer("last")
	var mask GPVirtual
	if k.op.open {
		mask = k.pointer("mask")
	}
	k.piece(last, last, mask)
	k.Label("absorbed")
}

// piece takes one piece. What the mask, if there is one, does not cover of the key stream is not
// added: of the plaintext, zeros are absorbed there.
func (k *kernel) piece(src, dst, mask GPVirtual) {
	at := func(base GPVirtual, i int) Mem {
		if i == 0 {
			return Mem{Base: base}
		}
		return Mem{Base: base, Index: k.stride, Scale: 1}
	}
	inputs, streams := map[int]Op{}, map[int]VecVirtual{}
	for i, to := range k.family.inputs {
		if !k.op.text {
			inputs[to] = at(src, i)
			continue
		}
		in, out := k.vector(), k.vector()
		k.move(at(src, i), in)
		z := k.keyStream(i)
		if mask != nil {
			k.and(at(mask, i), z, z)
		}
		k.xor(in, z, out)
		k.move(out, at(dst, i))
		inputs[to] = in
		if k.op.open {
			streams[to] = z
		}
	}
	k.update(inputs, streams)
}

// keyStream returns a word of the key stream.
func (k *kernel) keyStream(i int) VecVirtual {
	z, b := k.vector(), k.family.stream[i]
	k.and(k.s[b[2]], k.s[b[3]], z)
	sum := k.vector()
	k.xor(k.s[b[0]], k.s[b[1]], sum)
	if k.family.words() == 1 {
		k.xor(k.s[5], sum, sum)
	}
	k.xor(sum, z, z)
	return z
}

// end finishes, and stores the state or the sums of which the tag is made.
func (k *kernel) end() {
	k.when(modeFinish, "finished")
	u, t := k.XMM(), k.vector()
	k.VMOVQ(amd64.Argument(k.Context, "u0"), u)
	k.VPINSRQ(U8(1), amd64.Argument(k.Context, "u1"), u, u)
	switch k.lanes {
	case 2:
		k.VINSERTI128(U8(1), u, u.AsY(), u.AsY())
	case 4:
		k.VSHUFI64X2(U8(0), u.AsZ(), u.AsZ(), u.AsZ())
	}
	k.xor(map[int]Op{1: u, 2: u.AsY(), 4: u.AsZ()}[k.lanes], k.s[k.family.finish], t)
	left := k.GP64()
	k.MOVQ(U32(7), left)
	k.Label("finish")
	add := map[int]Op{}
	for _, at := range k.family.inputs {
		add[at] = t
	}
	k.update(add, nil)
	k.DECQ(left)
	k.JNZ(LabelRef("finish"))

	sums := k.pointer("sums")
	half := len(k.s) / 2
	low, high := k.vector(), k.vector()
	k.sum(k.s[:half], low)
	k.sum(k.s[half:half+3], high)
	k.move(low, Mem{Base: sums})
	k.xor(low, high, low)
	if half == 4 {
		k.xor(k.s[7], high, high)
	}
	k.move(high, Mem{Base: sums, Disp: word})
	k.move(low, Mem{Base: sums, Disp: 2 * word})
	k.Label("finished")
	k.when(modeStore, "stored")
	for i, s := range k.s {
		k.move(s, Mem{Base: k.state, Disp: word * i})
	}
	k.Label("stored")
}

// sum adds vectors.
func (k *kernel) sum(of []VecVirtual, to VecVirtual) {
	k.xor(of[0], of[1], to)
	for _, v := range of[2:] {
		k.xor(v, to, to)
	}
}
