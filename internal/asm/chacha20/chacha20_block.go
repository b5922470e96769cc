// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A Block is one block in general registers. Its chain of instructions is the shortest, where
// vectors take two cycles for each by far, and it leaves the vectors to others: in
// ChaCha20-Poly1305, Poly1305's key is made next to the text's blocks. Of row c, two
// words are in registers and the others in memory.
type Block struct {
	*build.Context
	a, b, d [4]GPVirtual
	c       [2]GPVirtual
	memory  [4]Mem // row c
}

// NewBlock returns registers and memory for blocks.
func NewBlock(c *build.Context) *Block {
	k := &Block{Context: c}
	for i := range k.memory {
		k.memory[i] = c.AllocLocal(4)
	}
	return k
}

// generateBlock writes a function for a single block, where the time of one counts: the next is
// often made of it.
func generateBlock(f *amd64.File) {
	f.Function("blockAMD64", "func(out *[64]byte, key *[32]byte, x *[16]byte)",
		"blockAMD64 sets out to a block of key stream, with x in place of counter and nonce.")
	k := NewBlock(f.Context)
	argument := func(name string) Mem { return amd64.Argument(f.Context, name) }
	var d [4]func(p GPVirtual) Mem
	for i := range d {
		d[i] = func(p GPVirtual) Mem {
			k.MOVQ(argument("x"), p)
			return Mem{Base: p, Disp: 4 * i}
		}
	}
	k.Load(argument("key"), d)
	left := k.GP64()
	k.MOVQ(U32(doubleRounds), left)
	k.Label("rounds")
	k.DoubleRound().Write()
	k.DECQ(left)
	k.JNZ(LabelRef("rounds"))
	out := k.GP64()
	k.MOVQ(argument("out"), out)
	x := k.GP64()
	for i := range d {
		d[i] = func(GPVirtual) Mem {
			if i == 0 { // before that, there is no register for the pointer
				k.MOVQ(argument("x"), x)
			}
			return Mem{Base: x, Disp: 4 * i}
		}
	}
	k.Store(Mem{Base: out}, argument("key"), d)
	k.Wipe()
	k.RET()
}

// Load takes registers for a block and loads its initial state. The arguments hold a pointer
// to the key and pointers to the words of row d; one that is nil stands for zero. There is no
// register left when the last word takes the place of the pointer.
func (k *Block) Load(key Mem, d [4]func(p GPVirtual) Mem) {
	for _, row := range []*[4]GPVirtual{&k.a, &k.b, &k.d} {
		for i := range row {
			row[i] = k.GP64()
		}
	}
	k.c = [2]GPVirtual{k.GP64(), k.GP64()}
	for i, word := range d {
		if word == nil {
			k.XORL(k.d[i].As32(), k.d[i].As32())
			continue
		}
		k.MOVL(word(k.d[i]), k.d[i].As32())
	}
	p := k.GP64()
	k.MOVQ(key, p)
	for i := range 2 {
		k.MOVL(Mem{Base: p, Disp: 16 + 4*(2+i)}, k.c[i].As32())
		k.MOVL(k.c[i].As32(), k.memory[2+i])
		k.MOVL(Mem{Base: p, Disp: 16 + 4*i}, k.c[i].As32())
	}
	for i := range 4 {
		k.MOVL(U32(sigma[i]), k.a[i].As32())
		k.MOVL(Mem{Base: p, Disp: 4 * i}, k.b[i].As32())
	}
}

// DoubleRound returns a double round. Quarter rounds go in pairs, which need two words
// of c.
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

// Half adds the first two rows of the initial state, and returns the first 32 bytes of key stream
// in four registers. The key is at a pointer.
func (k *Block) Half(key Mem) [4]GPVirtual {
	for i := range 4 {
		k.ADDL(U32(sigma[i]), k.a[i].As32())
		k.ADDL(key.Offset(4*i), k.b[i].As32())
	}
	return [4]GPVirtual{k.pair(k.a[0], k.a[1]), k.pair(k.a[2], k.a[3]), k.pair(k.b[0], k.b[1]), k.pair(k.b[2], k.b[3])}
}

// Store adds the initial state, which is what it was for Load, and stores the block.
func (k *Block) Store(to, key Mem, d [4]func(p GPVirtual) Mem) {
	for i := range 2 {
		// Only then is there a register for the pointer.
		k.ADDL(U32(sigma[2*i]), k.a[2*i].As32())
		k.ADDL(U32(sigma[2*i+1]), k.a[2*i+1].As32())
		k.MOVQ(k.pair(k.a[2*i], k.a[2*i+1]), to.Offset(8*i))
	}
	p := k.GP64()
	k.MOVQ(key, p)
	c := [4]GPVirtual{k.c[0], k.c[1], k.GP64(), k.GP64()}
	for i := range 2 {
		k.MOVL(k.memory[2+i], c[2+i].As32())
	}
	for i := range 4 {
		k.ADDL(Mem{Base: p, Disp: 4 * i}, k.b[i].As32())
		k.ADDL(Mem{Base: p, Disp: 16 + 4*i}, c[i].As32())
		k.ADDL(d[i](k.GP64()), k.d[i].As32())
	}
	for i, row := range [][4]GPVirtual{k.b, c, k.d} {
		for j := range 2 {
			k.MOVQ(k.pair(row[2*j], row[2*j+1]), to.Offset(16*(1+i)+8*j))
		}
	}
}

// pair puts two words into the register of the first.
func (k *Block) pair(low, high GPVirtual) GPVirtual {
	k.SHLQ(U8(32), high)
	k.ORQ(high, low)
	return low
}

// Wipe clears the memory.
func (k *Block) Wipe() {
	for _, m := range k.memory {
		k.MOVL(U32(0), m)
	}
}
