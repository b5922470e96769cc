// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package amd64

import (
	"github.com/unimac/unimac/internal/proof/asm"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

func init() {
	instruction(moveVector(0, false), "VMOVDQU")
	instruction(moveVector(0, true), "VMOVDQA")
	instruction(moveVector(1, false), "VMOVDQU8")
	instruction(moveVector(8, false), "VMOVDQU64")
	instruction(moveVector(8, true), "VMOVDQA64")
	instruction(moveLow(8), "VMOVQ")
	instruction(moveLow(4), "VMOVD")
	instruction(broadcast(4), "VPBROADCASTD")
	instruction(broadcast(8), "VPBROADCASTQ")
	instruction(broadcast(16), "VBROADCASTI128", "VBROADCASTI32X4")
	instruction(zeroUpper, "VZEROUPPER")
	instruction(moveMask(8), "KMOVQ")
	instruction(moveMask(1), "KMOVB")
}

// moveVector copies a vector, and under a mask those elements alone: it touches no
// others of memory. Aligned says that addresses must be multiples of the size.
func moveVector(element int, aligned bool) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		var k *arg
		if len(a) == 3 && element > 0 {
			k = &a[1]
			want(a, vectorOrMem, isMask, vectorOrMem)
			if k.at == masks || c.zeroing && a[2].kind == memory {
				machine.Fail("no such form")
			}
		} else if want(a, vectorOrMem, vectorOrMem); c.zeroing {
			machine.Fail("no such form")
		}
		src, dst := a[0], a[len(a)-1]
		n := max(src.size, dst.size)
		if src.kind == memory && dst.kind == memory || src.kind == dst.kind && src.size != dst.size || c.broadcast {
			machine.Fail("no such form")
		}
		zeroing := c.zeroing
		return func(s *machine.State) {
			for _, x := range [2]*arg{&src, &dst} {
				if aligned && x.kind == memory {
					s.Aligned(x.address(s), int64(n))
				}
			}
			if k == nil {
				dst.setBytes(s, append([]term.Byte(nil), src.bytes(s, n)...))
				return
			}
			moveMasked(s, src, dst, *k, n, element, zeroing)
		}
	}
}

func moveMasked(s *machine.State, src, dst, k arg, n, element int, zeroing bool) {
	wanted := func(i int) bool { return maskBit(s, k, i/element) }
	if dst.kind == memory {
		s.StoreSome(src.bytes(s, n), dst.address(s), wanted)
		return
	}
	var out [64]term.Byte
	if src.kind == memory {
		s.LoadSome(out[:n], src.address(s), wanted)
	} else {
		copy(out[:n], src.bytes(s, n))
	}
	keep(s, out[:n], s.Regs[dst.at:], k, element, zeroing)
	dst.setBytes(s, out[:n])
}

// moveLow copies n bytes between a vector and a word or memory; the rest becomes 0.
func moveLow(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, []kind{word, vector, memory}, []kind{word, vector, memory})
		src, dst := a[0], a[1]
		if src.kind != vector && dst.kind != vector || src.size > 16 || dst.size > 16 {
			machine.Fail("no such form")
		}
		return func(s *machine.State) {
			var t term.Term
			if src.kind == vector {
				t = s.Word(src.at, n)
			} else {
				t = src.value(s, n)
			}
			if dst.kind != vector {
				dst.set(s, t)
				return
			}
			var b [16]term.Byte
			s.T.Bytes(b[:], t)
			dst.setBytes(s, b[:])
		}
	}
}

// broadcast repeats n bytes of memory, of a word, or the lowest of a vector.
func broadcast(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		src, dst := a[0], a[len(a)-1]
		var k *arg
		if len(a) == 3 {
			want(a, []kind{word, vector, memory}, isMask, isVector)
			k = &a[1]
		} else {
			want(a, []kind{word, vector, memory}, isVector)
		}
		if src.kind != memory && n > 8 || src.kind == vector && src.size != 16 || dst.size < n || c.broadcast || c.zeroing && k == nil {
			machine.Fail("no such form")
		}
		zeroing := c.zeroing
		return func(s *machine.State) {
			var out []term.Byte
			if src.kind == word {
				out = repeat(s.Regs[src.at:src.at+n], dst.size)
			} else {
				out = repeat(src.bytes(s, n), dst.size)
			}
			if k != nil {
				keep(s, out, s.Regs[dst.at:], *k, n, zeroing)
			}
			dst.setBytes(s, out)
		}
	}
}

// zeroUpper clears the upper bytes of the first 16 Vectors.
func zeroUpper(c *compiler, in *asm.Instr, a []arg) machine.Op {
	want(a)
	return func(s *machine.State) {
		for i := range 16 {
			s.SetBytes(Vectors+64*i+16, 48, nil)
		}
		s.Dirty = false
	}
}

// moveMask copies n bytes to a mask from a word, or back; the rest becomes 0.
func moveMask(n int) meaning {
	return func(c *compiler, in *asm.Instr, a []arg) machine.Op {
		want(a, []kind{word, mask}, []kind{word, mask})
		a[1].keepsSP()
		return func(s *machine.State) {
			s.SetBytes(a[1].at, 8, s.Regs[a[0].at:a[0].at+n])
		}
	}
}
