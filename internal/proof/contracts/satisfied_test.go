// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build amd64 || arm64

package contracts

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"unsafe"

	"github.com/unimac/unimac/internal/proof"
	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// TestSatisfied constructs memory for each Setup, in each variant and section, and
// checks it against the contract. A Setup that no memory satisfies would make any claim
// provable. The numbers in the memory are arbitrary, and the contract reads only the
// memory.
func TestSatisfied(t *testing.T) {
	for i := range proof.Kernels {
		for _, part := range proof.Kernels[i].Parts() {
			for _, n := range ends(part) {
				if err := satisfied(part, n); err != nil {
					t.Errorf("%s, %s %s, %d: %v", proof.Kernels[i].Name(), part.Variant, part.Kernel.From, n, err)
				}
			}
		}
	}
}

// ends returns the least and the greatest length of a statement, or 0 if it has no
// lengths.
func ends(part engine.Part) []int64 {
	k := part.Kernel
	if k.Unit == 0 {
		return []int64{0}
	}
	c := k.Declared(part.Variant, k.Setup)
	var given []int64
	for n := k.Min; n <= k.Max; n++ {
		if n%k.Unit == 0 && (k.Given == nil || k.Given(c, n)) {
			given = append(given[:min(1, len(given))], n) // keep the first and the last
		}
	}
	if len(given) == 0 {
		return []int64{k.Min}
	}
	return given
}

// satisfied constructs memory for a length and returns an error if it is not what the
// statement declares.
func satisfied(part engine.Part, n int64) error {
	c := contractOf(part.Kernel.Declared(part.Variant, part.Kernel.Setup))
	places := map[*machine.Object][]byte{}
	address := func(o *machine.Object) unsafe.Pointer { return unsafe.Pointer(&places[o][0]) }
	numbers, err := numbersOf(c)
	if err != nil {
		return err
	}
	model := c.Evaluate(func(leaf term.Term) uint64 {
		if o := c.objects[leaf]; o != nil {
			return uint64(uintptr(address(o)))
		} else if leaf == c.N && c.Kernel.Unit > 0 {
			return uint64(n)
		}
		return numbers(leaf)
	})
	for _, o := range c.Objects() {
		size := model.Term(c.SizeOf(o))
		if o == c.Arguments {
			for at := range o.Fixed() {
				size = max(size, uint64(at)+1)
			}
		}
		if size > 1<<20 {
			return fmt.Errorf("%s has %#x bytes", o.Name, size)
		}
		place := make([]byte, size+128)
		places[o] = place[-uintptr(unsafe.Pointer(&place[0]))&63:]
	}
	for o, place := range places {
		for at, b := range o.Fixed() {
			place[at] = model.Byte(b)
		}
	}
	c.memory = []*area{{object: c.Arguments, at: address(c.Arguments)}}
	if part.Kernel.From != "" || part.Kernel.Calls != nil { // memory and inputs that no argument refers to
		for i := range c.Len() {
			leaf := term.Term(i)
			if o := c.objects[leaf]; o != nil {
				err = errors.Join(err, c.bind(leaf, model.Term(leaf), address(o)))
			} else if c.Op(leaf) == term.Leaf {
				err = errors.Join(err, c.bind(leaf, model.Term(leaf), nil))
			}
		}
	}
	if err != nil {
		return err
	}
	return c.compare()
}

// numbersOf returns a function that assigns numbers to a contract's inputs. The numbers
// satisfy the congruences that the contract assumes.
func numbersOf(c *contract) (func(leaf term.Term) uint64, error) {
	anything := func(leaf term.Term) uint64 {
		info, v := c.Info(leaf), (uint64(leaf)+1)*0x9e3779b97f4a7c15
		if count := info.Max - info.Min + 1; count != 0 {
			v = info.Min + v%count
		}
		return v
	}
	numbers := map[term.Term]uint64{}
	for _, r := range c.Rings {
		model, err := r.Model(r.Prime, anything)
		if err != nil {
			return nil, err
		}
		for leaf, v := range model {
			if old, ok := numbers[leaf]; ok && old != v {
				return nil, fmt.Errorf("%s would be %#x modulo one prime and %#x modulo another", c.Format(leaf), old, v)
			}
			numbers[leaf] = v
		}
	}
	return func(leaf term.Term) uint64 {
		if v, ok := numbers[leaf]; ok {
			return v
		}
		return anything(leaf)
	}, nil
}

