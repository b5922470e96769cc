// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"math/big"

	"github.com/unimac/unimac/internal/proof/algebra"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// Call declares what a call gives, as package contracts checks it: what Setup declares, or Calls.
// No length is chosen. The statement's Given, if it has one, is right until the next Call.
func (k *Kernel) Call(variant string) *Case {
	t := term.New()
	c := &Case{Store: t, mem: machine.NewMemory(t), Kernel: k, Variant: variant}
	c.Arguments = c.mem.Add(&machine.Object{Name: "arguments", Align: 8}, t.Const(64, 0))
	if k.Unit > 0 {
		c.N = t.NewLeaf(64, term.LeafInfo{Name: "n", Public: true, Min: uint64(k.Min), Max: uint64(k.Max)})
	}
	if k.Calls != nil {
		k.Calls(c)
	} else {
		k.Setup(c)
	}
	return c
}

// A Congruence is what is known of inputs modulo a prime, by [algebra.Algebra.Let].
type Congruence struct {
	*algebra.Algebra
	Prime *big.Int
}

// AtMost says that callers give nothing for which a term is more. The proof does without it: for more, what it
// claims is not what callers want.
func (c *Case) AtMost(name string, t term.Term, most uint64) {
	c.Most = append(c.Most, Most{name, t, most})
}

// A Most is what AtMost has said.
type Most struct {
	Name string
	Term term.Term
	Most uint64
}

// MayLie says that callers may give a buffer that lies in one which is stored to, if the distance
// from the latter's start to its own is allowed. The statement's Watch shows that this makes no
// difference.
func (c *Case) MayLie(o, dst *machine.Object, allowed func(distance int64) bool) {
	c.Lies = append(c.Lies, Lie{o, dst, allowed})
}

// A Lie is what MayLie has said.
type Lie struct {
	Object, In *machine.Object
	Allowed    func(distance int64) bool
}

// InPlace is the one distance of buffers that are apart or the same.
func InPlace(distance int64) bool { return distance == 0 }

// MayOverlap says that callers may give a buffer that lies over others, in any way. The others keep
// their contents until the first store to it, and may not be read after that.
func (c *Case) MayOverlap(dst *machine.Object, others ...*machine.Object) {
	if c.Over == nil {
		c.Over = map[*machine.Object][]*machine.Object{}
	}
	for _, o := range others {
		c.Over[o] = append(c.Over[o], dst)
	}
}

// A Watch is told of an access, before it takes place.
type Watch func(m Memory, o *machine.Object, offset, size int64, store bool)

// watch returns what is told of every access: the kernel's own Watch, and MayOverlap's.
func (r *run) watch() machine.Watch {
	var own Watch
	if r.Kernel.Watch != nil {
		own = r.Kernel.Watch(&r.Case)
	}
	if len(r.Over) == 0 && own == nil {
		return nil
	}
	return func(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
		for _, dst := range r.Over[o] {
			if m.Extent(dst) > 0 {
				machine.Fail("accesses %s after a store to %s, which may lie over it", o.Name, dst.Name)
			}
		}
		if own != nil {
			own(Memory{m}, o, offset, size, store)
		}
	}
}
