// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package poly1305 states what the kernels of Poly1305 compute.
package poly1305

import (
	"fmt"
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/amd64"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// MaxPolyBlocks is how many blocks callers give at most: 64 KiB.
const MaxPolyBlocks = 4 << 10

// Kernels are those of package poly1305.
var Kernels = []engine.Kernel{
	blocksPoly1305(poly1305File, "blocksAMD64", []string{"DI", "R8", "R9"}),
	ShortList.kernel(poly1305File, "powersAMD64", "the powers 8, 4, 7, 3, 6, 2, 5, 1 and 16 of r modulo 2^130 - 5, each below 5·2^128", 0),
	blocksAVX2Poly1305(), blocksNEONPoly1305(),
	LongList.kernel(poly1305File, "morePowersAMD64", "the powers 32 and 24 of r modulo 2^130 - 5, of the powers 16 and 6", shortRow),
	shortTable.kernel(poly1305File, "tableAVX512IFMA"), moreTable.kernel(poly1305File, "moreTableAVX512IFMA"),
	shortTable.blocksKernel(poly1305File, 40),
}

const (
	poly1305File = "internal/poly1305/blocks_amd64.s"
)

// A state is Poly1305's state in memory: h in three words, r in two.
type state struct {
	memory *machine.Object
	h      []term.Term
	r      []term.Term
}

// MaxH2 is the most that the upper word of h may be when a kernel is called, and what it is at most
// when one returns.
const MaxH2 = 7

// newState declares a state. R is as RFC 8439 makes it: below 2^60 in both words, the
// upper one a multiple of 4.
func newState(c *engine.Case, o *machine.Object) state {
	leaf := func(name string, most uint64) term.Term {
		return c.NewLeaf(64, term.LeafInfo{Name: name, Max: most})
	}
	s := state{
		memory: o,
		h:      []term.Term{leaf("h0", ^uint64(0)), leaf("h1", ^uint64(0)), leaf("h2", MaxH2)},
		r:      []term.Term{leaf("r0", 1<<60-1), c.Shl(leaf("r1/4", 1<<58-1), 2)},
	}
	for i, word := range append(append([]term.Term{}, s.h...), s.r...) {
		o.Set(int64(8*i), word)
	}
	return s
}

// congruent compares two numbers modulo the prime.
func congruent(got, want algebra.Poly) (err error) {
	if !got.Minus(want).Divisible(spec.Poly1305Prime) {
		err = fmt.Errorf("h is another number modulo 2^130 - 5")
	}
	return err
}

// blocksPoly1305 is h = (h + block)·r for each block; n counts blocks. The registers hold h
// at the loop's head, with the next block added.
func blocksPoly1305(file, name string, registers []string) engine.Kernel {
	var state state
	var msg *machine.Object
	var begun []term.Term // h with a block, at the loop's head
	var a *algebra.Algebra
	words := func(s engine.View) (h []term.Term) {
		for _, r := range registers {
			h = append(h, s.Word(amd64.Register(r), 8))
		}
		return h
	}
	// turn has h be what it should at the loop's head.
	turn := func(c *engine.Case, h []term.Term, first bool) error {
		if most := a.Most(h[2]); most.Cmp(big.NewInt(MaxH2+2)) > 0 {
			return fmt.Errorf("the upper word of h may be %s in the loop", most)
		}
		if first {
			return congruent(a.Number(64, h...), a.Number(64, state.h...).Plus(spec.Poly1305BlockAt(c.Store, a, msg, 0)))
		}
		want := a.Number(64, begun...).Mul(a.Number(64, state.r...)).Plus(spec.Poly1305BlockAt(c.Store, a, msg, spec.Poly1305Block))
		return congruent(a.Number(64, h...), want)
	}
	return engine.Kernel{
		File: file, Func: name,
		Claim: "h = (h + block + 2^128)·r for each of n blocks, modulo 2^130 - 5; its upper word is at most 7 before and after",
		Unit:  1, Min: 1, Max: MaxPolyBlocks, Step: 1, Lengths: fmt.Sprintf("1 to %d blocks", MaxPolyBlocks),
		Setup: func(c *engine.Case) {
			o := engine.Writable(c.Buffer("s", 40))
			state, msg, a = newState(c, o), c.Bytes("msg", c.Scale(c.N, spec.Poly1305Block)), algebra.New(c.Store)
			c.Pointers(o, msg)
			c.Arg(c.N)
		},
		Spec: func(c *engine.Case, _ int64, last bool) {
			if last {
				c.Free(state.memory, 0, 24)
			}
		},
		Left: func(c *engine.Case, s engine.View, n int64, last bool) error {
			if !last {
				return nil
			}
			return algebra.Safely(func() error {
				r := a.Number(64, state.r...)
				want := a.Number(64, state.h...).Plus(spec.Poly1305BlockAt(c.Store, a, msg, 0))
				if c.Looped {
					want = a.Number(64, begun...)
				}
				want = want.Mul(r)
				for i := int64(1); i < n; i++ {
					want = want.Plus(spec.Poly1305BlockAt(c.Store, a, msg, spec.Poly1305Block*i)).Mul(r)
				}
				var h []term.Term
				for i := range int64(3) {
					h = append(h, s.Stored(state.memory, 8*i))
				}
				if most := a.Most(h[2]); most.Cmp(big.NewInt(MaxH2)) > 0 {
					return fmt.Errorf("the upper word of h may be %s", most)
				}
				return congruent(a.Number(64, h...), want)
			})
		},
		Advance: func(c *engine.Case) { c.Move(msg, spec.Poly1305Block) },
		Invariant: func(c *engine.Case, s engine.View, first bool) *engine.Claim {
			if first {
				begun = nil
				for i, most := range []uint64{^uint64(0), ^uint64(0), MaxH2 + 2} { // with a block
					begun = append(begun, c.NewLeaf(64, term.LeafInfo{Name: fmt.Sprintf("begun%d", i), Max: most}))
				}
			}
			claim := &engine.Claim{Unknown: begun, Bounds: a}
			for i, r := range registers {
				claim.Has = append(claim.Has, engine.Has{Place: engine.InRegisters(amd64.Register(r)), Term: begun[i]})
			}
			claim.Where = func(func(term.Term) term.Term) error {
				return algebra.Safely(func() error { return turn(c, words(s), first) })
			}
			return claim
		},
	}
}
