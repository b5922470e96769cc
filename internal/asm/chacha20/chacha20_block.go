// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A Block emits scalar code that computes one block alongside vector code.
type Block struct {
	*build.Context
	a, b, d [4]GPVirtual
	c       [2]GPVirtual
	memory  [4]Mem // memory for row c
}

func NewBlock(c *build.Context) *Block {
	k := &Block{Context: c}
	for i := range k.memory {
		k.memory[i] = c.AllocLocal(4)
	}
	return k
}

// Load emits code that loads the block's initial state.
func (k *Block) Load(keyAt, rowDAt Mem, loadCounter bool) {
	for _, row := range []*[4]GPVirtual{&k.a, &k.b, &k.d} {
		for i := range row {
			row[i] = k.GP64()
		}
	}
	k.c = [2]GPVirtual{k.GP64(), k.GP64()}
	for i := range k.d {
		// The counter is word 0 of row d. Without loadCounter, it is 0.
		if i == 0 && !loadCounter {
			k.XORL(k.d[0].As32(), k.d[0].As32())
			continue
		}
		// rowDAt must hold the address of the last four state words.
		k.MOVQ(rowDAt, k.d[i])
		k.MOVL(Mem{Base: k.d[i], Disp: 4 * i}, k.d[i].As32())
	}
	p := k.GP64()
	k.MOVQ(keyAt, p) // keyAt must hold the address of the key
	for i := range 2 {
		k.MOVL(Mem{Base: p, Disp: 16 + 4*(2+i)}, k.c[i].As32())
		k.MOVL(k.c[i].As32(), k.memory[2+i])
		k.MOVL(Mem{Base: p, Disp: 16 + 4*i}, k.c[i].As32())
	}
	for i := range 4 {
		k.MOVL(U32(Sigma[i]), k.a[i].As32())
		k.MOVL(Mem{Base: p, Disp: 4 * i}, k.b[i].As32())
	}
}

// DoubleRound returns a double round, which swaps words of row c with memory.
func (k *Block) DoubleRound() amd64.Code {
	var out amd64.Code
	for round := range 2 {
		for pair := range 2 {
			var lists [2]amd64.Code
			for i := range lists {
				q := 2*pair + i
				step := func(sum, addend, x GPVirtual, bits uint8) {
					lists[i] = append(lists[i],
						func() { k.ADDL(addend.As32(), sum.As32()) },
						func() { k.XORL(sum.As32(), x.As32()) },
						func() { k.ROLL(U8(bits), x.As32()) })
				}
				a, b, c, d := k.a[q], k.b[(q+round)%4], k.c[i], k.d[(q+3*round)%4]
				step(a, b, d, 16)
				step(c, d, b, 12)
				step(a, b, d, 8)
				step(c, d, b, 7)
			}
			for i := range lists[0] {
				out = append(out, lists[0][i], lists[1][i])
			}
			if pair == 1 {
				continue
			}
			for i := range 2 {
				from, to := k.memory[(2+2*round)%4+i], k.memory[2*round+i]
				out = append(out,
					func() { k.MOVL(k.c[i].As32(), to) },
					func() { k.MOVL(from, k.c[i].As32()) })
			}
		}
	}
	return out
}

// Half emits code that completes and returns the block's first 32 bytes.
func (k *Block) Half(key Mem) [4]GPVirtual {
	for i := range 4 {
		k.ADDL(U32(Sigma[i]), k.a[i].As32())
		k.ADDL(key.Offset(4*i), k.b[i].As32())
	}
	return [4]GPVirtual{joined(k.Context, k.a[0], k.a[1]), joined(k.Context, k.a[2], k.a[3]), joined(k.Context, k.b[0], k.b[1]), joined(k.Context, k.b[2], k.b[3])}
}

func joined(c *build.Context, low, high GPVirtual) GPVirtual {
	c.SHLQ(U8(32), high)
	c.ORQ(high, low)
	return low
}

func (k *Block) Wipe() {
	for _, m := range k.memory {
		k.MOVL(U32(0), m)
	}
}
