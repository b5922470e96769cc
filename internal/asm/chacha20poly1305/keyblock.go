// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chacha20poly1305

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/unimac/unimac/internal/asm/amd64"
)

// A keyBlock is block 0 of ChaCha20 in general registers, for Poly1305's key: vectors can
// have the text's blocks at the same time. Of row c, two words are in registers and
// the others in memory.
type keyBlock struct {
	*build.Context
	a, b, d [4]GPVirtual
	c       [2]GPVirtual
	memory  [4]Mem // row c
}

// newKeyBlock returns registers for a block whose row c is in memory.
func newKeyBlock(c *build.Context, memory [4]Mem) *keyBlock {
	k := &keyBlock{Context: c, memory: memory}
	for _, row := range []*[4]GPVirtual{&k.a, &k.b, &k.d} {
		for i := range row {
			row[i] = c.GP64()
		}
	}
	k.c = [2]GPVirtual{c.GP64(), c.GP64()}
	return k
}

var sigma = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574} // "expand 32-byte k"

// load loads the initial state; the arguments are pointers. The first four bytes of the
// nonce are at 4 in the message, where the counter's upper half is, and the others after that.
// There is no register left when the last word takes the place of the pointer.
func (k *keyBlock) load(message, key Mem) {
	p := k.GP64()
	k.MOVQ(message, p)
	for i := 1; i < 4; i++ {
		k.MOVL(Mem{Base: p, Disp: counterAt + 4*i}, k.d[i].As32())
	}
	k.XORL(k.d[0].As32(), k.d[0].As32())
	p = k.GP64()
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

// doubleRound returns a double round. Quarter rounds go in pairs, which need two words
// of c.
func (k *keyBlock) doubleRound() amd64.Code {
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

// words puts the first 32 bytes of the key stream into four registers.
func (k *keyBlock) words(key Mem) [4]GPVirtual {
	for i := range 4 {
		k.ADDL(U32(sigma[i]), k.a[i].As32())
		k.ADDL(key.Offset(4*i), k.b[i].As32())
	}
	var out [4]GPVirtual
	for i := range out {
		row := [][4]GPVirtual{k.a, k.b}[i/2]
		out[i] = row[2*(i%2)]
		k.SHLQ(U8(32), row[2*(i%2)+1])
		k.ORQ(row[2*(i%2)+1], out[i])
	}
	k.Comment("The stack has half of a row.")
	for _, m := range k.memory {
		k.MOVL(U32(0), m)
	}
	return out
}
