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

// InPlace says that callers may give a buffer that is the same as one which is stored to.
func (c *Case) InPlace(o, dst *machine.Object) { c.MayLie(o, dst, 0, 0) }

// MayLie says that callers may give a buffer that lies in one which is stored to: so many bytes or more before its
// start, where it is what has been stored, or, if after is not 0, so many bytes or more after it.
func (c *Case) MayLie(o, dst *machine.Object, before, after int64) {
	c.Lies = append(c.Lies, Lie{o, dst, before, after})
}

// A Lie is what MayLie has said, or, without a distance, InPlace.
type Lie struct {
	Object, In    *machine.Object
	before, after int64
}

// Allowed reports whether the buffer may lie at a distance from the other one's start.
func (l *Lie) Allowed(distance int64) bool {
	if l.before == 0 {
		return distance == 0
	}
	return distance <= -l.before || l.after > 0 && distance >= l.after
}

// watch has an access be such that what is shown of buffers that are apart holds where they are not. What is read of a
// buffer in its place is not stored before. What is read of one that begins before is stored already, and once; of
// one that begins after, not yet.
func (l *Lie) watch(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
	for at := offset; at < offset+size; at++ {
		_, stored := m.Stored(l.In, at)
		if stored && o == l.Object && l.before == 0 {
			machine.Fail("reads %s[%d] after %s[%d] is stored", o.Name, at, l.In.Name, at)
		}
		if stored && o == l.In && store && l.before > 0 {
			machine.Fail("stores %s[%d] twice", o.Name, at)
		}
	}
	if o != l.Object || l.before == 0 {
		return
	}
	for at := range offset + size - l.before {
		if _, ok := m.Stored(l.In, at); !ok {
			machine.Fail("reads %s[%d] before %s[%d] is stored", o.Name, offset+size-1, l.In.Name, at)
		}
	}
	if l.after > 0 && m.Extent(l.In) > offset+l.after {
		machine.Fail("reads %s[%d] after %s[%d] is stored", o.Name, offset, l.In.Name, m.Extent(l.In)-1)
	}
}

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

// watch returns what is told of every access, before it takes place.
func (r *Session) watch() machine.Watch {
	if len(r.Over) == 0 && len(r.Lies) == 0 {
		return nil
	}
	return func(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
		for _, dst := range r.Over[o] {
			if m.Extent(dst) > 0 {
				machine.Fail("accesses %s after a store to %s, which may lie over it", o.Name, dst.Name)
			}
		}
		for i := range r.Lies {
			r.Lies[i].watch(m, o, offset, size, store)
		}
	}
}
