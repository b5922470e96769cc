// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package processor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/isa"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// A wrong is an incorrect meaning. It receives the correct one.
type wrong func(s *machine.State, right machine.Op)

// vector returns the offset of a vector register in machine.State.Regs.
func (a *architecture) vector(i int) int { return a.vectorOffset + i*a.layout.width }

// kept returns a meaning that preserves n bytes of the registers, whereas cleared
// clears them.
func kept(at, n int) wrong {
	return func(s *machine.State, right machine.Op) {
		old := slices.Clone(s.Regs[at : at+n])
		right(s)
		copy(s.Regs[at:], old)
	}
}

func cleared(at, n int) wrong {
	return func(s *machine.State, right machine.Op) {
		right(s)
		clear(s.Regs[at : at+n])
	}
}

// unless returns a meaning that clears dst if the register amount is at least 64.
func unless(amount, dst int) wrong {
	return func(s *machine.State, right machine.Op) {
		v, _ := s.T.ByteValue(s.Regs[amount])
		right(s)
		if v >= 64 {
			s.SetWord(dst, s.T.Const(64, 0))
		}
	}
}

// attacks lists meanings that could be copied from the wrong page of a manual: from
// another architecture, another encoding, or the general case instead of a special one.
var attacks = []struct {
	name string
	*architecture
	form  string
	wrong wrong
}{
	{"a shift by 0 bits sets flags", amd, "SHLQ CL, R8", func(s *machine.State, right machine.Op) {
		right(s)
		s.Flags[isa.ZF] = s.T.Zero(s.Word(amd64.Architecture.At("R8"), 8))
	}},
	{"a shift by 64 bits or more leaves nothing", amd, "SHLXQ R11, R8, R9", unless(amd64.Architecture.At("R11"), amd64.Architecture.At("R9"))},
	{"an increment sets the carry", amd, "INCQ AX", func(s *machine.State, right machine.Op) {
		right(s)
		s.Flags[isa.CF] = s.T.Zero(s.Word(amd64.Architecture.At("AX"), 8))
	}},
	{"a product's lower half stays if both have one register", amd, "MULXQ R8, R9, R9", func(s *machine.State, right machine.Op) {
		low := s.T.Mul(s.Word(amd64.Architecture.At("DX"), 8), s.Word(amd64.Architecture.At("R8"), 8))
		right(s)
		s.SetWord(amd64.Architecture.At("R9"), low)
	}},
	{"32 bits leave the upper half", amd, "ADDL R8, AX", kept(amd64.Architecture.At("AX")+4, 4)},
	{"legacy instructions clear the upper bytes", amd, "PADDD X4, X0", cleared(amd.vector(0)+16, 48)},
	{"VEX leaves the upper bytes", amd, "VPADDD X0, X4, X8", kept(amd.vector(8)+16, 48)},
	{"256 bits leave the upper half", amd, "VPADDD Y0, Y4, Y24", kept(amd.vector(24)+32, 32)},
	{"lanes that a mask leaves out become 0", amd, "VMOVDQA64 Z0, K2, Z1", func(s *machine.State, right machine.Op) {
		clear(s.Regs[amd.vector(1):amd.vector(2)])
		right(s)
	}},
	{"a lane that a mask leaves out stays", amd, "VMOVDQA64.Z Z0, K1, Z19", func(s *machine.State, right machine.Op) {
		old := slices.Clone(s.Regs[amd.vector(19):amd.vector(20)])
		right(s)
		for i, b := range s.Regs[amd.vector(19):amd.vector(20)] {
			if b == term.ConstByte(0) {
				s.Regs[amd.vector(19)+i] = old[i]
			}
		}
	}},
	{"the carry of a subtraction is a borrow", arm, "SUBS R15, R6, R9", func(s *machine.State, right machine.Op) {
		right(s)
		s.Flags[isa.CF] = s.T.Xor(s.Flags[isa.CF], s.T.Const(8, 1))
	}},
	{"an addition with carry sets the carry", arm, "ADC R5, R7", func(s *machine.State, right machine.Op) {
		x, y, carry := s.Word(8*5, 8), s.Word(8*7, 8), s.Flags[isa.CF]
		right(s)
		s.Flags[isa.CF] = s.T.Carry(x, y, carry)
	}},
	{"32 bits leave the upper half", arm, "ADDW R4, R0, R0", kept(4, 4)},
	{"a shift by 64 bits or more leaves nothing", arm, "LSL R7, R8", unless(8*7, 8*8)},
	{"64 bits of a vector leave the upper half", arm, "FMOVD 0(R24), F4", kept(arm.vector(4)+8, 8)},
}

// TestAttackMeanings checks that the comparison accepts correct meanings of
// instructions and rejects incorrect ones.
func TestAttackMeanings(t *testing.T) {
	for _, a := range []*architecture{amd, arm} {
		t.Run(a.name, func(t *testing.T) {
			with, here := runner(t, a), a
			if a == amd {
				here = amdHere()
			}
			var list []form
			var wrongs []wrong
			var names []string
			for _, x := range attacks {
				if x.architecture != a {
					continue
				}
				f, err := a.names.parse(x.form)
				if err != nil {
					t.Fatal(err)
				}
				if !here.has(f) {
					continue
				}
				list, wrongs, names = append(list, f), append(wrongs, x.wrong), append(names, x.name)
			}
			const trials = 64
			before, after := here.states(t, list, trials, with, rand.New(rand.NewPCG(3, 4)))
			m, n := here.newModel(), here.layout.size
			for i := range list {
				p, err := m.program(&list[i])
				if err != nil {
					t.Fatal(err)
				}
				q := *p
				q.Ops = slices.Clone(p.Ops)
				q.Ops[0] = func(s *machine.State) { wrongs[i](s, p.Ops[0]) }
				refused := 0
				for at := i * trials * n; at < (i+1)*trials*n; at += n {
					if err := m.compare(&list[i], p, before[at:at+n], after[at:at+n]); err != nil {
						t.Errorf("%s: %v", list[i].in.String(), err)
					}
					if m.compare(&list[i], &q, before[at:at+n], after[at:at+n]) != nil {
						refused++
					}
				}
				if t.Logf("%s: %s: refused for %d of %d states", list[i].in.String(), names[i], refused, trials); refused == 0 {
					t.Errorf("%s: the comparison accepts a wrong meaning: %s", list[i].in.String(), names[i])
				}
			}
		})
	}
}
