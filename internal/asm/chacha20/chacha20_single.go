// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A single emits code that computes one block in general registers.
type single struct {
	*build.Context
	a, b, c, d [4]GPVirtual // a[0] and c[0] share a register
	a0, c0     Mem
	left       Mem // number of double rounds left
}

func generateBlock(f *amd64.File) {
	f.Function("blockAMD64", "func(out *[64]byte, key *[32]byte, x *[16]byte)",
		"blockAMD64 sets out to a keystream block. x replaces the counter and the nonce.")
	k := &single{Context: f.Context, a0: f.AllocLocal(4), c0: f.AllocLocal(4), left: f.AllocLocal(8)}
	k.load()
	k.rounds("rounds")
	k.store()
	k.Comment("The memory for words 0.")
	k.MOVL(U32(0), k.a0)
	k.MOVL(U32(0), k.c0)
	k.RET()
}

func (k *single) pointer(name string) Mem {
	p := k.GP64()
	k.MOVQ(amd64.Argument(k.Context, name), p)
	return Mem{Base: p}
}

// load emits code that loads the initial state.
func (k *single) load() {
	for _, row := range []*[4]GPVirtual{&k.a, &k.b, &k.c, &k.d} {
		for i := range row {
			row[i] = k.GP64()
		}
	}
	k.c[0] = k.a[0]
	x, key := k.pointer("x"), k.pointer("key")
	k.MOVL(key.Offset(16), k.b[0].As32())
	k.MOVL(k.b[0].As32(), k.c0)
	for i := range 4 {
		k.MOVL(x.Offset(4*i), k.d[i].As32())
		k.MOVL(key.Offset(4*i), k.b[i].As32())
		if i > 0 {
			k.MOVL(key.Offset(16+4*i), k.c[i].As32())
		}
	}
	k.MOVL(U32(Sigma[0]), k.a0)
	for i := 1; i < 4; i++ {
		k.MOVL(U32(Sigma[i]), k.a[i].As32())
	}
}

func (k *single) rounds(label string) {
	var x []GPVirtual
	for _, row := range [][4]GPVirtual{k.a, k.b, k.c, k.d} {
		x = append(x, row[:]...)
	}
	doubleRound := DoubleRound(&Arithmetic{Context: k.Context, Step: k.step}, x)
	amd64.Loop(k.Context, label, doubleRounds, k.left, doubleRound.Write)
}

// step returns an addition, an XOR and a rotation of a quarter round.
func (k *single) step(sum, addend, x Op, bits uint8) amd64.Code {
	word := func(x Op) Register { return x.(GPVirtual).As32() }
	home := k.c0
	// These steps add to row a, and the others to row c.
	if bits%8 == 0 {
		home = k.a0
	}
	return amd64.Code{
		func() {
			if sum == k.a[0] {
				k.MOVL(home, word(sum))
			}
			k.ADDL(word(addend), word(sum))
			if sum == k.a[0] {
				k.MOVL(word(sum), home)
			}
		},
		func() { k.XORL(word(sum), word(x)) },
		func() { k.ROLL(U8(bits), word(x)) },
	}
}

func (k *single) store() {
	out := k.pointer("out")
	k.ADDL(U32(Sigma[2]), k.a[2].As32())
	k.ADDL(U32(Sigma[3]), k.a[3].As32())
	k.MOVQ(joined(k.Context, k.a[2], k.a[3]), out.Offset(8))
	a0, c0 := k.GP64(), k.GP64()
	k.MOVL(k.a0, a0.As32())
	k.MOVL(k.c0, c0.As32())
	k.ADDL(U32(Sigma[0]), a0.As32())
	k.ADDL(U32(Sigma[1]), k.a[1].As32())
	k.MOVQ(joined(k.Context, a0, k.a[1]), out)
	key, x := k.pointer("key"), k.pointer("x")
	for i, r := range [][4]GPVirtual{k.b, {c0, k.c[1], k.c[2], k.c[3]}, k.d} {
		initial := [3]Mem{key, key.Offset(16), x}[i]
		for j, word := range r {
			k.ADDL(initial.Offset(4*j), word.As32())
		}
		for j := 0; j < 4; j += 2 {
			k.MOVQ(joined(k.Context, r[j], r[j+1]), out.Offset(16*(i+1)+4*j))
		}
	}
}