// These functions add a ring, or an input named x, to a Setup.
type (
	rings  func() *algebra.Algebra
	inputs func(min, max uint64) term.Term
)

// TestContradictions checks that no memory is found for contradictory Setups.
func TestContradictions(t *testing.T) {
	prime := big.NewInt(8191)
	for _, test := range []struct {
		name, err string
		setup     func(c *engine.Case, o *machine.Object, ring rings, input inputs)
	}{
		{"contradictory bounds", "x is", func(_ *engine.Case, o *machine.Object, _ rings, input inputs) {
			o.Set(0, input(9, 4))
		}},
		{"value above its bound", "x would be 9", func(_ *engine.Case, o *machine.Object, ring rings, input inputs) {
			x := input(0, 4)
			ring().Let(x, algebra.Integer(big.NewInt(9)))
			o.Set(0, x)
		}},
		{"equal words with disjoint bounds", "x would be", func(_ *engine.Case, o *machine.Object, ring rings, input inputs) {
			a, x, y := ring(), input(0, 9), input(10, 19)
			a.Let(x, a.Unknown("r"))
			a.Let(y, a.Unknown("r"))
			o.Set(0, x, y)
		}},
		{"limb bounds too small for the value", "x would be", func(_ *engine.Case, o *machine.Object, ring rings, input inputs) {
			a, low, high := ring(), input(0, 15), input(0, 15)
			a.Let(low, a.Unknown("r").Power(2).Minus(a.Value(high).Scaled(4)))
			o.Set(0, low, high)
		}},
		{"word equal to itself plus 1", "not congruent", func(_ *engine.Case, o *machine.Object, ring rings, input inputs) {
			a, x := ring(), input(0, 8190)
			a.Let(x, a.Value(x).Plus(algebra.Constant(0)))
			o.Set(0, x)
		}},
		{"different values in two rings", "and 0x2", func(_ *engine.Case, o *machine.Object, ring rings, input inputs) {
			x := input(0, 9)
			ring().Let(x, algebra.Constant(0))
			ring().Let(x, algebra.Constant(1))
			o.Set(0, x)
		}},
		{"negative size", "bytes", func(c *engine.Case, o *machine.Object, _ rings, input inputs) {
			n := input(0, 63)
			o.Set(0, n)
			c.Arg(c.Bytes("rest", c.Sub(n, c.Const(64, 64))).Base)
		}},
		{"buffer too large", "bytes", func(c *engine.Case, _ *machine.Object, _ rings, _ inputs) {
			c.Arg(c.Buffer("rest", 1<<62).Base)
		}},
		{"alignment too large", "no multiple", func(_ *engine.Case, o *machine.Object, _ rings, _ inputs) {
			o.Align = 1 << 62
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := &engine.Kernel{File: "internal/x/x_amd64.s", Func: "xAVX2", Setup: func(c *engine.Case) {
				o := c.Buffer("o", 64)
				test.setup(c, o, func() *algebra.Algebra {
					a := algebra.New(c.Store)
					c.Rings = append(c.Rings, engine.Congruence{Algebra: a, Prime: prime})
					return a
				}, func(min, max uint64) term.Term {
					return c.NewLeaf(64, term.LeafInfo{Name: "x", Min: min, Max: max})
				})
				c.Arg(o.Base)
			}}
			if err := satisfied(engine.Part{Kernel: k}, ends(engine.Part{Kernel: k})[0]); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got error %v, want %q", err, test.err)
			}
		})
	}
}
